package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

// filesCommand has what the subcommands of toolrun files share.
type filesCommand struct {
	projectFlags
	json bool
}

func newFiles() *cobra.Command {
	c := &filesCommand{}
	cmd := &cobra.Command{
		Use:   "files",
		Short: "List, change, restore, import and export a project's files",
		Long: `List, read, change, restore, import and export the files of a project. Paths
start at the project's root, "/". Whatever is replaced or removed stays in the
project's history for a while.`,
		Example: "  toolrun files put notes.md /notes.md\n" +
			"  toolrun files ls\n" +
			"  toolrun files --root . history\n" +
			"  toolrun files --root . undo",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.add(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.list(), c.tree(), c.cat(), c.grep(), c.put(), c.get(), c.edit(), c.remove(), c.move(), c.copy(),
		c.mkdir(), c.history(), c.diff(), c.apply(), c.discard(), c.deleted(), c.restore(),
		c.undo(), c.redo(), c.importFiles(),
		c.exportFiles())
	return cmd
}

// An outcome is the result of a command: as text for people, and as data for --json.
type outcome struct {
	text string
	data any
	// none is what a terminal shows if the text is empty, such as "no files": a list without lines looks like a
	// failure.
	none string
}

// change returns a command's function that calls do on the project, which is made if it does not exist, and prints the
// outcome.
func (c *filesCommand) change(do filesFunc) func(*cobra.Command, []string) error {
	return c.run(c.open, do)
}

// read is change for commands that make no project.
func (c *filesCommand) read(do filesFunc) func(*cobra.Command, []string) error {
	return c.run(c.reading, do)
}

// A filesFunc does a command's work on a project.
type filesFunc func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error)

// An operation asks for what a command does, and makes the outcome of the answer.
type operation func(ctx context.Context, args []string, s *service.Service) (outcome, error)

// ask makes a filesFunc of an operation on the project, whose name is that of the flags.
func (c *filesCommand) ask(do operation) filesFunc {
	return func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
		s, err := c.service(p)
		if err != nil {
			return outcome{}, err
		}
		return do(cmd.Context(), args, s)
	}
}

// reworded gives an error with a code of package service a text with what a command can do about it.
func reworded(err error, code, text string, args ...any) error {
	if err != nil && service.Explain(err).Code == code {
		return fmt.Errorf(text, args...)
	}
	return err
}

func (c *filesCommand) run(open func(context.Context) (vfs.Project, error),
	do filesFunc) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		p, err := open(cmd.Context())
		if err != nil {
			return err
		}
		if p, err = c.withMounts(cmd.Context(), p); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		out, err := do(cmd, args, p.WithCall(newCall(cmd.Name())))
		if err != nil && err != errToolFailed {
			return err
		}
		return errors.Join(out.print(cmd.OutOrStdout(), c.json), err)
	}
}

// print prints the text or the data, as one line of JSON.
func (o outcome) print(w io.Writer, asJSON bool) error {
	if !asJSON {
		if o.text == "" && o.none != "" && terminal.IsTerminal(w) {
			if err := terminal.Print(w, terminal.Dim, o.none); err != nil {
				return err
			}
			o.text = "\n"
		}
		_, err := io.WriteString(w, o.text)
		return err
	}
	if o.data == nil {
		o.data = struct{}{}
	}
	return printJSON(w, o.data)
}

// argument returns the argument at an index, or missing if there are fewer.
func argument(args []string, i int, missing string) string {
	if i < len(args) {
		return args[i]
	}
	return missing
}

// jsonFile is a file or directory in listings as JSON.
type jsonFile struct {
	Path     string    `json:"path"`
	Type     string    `json:"type"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

func describe(name string, info fs.FileInfo) jsonFile {
	kind := "other"
	switch {
	case info.IsDir():
		kind = "directory"
	case info.Mode().IsRegular():
		kind = "file"
	}
	return jsonFile{name, kind, info.Size(), jsontree.Time(info.ModTime())}
}

// label is a file's name in listings for people.
func label(info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return info.Name() + "/"
	case !info.Mode().IsRegular():
		return info.Name() + " (not followed)"
	}
	return info.Name()
}

func (c *filesCommand) list() *cobra.Command {
	var long bool
	cmd := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List a directory",
		Example: "  toolrun files ls\n" +
			"  toolrun files ls -l /site",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(_ *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			return listing(p, argument(args, 0, "/"), long)
		}),
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "show modes, sizes and times")
	return cmd
}

// listing lists a directory, or one file.
func listing(p vfs.Project, name string, long bool) (outcome, error) {
	info, err := p.Stat(name)
	if err != nil {
		return outcome{}, err
	}
	infos := []fs.FileInfo{info}
	dir := path.Dir(path.Clean("/" + name))
	if info.IsDir() {
		dir = path.Clean("/" + name)
		if infos, err = afero.ReadDir(p, name); err != nil {
			return outcome{}, err
		}
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	all := []jsonFile{}
	for _, info := range infos {
		all = append(all, describe(path.Join(dir, info.Name()), info))
		if long {
			fmt.Fprintf(table, "%v\t%d\t%s\t  %s\n", info.Mode(), info.Size(), info.ModTime().Format(time.DateTime),
				label(info))
		} else {
			fmt.Fprintln(table, label(info))
		}
	}
	err = table.Flush()
	return outcome{text: text.String(), data: all, none: "no files"}, err
}

func (c *filesCommand) tree() *cobra.Command {
	return &cobra.Command{
		Use:   "tree [PATH]",
		Short: "List a directory and everything below it",
		Example: "  toolrun files tree\n" +
			"  toolrun files --root . tree site",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			top, err := vfs.Clean(argument(args, 0, "/"))
			if err != nil {
				return outcome{}, err
			}
			var text strings.Builder
			all := []jsonFile{}
			var show func(dir, indent string) error
			show = func(dir, indent string) error {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				infos, err := afero.ReadDir(p, dir)
				for i, info := range infos {
					branch, below := "├── ", "│   "
					if i == len(infos)-1 {
						branch, below = "└── ", "    "
					}
					name := path.Join(dir, info.Name())
					all = append(all, describe(name, info))
					text.WriteString(indent + branch + label(info) + "\n")
					if info.IsDir() {
						if err := show(name, indent+below); err != nil {
							return err
						}
					}
				}
				return err
			}
			text.WriteString(top + "\n")
			err = show(top, "")
			return outcome{text: text.String(), data: all}, err
		}),
	}
}

// jsonContent is a file as JSON, with its content as text or as base64.
func jsonContent(name string, data []byte) map[string]string {
	if utf8.Valid(data) {
		return map[string]string{"path": name, "text": string(data)}
	}
	return map[string]string{"path": name, "base64": base64.StdEncoding.EncodeToString(data)}
}

func (c *filesCommand) cat() *cobra.Command {
	var version int64
	cmd := &cobra.Command{
		Use:   "cat PATH... | --version ID",
		Short: "Print files, or a file as it was before a change",
		Example: "  toolrun files cat /notes.md\n" +
			"  toolrun files cat --version 2",
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			if (version > 0) == (len(args) > 0) {
				return outcome{}, errors.New("give paths, or --version with the id of a change")
			}
			var text strings.Builder
			var all []any
			add := func(f afero.File, err error) error {
				if err != nil {
					return err
				}
				defer f.Close()
				data, err := io.ReadAll(f)
				text.Write(data)
				all = append(all, jsonContent(f.Name(), data))
				return err
			}
			if version > 0 {
				err := add(p.OpenVersion(cmd.Context(), version))
				return outcome{text: text.String(), data: all}, err
			}
			for _, name := range args {
				if err := add(p.Open(name)); err != nil {
					return outcome{}, err
				}
			}
			return outcome{text: text.String(), data: all}, nil
		}),
	}
	cmd.Flags().Int64Var(&version, "version", 0, "print what a file was before the change with this `ID`")
	return cmd
}

func (c *filesCommand) remove() *cobra.Command {
	var recursive bool
	cmd := &cobra.Command{
		Use:   "rm PATH...",
		Short: "Remove files, or with -r directories",
		Example: "  toolrun files rm /notes.md\n" +
			"  toolrun files rm -r /site",
		Args: cobra.MinimumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			return outcome{}, p.Exclusively(cmd.Context(), func(files afero.Fs) error {
				for _, name := range args {
					info, err := files.Stat(name)
					if err != nil {
						return err
					}
					if info.IsDir() && recursive {
						err = files.RemoveAll(name)
					} else {
						err = files.Remove(name)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}),
	}
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false, "remove directories with everything in them")
	return cmd
}

func (c *filesCommand) move() *cobra.Command {
	return &cobra.Command{
		Use:   "mv FROM TO",
		Short: "Rename or move a file or directory; nothing is replaced",
		Example: "  toolrun files mv /notes.md /old.md\n" +
			"  toolrun files mv /notes.md /site",
		Args: cobra.ExactArgs(2),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			to, err := destination(p, args[1], path.Base(args[0]))
			if err != nil {
				return outcome{}, err
			}
			return outcome{}, vfs.Move(cmd.Context(), p, args[0], to)
		}),
	}
}

func (c *filesCommand) copy() *cobra.Command {
	return &cobra.Command{
		Use:   "cp FROM TO",
		Short: "Copy a file or directory; nothing is replaced",
		Example: "  toolrun files cp /notes.md /old.md\n" +
			"  toolrun files cp /site /site-backup",
		Args: cobra.ExactArgs(2),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			to, err := destination(p, args[1], path.Base(args[0]))
			if err != nil {
				return outcome{}, err
			}
			return outcome{}, vfs.Copy(cmd.Context(), p, args[0], to)
		}),
	}
}

func (c *filesCommand) mkdir() *cobra.Command {
	return &cobra.Command{
		Use:     "mkdir PATH...",
		Short:   "Make directories, and their parents",
		Example: "  toolrun files mkdir /data/raw /data/clean",
		Args:    cobra.MinimumNArgs(1),
		RunE: c.change(func(_ *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			for _, name := range args {
				if err := p.MkdirAll(name, 0o755); err != nil {
					return outcome{}, err
				}
			}
			return outcome{}, nil
		}),
	}
}
