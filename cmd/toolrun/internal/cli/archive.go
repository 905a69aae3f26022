package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
)

// archiveFormat is the format of an archive: the named one, or else what the file's extension says.
func archiveFormat(named, file string) (archive.Format, error) {
	if named != "" {
		if format, ok := archive.FormatOf("." + named); ok {
			return format, nil
		}
		return "", fmt.Errorf("unknown format %q: use zip, tar or tar.gz", named)
	}
	if format, ok := archive.FormatOf(file); ok {
		return format, nil
	}
	return "", errors.New("unknown kind of archive: name it .zip, .tar or .tar.gz, or say --format")
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
		RunE: c.change(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			format, err := archiveFormat(named, args[0])
			if err != nil {
				return outcome{}, err
			}
			in := cmd.InOrStdin()
			if args[0] == "-" {
				in = struct{ io.Reader }{in} // hides the methods of a file, since it may be a pipe
			} else {
				f, err := hostOf(cmd).open(args[0])
				if err != nil {
					return outcome{}, err
				}
				defer f.Close()
				in = f
			}
			done, err := archive.Import(cmd.Context(), p, in, format)
			text := fmt.Sprintf("imported %d files (%d bytes); toolrun files undo %s takes them back\n", done.Files,
				done.Bytes, done.Call)
			return outcome{text: text, data: map[string]any{
				"files": done.Files, "directories": done.Directories, "bytes": done.Bytes, "call": done.Call,
			}}, err
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
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (out outcome, err error) {
			format, err := archiveFormat(named, args[0])
			if err != nil {
				return outcome{}, err
			}
			if args[0] == "-" {
				var packed bytes.Buffer
				err := archive.Export(cmd.Context(), p, &packed, format)
				return outcome{text: packed.String(), data: map[string]any{"format": format, "base64": packed.Bytes()}},
					err
			}
			// An existing archive stays until the new one is complete.
			target := hostOf(cmd).path(args[0])
			f, err := os.CreateTemp(filepath.Dir(target), ".toolrun-export-*")
			if err != nil {
				return outcome{}, err
			}
			defer func() {
				if err != nil {
					_ = os.Remove(f.Name())
				}
			}()
			if err := errors.Join(archive.Export(cmd.Context(), p, f, format), f.Close()); err != nil {
				return outcome{}, err
			}
			return outcome{}, os.Rename(f.Name(), target)
		}),
	}
	cmd.Flags().StringVar(&named, "format", "", "pack a `zip`, tar or tar.gz, whatever the archive's name")
	return cmd
}
