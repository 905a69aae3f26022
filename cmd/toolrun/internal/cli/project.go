package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
)

// projectFlags say which files a command works on.
type projectFlags struct {
	id   string
	root string
	data string
	cmd  *cobra.Command
}

func (f *projectFlags) add(cmd *cobra.Command) {
	f.addStore(cmd)
	cmd.PersistentFlags().StringVar(&f.root, "root", "", "work on the files in `DIR` instead, and nothing outside of it")
	cmd.MarkFlagsMutuallyExclusive("project", "root")
	cmd.MarkFlagsMutuallyExclusive("data", "root")
}

// addStore adds what names a project in a store.
func (f *projectFlags) addStore(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.id, "project", "default", "work on the project `ID`")
	cmd.PersistentFlags().StringVar(&f.data, "data", "", "keep projects in `DIR` (default $TOOLRUN_DATA, or the user's data directory)")
	f.cmd = cmd
}

// name is what the project is called.
func (f *projectFlags) name() string {
	if f.root != "" {
		if whole, err := filepath.Abs(f.root); err == nil {
			return filepath.Base(whole) // "." is no name
		}
		return filepath.Base(f.root)
	}
	return f.id
}

// given reports whether the user has said which files to use.
func (f *projectFlags) given() bool {
	for _, name := range []string{"project", "root", "data"} {
		if f.cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// open opens the project.
func (f *projectFlags) open() (*vfs.Project, error) {
	if f.root != "" {
		// What is there already does not count, since it is not for tools to answer for.
		return vfs.OpenDir(f.root, &vfs.Options{Quota: vfs.Quota{Growth: true}})
	}
	store, err := f.store()
	if err != nil {
		return nil, err
	}
	project, err := store.Open(f.id)
	return project, errors.Join(err, store.Close())
}

// existing opens the project, if it is there. Otherwise the error is fs.ErrNotExist.
func (f *projectFlags) existing() (*vfs.Project, error) {
	if f.root != "" {
		return f.open()
	}
	if err := vfs.CheckID(f.id); err != nil {
		return nil, err
	}
	dir, err := f.projectsDir()
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, f.id)); err != nil {
		return nil, fmt.Errorf("there is no project %s: %w", f.id, fs.ErrNotExist)
	}
	return f.open()
}

// store opens the store that projects are in, and makes it if it is not there.
func (f *projectFlags) store() (*vfs.Store, error) {
	dir, err := f.projectsDir()
	if err != nil {
		return nil, err
	}
	store, err := vfs.OpenStore(dir, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the directory of projects: %w", err)
	}
	return store, nil
}

// projectsDir is the directory that the store is in.
func (f *projectFlags) projectsDir() (string, error) {
	dir := f.data
	if dir == "" {
		var err error
		if dir, err = dataDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "projects"), nil
}

// dataDir is where data of the user's programs is kept: the XDG base directory specification on Unix, and what the systems'
// own guidelines say elsewhere.
func dataDir() (string, error) {
	if dir := os.Getenv("TOOLRUN_DATA"); dir != "" {
		return dir, nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "toolrun"), nil
		}
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "darwin" {
		return filepath.Join(dir, "toolrun"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("where to keep projects is not known: set TOOLRUN_DATA, or use --data or --root")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "toolrun"), nil
	}
	return filepath.Join(home, ".local", "share", "toolrun"), nil
}

// newCall makes an id for what one command does to a project.
func newCall(command string) string { return command + "-" + strings.ToLower(rand.Text()[:8]) }
