package misc

import (
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// What the shell says about where it runs. There is one user, who owns everything.
const (
	userName = "user"
	userID   = "1000"
	hostName = "toolrun"
	kernel   = "6.1.0"
	machine  = "wasm32"
)

// noOperands returns a command that prints a line.
func noOperands(name, summary, line string) *command.Command {
	return &command.Command{Name: name, Operands: "[OPTION]...", Summary: summary, Run: func(c *command.Context) int {
		if len(c.Args) > 0 {
			return c.Extra(c.Args[0])
		}
		fmt.Fprintln(c.Stdout, line)
		return 0
	}}
}

var (
	whoami  = noOperands("whoami", "Print the user name of the user who runs the shell.", userName)
	logname = noOperands("logname", "Print the user's login name.", userName)
	arch    = noOperands("arch", "Print machine architecture.", machine)
)

var groups = &command.Command{Name: "groups", Operands: "[USERNAME]...", Summary: "Print group memberships.",
	Run: func(c *command.Context) int {
		ok := true
		for _, name := range c.Args {
			if name != userName {
				c.Errorf("%s: no such user", command.QuoteText(name))
				ok = false
				continue
			}
			fmt.Fprintln(c.Stdout, name+" : "+userName)
		}
		if len(c.Args) == 0 {
			fmt.Fprintln(c.Stdout, userName)
		}
		return command.Status(ok)
	}}

var hostname = &command.Command{
	Name: "hostname", Operands: "[OPTION]", Summary: "Show the host name. It cannot be set.",
	Options: []command.Option{
		{Short: 'a', Long: "alias"}, {Short: 'd', Long: "domain", Help: "DNS domain name"},
		{Short: 'f', Long: "fqdn", Help: "long host name (FQDN)"}, {Long: "long"},
		{Short: 'i', Long: "ip-address", Help: "addresses for the host name"}, {Short: 'I', Long: "all-ip-addresses"},
		{Short: 's', Long: "short", Help: "short host name"},
	},
	Run: func(c *command.Context) int {
		if len(c.Args) > 0 {
			c.Errorf("you don't have permission to set the host name")
			return 1
		}
		switch c.Last("alias", "domain", "ip-address", "all-ip-addresses") {
		case "":
			fmt.Fprintln(c.Stdout, hostName)
		case "ip-address", "all-ip-addresses":
			fmt.Fprintln(c.Stdout, "127.0.0.1")
		default:
			fmt.Fprintln(c.Stdout)
		}
		return 0
	},
}

var nproc = &command.Command{
	Name: "nproc", Operands: "[OPTION]...",
	Summary: "Print the number of processing units available: the shell runs on one.",
	Options: []command.Option{
		{Long: "all", Help: "print the number of installed processors"},
		{Long: "ignore", Arg: "N", Help: "if possible, exclude N processing units"},
	},
	Run: func(c *command.Context) int {
		if len(c.Args) > 0 {
			return c.Extra(c.Args[0])
		}
		if n, ok := c.Value("ignore"); ok {
			if v, err := command.ParseSize(n); err != nil || v < 0 {
				c.Errorf("invalid number: %s", command.QuoteText(n))
				return 1
			}
		}
		fmt.Fprintln(c.Stdout, 1)
		return 0
	},
}

var uname = &command.Command{
	Name: "uname", Operands: "[OPTION]...",
	Summary: "Print certain system information. With no OPTION, same as -s.",
	Options: []command.Option{
		{Short: 'a', Long: "all", Help: "print all information"},
		{Short: 's', Long: "kernel-name", Help: "print the kernel name"},
		{Short: 'n', Long: "nodename", Help: "print the network node hostname"},
		{Short: 'r', Long: "kernel-release", Help: "print the kernel release"},
		{Short: 'v', Long: "kernel-version", Help: "print the kernel version"},
		{Short: 'm', Long: "machine", Help: "print the machine hardware name"},
		{Short: 'p', Long: "processor", Help: "print the processor type (non-portable)"},
		{Short: 'i', Long: "hardware-platform", Help: "print the hardware platform (non-portable)"},
		{Short: 'o', Long: "operating-system", Help: "print the operating system"},
	},
	Run: func(c *command.Context) int {
		if len(c.Args) > 0 {
			return c.Extra(c.Args[0])
		}
		var words []string
		for _, part := range []struct{ name, value string }{
			{"kernel-name", "Linux"}, {"nodename", hostName}, {"kernel-release", kernel}, {"kernel-version",
				"#1 SMP toolrun"},
			{"machine", machine}, {"processor", "unknown"}, {"hardware-platform", "unknown"}, {"operating-system",
				"GNU/Linux"},
		} {
			if c.Has(part.name) || c.Has("all") && part.value != "unknown" {
				words = append(words, part.value)
			}
		}
		if words == nil {
			words = []string{"Linux"}
		}
		fmt.Fprintln(c.Stdout, strings.Join(words, " "))
		return 0
	},
}

var id = &command.Command{
	Name: "id", Operands: "[OPTION]... [USER]...", Summary: "Print user and group information.",
	Options: []command.Option{
		{Short: 'a', Help: "ignore, for compatibility with other versions"},
		{Short: 'g', Long: "group", Help: "print only the effective group ID"},
		{Short: 'G', Long: "groups", Help: "print all group IDs"},
		{Short: 'n', Long: "name", Help: "print a name instead of a number, for -ugG"},
		{Short: 'r', Long: "real", Help: "print the real ID instead of the effective ID, with -ugG"},
		{Short: 'u', Long: "user", Help: "print only the effective user ID"},
		{Short: 'z', Long: "zero", Help: "delimit entries with NUL characters, not whitespace"},
	},
	Run: func(c *command.Context) int {
		which := 0
		for _, name := range []string{"user", "group", "groups"} {
			if c.Has(name) {
				which++
			}
		}
		switch {
		case which > 1:
			c.Errorf("cannot print \"only\" of more than one choice")
			return 1
		case which == 0 && (c.Has("name") || c.Has("real")):
			c.Errorf("cannot print only names or real IDs in default format")
			return 1
		case which == 0 && c.Has("zero"):
			c.Errorf("option --zero not permitted in default format")
			return 1
		}
		end := "\n"
		if c.Has("zero") {
			end = "\x00"
		}
		names := c.Args
		if len(names) == 0 {
			names = []string{userName}
		}
		ok := true
		for _, name := range names {
			if name != userName && name != userID {
				c.Errorf("%s: no such user", command.QuoteText(name))
				ok = false
				continue
			}
			switch {
			case which == 0:
				fmt.Fprintf(c.Stdout, "uid=%s(%s) gid=%[1]s(%[2]s) groups=%[1]s(%[2]s)%s", userID, userName, end)
			case c.Has("name"):
				fmt.Fprint(c.Stdout, userName+end)
			default:
				fmt.Fprint(c.Stdout, userID+end)
			}
		}
		return command.Status(ok)
	},
}
