package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

func (c *filesCommand) edit() *cobra.Command {
	return &cobra.Command{
		Use:   "edit PATH",
		Short: "Edit a file in $VISUAL or $EDITOR",
		Long: `Edit a copy of a file, or a new file, in the editor that $VISUAL or $EDITOR
names, and put it into the project when the editor ends. If something else has
changed the file meanwhile, the project stays as it is, and the error says where
your copy is. A project that --project names must exist.`,
		Example: "  toolrun files edit /notes.md",
		Args:    cobra.ExactArgs(1),
		RunE: c.run(c.editing, func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			name, err := vfs.Clean(args[0])
			if err != nil {
				return outcome{}, err
			}
			command := cmp.Or(hostOf(cmd).getenv("VISUAL"), hostOf(cmd).getenv("EDITOR"))
			if strings.TrimSpace(command) == "" {
				return outcome{}, errors.New("set $EDITOR to your editor")
			}
			if vfs.IsReadOnly(p, name) {
				return outcome{}, &fs.PathError{Op: "edit", Path: name, Err: syscall.EROFS}
			}
			s, err := c.service(p)
			if err != nil {
				return outcome{}, err
			}
			in := service.SaveRequest{Project: c.name(), Path: name, Bytes: true}
			_, before, err := c.content(cmd.Context(), s, name, 0)
			if err == nil {
				in.Version = service.VersionOf(before)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return outcome{}, err
			}
			dir, err := os.MkdirTemp("", "toolrun-edit-")
			if err != nil {
				return outcome{}, err
			}
			copied := filepath.Join(dir, localName(path.Base(name)))
			done := false
			defer func() {
				if done {
					_ = os.RemoveAll(dir)
				}
			}()
			if err := os.WriteFile(copied, before, 0o600); err != nil {
				return outcome{}, err
			}
			if err := hostOf(cmd).runEditor(command, copied); err != nil {
				return outcome{}, fmt.Errorf("%w; your copy is %s", err, copied)
			}
			after, err := readHostFile(os.Open, copied, vfs.DefaultFileSize)
			if err != nil {
				return outcome{}, err
			}
			if bytes.Equal(before, after) {
				done = true
				return outcome{text: "nothing was changed\n", data: map[string]any{"changed": false}}, nil
			}
			in.Text = string(after)
			if _, err := s.SaveText(cmd.Context(), in); err != nil {
				err = reworded(err, "changed", "%s has been changed meanwhile, and was not replaced", name)
				return outcome{}, fmt.Errorf("%w; your copy is %s", err, copied)
			}
			done = true
			return outcome{data: map[string]any{"changed": true}}, nil
		}),
	}
}

// localName is a name for a copy of a file, by which editors know what it is. A script may have chosen the file's name.
func localName(base string) string {
	if base == "." || base == ".." || !isPlain(base) || strings.ContainsAny(base, "/%") {
		return "file" + path.Ext(strings.Map(func(r rune) rune {
			if r != '.' && !isPlain(string(r)) {
				return -1
			}
			return r
		}, base))
	}
	return base
}

// runEditor runs an editor on a file of the host. The command can have arguments, and quotes where there is a shell.
func (h *Host) runEditor(command, file string) error {
	editor := exec.Command("sh", "-c", command+` "$1"`, "sh", file)
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(command), file)
		editor = exec.Command(words[0], words[1:]...)
	}
	editor.Stdin, editor.Stdout, editor.Stderr = h.Stdin, h.Stdout, h.Stderr
	editor.Dir, editor.Env = h.Dir, h.Environ
	if err := editor.Run(); err != nil {
		return fmt.Errorf("the editor failed: %w", err)
	}
	return nil
}
