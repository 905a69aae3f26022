package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
)

func (c *filesCommand) grep() *cobra.Command {
	in := service.SearchRequest{Lines: true}
	var ignoreCase, plain bool
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
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			in.Project, in.Text, in.Case, in.Regexp = c.name(), args[0], !ignoreCase, !plain
			tops := args[1:]
			if len(tops) == 0 {
				tops = []string{"/"}
			}
			var matches []service.Match
			var skipped []string
			for _, in.Path = range tops {
				found, err := s.Search(ctx, in)
				if err != nil {
					return outcome{}, err
				}
				matches = append(matches, found.Matches...)
				if found.NotSearched != "" {
					skipped = append(skipped, found.NotSearched)
				}
			}
			type jsonLine struct {
				Path string `json:"path"`
				Line int    `json:"line"`
				Text string `json:"text"`
			}
			lines := []jsonLine{}
			var text strings.Builder
			for _, m := range matches {
				lines = append(lines, jsonLine(m))
				if in.Once {
					fmt.Fprintln(&text, m.Path)
				} else {
					fmt.Fprintf(&text, "%s:%d:%s\n", m.Path, m.Line, m.Text)
				}
			}
			if len(skipped) > 0 {
				fmt.Fprintf(c.cmd.ErrOrStderr(), "not searched: %s\n", strings.Join(skipped, ", "))
			}
			out := outcome{text: text.String(), data: lines, none: "no line matches"}
			if len(lines) == 0 {
				return out, errToolFailed
			}
			return out, nil
		}),
	}
	cmd.Flags().BoolVarP(&ignoreCase, "ignore-case", "i", false, "ignore case")
	cmd.Flags().BoolVarP(&plain, "fixed-strings", "F", false, "search for PATTERN as it is")
	cmd.Flags().BoolVarP(&in.Once, "files-with-matches", "l", false, "print the names of files alone")
	return cmd
}
