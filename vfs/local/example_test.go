package local_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/local"
)

// A layer keeps what is changed apart from a directory of the host, until it is applied.
func ExampleOpenLayer() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	dir := filepath.Join(home, "site")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		log.Fatal(err)
	}

	layer, err := local.OpenLayer(dir, filepath.Join(home, "changes"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer layer.Close()
	if err := afero.WriteFile(layer, "/index.html", []byte("<p>Hello"), 0o644); err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(dir, "index.html"))
	fmt.Println(os.IsNotExist(err))

	done, err := layer.Apply(ctx)
	fmt.Println(done[0].Op, done[0].Path, err)
	content, err := os.ReadFile(filepath.Join(dir, "index.html"))
	fmt.Println(string(content), err)
	// Output:
	// true
	// create /index.html <nil>
	// <p>Hello <nil>
}
