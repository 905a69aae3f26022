package escape_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// mark is in all that is secret. No attempt knows it, so it cannot say it by itself.
var mark = "secret-" + strings.ToLower(rand.Text())

// secretOf is the secret of a place.
func secretOf(place string) string { return mark + " of the " + place }

// variable is the secret in the process's environment.
const variable = "TOOLRUN_ESCAPE_SECRET"

// tells reports whether a text has a secret in it, as it is or encoded.
func tells(text string) bool {
	if strings.Contains(text, mark) || strings.Contains(strings.ToLower(text), hex.EncodeToString([]byte(mark))) {
		return true
	}
	for shift := range 3 { // Base64 depends on where the text begins
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + mark))
		if strings.Contains(text, encoded[4:len(encoded)-4]) {
			return true
		}
	}
	return false
}

// A world is a project and what it must not reach.
type world struct {
	project vfs.Project
	// other is another project of the same store, or nil.
	other vfs.Project
	// outside is a directory of the host, and dir the one of the project in it, or "".
	outside, dir string
	keeps        []string
	before       map[string]string
}

// worlds are the kinds of projects.
var worlds = map[string]func(t testing.TB) *world{
	"memory": func(t testing.TB) *world {
		return openWorld(t, local.NewMemoryStore(nil), &world{})
	},
	"store": func(t testing.TB) *world {
		w := outsideWorld(t)
		store, err := local.OpenStore(filepath.Join(w.outside, "data"), &vfs.Options{NoSync: true})
		require.NoError(t, err)
		t.Cleanup(func() { _ = store.Close() })
		return openWorld(t, store, w)
	},
	"directory": func(t testing.TB) *world {
		w := outsideWorld(t)
		// The directory beside it is another project's, as in a store.
		require.NoError(t, os.MkdirAll(filepath.Join(w.outside, "data", "other"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(w.outside, "data", "other", "secret.txt"),
			[]byte(secretOf("other project")), 0o600))
		var err error
		w.project, err = local.OpenDir(w.dir, &vfs.Options{NoSync: true})
		require.NoError(t, err)
		t.Cleanup(func() { _ = w.project.Close() })
		return w
	},
}

// outsideWorld makes the directory of a project, in one that has secrets.
func outsideWorld(t testing.TB) *world {
	t.Helper()
	w := &world{outside: t.TempDir()}
	w.dir = filepath.Join(w.outside, "data", "test")
	require.NoError(t, os.MkdirAll(filepath.Join(w.dir, ".toolrun"), 0o700))
	for _, dir := range []string{w.outside, filepath.Dir(w.dir), filepath.Join(w.dir, ".toolrun")} {
		for name, text := range map[string]string{
			"secret.txt": "%s", "secret.js": "module.exports = %q", "secret.mjs": "export default %q",
			"secret.json": "%q",
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name),
				fmt.Appendf(nil, text, secretOf(filepath.Base(dir))), 0o600))
		}
	}
	// What is here is no secret: a hard link lets it be read.
	require.NoError(t, os.WriteFile(filepath.Join(w.outside, "shared.txt"), []byte("shared"), 0o640))
	return w
}

func openWorld(t testing.TB, store vfs.Store, w *world) *world {
	t.Helper()
	var err error
	w.project, err = store.Open(t.Context(), "test")
	require.NoError(t, err)
	w.other, err = store.Open(t.Context(), "other")
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = w.project.Close(), w.other.Close() })
	require.NoError(t, afero.WriteFile(w.other, "/secret.txt", []byte(secretOf("other project")), 0o600))
	return w
}

// put makes what the attempt says is in the project.
func (w *world) put(t testing.TB, a *attempt) {
	t.Helper()
	require.NoError(t, vfs.WriteFile(t.Context(), w.project, "/memories/m.md", []byte("kept\n")))
	require.NoError(t, vfs.WriteFile(t.Context(), w.project, "/memories/d/n.md", []byte("kept too\n")))
	for _, thing := range a.things {
		require.NoError(t, w.place(thing))
	}
	w.keeps = strings.Fields(a.settings["keeps"])
	w.before = w.state(t)
}

// place puts something where it is to be.
func (w *world) place(thing thing) error {
	switch thing.kind {
	case "file":
		return vfs.WriteFile(context.Background(), w.project, thing.path, []byte(thing.text))
	case "other":
		return vfs.WriteFile(context.Background(), w.other, thing.path, []byte(thing.text))
	case "dir":
		return w.project.MkdirAll(thing.path, 0o700)
	}
	to := filepath.Join(w.dir, filepath.FromSlash(thing.path))
	text := fill(thing.text, "", w.outside, false)
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.RemoveAll(to)); err != nil {
		return err
	}
	switch thing.kind {
	case "raw":
		return os.WriteFile(to, []byte(text), 0o600)
	case "link":
		return os.Symlink(filepath.FromSlash(text), to)
	case "gone":
		return nil
	case "hardlink":
		return os.Link(filepath.FromSlash(text), to)
	}
	return makePipe(to)
}

// state is all that must stay as it is: what is outside, the other project, and what is protected in the project,
// with times and permissions.
func (w *world) state(t testing.TB) map[string]string {
	t.Helper()
	state := map[string]string{}
	note := func(name string, info fs.FileInfo, content []byte) {
		state[name] = fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime().UnixNano(), content)
	}
	if w.outside != "" {
		require.NoError(t, filepath.WalkDir(w.outside, func(name string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			info, err := entry.Info()
			require.NoError(t, err)
			switch {
			case name == w.dir || name == filepath.Join(w.outside, "data", "other", ".toolrun"):
				return fs.SkipDir
			case info.Mode().IsRegular():
				content, err := os.ReadFile(name)
				require.NoError(t, err)
				note("outside "+name, info, content)
			default:
				note("outside "+name, info, nil)
			}
			return nil
		}))
		for _, name := range []string{"secret.txt", "secret.js", "secret.mjs", "secret.json"} {
			name = filepath.Join(w.dir, ".toolrun", name)
			info, err := os.Stat(name)
			content, readErr := os.ReadFile(name)
			if state[name] = fmt.Sprint(err, readErr); err == nil {
				note(name, info, content)
			}
		}
	}
	if w.other != nil {
		w.walk(t, w.other, "/", func(name string, info fs.FileInfo,
			content []byte) {
			note("other "+name, info, content)
		})
	}
	for _, kept := range w.keeps {
		w.walk(t, w.project, kept, func(name string, info fs.FileInfo,
			content []byte) {
			note("protected "+name, info, content)
		})
	}
	return state
}

// walk calls do for all that is in a directory, and for that itself.
func (w *world) walk(t testing.TB, files afero.Fs, root string,
	do func(name string, info fs.FileInfo, content []byte)) {
	t.Helper()
	info, err := files.Stat(root)
	if err != nil {
		return // which the state before tells
	}
	switch {
	case info.IsDir():
		do(root, info, nil)
		infos, err := afero.ReadDir(files, root)
		require.NoError(t, err)
		for _, inside := range infos {
			w.walk(t, files, strings.TrimSuffix(root, "/")+"/"+inside.Name(), do)
		}
	case info.Mode().IsRegular():
		content, err := afero.ReadFile(files, root)
		require.NoError(t, err)
		do(root, info, content)
	default:
		do(root, info, nil)
	}
}

// problems lists what is no longer as it must be.
func (w *world) problems(t testing.TB) (problems []string) {
	t.Helper()
	now := w.state(t)
	names := maps.Clone(now)
	maps.Copy(names, w.before)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if now[name] != w.before[name] {
			problems = append(problems, fmt.Sprintf("%s was %s and is %s", name, w.before[name], now[name]))
		}
	}
	w.walk(t, w.project, "/", func(name string, _ fs.FileInfo, content []byte) {
		if tells(name) || tells(string(content)) {
			problems = append(problems, "a secret is in the project: "+name)
		}
	})
	return problems
}
