package postgres_test

import (
	"context"
	"log"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// A runner whose projects are in a database, which other machines can use at the same time.
func ExampleOpener() {
	runner, err := toolrun.Open(context.Background(), &toolrun.Options{
		DataDir: "postgres://toolrun@db.example.com/toolrun",
		Stores:  []vfs.Opener{postgres.Opener(nil)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
}

// A store by itself.
func ExampleOpen() {
	ctx := context.Background()
	store, err := postgres.Open(ctx, "postgres://toolrun@db.example.com/toolrun", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	project, err := store.Open(ctx, "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer project.Close()
	if err := afero.WriteFile(project, "/todo.txt", []byte("milk"), 0o644); err != nil {
		log.Fatal(err)
	}
}
