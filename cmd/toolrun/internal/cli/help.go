package cli

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
)

// groups are the parts of the list of commands, in order.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"run", "Run code and tools:", []string{"js", "repl", "call", "replay", "mcp", "serve"}},
	{"model", "See what a model gets:", []string{"tools", "defs", "prompt"}},
	{"project", "Look after projects:", []string{"files", "checkpoint", "project", "approvals", "store"}},
	{"module", "Add tools and languages:", []string{"module"}},
	{"self", "About toolrun:", []string{"selftest", "version"}},
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
	root.SetCompletionCommandGroupID("self")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages",
		fmt.Sprintf(".FlagUsagesWrapped %d", helpColumns)))
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		_ = printHelp(out, text.String())
	})
}

// helpColumns is the width of help.
const helpColumns = 80

var heading = regexp.MustCompile(`(?m)^[A-Z][A-Za-z ]*:$`)

// printHelp prints text with its headings bold.
func printHelp(out io.Writer, text string) error {
	at := 0
	for _, span := range heading.FindAllStringIndex(text, -1) {
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
