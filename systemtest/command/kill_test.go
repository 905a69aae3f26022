//go:build systemtest

package command_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// wholeSize is how long files are in these tests. All bytes of one are the same, so that a part, or a mixture, can be
// told.
const wholeSize = 20_000

// killedCommands are what changes a project in several ways, some of them with several files. Their arguments can
// have LETTER, which is another one each time, and DIR, a directory with files and an archive of that letter.
var killedCommands = map[string][]string{
	"code": {"js", "-e",
		`for (let i = 0; i < 30; i++) await fs.writeFile('/js/' + i % 7, 'LETTER'.repeat(20000))`},
	"code that renames": {"js", "-e",
		`fs.writeFileSync('/js/new', 'LETTER'.repeat(20000));
			for (let i = 0; i < 20; i++) { fs.renameSync('/js/new', '/js/old'); fs.renameSync('/js/old', '/js/new') }`},
	"code that removes": {"js", "-e",
		`for (let i = 0; i < 10; i++) { fs.writeFileSync('/tree/a/' + i, 'LETTER'.repeat(20000)) }
			fs.rmSync('/tree', {recursive: true})`},
	"a tool": {"call", "filesystem", `{"command": "create", "path": "/tool-LETTER.txt", "file_text": "` +
		strings.Repeat("LETTER", wholeSize) + `"}`},
	"a kept result": {"call", "javascript", `{"code": "return 'LETTER'.repeat(20000)"}`, "--inline", "1000"},
	"a directory":   {"files", "put", "DIR/files", "/put"},
	"an archive":    {"files", "import", "DIR/LETTER.zip"},
	"a copy":        {"files", "cp", "/put", "/copy-LETTER"},
	"a removal":     {"files", "rm", "-r", "/put", "/js"},
	"an undo":       {"files", "undo"},
	"settings":      {"project", "set", "--option", "javascript.memory=6LETTERNUMBER"},
}

// TestKilledCommands kills commands at any moment. What they have left must be whole, and in nobody's way.
func TestKilledCommands(t *testing.T) {
	if !*soak {
		t.Skip("takes long: -soak runs it")
	}
	t.Parallel()
	const rounds = 25
	data := t.TempDir()
	killed := 0
	for name, args := range killedCommands {
		t.Run(name, func(t *testing.T) {
			taking := 50 * time.Millisecond
			for round := range rounds {
				number := rand.IntN(10)
				letter := string(rune('a' + number))
				dir := t.TempDir()
				writeWholeFiles(t, dir, letter)
				cmd := commandtest.Command()
				for _, arg := range args {
					arg = strings.ReplaceAll(strings.ReplaceAll(arg, "LETTERNUMBER", fmt.Sprint(number)), "LETTER",
						letter)
					cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "DIR", filepath.ToSlash(dir)))
				}
				cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
				start := time.Now()
				require.NoError(t, cmd.Start())
				if round > 0 { // the first one tells how long it takes
					time.Sleep(rand.N(taking + taking/4))
					_ = cmd.Process.Kill()
				}
				_ = cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code < 0 || runtime.GOOS == "windows" && code == 1 {
					killed++
				} else if round == 0 {
					taking = time.Since(start)
				}
				requireWholeProject(t, data)
			}
		})
	}
	require.Positive(t, killed, "all commands were too fast")

	for range rounds { // while they are in each other's way
		var all []func() error
		for _, args := range killedCommands {
			cmd := commandtest.Command()
			dir := t.TempDir()
			writeWholeFiles(t, dir, "z")
			for _, arg := range args {
				arg = strings.ReplaceAll(strings.ReplaceAll(arg, "LETTERNUMBER", "4"), "LETTER", "z")
				cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "DIR", filepath.ToSlash(dir)))
			}
			cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
			require.NoError(t, cmd.Start())
			time.AfterFunc(rand.N(time.Second), func() { _ = cmd.Process.Kill() })
			all = append(all, cmd.Wait)
		}
		for _, wait := range all {
			_ = wait()
		}
		requireWholeProject(t, data)
	}
}

// writeWholeFiles makes a directory with files of one letter, and an archive of it.
func writeWholeFiles(t *testing.T, dir, letter string) {
	var archive bytes.Buffer
	packed := zip.NewWriter(&archive)
	content := bytes.Repeat([]byte(letter), wholeSize)
	for i := range 8 {
		name := fmt.Sprintf("%d/%d", i%3, i)
		host := filepath.Join(dir, "files", filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(host), 0o755))
		require.NoError(t, os.WriteFile(host, content, 0o644))
		w, err := packed.Create("imported/" + name)
		require.NoError(t, err)
		_, err = w.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, packed.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, letter+".zip"), archive.Bytes(), 0o644))
}

// requireWholeProject opens the project as the next command does, and checks all that is in it.
func requireWholeProject(t *testing.T, data string) {
	store, err := local.OpenStore(filepath.Join(data, "projects"), nil)
	require.NoError(t, err)
	defer store.Close()
	project, err := store.Open(t.Context(), "default")
	require.NoError(t, err)
	defer project.Close()

	// Nobody holds the lock any more, and changing something removes what is left over.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, project.Exclusively(ctx, func(files afero.Fs) error {
		return afero.WriteFile(files, "/probe", bytes.Repeat([]byte("p"), wholeSize), 0o644)
	}))
	var found vfs.Usage
	require.NoError(t, afero.Walk(project, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || name == "/" {
			return err
		}
		if found.Files++; info.IsDir() {
			return nil
		}
		found.Bytes += info.Size()
		f, err := project.Open(name)
		require.NoError(t, err)
		requireWhole(t, name, f)
		return nil
	}))
	usage, err := project.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, found, vfs.Usage{Files: usage.Files, Bytes: usage.Bytes})

	changes, err := project.Changes(t.Context(), "/")
	require.NoError(t, err)
	for i, change := range changes {
		if i > 0 {
			require.Equal(t, changes[i-1].ID-1, change.ID, "the history has a gap")
		}
		if change.Kept && (change.Op == vfs.OpWrite || change.Op == vfs.OpRemove) {
			if f, err := project.OpenVersion(t.Context(), change.ID); err == nil {
				requireWhole(t, change.Path, f)
			} else {
				require.Equal(t, vfs.OpRemove, change.Op, "%v: %v", change, err) // of a directory
			}
		}
	}

	stored, err := project.Settings(t.Context())
	require.NoError(t, err)
	_, _, err = registry.ParseSettings(stored)
	require.NoError(t, err)
	entries, err := os.ReadDir(filepath.Join(data, "projects", "default", ".toolrun", "tmp"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "only that of this process")
	require.Equal(t, ".lock", path.Ext(entries[0].Name()))
}

func requireWhole(t *testing.T, name string, f afero.File) {
	content, err := io.ReadAll(f)
	require.NoError(t, err, name)
	require.NoError(t, f.Close())
	content = bytes.TrimSuffix(content, []byte("\n"))
	require.Len(t, content, wholeSize, name)
	require.Equal(t, wholeSize, bytes.Count(content, content[:1]), "%s is a mixture", name)
}

// TestACommandThatIsKilledWhileItFillsTheCache kills commands that compile the engine and keep that. The next ones
// must be able to, and what the others have left must not pile up.
func TestACommandThatIsKilledWhileItFillsTheCache(t *testing.T) {
	if !*soak {
		t.Skip("takes long: -soak runs it")
	}
	t.Parallel()
	const rounds, kills = 20, 3
	cache := t.TempDir()
	start := func() (wait func() (string, error), kill func()) {
		cmd := commandtest.Command("js", "-e", "return 6 * 7")
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache, "HOME="+cache, "LocalAppData="+cache)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		return func() (string, error) { err := cmd.Wait(); return out.String(), err }, func() { _ = cmd.Process.Kill() }
	}
	entries := func() (names []string) {
		require.NoError(t, filepath.WalkDir(cache, func(name string, d fs.DirEntry, err error) error {
			if filepath.Base(filepath.Dir(name)) == "engine" {
				names = append(names, d.Name())
			}
			return err
		}))
		return names
	}
	begin := time.Now()
	wait, _ := start()
	out, err := wait()
	require.NoError(t, err, out)
	taking := time.Since(begin)
	for range rounds {
		require.NoError(t, os.RemoveAll(cache))
		require.NoError(t, os.MkdirAll(cache, 0o700))
		for range kills {
			wait, kill := start()
			time.Sleep(rand.N(taking))
			kill()
			_, _ = wait()
		}
		for range 2 { // the second one makes the image of what the first one has compiled
			wait, _ := start()
			out, err := wait()
			require.NoError(t, err, out)
			require.Equal(t, "42\n", out, "without a warning")
		}
		names := entries()
		require.LessOrEqual(t, len(names), 2+2*kills, "a process that is killed leaves at most what it was writing: %q",
			names)
		require.Equal(t, 1, countWith(names, "engine-", ".new-"), "%q", names)
		require.Equal(t, 1, countWith(names, "image-", ".new-"), "%q", names)
	}
}

// countWith counts names that begin with one text and do not contain another.
func countWith(names []string, prefix, without string) (n int) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, without) {
			n++
		}
	}
	return n
}
