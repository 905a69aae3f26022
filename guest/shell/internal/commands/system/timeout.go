package system

import (
	"context"
	"fmt"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var timeout = &command.Command{
	Name:     "timeout",
	Operands: "[OPTION] DURATION COMMAND [ARG]...",
	Summary: "Start COMMAND, and end it if still running after DURATION, which is a number of seconds, or one with " +
		"the suffix 's',\n" +
		"'m', 'h' or 'd'. 0 means no limit.",
	Options: []command.Option{
		{Long: "preserve-status", Help: "exit with the same status as COMMAND, even when the command\ntimes out"},
		{Long: "foreground"},
		{Short: 'k', Long: "kill-after", Arg: "DURATION", Help: "(ignored: the first signal ends it)"},
		{Short: 's', Long: "signal", Arg: "SIGNAL", Help: "(ignored, but for KILL)"},
		{Short: 'v', Long: "verbose", Help: "diagnose to stderr any signal sent upon timeout"},
	},
	StopAtOperand: true,
	Trouble:       125,
	Run:           runTimeout,
}

func runTimeout(c *command.Context) int {
	if len(c.Args) < 2 {
		return c.Missing()
	}
	d, ok := parseDuration(c.Args[0])
	if !ok {
		return c.Usage("invalid time interval %s", command.QuoteText(c.Args[0]))
	}
	ctx := c.Context()
	if d > 0 {
		limited, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		ctx = limited
	}
	status := c.Run(command.Call{Args: c.Args[1:], Stdin: c.Stdin, Context: ctx, Missing: "failed to run command ‘%s’"})
	if d == 0 || ctx.Err() == nil {
		return status
	}
	signal, _ := c.Value("signal")
	killed := signal == "KILL" || signal == "9" || signal == "SIGKILL"
	if c.Has("verbose") {
		name := "TERM"
		if killed {
			name = "KILL"
		}
		fmt.Fprintf(c.Stderr, "timeout: sending signal %s to command %s\n", name, command.QuoteText(c.Args[1]))
	}
	switch {
	case killed:
		return 137
	case c.Has("preserve-status"):
		return status
	}
	return 124
}
