package cli

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
)

func (c *filesCommand) put() *cobra.Command {
	return &cobra.Command{
		Use:   "put FILE|DIR|- [PATH]",
		Short: "Copy a file or directory into the project",
		Long: `Copy a file or directory of this machine into the project: into its root, or to
PATH. If PATH ends in / or is a directory, the copy goes into it. Existing files
are replaced. Links and special files in a directory are left out.`,
		Example: "  toolrun files put notes.md\n" +
			"  toolrun files put site /public/\n" +
			"  echo hello | toolrun files put - /hello.txt",
		Args: cobra.RangeArgs(1, 2),
		RunE: c.change(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			ctx := cmd.Context()
			if args[0] == "-" {
				if len(args) < 2 {
					return outcome{}, errors.New("say which path standard input goes to")
				}
				data, err := readStdin(ctx, cmd.InOrStdin(), vfs.DefaultFileSize)
				if err != nil {
					return outcome{}, err
				}
				return outcome{}, vfs.WriteFile(ctx, p, args[1], data)
			}
			target, err := destination(p, argument(args, 1, "/"), filepath.Base(args[0]))
			if err != nil {
				return outcome{}, err
			}
			info, err := hostOf(cmd).stat(args[0])
			if err != nil {
				return outcome{}, err
			}
			if !info.IsDir() {
				data, err := readHostFile(hostOf(cmd).open, args[0], vfs.DefaultFileSize)
				if err != nil {
					return outcome{}, err
				}
				return outcome{}, vfs.WriteFile(ctx, p, target, data)
			}
			root, err := hostOf(cmd).openRoot(args[0])
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
					return fs.SkipDir // it belongs to another project
				case entry.IsDir():
					return p.MkdirAll(to, 0o755)
				case !entry.Type().IsRegular():
					return nil
				}
				data, err := readHostFile(root.Open, filepath.FromSlash(name), vfs.DefaultFileSize)
				if err != nil {
					return err
				}
				return vfs.WriteFile(ctx, p, to, data)
			})
		}),
	}
}

// destination is the path in the project to which a file named base is copied or moved.
func destination(p vfs.Project, to, base string) (string, error) {
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
		Short: "Copy a file or directory out of the project",
		Long: `Copy a file or directory of the project to this machine: into the working
directory, to FILE, or into DIR if that exists. An existing file is replaced.`,
		Example: "  toolrun files get /notes.md\n" +
			"  toolrun files get /site copy-of-site\n" +
			"  toolrun files get /notes.md - | wc -l",
		Args: cobra.RangeArgs(1, 2),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
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
				return outcome{text: string(data), data: jsonContent(args[0], data)}, err
			}
			dir, base := filepath.Dir(to), filepath.Base(to)
			if there, err := hostOf(cmd).stat(to); err == nil && there.IsDir() {
				dir, base = to, path.Base(name)
				if name == "/" {
					base = "."
				}
			}
			// Neither names in the project nor links in the directory may lead out of it.
			root, err := hostOf(cmd).openRoot(dir)
			if err != nil {
				return outcome{}, err
			}
			defer root.Close()
			return outcome{}, copyOut(cmd, p, name, root, base, info)
		}),
	}
}

func copyOut(cmd *cobra.Command, p vfs.Project, name string, root *os.Root, to string, info fs.FileInfo) error {
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
		if err := copyOut(cmd, p, path.Join(name, info.Name()), root, filepath.Join(to, info.Name()),
			info); err != nil {
			return err
		}
	}
	return err
}
