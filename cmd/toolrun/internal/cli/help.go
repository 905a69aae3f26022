package cli

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// groups are the parts of the list of commands, in order.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"run", "Run code and tools:", []string{"js", "py", "sh", "repl", "call", "replay", "mcp", "serve", "setup"}},
	{"model", "See what a model gets:", []string{"tools", "defs", "prompt"}},
	{"project", "Look after projects:",
		[]string{"files", "checkpoint", "project", "calls", "approvals", "session", "store"}},
	{"module", "Add tools and languages:", []string{"module"}},
	{"self", "About toolrun:", []string{"docs", "selftest", "upgrade", "version"}},
}

// arrangeHelp puts the commands into groups and makes headings bold on terminals.
func arrangeHelp(root *cobra.Command) {
	group := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			group[name] = g.id
		}
	}
	for _, cmd := range root.Commands() {
		cmd.GroupID = group[cmd.Name()]
	}
	root.SetHelpCommandGroupID("self")
	root.InitDefaultHelpCmd()
	refuseUnknownTopics(root)
	root.SetCompletionCommandGroupID("self")
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		_ = printHelp(out, wrapFlags(text.String(), cmd.LocalFlags(), cmd.InheritedFlags()))
	})
}

// wrapFlags wraps the parts of a command's help that list flags. A template of cobra's could do it, but would need
// text/template: see package fill.
func wrapFlags(help string, lists ...*pflag.FlagSet) string {
	for _, flags := range lists {
		if long := flags.FlagUsages(); long != "" {
			help = strings.Replace(help, strings.TrimSpace(long),
				strings.TrimSpace(flags.FlagUsagesWrapped(helpColumns)), 1)
		}
	}
	return help
}

// refuseUnknownTopics makes toolrun help fail for commands that do not exist, with the error of the command itself.
func refuseUnknownTopics(root *cobra.Command) {
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 && cmd.HasSubCommands() {
			err = cmd.Args(cmd, rest)
		}
		return err
	}
}

// helpColumns is the width of help.
const helpColumns = 80

var heading = lazyregexp.New(`(?m)^[A-Z][A-Za-z ]*:$`)

// printHelp prints text with its headings bold.
func printHelp(out io.Writer, text string) error {
	at := 0
	for _, span := range heading().FindAllStringIndex(text, -1) {
		if _, err := io.WriteString(out, text[at:span[0]]); err != nil {
			return err
		}
		if err := terminal.Print(out, terminal.Bold, text[span[0]:span[1]]); err != nil {
			return err
		}
		at = span[1]
	}
	_, err := io.WriteString(out, text[at:])
	return err
}
