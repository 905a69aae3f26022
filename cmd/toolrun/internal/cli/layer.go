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
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/filediff"
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

// settle returns a function for commands that do something with the differences of a layer, and list what they did.
func (c *filesCommand) settle(
	do func(cmd *cobra.Command, layer vfs.Layer, names []string) ([]vfs.Difference, error),
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, names []string) (err error) {
		layer, err := c.layer()
		if err != nil {
			return err
		}
		var done []vfs.Difference
		if layer != nil {
			defer func() { err = errors.Join(err, layer.Close()) }()
			if done, err = do(cmd, layer, names); err != nil && len(done) == 0 {
				return err
			}
		} else if len(names) > 0 {
			return &fs.PathError{Op: cmd.Name(), Path: names[0], Err: vfs.ErrNoDifference}
		}
		var text strings.Builder
		for _, d := range done {
			fmt.Fprintf(&text, "%s %s\n", d.Op, d.Path)
		}
		return errors.Join(outcome{
			text: text.String(), data: listed(done), none: "no changes are kept apart",
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
		RunE: c.settle(func(cmd *cobra.Command, layer vfs.Layer, names []string) ([]vfs.Difference, error) {
			return layer.Apply(cmd.Context(), names...)
		}),
	}
}

func (c *filesCommand) discard() *cobra.Command {
	return &cobra.Command{
		Use:   "discard [PATH...]",
		Short: "Drop the changes that --overlay has kept apart",
		Long: `Drop the changes that tools have made to the directory given with --root and
--overlay: all of them, or those at the paths and below.`,
		Example: "  toolrun files --root site discard",
		RunE: c.settle(func(cmd *cobra.Command, layer vfs.Layer, names []string) ([]vfs.Difference, error) {
			return layer.Discard(cmd.Context(), names...)
		}),
	}
}

// diffLayer shows what is different in a layer.
func (c *filesCommand) diffLayer(cmd *cobra.Command) (err error) {
	layer, err := c.layer()
	if err != nil {
		return err
	}
	var found []vfs.Difference
	if layer != nil {
		defer func() { err = errors.Join(err, layer.Close()) }()
		if found, err = layer.Differences(cmd.Context()); err != nil {
			return err
		}
	}
	if c.json {
		return printJSON(cmd.OutOrStdout(), listed(found))
	}
	return c.eachDifference(layer, found, func(text string) error { return printDiff(cmd.OutOrStdout(), text) })
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
	layer, err := c.layer()
	if layer == nil {
		return "", err
	}
	defer func() { err = errors.Join(err, layer.Close()) }()
	found, err := layer.Differences(ctx)
	if err != nil {
		return "", err
	}
	found = slices.DeleteFunc(found, func(d vfs.Difference) bool {
		return !vfs.Within(d.Path, name) && !(d.Op == vfs.OpRemove && vfs.Within(name, d.Path))
	})
	err = c.eachDifference(layer, found, func(one string) error {
		text += one
		return nil
	})
	return text, err
}

// eachDifference describes differences of the layer of --root.
func (c *filesCommand) eachDifference(layer vfs.Layer, found []vfs.Difference, do func(text string) error) error {
	if len(found) == 0 {
		return nil
	}
	below, err := local.OpenDir(c.rootPath(), &vfs.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer below.Close()
	for _, d := range found {
		text, err := difference(below, layer, d)
		if err != nil {
			return err
		}
		if d.Conflict {
			text = fmt.Sprintf("%s has been changed by others since\n", d.Path) + text
		}
		if err := do(text); err != nil {
			return err
		}
	}
	return nil
}

// difference describes a difference of a layer, as a diff if it is one of a file.
func difference(below, layer afero.Fs, d vfs.Difference) (string, error) {
	var versions [2]filediff.Version
	for i, files := range []afero.Fs{below, layer} {
		versions[i].Name = os.DevNull
		info, err := files.Stat(d.Path)
		// What an operation replaces has been removed by another one before, and what it removes can be replaced after.
		if i == 0 && (d.Op == vfs.OpCreate || d.Op == vfs.OpMkdir) || i == 1 && d.Op == vfs.OpRemove ||
			errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return "", err
		}
		if info.Mode().IsRegular() {
			versions[i].Name = d.Path
			if versions[i].Content, err = filediff.Now(files, d.Path, filediff.Unlimited); err != nil {
				return "", err
			}
		}
	}
	text := ""
	if versions[0].Name != versions[1].Name || d.Op == vfs.OpWrite {
		text = versions[0].Unified(versions[1], filediff.Unlimited)
	}
	if text == "" { // a directory, an empty file, other permissions
		text = fmt.Sprintf("%s %s\n", d.Op, d.Path)
	}
	return text, nil
}

// A listedDifference is a [vfs.Difference] as JSON.
type listedDifference struct {
	Path     string `json:"path"`
	Op       vfs.Op `json:"op"`
	Conflict bool   `json:"conflict,omitempty"`
}

func listed(found []vfs.Difference) []listedDifference {
	list := make([]listedDifference, len(found))
	for i, d := range found {
		list[i] = listedDifference(d)
	}
	return list
}
