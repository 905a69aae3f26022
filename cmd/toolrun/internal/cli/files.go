package cli

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
)

// filesCommand is what the subcommands of toolrun files share.
type filesCommand struct {
	projectFlags
	json bool
}

func newFiles() *cobra.Command {
	c := &filesCommand{}
	cmd := &cobra.Command{
		Use:   "files",
		Short: "Look at, change, bring back, import and export a project's files",
		Long: "Look at, change, bring back, import and export a project's files. Paths are those in the\n" +
			"project: \"/\" is its root. Everything that is replaced or removed is kept in the project's history\n" +
			"for a while.",
		Example: "  toolrun files put notes.md /notes.md\n" +
			"  toolrun files ls\n" +
			"  toolrun files --root . history\n" +
			"  toolrun files --root . undo",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.add(cmd)
	cmd.PersistentFlags().BoolVar(&c.json, "json", false, "print the result as JSON")
	cmd.AddCommand(c.list(), c.tree(), c.cat(), c.put(), c.get(), c.remove(), c.move(), c.copy(), c.mkdir(),
		c.history(), c.restore(), c.undo(), c.usage(), c.importFiles(), c.exportFiles())
	return cmd
}

// An outcome is the result of a command: for a reader, and as data.
type outcome struct {
	text string
	data any
}

// run makes a command's function of one that works on the project.
func (c *filesCommand) run(
	do func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error),
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		p, err := c.open()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		out, err := do(cmd, args, p.WithCall(newCall(cmd.Name())))
		if err != nil {
			return err
		}
		if !c.json {
			_, err = io.WriteString(cmd.OutOrStdout(), out.text)
			return err
		}
		encoder := json.NewEncoder(cmd.OutOrStdout())
		encoder.SetEscapeHTML(false)
		if out.data == nil {
			out.data = struct{}{}
		}
		return encoder.Encode(out.data)
	}
}

// argument is the argument at an index, or what stands for it if there is none.
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
	return jsonFile{name, kind, info.Size(), info.ModTime().UTC()}
}

// label is a file's name in listings for readers.
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
		Args:  cobra.MaximumNArgs(1),
		RunE: c.run(func(_ *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			name := argument(args, 0, "/")
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
					fmt.Fprintf(table, "%v\t%d\t%s\t  %s\n", info.Mode(), info.Size(), info.ModTime().Format(time.DateTime), label(info))
				} else {
					fmt.Fprintln(table, label(info))
				}
			}
			err = table.Flush()
			return outcome{text.String(), all}, err
		}),
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "show modes, sizes and times")
	return cmd
}

func (c *filesCommand) tree() *cobra.Command {
	return &cobra.Command{
		Use:   "tree [PATH]",
		Short: "List a directory and all below it",
		Args:  cobra.MaximumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
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
			return outcome{text.String(), all}, err
		}),
	}
}

func (c *filesCommand) cat() *cobra.Command {
	var version int64
	cmd := &cobra.Command{
		Use:   "cat PATH... | --version ID",
		Short: "Print files, or what a file was before a change",
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
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
				if utf8.Valid(data) {
					all = append(all, map[string]string{"path": f.Name(), "text": string(data)})
				} else {
					all = append(all, map[string]string{"path": f.Name(), "base64": base64.StdEncoding.EncodeToString(data)})
				}
				return err
			}
			if version > 0 {
				err := add(p.OpenVersion(version))
				return outcome{text.String(), all}, err
			}
			for _, name := range args {
				if err := add(p.Open(name)); err != nil {
					return outcome{}, err
				}
			}
			return outcome{text.String(), all}, nil
		}),
	}
	cmd.Flags().Int64Var(&version, "version", 0, "print what a file was before the change with this `ID`")
	return cmd
}

func (c *filesCommand) put() *cobra.Command {
	return &cobra.Command{
		Use:   "put FILE|DIR|- [PATH]",
		Short: "Copy a file or directory of the host into the project",
		Long: "Copy a file or directory of the host into the project, under its own name in the root, or to PATH. A\n" +
			"PATH that ends in / or is a directory is where it goes to under its own name. Files that are there are\n" +
			"replaced. Links and special files in a directory are left out.",
		Args: cobra.RangeArgs(1, 2),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			ctx := cmd.Context()
			if args[0] == "-" {
				if len(args) < 2 {
					return outcome{}, errors.New("say which path standard input goes to")
				}
				text, _, err := readCode(ctx, "-", cmd.InOrStdin())
				if err != nil {
					return outcome{}, err
				}
				return outcome{}, vfs.WriteFile(ctx, p, args[1], []byte(text))
			}
			target, err := destination(p, argument(args, 1, "/"), filepath.Base(args[0]))
			if err != nil {
				return outcome{}, err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return outcome{}, err
			}
			if !info.IsDir() {
				data, err := os.ReadFile(args[0])
				if err != nil {
					return outcome{}, err
				}
				return outcome{}, vfs.WriteFile(ctx, p, target, data)
			}
			root, err := os.OpenRoot(args[0])
			if err != nil {
				return outcome{}, err
			}
			defer root.Close()
			return outcome{}, fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
				to := path.Join(target, name)
				switch {
				case err != nil:
					return err
				case ctx.Err() != nil:
					return ctx.Err()
				case entry.IsDir() && entry.Name() == ".toolrun":
					return fs.SkipDir // what is another project's own
				case entry.IsDir():
					return p.MkdirAll(to, 0o755)
				case !entry.Type().IsRegular():
					return nil
				}
				data, err := root.ReadFile(filepath.FromSlash(name))
				if err != nil {
					return err
				}
				return vfs.WriteFile(ctx, p, to, data)
			})
		}),
	}
}

// destination is where something with this name goes to in the project.
func destination(p *vfs.Project, to, base string) (string, error) {
	info, err := p.Stat(to)
	if err == nil && info.IsDir() || strings.HasSuffix(to, "/") {
		return path.Join("/", to, base), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return path.Join("/", to), nil
}

func (c *filesCommand) get() *cobra.Command {
	return &cobra.Command{
		Use:   "get PATH [FILE|DIR|-]",
		Short: "Copy a file or directory of the project to the host",
		Long: "Copy a file or directory of the project to the host, under its own name in the working directory, to\n" +
			"FILE, or into DIR if that is a directory. A file that is there is replaced.",
		Args: cobra.RangeArgs(1, 2),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			name, err := vfs.Clean(args[0])
			if err != nil {
				return outcome{}, err
			}
			info, err := p.Stat(name)
			if err != nil {
				return outcome{}, err
			}
			to := argument(args, 1, ".")
			if to == "-" {
				data, err := afero.ReadFile(p, name)
				return outcome{text: string(data)}, err
			}
			dir, base := filepath.Dir(to), filepath.Base(to)
			if there, err := os.Stat(to); err == nil && there.IsDir() {
				dir, base = to, path.Base(name)
				if name == "/" {
					base = "."
				}
			}
			// Names in a project must not lead out of the directory, nor must links that are there.
			root, err := os.OpenRoot(dir)
			if err != nil {
				return outcome{}, err
			}
			defer root.Close()
			return outcome{}, copyOut(cmd, p, name, root, base, info)
		}),
	}
}

func copyOut(cmd *cobra.Command, p *vfs.Project, name string, root *os.Root, to string, info fs.FileInfo) error {
	switch {
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case info.Mode().IsRegular():
		data, err := afero.ReadFile(p, name)
		if err != nil {
			return err
		}
		return root.WriteFile(to, data, info.Mode().Perm())
	case !info.IsDir():
		return nil
	}
	if err := root.MkdirAll(to, 0o755); err != nil {
		return err
	}
	infos, err := afero.ReadDir(p, name)
	for _, info := range infos {
		if err := copyOut(cmd, p, path.Join(name, info.Name()), root, filepath.Join(to, info.Name()), info); err != nil {
			return err
		}
	}
	return err
}

func (c *filesCommand) remove() *cobra.Command {
	var recursive bool
	cmd := &cobra.Command{
		Use:   "rm PATH...",
		Short: "Remove files, or with -r directories",
		Args:  cobra.MinimumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
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
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false, "remove directories with all that they contain")
	return cmd
}

func (c *filesCommand) move() *cobra.Command {
	return &cobra.Command{
		Use:   "mv FROM TO",
		Short: "Rename or move a file or directory; nothing is replaced",
		Args:  cobra.ExactArgs(2),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
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
		Args:  cobra.ExactArgs(2),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
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
		Use:   "mkdir PATH...",
		Short: "Make directories, and those that they lie in",
		Args:  cobra.MinimumNArgs(1),
		RunE: c.run(func(_ *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			for _, name := range args {
				if err := p.MkdirAll(name, 0o755); err != nil {
					return outcome{}, err
				}
			}
			return outcome{}, nil
		}),
	}
}

// jsonChange is a change in the history as JSON.
type jsonChange struct {
	ID     int64     `json:"id"`
	Time   time.Time `json:"time"`
	Call   string    `json:"call,omitempty"`
	Op     vfs.Op    `json:"op"`
	Path   string    `json:"path,omitempty"`
	To     string    `json:"to,omitempty"`
	Kept   bool      `json:"kept,omitempty"`
	Lost   bool      `json:"lost,omitempty"`
	Undoes string    `json:"undoes,omitempty"`
}

// changesOutcome lists changes.
func changesOutcome(changes []vfs.Change) outcome {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	all := []jsonChange{}
	for _, e := range changes {
		all = append(all, jsonChange{e.ID, e.Time, e.Call, e.Op, e.Path, e.To, e.Kept, e.Lost, e.Undoes})
		what, call := e.Path, e.Call
		if e.To != "" {
			what += " -> " + e.To
		}
		if e.Undoes != "" {
			call = "undoes " + e.Undoes
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", e.ID, e.Time.Local().Format(time.DateTime), call, e.Op, what)
	}
	_ = table.Flush() // a strings.Builder does not fail
	return outcome{text.String(), all}
}

func (c *filesCommand) history() *cobra.Command {
	return &cobra.Command{
		Use:   "history [PATH]",
		Short: "List what has happened to a file, or to everything in a directory, the latest first",
		Long: "List what has happened to a file, or to everything in a directory, the latest first. The first column is\n" +
			"the id for restore and cat --version, the call's name behind the time is for undo.",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run(func(_ *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			changes, err := p.Changes(argument(args, 0, "/"))
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}

func (c *filesCommand) restore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID",
		Short: "Put back what a change replaced or removed",
		Args:  cobra.ExactArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return outcome{}, fmt.Errorf("%q is not the id of a change; toolrun files history lists them", args[0])
			}
			return outcome{}, p.Restore(cmd.Context(), id)
		}),
	}
}

func (c *filesCommand) undo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo [CALL]",
		Short: "Undo all that the last call has changed, or another one",
		Long: "Undo all that the last call has changed that has not been undone, or another one. If files have been\n" +
			"changed since, nothing is undone, and they are named.",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p *vfs.Project) (outcome, error) {
			changes, err := p.Undo(cmd.Context(), argument(args, 0, ""))
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}

func (c *filesCommand) usage() *cobra.Command {
	return &cobra.Command{
		Use:   "usage",
		Short: "Say how much the project holds",
		Args:  cobra.NoArgs,
		RunE: c.run(func(_ *cobra.Command, _ []string, p *vfs.Project) (outcome, error) {
			usage, err := p.Usage()
			text := fmt.Sprintf("%d bytes in %d files and directories, and %d bytes of history\n", usage.Bytes, usage.Files, usage.HistoryBytes)
			return outcome{text, map[string]int64{"bytes": usage.Bytes, "files": usage.Files, "historyBytes": usage.HistoryBytes}}, err
		}),
	}
}
