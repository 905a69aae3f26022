package textfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/tool"
)

// Delete removes a file, or a directory with its content. It returns the text for the model.
func (t Tree) Delete(ctx context.Context, name string) (string, error) {
	shown := t.Shown(name)
	if name == "/" {
		return "", tool.Errorf("Error: Cannot delete root directory.")
	}
	err := t.exclusively(ctx, func(t Tree) error {
		info, err := t.Stat(name)
		if err != nil {
			return err
		}
		if info == nil {
			return tool.Errorf("Error: The path %s does not exist", shown)
		}
		err = t.Files.RemoveAll(name)
		if err == nil || errors.Is(err, syscall.EROFS) {
			return t.Explain(name, err)
		}
		return because(err, "Error: The path %s could not be deleted", shown)
	})
	if err != nil {
		return "", err
	}
	return "Successfully deleted " + shown, nil
}

// Rename renames a file or directory. If the new name exists, it calls taken, which returns an error if the
// existing file must not be replaced. Rename returns the text for the model.
func (t Tree) Rename(ctx context.Context, from, to string,
	taken func(source, target fs.FileInfo) error) (string, error) {
	if from == "/" {
		return "", tool.Errorf("Error: Cannot rename root directory.")
	}
	err := t.exclusively(ctx, func(t Tree) error {
		return t.relocate(from, to, "move", taken, func(fs.FileInfo, fs.FileInfo) error {
			return t.Files.Rename(from, to)
		})
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Successfully renamed %s to %s", t.Shown(from), t.Shown(to)), nil
}

// relocate checks both paths, creates the parent directories of the target, and calls do to bring the file there.
// verb says what do does.
func (t Tree) relocate(from, to, verb string, taken func(source, target fs.FileInfo) error,
	do func(source, target fs.FileInfo) error) error {
	source, err := t.Stat(from)
	if err != nil {
		return err
	}
	if source == nil {
		return tool.Errorf("Error: The path %s does not exist", t.Shown(from))
	}
	target, err := t.Stat(to)
	if err != nil {
		return err
	}
	if source.IsDir() && within(to, from) && from != to {
		return tool.Errorf("Error: Cannot %s %s into itself: %s is inside of it.", verb, t.Shown(from), t.Shown(to))
	}
	if target != nil {
		if err := taken(source, target); err != nil {
			return err
		}
		err := do(source, target)
		return t.Explain(culprit(err, from, to), err)
	}
	made, err := t.makeParents(to)
	if err == nil {
		err = do(source, nil)
	}
	if err != nil {
		for _, dir := range made { // the deepest first
			_ = t.Files.Remove(dir)
		}
	}
	return t.Explain(culprit(err, from, to), err)
}

// culprit returns which path an error is about, if something could not be brought from one path to another: the one it
// goes to, unless what is there must stay or cannot be followed.
func culprit(err error, from, to string) string {
	at, ok := errors.AsType[*fs.PathError](err)
	if ok && within(at.Path, from) && (errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)) {
		return at.Path
	}
	return to
}

// makeParents makes the directories that a path lies in, and returns those that have not been there, the deepest first.
func (t Tree) makeParents(name string) (made []string, err error) {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if _, err := t.Files.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, dir)
	}
	if len(made) == 0 {
		return nil, nil
	}
	return made, t.Files.MkdirAll(path.Dir(name), 0o755)
}

// within reports whether a path is dir or below it.
func within(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir+"/")
}
