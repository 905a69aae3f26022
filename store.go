package toolrun

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// OpenStore opens the store of projects in a data directory, as [Options].DataDir and the command's --data name it:
// they are in its folder projects. What is missing is made. Several processes can use the same one.
func OpenStore(dataDir string, options *vfs.Options) (vfs.Store, error) {
	return local.OpenStore(filepath.Join(dataDir, "projects"), options)
}

// openStore returns the store of a runner.
func (o *Options) openStore() (vfs.Store, error) {
	switch {
	case o.Store != nil && o.DataDir != "":
		return nil, errors.New("toolrun: Options has both a Store and a DataDir")
	case o.Store != nil:
		return o.Store, nil
	case o.DataDir != "":
		return OpenStore(o.DataDir, &o.Projects)
	}
	return local.NewMemoryStore(&o.Projects), nil
}

// UserDataDir returns the directory in which the toolrun command keeps data: $TOOLRUN_DATA if that is set, and
// otherwise the place that the XDG base directory specification, or the guidelines of Windows or macOS, name for the
// user's data. It need not exist.
func UserDataDir() (string, error) {
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
		return "", errors.New("no place for data: neither TOOLRUN_DATA nor a home directory is set")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "toolrun"), nil
	}
	return filepath.Join(home, ".local", "share", "toolrun"), nil
}

// UserEngineCache returns the directory in which the toolrun command keeps compiled engines, for a CacheDir of
// [Options].EngineOptions. It need not exist.
func UserEngineCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "toolrun", "engine"), nil
}
