package local_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/countdown"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestContextsThatEndAtEachStage ends the context of each operation that has one, at each of its looks at it. Then all
// has been done or an error says why not, and what is in the way of nobody is whole.
func TestContextsThatEndAtEachStage(t *testing.T) {
	var data bytes.Buffer
	packed := zip.NewWriter(&data)
	for _, name := range []string{"old", "new", "tree/a", "more/b"} {
		w, err := packed.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, "new")
		require.NoError(t, err)
	}
	require.NoError(t, packed.Close())

	operations := map[string]func(ctx context.Context, p vfs.Project) error{
		"exclusively": func(ctx context.Context, p vfs.Project) error {
			return p.Exclusively(ctx, func(files afero.Fs) error {
				return afero.WriteFile(files, "/old", []byte("new"), 0o644)
			})
		},
		"write": func(ctx context.Context, p vfs.Project) error {
			return vfs.WriteFile(ctx, p, "/a/b/new", []byte("new"))
		},
		"edit": func(ctx context.Context, p vfs.Project) error {
			return vfs.Edit(ctx, p, "/old", func([]byte) ([]byte, error) { return []byte("new"), nil })
		},
		"append": func(ctx context.Context, p vfs.Project) error { return vfs.Append(ctx, p, "/new", []byte("new")) },
		"copy":   func(ctx context.Context, p vfs.Project) error { return vfs.Copy(ctx, p, "/tree", "/copy") },
		"move":   func(ctx context.Context, p vfs.Project) error { return vfs.Move(ctx, p, "/tree", "/moved") },
		"import": func(ctx context.Context, p vfs.Project) error {
			_, err := archive.Import(ctx, p, bytes.NewReader(data.Bytes()), archive.Zip)
			return err
		},
		"import of a stream": func(ctx context.Context, p vfs.Project) error {
			_, err := archive.Import(ctx, p, io.MultiReader(bytes.NewReader(data.Bytes())), archive.Zip)
			return err
		},
		"export": func(ctx context.Context, p vfs.Project) error {
			return archive.Export(ctx, p, io.Discard, archive.TarGzip)
		},
		"undo":    func(ctx context.Context, p vfs.Project) error { _, err := p.Undo(ctx, ""); return err },
		"restore": func(ctx context.Context, p vfs.Project) error { return p.Restore(ctx, lastKept(p), "") },
		"settings": func(ctx context.Context, p vfs.Project) error {
			return p.EditSettings(ctx, func([]byte) ([]byte, error) { return []byte("new"), nil })
		},
	}
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			before := leakcheck.Take()
			stopped := 0
			for n, done := 0, false; !done; n++ {
				require.Less(t, n, 10_000)
				project, err := local.OpenDir(dir, &vfs.Options{NoSync: true})
				require.NoError(t, err)
				infos, err := afero.ReadDir(project, "/")
				require.NoError(t, err)
				for _, info := range infos {
					require.NoError(t, project.RemoveAll("/"+info.Name()))
				}
				require.NoError(t, project.EditSettings(t.Context(), func([]byte) ([]byte, error) {
					return []byte("old"), nil
				}))
				for _, file := range []string{"/gone", "/old", "/tree/a", "/tree/deep/b"} {
					require.NoError(t, vfs.WriteFile(t.Context(), project, file, []byte("old")))
				}
				require.NoError(t, project.Remove("/gone"))

				ctx := countdown.After(n)
				if err := operations[name](ctx, project); err != nil {
					require.ErrorIs(t, err, context.Canceled, "%d looks", n)
					require.True(t, ctx.Ended())
					stopped++
				} else {
					done = !ctx.Ended() // there are not so many looks
				}
				require.NoError(t, afero.Walk(project, "/", func(name string, info fs.FileInfo, err error) error {
					if err != nil || info.IsDir() {
						return err
					}
					content, err := afero.ReadFile(project, name)
					require.Contains(t, []string{"old", "new"}, string(content), "%d looks: %s", n, name)
					return err
				}))
				settings, err := project.Settings(t.Context())
				require.NoError(t, err)
				require.Contains(t, []string{"old", "new"}, string(settings))
				require.NoError(t, vfs.WriteFile(t.Context(), project, "/probe", []byte("new")), "the lock is free")
				requireExactUsage(t, project)
				require.NoError(t, project.Close())

				temporary, err := fs.Glob(os.DirFS(dir), ".toolrun/tmp/*")
				require.NoError(t, err)
				for _, left := range temporary {
					require.True(t, strings.HasSuffix(left, ".lock"), "%d looks: %s", n, left)
				}
			}
			// the others look only while they wait for others
			looking := []string{"copy", "export", "import", "import of a stream"}
			require.Equal(t, slices.Contains(looking, name), stopped > 0)
			before.Require(t, leakcheck.Growth{Mappings: 50})
		})
	}
}

// lastKept is the last change that has kept something.
func lastKept(p vfs.Project) int64 {
	changes, err := p.Changes(context.Background(), "/")
	if err != nil {
		return 0
	}
	for _, change := range changes {
		if change.Kept {
			return change.ID
		}
	}
	return 0
}
