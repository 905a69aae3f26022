package javascript_test

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs"
)

// changesOf returns the record of a result.
func changesOf(t *testing.T, result tool.Result) *code.Changes {
	t.Helper()
	var data struct{ Files *code.Changes }
	require.NoError(t, json.Unmarshal(result.Data.(json.RawMessage), &data))
	return data.Files
}

func TestChangedFiles(t *testing.T) {
	r := newRegistry(t)
	for _, c := range []struct{ why, code, want string }{
		{"nothing", `await fs.readFile('/f'); await fs.readdir('/'); await fs.stat('/d/g'); await fs.exists('/x')`, ""},
		{
			"what fails",
			`try { await fs.writeFile('/d', '') } catch {} try { await fs.rename('/f', '/d/g') } catch {}
				try { await fs.writeFile('/memories/x', '') } catch {}`,
			"",
		},
		{
			"files that are made",
			`await fs.writeFile('/n', ''); await fs.appendFile('/m/o', 'x'); await fs.copyFile('/f', '/p')`,
			"created /m/o, /n, /p",
		},
		{
			"files that are written",
			`await fs.writeFile('/f', 'f'); await fs.appendFile('/d/g', 'x'); await fs.truncate('d/e/h')`,
			"changed /d/e/h, /d/g, /f",
		},
		{"files that are removed", `await fs.unlink('/f'); await fs.rm('/d/g')`, "deleted /d/g, /f"},
		{"some of each", `await fs.writeFile('n', ''); await fs.writeFile('f', ''); await fs.unlink('/d/g')`,
			"created /n; changed /f; deleted /d/g"},
		{"what is made and removed again",
			`await fs.writeFile('/n/m', ''); await fs.rm('/n', {recursive: true});
				await fs.mkdir('/o'); await fs.rmdir('/o')`, ""},
		{"what is removed and made again", `await fs.unlink('/f'); await fs.writeFile('/f', 'f')`, "changed /f"},
		{"an empty directory", `await fs.mkdir('/n/m'); await fs.rmdir('/empty')`, "created /n/m/; deleted /empty/"},
		{"a directory with a file", `await fs.mkdir('/n/m'); await fs.writeFile('/n/m/o', '')`, "created /n/m/o"},
		{"a tree that is removed", `await fs.rm('/d', {recursive: true})`, "deleted /d/e/h, /d/g"},
		{"a tree that is renamed", `await fs.rename('/d', '/n')`, "created /n/e/h, /n/g; deleted /d/e/h, /d/g"},
		{"a tree that is renamed and comes back", `await fs.rename('/d', '/n'); await fs.rename('/n', '/d')`,
			"changed /d/e/h, /d/g"},
		{"a file that is renamed twice", `await fs.rename('/f', '/n'); await fs.rename('/n', '/m')`,
			"created /m; deleted /f"},
		{"a file in the place of another", `await fs.unlink('/f'); await fs.rename('/d/g', '/f')`,
			"changed /f; deleted /d/g"},
		{"a directory in the place of a file", `await fs.unlink('/f'); await fs.mkdir('/f')`,
			"created /f/; deleted /f"},
		{"a tree that is copied", `await fs.cp('/d', '/n', {recursive: true})`, "created /n/e/h, /n/g"},
		{"other spellings", `await fs.writeFile('x/../f', ''); await fs.unlink('d//g')`, "changed /f; deleted /d/g"},
		{"what is done before it fails", `await fs.writeFile('/n', ''); throw 'no'`, "created /n"},
		{"many", `for (let i = 10; i < 30; i++) await fs.writeFile('/n' + i, '')`,
			"created /n10, /n11, /n12, /n13, /n14, /n15, /n16, /n17, /n18, /n19 and 10 more"},
		{"long names", `await fs.writeFile('/' + 'x'.repeat(250), '')`, "created /" + strings.Repeat("x", 199) + "..."},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			tooltest.OnBoth(t, func(t testing.TB, files vfs.Project) *tooltest.Bench {
				return &tooltest.Bench{T: t, Tools: r, Tool: javascript.Name, Files: files}
			}, func(b *tooltest.Bench) {
				b.Put(map[string]string{"/f": "f", "/d/g": "g", "/d/e/h": "h", "/empty/": ""})
				result := b.Call(tooltest.Object{"code": c.code})
				if c.want == "" {
					require.NotContains(b.T, result.Text(), "Files: ")
					require.Nil(b.T, changesOf(t, result))
					return
				}
				require.True(b.T, strings.HasSuffix(result.Text(), "\nFiles: "+c.want), result.Text())
				require.NotNil(b.T, changesOf(t, result))
			})
		})
	}
}

func TestChangedFilesAreBounded(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	result := run(t, r, env, `for (let i = 0; i < 1500; i++) fs.writeFileSync('/d/' + i, ''); return 'done'`)
	changes := changesOf(t, result)
	require.Len(t, changes.Created, 1000)
	require.Equal(t, 500, changes.More)
	require.Contains(t, result.Text(), " and 990 more; 500 more")
	changes = changesOf(t, run(t, r, env, `fs.renameSync('/d', '/e')`))
	require.Len(t, changes.Deleted, 1000)
	require.Empty(t, changes.Created)
	require.Equal(t, 2000, changes.More)
	changes = changesOf(t, run(t, r, env, `fs.rmSync('/e', {recursive: true})`))
	require.Len(t, changes.Deleted, 1000)
	require.Equal(t, 500, changes.More)
}

func TestChangedFilesOfARunThatIsStopped(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	env.Limits.Timeout = 500 * time.Millisecond
	result := run(t, r, env, `await fs.writeFile('/n', ''); for (;;);`)
	require.Equal(t, tool.CodeTimeout, result.Code)
	require.True(t, strings.HasSuffix(result.Text(), "\nFiles: created /n"), result.Text())

	// What is under way when the time is up is told too.
	env = newEnv(t)
	env.Limits.Timeout = 300 * time.Millisecond
	result = run(t, r, env, `for (let i = 0; ; i++) fs.writeFileSync('/d/' + i, '')`)
	infos, err := afero.ReadDir(env.Files, "/d")
	require.NoError(t, err)
	changes := changesOf(t, result)
	require.Equal(t, len(infos), len(changes.Created)+changes.More)

	// A file system that hangs does not keep the run from its end, and what it did before is told.
	release := make(chan struct{})
	defer close(release)
	ctx := &expiring{t.Context(), make(chan struct{})}
	env = newEnv(t)
	env.Files = wrapfs.Around(env.Files, func(files afero.Fs) afero.Fs { return hangingFs{files, ctx.expire, release} })
	call := tool.Call{Tool: javascript.Name,
		Input: json.RawMessage(`{"code":"await fs.writeFile('/n', ''); await fs.unlink('/n')"}`)}
	result = r.Dispatch(ctx, call, env)
	require.Equal(t, tool.CodeTimeout, result.Code)
	require.True(t, strings.HasSuffix(result.Text(), "\nFiles: created /n; 1 more"), result.Text())
}

func TestChangedFilesCannotBeHidden(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	r, env := newRegistry(t), newEnv(t)
	env.Limits.Inline = 8 << 20 // the paths are long
	require.NoError(t, vfs.WriteFile(t.Context(), env.Files, "/z", []byte("z")))
	for why, code := range map[string]string{
		"by others that are removed again": `const d = '/' + ('x'.repeat(250) + '/').repeat(14);
			const n = 1300; // as many as are noted
			for (let i = 0; i < n; i++) fs.writeFileSync(d + i, ''); fs.writeFileSync('/z', 'y');
				fs.rmSync('/' + 'x'.repeat(250), {recursive: true})`,
		"by others that are made": `for (let i = 0; i < 1100; i++) fs.writeFileSync('/d/' + i, '');
			fs.writeFileSync('/z', 'y'); `,
	} {
		t.Run(why, func(t *testing.T) {
			require.Equal(t, []string{"/z"}, changesOf(t, run(t, r, env, code)).Changed)
		})
	}

	// What removes some, and then fails.
	files := afero.NewMemMapFs()
	for _, name := range []string{"/d/a", "/d/b"} {
		require.NoError(t, afero.WriteFile(files, name, nil, 0o644))
	}
	env.Files = wrapfs.Foreign(halfFs{files})
	result := run(t, r, env, `fs.rmSync('/d', {recursive: true})`)
	require.True(t, strings.HasSuffix(result.Text(), "\nFiles: deleted /d/a"), result.Text())

	// A directory that never ends.
	env.Files = wrapfs.Foreign(endlessFs{files})
	result = run(t, r, env, `fs.rmSync('/d', {recursive: true})`)
	require.Greater(t, changesOf(t, result).More, 10_000)
}

// halfFs removes only one of the files in /d.
type halfFs struct{ afero.Fs }

func (h halfFs) RemoveAll(string) error {
	_ = h.Remove("/d/a")
	return syscall.EIO
}

// endlessFs has directories in each directory without end.
type endlessFs struct{ afero.Fs }

func (e endlessFs) Stat(string) (os.FileInfo, error) { return e.Fs.Stat("/d") }
func (e endlessFs) Open(string) (afero.File, error)  { return endlessDir{}, nil }
func (e endlessFs) RemoveAll(string) error           { return nil }

type endlessDir struct{ afero.File }

func (endlessDir) Readdir(int) ([]os.FileInfo, error) {
	info, err := dirInfo()
	return []os.FileInfo{info}, err
}
func (endlessDir) Close() error { return nil }

func dirInfo() (os.FileInfo, error) {
	files := afero.NewMemMapFs()
	if err := files.Mkdir("/d", 0o755); err != nil {
		return nil, err
	}
	return files.Stat("/d")
}

// hangingFs removes nothing until it is released, and says when it is asked to.
type hangingFs struct {
	afero.Fs
	asked   func()
	release chan struct{}
}

func (h hangingFs) Remove(name string) error {
	h.asked()
	<-h.release
	return h.Fs.Remove(name)
}

// TestMemoriesCannotBeChanged tries every function of fs with every spelling.
func TestMemoriesCannotBeChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	spellings := []string{
		"/memories", "memories", "./memories", "//memories", "/memories/", "/memories/.", "/x/../memories",
		"/../memories", "/memories/../memories", "/d/../../memories",
		"/MEMORIES", "/Memories", "/memorieſ", "/mem\u200dories", "/memories\ufeff", "/memories\x00", `\memories`,
		`/x\..\memories`, "/memories\n",
	}
	const script = `
		const below = ['', '/m.md', '/d', '/d/n', '/new', '/new/x'];
		const calls = (p) => [
			['writeFile', p, 'x'], ['writeFile', p, 'x', {flag: 'a'}],
				['writeFile', p, 'x', {flag: 'wx'}], ['writeFile', p, new Uint8Array(1)], ['appendFile', p, 'x'],
			['truncate', p], ['truncate', p, 9], ['mkdir', p], ['mkdir', p, {recursive: true}],
				['unlink', p], ['rmdir', p], ['rmdir', p, {recursive: true}],
			['rm', p], ['rm', p, {recursive: true}], ['rm', p, {recursive: true, force: true}],
				['rename', p, '/x'], ['rename', '/f', p], ['rename', '/d', p],
			['copyFile', '/f', p], ['copyFile', '/f', p, 1], ['cp', '/f', p],
				['cp', '/d', p, {recursive: true}], ['cp', '/d', p, {recursive: true, force: false}],
		];
		const done = [];
		for (const spelling of SPELLINGS) for (const end of below) for (
			const [name, ...args] of calls(spelling + end)) {
			try { await fs[name](...args); done.push(name + ' ' + args[0]) } catch {}
			try { fs[name + 'Sync'](...args); done.push(name + ' ' + args[0]) } catch {}
			await new Promise((end) => fs[name](...args, (error) => { if (!error) done.push(name + ' ' + args[0]);
				end() })).catch(() => {});
		}
		for (const root of ['/', '..', '/memories/..']) for (const [name, ...args] of [
			['rm', root, {recursive: true, force: true}], ['rmdir', root, {recursive: true}], ['rename', root, '/x'],
			['cp', '/d', root, {recursive: true}], ['cp', '/e', root, {recursive: true}],
				['cp', '/e', root, {recursive: true, force: false, errorOnExist: true}]])
			try { await fs[name](...args); done.push(name + ' ' + args[0]) } catch {}
		return done`
	names, err := json.Marshal(spellings)
	require.NoError(t, err)
	tooltest.OnBoth(t, func(t testing.TB, files vfs.Project) *tooltest.Bench {
		return &tooltest.Bench{T: t, Tools: newRegistry(t), Tool: javascript.Name, Files: files}
	}, func(b *tooltest.Bench) {
		b.Put(map[string]string{"/memories/m.md": "m\n", "/memories/d/n": "n", "/f": "f", "/d/memories": "x",
			"/e/memories/m.md": "x", "/e/memories/d/o": "x"})
		before := b.Tree()
		result := b.Call(tooltest.Object{"code": strings.ReplaceAll(script, "SPELLINGS", string(names))})
		require.Equal(b.T, "[]", result.Text(), "what has been done")
		require.Equal(b.T, before, b.Tree())
		// The guard does not stop what is something else.
		result = b.Call(tooltest.Object{
			"code": `for (const p of ['/memoriesfoo', '/d/memories', '/memories2/m.md',
				'/.memories']) await fs.writeFile(p, 'y'); return 'ok'`,
		})
		require.Equal(b.T, "ok\nFiles: created /.memories, /memories2/m.md, /memoriesfoo; changed /d/memories",
			result.Text())
	})
}
