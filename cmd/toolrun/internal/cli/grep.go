package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/filesearch"
	"github.com/toolrun/toolrun/vfs"
)

func (c *filesCommand) grep() *cobra.Command {
	o := filesearch.Options{Whole: vfs.DefaultFileSize}
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH...]",
		Short: "Search the files of the project",
		Long: `Print the lines that match a regular expression, in the files given, in those
below directories, or in all files. UTF-16 and Latin-1 are decoded. Files that
are not searched, such as binary ones, are named on standard error. The exit
status is 1 if no line matches.`,
		Example: "  toolrun files grep two\n" +
			"  toolrun files grep -i '^<p>HELLO' /site",
		Args: cobra.MinimumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			o.Pattern = args[0]
			tops := args[1:]
			if len(tops) == 0 {
				tops = []string{"/"}
			}
			for i, top := range tops {
				name, err := vfs.Clean(top)
				if err != nil {
					return outcome{}, err
				}
				tops[i] = name
			}
			found, err := filesearch.Search(cmd.Context(), p, tops, o)
			if err != nil {
				return outcome{}, err
			}
			type jsonLine struct {
				Path string `json:"path"`
				Line int    `json:"line"`
				Text string `json:"text"`
			}
			lines := []jsonLine{}
			var text strings.Builder
			for _, m := range found.Matches {
				lines = append(lines, jsonLine(m))
				if o.Once {
					fmt.Fprintln(&text, m.Path)
				} else {
					fmt.Fprintf(&text, "%s:%d:%s\n", m.Path, m.Line, m.Text)
				}
			}
			if found.NotSearched != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "not searched: %s\n", found.NotSearched)
			}
			out := outcome{text: text.String(), data: lines, none: "no line matches"}
			if len(lines) == 0 {
				return out, errToolFailed
			}
			return out, nil
		}),
	}
	cmd.Flags().BoolVarP(&o.IgnoreCase, "ignore-case", "i", false, "ignore case")
	cmd.Flags().BoolVarP(&o.Plain, "fixed-strings", "F", false, "search for PATTERN as it is")
	cmd.Flags().BoolVarP(&o.Once, "files-with-matches", "l", false, "print the names of files alone")
	return cmd
}
