package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/filetext"
	"github.com/toolrun/toolrun/vfs"
)

func (c *filesCommand) grep() *cobra.Command {
	var ignoreCase, fixed, namesOnly bool
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH...]",
		Short: "Search the files of the project",
		Long: `Print the lines that match a regular expression, in the files given, in those
below directories, or in all files. Binary files are left out; UTF-16 and
Latin-1 are decoded. The exit status is 1 if no line matches.`,
		Example: "  toolrun files grep two\n" +
			"  toolrun files grep -i '^<p>HELLO' /site",
		Args: cobra.MinimumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			pattern := args[0]
			if fixed {
				pattern = regexp.QuoteMeta(pattern)
			}
			if ignoreCase {
				pattern = "(?i)" + pattern
			}
			matches, err := regexp.Compile(pattern)
			if err != nil {
				return outcome{}, err
			}
			tops := args[1:]
			if len(tops) == 0 {
				tops = []string{"/"}
			}
			type jsonLine struct {
				Path string `json:"path"`
				Line int    `json:"line"`
				Text string `json:"text"`
			}
			var text strings.Builder
			found := []jsonLine{}
			search := func(name string, info fs.FileInfo, err error) error {
				if err != nil || !info.Mode().IsRegular() {
					return err
				}
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				data, err := afero.ReadFile(p, name)
				if err != nil {
					return err
				}
				decoded, ok := filetext.Readable(data)
				if !ok {
					return nil
				}
				n := 0
				for line := range bytes.Lines(decoded) {
					n++
					line = bytes.TrimRight(line, "\r\n")
					if !matches.Match(line) {
						continue
					}
					found = append(found, jsonLine{name, n, string(line)})
					if namesOnly {
						fmt.Fprintln(&text, name)
						break
					}
					fmt.Fprintf(&text, "%s:%d:%s\n", name, n, line)
				}
				return nil
			}
			for _, top := range tops {
				name, err := vfs.Clean(top)
				if err != nil {
					return outcome{}, err
				}
				if err := afero.Walk(p, name, search); err != nil {
					return outcome{}, err
				}
			}
			out := outcome{text: text.String(), data: found, none: "no line matches"}
			if len(found) == 0 {
				return out, errToolFailed
			}
			return out, nil
		}),
	}
	cmd.Flags().BoolVarP(&ignoreCase, "ignore-case", "i", false, "ignore case")
	cmd.Flags().BoolVarP(&fixed, "fixed-strings", "F", false, "search for PATTERN as it is")
	cmd.Flags().BoolVarP(&namesOnly, "files-with-matches", "l", false, "print the names of files alone")
	return cmd
}
