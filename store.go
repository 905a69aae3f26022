package toolrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/userdirs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/partition"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// OpenStore opens the store of projects that [Options].DataDir and the command's --data name. In a data directory, they
// are in its folder projects. "postgres://..." is the URL of a database: see package vfs/postgres. A name that ends in
// ".json" is that of a file that says which projects lie in which of several databases: see [partition.Config]. What is
// missing is made. Several processes can use the same one, and several machines a database.
func OpenStore(data string, options *vfs.Options) (vfs.Store, error) {
	o := &StoreOptions{}
	if options != nil {
		o.Projects = *options
	}
	return OpenStoreWith(data, o)
}

// StoreOptions configure [OpenStoreWith].
type StoreOptions struct {
	// Projects limits what a project may hold and remember.
	Projects vfs.Options
	// OpenObjects opens the object storage that the URL of a database names: see [postgres.Options]. The function Open
	// of package vfs/postgres/s3 can be used for it. If it is nil, such a URL is an error.
	OpenObjects func(address string) (postgres.Objects, error)
}

// OpenStoreWith is [OpenStore] with more options.
func OpenStoreWith(data string, options *StoreOptions) (vfs.Store, error) {
	if options == nil {
		options = &StoreOptions{}
	}
	if isPartition(data) {
		return openPartition(data, options)
	}
	if !IsDatabase(data) {
		return local.OpenStore(filepath.Join(data, "projects"), &options.Projects)
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	store, err := postgres.OpenWith(ctx, data, &postgres.Options{
		Projects: options.Projects, OpenObjects: options.OpenObjects,
	})
	if err != nil { // no nil of another type
		return nil, err
	}
	return store, nil
}

// connectTime is how long opening a database may take.
const connectTime = 30 * time.Second

// IsDatabase reports whether a place for data is the URL of a database, or a file that says where several are, and not
// a directory.
func IsDatabase(data string) bool { return postgres.IsURL(data) || isPartition(data) }

func isPartition(data string) bool { return strings.HasSuffix(data, ".json") && !postgres.IsURL(data) }

// openPartition opens the databases that a file names. Directories in it are relative to its own.
func openPartition(file string, options *StoreOptions) (vfs.Store, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config, err := partition.ParseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	store, err := partition.Open(config, &options.Projects, func(place string,
		projects *vfs.Options) (vfs.Store, error) {
		if isPartition(place) {
			return nil, fmt.Errorf("%s is a rule again", place)
		}
		if !IsDatabase(place) && !filepath.IsAbs(place) {
			place = filepath.Join(filepath.Dir(file), place)
		}
		o := *options
		if projects != nil {
			o.Projects = *projects
		}
		return OpenStoreWith(place, &o)
	})
	if err != nil { // no nil of another type
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return store, nil
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

// UserDataDir returns the directory in which the toolrun command keeps data: $TOOLRUN_DATA if that is set, and not a
// database ([IsDatabase]), and otherwise the place that the XDG base directory specification, or the guidelines of
// Windows or macOS, name for the user's data. It need not exist.
func UserDataDir() (string, error) {
	if dir := os.Getenv("TOOLRUN_DATA"); dir != "" && !IsDatabase(dir) {
		return dir, nil
	}
	return userdirs.Env(os.LookupEnv).Data()
}

// UserEngineCache returns the directory in which the toolrun command keeps compiled engines, for a CacheDir of
// [Options].EngineOptions. It need not exist.
func UserEngineCache() (string, error) {
	return userdirs.Env(os.LookupEnv).EngineCache()
}
