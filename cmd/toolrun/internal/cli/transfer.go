package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
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
		RunE: c.change(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			upload := func(to, into string, data []byte, err error) error {
				if err == nil {
					in := service.UploadRequest{Project: c.name(), Path: to, Into: into, Replace: true}
					_, err = s.Upload(ctx, in, bytes.NewReader(data))
				}
				return err
			}
			if args[0] == "-" {
				if len(args) < 2 {
					return outcome{}, errors.New("say which path standard input goes to")
				}
				data, err := readStdin(ctx, c.cmd.InOrStdin(), vfs.DefaultFileSize)
				return outcome{}, upload(args[1], "", data, err)
			}
			info, err := c.host().stat(args[0])
			if err != nil {
				return outcome{}, err
			}
			to, base := argument(args, 1, "/"), filepath.Base(args[0])
			if !info.IsDir() {
				data, err := readHostFile(c.host().open, args[0], vfs.DefaultFileSize)
				return outcome{}, upload(to, base, data, err)
			}
			root, err := c.host().openRoot(args[0])
			if err != nil {
				return outcome{}, err
			}
			defer root.Close()
			made, err := s.MakeFolder(ctx, service.FolderRequest{Project: c.name(), Path: to, Into: base, Again: true})
			if err != nil {
				return outcome{}, err
			}
			return outcome{}, fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
				to := path.Join(made.Path, name)
				switch {
				case err != nil:
					return err
				case entry.IsDir() && entry.Name() == ".toolrun":
					return fs.SkipDir // it belongs to another project
				case entry.IsDir():
					_, err := s.MakeFolder(ctx, service.FolderRequest{Project: c.name(), Path: to, Again: true})
					return err
				case !entry.Type().IsRegular():
					return nil
				}
				data, err := readHostFile(root.Open, filepath.FromSlash(name), vfs.DefaultFileSize)
				return upload(to, "", data, err)
			})
		}),
	}
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
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			list, err := c.entries(ctx, s, args[0])
			if err != nil {
				return outcome{}, err
			}
			name := list.Path
			to := argument(args, 1, ".")
			if to == "-" {
				_, data, err := c.content(ctx, s, name, 0)
				return outcome{text: string(data), data: jsonContent(args[0], data)}, err
			}
			dir, base := filepath.Dir(to), filepath.Base(to)
			if there, err := c.host().stat(to); err == nil && there.IsDir() {
				dir, base = to, path.Base(name)
				if name == "/" {
					base = "."
				}
			}
			// Neither names in the project nor links in the directory may lead out of it.
			root, err := c.host().openRoot(dir)
			if err != nil {
				return outcome{}, err
			}
			defer root.Close()
			from := service.FileInfo{Path: name, Folder: true}
			if list.File {
				from = list.Files[0]
			}
			return outcome{}, c.copyOut(ctx, s, from, root, base)
		}),
	}
}

// copyOut copies a file or directory of the project to a path in a directory of this machine.
func (c *filesCommand) copyOut(ctx context.Context, s *service.Service, from service.FileInfo, root *os.Root,
	to string) error {
	switch {
	case from.Special:
		return nil
	case !from.Folder:
		_, data, err := c.content(ctx, s, from.Path, 0)
		if err != nil {
			return err
		}
		return root.WriteFile(to, data, from.Mode.Perm())
	}
	if err := root.MkdirAll(to, 0o755); err != nil {
		return err
	}
	list, err := c.entries(ctx, s, from.Path)
	for _, f := range list.Files {
		if err := c.copyOut(ctx, s, f, root, filepath.Join(to, f.Name)); err != nil {
			return err
		}
	}
	return err
}
