package vfs_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func Example() {
	ctx := context.Background()
	store := local.NewMemoryStore(nil) // or OpenStore, for a directory of the host
	project, err := store.Open(context.Background(), "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer project.Close()

	// One call of a tool, with its changes undone together.
	call := project.WithCall("call-1")
	if err := vfs.WriteFile(ctx, call, "/lists/todo.txt", []byte("milk\n")); err != nil {
		log.Fatal(err)
	}
	err = vfs.Edit(ctx, call, "/lists/todo.txt", func(content []byte) ([]byte, error) {
		return bytes.Replace(content, []byte("milk"), []byte("oat milk"), 1), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	text, err := afero.ReadFile(project, "lists/todo.txt")
	fmt.Printf("%q %v\n", text, err)

	if _, err := project.Undo(ctx, "call-1"); err != nil {
		log.Fatal(err)
	}
	_, err = project.Stat("/lists")
	fmt.Println(err)
	// Output:
	// "oat milk\n" <nil>
	// stat /lists: no such file or directory
}

func ExampleReadOnly() {
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "project")
	if err != nil {
		log.Fatal(err)
	}
	files := vfs.ReadOnly(project, "/memories") // for a tool that must not change memories
	memories := vfs.Sub(project, "/memories")   // for one that sees nothing else

	fmt.Println(afero.WriteFile(memories, "/me.txt", []byte("likes Go"), 0o644))
	fmt.Println(afero.WriteFile(files, "/x/../MEMORIES/me.txt", nil, 0o644))
	// Output:
	// <nil>
	// open /x/../MEMORIES/me.txt: read-only file system
}
