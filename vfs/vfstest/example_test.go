package vfstest_test

import (
	"testing"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// A test of a store of one's own, here of the one in memory.
func ExampleTestStore() {
	_ = func(t *testing.T) { // TestMyStore
		vfstest.TestStore(t, func(t *testing.T) vfs.Store {
			store := local.NewMemoryStore(nil)
			t.Cleanup(func() { store.Close() })
			return store
		})
	}
}

// A test of a file system of one's own, here of a part of a project.
func ExampleTestFs() {
	_ = func(t *testing.T) { // TestMyFs
		vfstest.TestFs(t, func(t *testing.T) afero.Fs {
			project, err := local.NewMemoryStore(nil).Open(t.Context(), "notes")
			if err != nil {
				t.Fatal(err)
			}
			return vfs.Sub(project, "/part")
		})
	}
}
