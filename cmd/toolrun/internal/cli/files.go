package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/text/jsontree"
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
	}
	c.add(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.list(), c.tree(), c.cat(), c.grep(), c.put(), c.get(), c.edit(), c.remove(), c.move(), c.copy(),
		c.mkdir(), c.history(), c.diff(), c.apply(), c.discard(), c.deleted(), c.restore(),
		c.undo(), c.redo(), c.purge(), c.importFiles(), c.exportFiles())
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
func (c *filesCommand) change(do operation) func(*cobra.Command, []string) error {
	return c.run(c.open, c.ask(do))
}

// read is change for commands that make no project.
func (c *filesCommand) read(do operation) func(*cobra.Command, []string) error {
	return c.run(c.reading, c.ask(do))
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

func describe(f service.FileInfo) jsonFile {
	kind := "file"
	switch {
	case f.Folder:
		kind = "directory"
	case f.Special:
		kind = "other"
	}
	return jsonFile{f.Path, kind, f.Size, jsontree.Time(f.Time)}
}

// label is a file's name in listings for people.
func label(f service.FileInfo) string {
	switch {
	case f.Folder:
		return f.Name + "/"
	case f.Special:
		return f.Name + " (not followed)"
	}
	return f.Name
}

func (c *filesCommand) list() *cobra.Command {
	var long bool
	cmd := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List a directory",
		Example: "  toolrun files ls\n" +
			"  toolrun files ls -l /site",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			return c.listing(ctx, s, argument(args, 0, "/"), long)
		}),
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "show modes, sizes and times")
	return cmd
}

// entries lists a directory, or one file, by name.
func (f *projectFlags) entries(ctx context.Context, s *service.Service, name string) (service.FilesAnswer, error) {
	list, err := s.ListFiles(ctx, service.ListFilesRequest{Project: f.name(), Path: name})
	slices.SortFunc(list.Files, func(a, b service.FileInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// listing lists a directory, or one file.
func (f *projectFlags) listing(ctx context.Context, s *service.Service, name string, long bool) (outcome, error) {
	list, err := f.entries(ctx, s, name)
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	all := []jsonFile{}
	for _, one := range list.Files {
		all = append(all, describe(one))
		if long {
			fmt.Fprintf(table, "%v\t%d\t%s\t  %s\n", one.Mode, one.Size, one.Time.Format(time.DateTime), label(one))
		} else {
			fmt.Fprintln(table, label(one))
		}
	}
	_ = table.Flush() // a strings.Builder does not fail
	return outcome{text: text.String(), data: all, none: "no files"}, err
}

func (c *filesCommand) tree() *cobra.Command {
	return &cobra.Command{
		Use:   "tree [PATH]",
		Short: "List a directory and everything below it",
		Example: "  toolrun files tree\n" +
			"  toolrun files --root . tree site",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			var text strings.Builder
			all := []jsonFile{}
			var show func(dir, indent string) error
			show = func(dir, indent string) error {
				list, err := c.entries(ctx, s, dir)
				if list.File {
					return &fs.PathError{Op: "tree", Path: dir, Err: syscall.ENOTDIR}
				}
				if text.Len() == 0 {
					text.WriteString(list.Path + "\n")
				}
				for i, f := range list.Files {
					branch, below := "├── ", "│   "
					if i == len(list.Files)-1 {
						branch, below = "└── ", "    "
					}
					all = append(all, describe(f))
					text.WriteString(indent + branch + label(f) + "\n")
					if f.Folder {
						if err := show(f.Path, indent+below); err != nil {
							return err
						}
					}
				}
				return err
			}
			err := show(argument(args, 0, "/"), "")
			return outcome{text: text.String(), data: all}, err
		}),
	}
}

// content reads a file, and returns its path, too.
func (c *filesCommand) content(ctx context.Context, s *service.Service, name string,
	version int64) (of string, data []byte, err error) {
	in := service.ContentRequest{Project: c.name(), Path: name, Change: version}
	err = s.ReadContent(ctx, in, func(f service.Content) (err error) {
		of = f.Path
		data, err = io.ReadAll(f)
		return err
	})
	return of, data, err
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
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			if (version > 0) == (len(args) > 0) {
				return outcome{}, errors.New("give paths, or --version with the id of a change")
			}
			if version > 0 {
				args = []string{""}
			}
			var text strings.Builder
			var all []any
			for _, name := range args {
				name, data, err := c.content(ctx, s, name, version)
				if err != nil {
					return outcome{}, err
				}
				text.Write(data)
				all = append(all, jsonContent(name, data))
			}
			return outcome{text: text.String(), data: all}, nil
		}),
	}
	cmd.Flags().Int64Var(&version, "version", 0, "print what a file was before the change with this `ID`")
	return cmd
}

// each does an operation for each of the arguments, until one fails.
func each(do func(ctx context.Context, s *service.Service, name string) error) operation {
	return func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
		for _, name := range args {
			if err := do(ctx, s, name); err != nil {
				return outcome{}, err
			}
		}
		return outcome{}, nil
	}
}

func (c *filesCommand) remove() *cobra.Command {
	var recursive bool
	cmd := &cobra.Command{
		Use:   "rm PATH...",
		Short: "Remove files, or with -r directories",
		Example: "  toolrun files rm /notes.md\n" +
			"  toolrun files rm -r /site",
		Args: cobra.MinimumNArgs(1),
		RunE: c.read(each(func(ctx context.Context, s *service.Service, name string) error {
			_, err := s.DeleteFile(ctx, service.RemoveRequest{Project: c.name(), Path: name, Empty: !recursive})
			return err
		})),
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
		RunE: c.bring((*service.Service).MoveFile),
	}
}

func (c *filesCommand) copy() *cobra.Command {
	return &cobra.Command{
		Use:   "cp FROM TO",
		Short: "Copy a file or directory; nothing is replaced",
		Example: "  toolrun files cp /notes.md /old.md\n" +
			"  toolrun files cp /site /site-backup",
		Args: cobra.ExactArgs(2),
		RunE: c.bring((*service.Service).CopyFile),
	}
}

// bring moves or copies a file or directory to a path, or into the directory there.
func (c *filesCommand) bring(do func(s *service.Service, ctx context.Context,
	in service.MoveRequest) (service.PathAnswer, error)) func(*cobra.Command, []string) error {
	return c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
		_, err := do(s, ctx, service.MoveRequest{Project: c.name(), Path: args[0], To: args[1], Into: true})
		return outcome{}, err
	})
}

func (c *filesCommand) mkdir() *cobra.Command {
	return &cobra.Command{
		Use:     "mkdir PATH...",
		Short:   "Make directories, and their parents",
		Example: "  toolrun files mkdir /data/raw /data/clean",
		Args:    cobra.MinimumNArgs(1),
		RunE: c.change(each(func(ctx context.Context, s *service.Service, name string) error {
			_, err := s.MakeFolder(ctx, service.FolderRequest{Project: c.name(), Path: name, Again: true})
			return err
		})),
	}
}
