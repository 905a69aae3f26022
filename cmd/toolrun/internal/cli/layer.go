package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// besideRoot returns the directory in the user's data directory for what is kept about --root, of one kind.
func (f *projectFlags) besideRoot(kind string) (string, error) {
	dir, err := filepath.Abs(f.rootPath())
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	data, err := f.dataDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(dir))
	beside := filepath.Join(data, kind, hex.EncodeToString(sum[:16]))
	inside, err := local.Contains(dir, beside)
	if inside {
		err = fmt.Errorf("changes would be kept in %s, which is in the directory itself: set TOOLRUN_DATA", beside)
	}
	if err != nil {
		return "", err
	}
	return beside, nil
}

// layer opens the layer of --root, or returns nil if there is none.
func (c *filesCommand) layer() (vfs.Layer, error) {
	if c.root == "" {
		return nil, errors.New("changes wait in a layer if a directory is used with --root DIR --overlay: " +
			"give --root DIR")
	}
	dir, err := c.besideRoot("layers")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return local.OpenLayer(c.rootPath(), dir, c.rootOptions())
}

// ofLayer asks for something about the layer of --root. Without one, nothing is different, and not at the names either.
func (c *filesCommand) ofLayer(op string, names []string,
	do func(s *service.Service) (service.LayerAnswer, error)) (done service.LayerAnswer, err error) {
	layer, err := c.layer()
	if err == nil && layer == nil && len(names) > 0 {
		err = &fs.PathError{Op: op, Path: names[0], Err: vfs.ErrNoDifference}
	}
	if layer == nil {
		return service.LayerAnswer{Changes: []service.LayerChange{}}, err
	}
	defer func() { err = errors.Join(err, layer.Close()) }()
	s, err := c.service(layer)
	if err != nil {
		return done, err
	}
	return do(s)
}

// settle returns a function for commands that do something with the differences of a layer, and list what they did.
func (c *filesCommand) settle(do func(s *service.Service, ctx context.Context,
	in service.SettleRequest) (service.LayerAnswer, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, names []string) error {
		done, err := c.ofLayer(cmd.Name(), names, func(s *service.Service) (service.LayerAnswer, error) {
			return do(s, cmd.Context(), service.SettleRequest{Project: c.name(), Paths: names})
		})
		if err != nil && len(done.Changes) == 0 {
			return err
		}
		var text strings.Builder
		for _, d := range done.Changes {
			fmt.Fprintf(&text, "%s %s\n", d.Op, d.Path)
		}
		return errors.Join(outcome{
			text: text.String(), data: done.Changes, none: "no changes are kept apart",
		}.print(cmd.OutOrStdout(), c.json), err)
	}
}

func (c *filesCommand) apply() *cobra.Command {
	return &cobra.Command{
		Use:   "apply [PATH...]",
		Short: "Make the changes that --overlay has kept apart",
		Long: `Make the changes in the directory given with --root that tools have made with
--overlay: all of them, or those at the paths and below. If others have changed
the same files since, nothing is done: see toolrun files diff.

To take back what was applied, undo the call with --overlay, and apply that.`,
		Example: "  toolrun files --root site diff\n" +
			"  toolrun files --root site apply\n" +
			"  toolrun files --root site apply index.html\n" +
			"  toolrun files --root site --overlay undo && toolrun files --root site apply",
		RunE: c.settle((*service.Service).ApplyLayer),
	}
}

func (c *filesCommand) discard() *cobra.Command {
	return &cobra.Command{
		Use:   "discard [PATH...]",
		Short: "Drop the changes that --overlay has kept apart",
		Long: `Drop the changes that tools have made to the directory given with --root and
--overlay: all of them, or those at the paths and below.`,
		Example: "  toolrun files --root site discard",
		RunE:    c.settle((*service.Service).DiscardLayer),
	}
}

// inLayer lists what is different in the layer of --root at a path and below it, and how if that is to be printed.
func (c *filesCommand) inLayer(ctx context.Context, name string, diffs bool) (found []service.LayerChange, text string,
	err error) {
	done, err := c.ofLayer("", nil, func(s *service.Service) (service.LayerAnswer, error) {
		return s.ListLayer(ctx, service.LayerRequest{Project: c.name(), Path: name, Diffs: diffs})
	})
	for _, d := range done.Changes {
		if d.Conflict {
			text += d.Path + " has been changed by others since\n"
		}
		text += d.Diff
	}
	return done.Changes, text, err
}

// diffLayer shows what is different in a layer.
func (c *filesCommand) diffLayer(cmd *cobra.Command) error {
	found, text, err := c.inLayer(cmd.Context(), "/", !c.json)
	switch {
	case err != nil:
		return err
	case c.json:
		return printJSON(cmd.OutOrStdout(), found)
	}
	return printDiff(cmd.OutOrStdout(), text)
}

// waiting describes what is different in the layer of --root at a path and below it, if there is a layer. It is "" if
// nothing is.
func (c *filesCommand) waiting(ctx context.Context, name string) (text string, err error) {
	if c.root == "" || c.overlay {
		return "", nil
	}
	if _, err := c.besideRoot("layers"); err != nil {
		return "", nil // without a place for it, there is no layer
	}
	_, text, err = c.inLayer(ctx, name, true)
	return text, err
}
