package misc

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var timeCommand = &command.Command{
	Name: "time", Operands: "[OPTION]... COMMAND [ARGUMENT]...",
	Summary: "Run a command, and say how long it took. The shell has a keyword with this name, which comes first.",
	Options: []command.Option{
		{Short: 'p', Long: "portability", Help: "use the portable output format"},
		{Short: 'f', Long: "format", Arg: "FORMAT", Help: "use FORMAT, with %e, %U, %S, %E, %P, %x and %C"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "write to FILE"},
		{Short: 'a', Long: "append", Help: "with -o FILE, append instead of overwriting"},
		{Short: 'v', Long: "verbose"}, {Short: 'q', Long: "quiet"},
	},
	Notes:         "There is no time of the processor: user and system times are those that have passed, and 0.",
	StopAtOperand: true,
	Run:           runTime,
}

func runTime(c *command.Context) int {
	if len(c.Args) == 0 {
		fmt.Fprintln(c.Stderr,
			"Usage: time [-apvV] [-f format] [-o file] [--append] [--verbose]\n       [--portability] command [arg...]")
		return 125
	}
	begin := time.Now()
	status := c.Run(command.Call{Args: c.Args})
	took := time.Since(begin).Seconds()
	format := "%Uuser %Ssystem %Eelapsed %PCPU (0avgtext+0avgdata 0maxresident)k\n" +
		"0inputs+0outputs (0major+0minor)pagefaults 0swaps"
	if c.Has("portability") {
		format = "real %e\nuser %U\nsys %S"
	}
	if f, ok := c.Value("format"); ok {
		format = f
	}
	text := strings.NewReplacer("%e", fmt.Sprintf("%.2f", took), "%U", fmt.Sprintf("%.2f", took), "%S", "0.00",
		"%E", fmt.Sprintf("%d:%05.2f", int(took)/60,
			took-float64(int(took)/60*60)), "%P", "100%", "%x", fmt.Sprint(status),
		"%C", strings.Join(c.Args, " "), "%M", "0", "%%", "%", `\n`, "\n", `\t`, "\t").Replace(format) + "\n"
	if name, ok := c.Value("output"); ok {
		var old []byte
		if c.Has("append") {
			old, _ = c.ReadFile(name)
		}
		if err := c.WriteFile(name, append(old, text...)); err != nil {
			c.FileError(name, err)
			return 125
		}
		return status
	}
	fmt.Fprint(c.Stderr, text)
	return status
}
