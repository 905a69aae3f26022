package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs/archive"
)

// archiveOf is the archive of a name, whose format is the named one, or else what the extension says.
func (c *filesCommand) archiveOf(named, file string) (service.ArchiveRequest, error) {
	if named == "" {
		format, ok := archive.FormatOf(file)
		if !ok {
			return service.ArchiveRequest{}, errors.New(
				"unknown kind of archive: name it .zip, .tar or .tar.gz, or say --format")
		}
		named = string(format)
	}
	return service.ArchiveRequest{Project: c.name(), Format: named}, nil
}

func (c *filesCommand) importFiles() *cobra.Command {
	var named string
	cmd := &cobra.Command{
		Use:   "import ARCHIVE|-",
		Short: "Put the files of a zip or tar archive into the project",
		Long: `Unpack a zip or tar archive into the project, over the files that are there. An
archive is refused as a whole if it is damaged, is too large for the project, or
has anything but files and directories in it.`,
		Example: "  toolrun files import backup.zip\n" +
			"  toolrun files import --format tar.gz - <backup.tgz",
		Args: cobra.ExactArgs(1),
		RunE: c.change(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			request, err := c.archiveOf(named, args[0])
			if err != nil {
				return outcome{}, err
			}
			in := c.cmd.InOrStdin()
			if args[0] == "-" {
				in = struct{ io.Reader }{in} // hides the methods of a file, since it may be a pipe
			} else {
				f, err := c.host().open(args[0])
				if err != nil {
					return outcome{}, err
				}
				defer f.Close()
				in = f
			}
			done, err := s.Import(ctx, request, in)
			text := fmt.Sprintf("imported %d files (%d bytes); toolrun files undo %s takes them back\n", done.Files,
				done.Bytes, done.Call)
			return outcome{text: text, data: done}, err
		}),
	}
	cmd.Flags().StringVar(&named, "format", "", "the archive is a `zip`, tar or tar.gz, whatever its name")
	return cmd
}

func (c *filesCommand) exportFiles() *cobra.Command {
	var named string
	cmd := &cobra.Command{
		Use:   "export ARCHIVE|-",
		Short: "Pack all files of the project into a zip or tar archive",
		Example: "  toolrun files export backup.zip\n" +
			"  toolrun files export --format tar - | tar -tf -",
		Args: cobra.ExactArgs(1),
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (out outcome, err error) {
			request, err := c.archiveOf(named, args[0])
			if err != nil {
				return outcome{}, err
			}
			if args[0] == "-" {
				var packed bytes.Buffer
				err := s.Export(ctx, request, &packed)
				data := map[string]any{"format": request.Format, "base64": packed.Bytes()}
				return outcome{text: packed.String(), data: data}, err
			}
			// An existing archive stays until the new one is complete.
			target := c.host().path(args[0])
			f, err := os.CreateTemp(filepath.Dir(target), ".toolrun-export-*")
			if err != nil {
				return outcome{}, err
			}
			defer func() {
				if err != nil {
					_ = os.Remove(f.Name())
				}
			}()
			if err := errors.Join(s.Export(ctx, request, f), f.Close()); err != nil {
				return outcome{}, err
			}
			return outcome{}, os.Rename(f.Name(), target)
		}),
	}
	cmd.Flags().StringVar(&named, "format", "", "pack a `zip`, tar or tar.gz, whatever the archive's name")
	return cmd
}
