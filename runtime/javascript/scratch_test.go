package javascript_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// contents returns all files and directories, with the files' contents.
func contents(t *testing.T, files afero.Fs) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			all[name] = "a directory"
			return err
		}
		data, err := afero.ReadFile(files, name)
		all[name] = string(data)
		return err
	}))
	return all
}

// TestScratch uses places that programs expect on every system, with a project and without.
func TestScratch(t *testing.T) {
	t.Parallel()
	onEachFileSystem(t, func(t *testing.T, files afero.Fs) {
		before := contents(t, files)
		for _, script := range []string{ // in this order
			`fs.writeFileSync('/tmp/a.txt', 'x'.repeat(100000));
				fs.appendFileSync('/tmp/a.txt', 'y');
				const s = fs.statSync('/tmp/a.txt');
				assert.deepEqual([fs.readdirSync('/tmp'), s.size, s.readonly], [['a.txt'], 100001, false]);
				assert.ok(Math.abs(Date.now() - s.mtime) < 1e6);
				assert.ok(fs.readFileSync('/tmp/a.txt', 'utf8').endsWith('xy'))`,
			`assert.deepEqual([fs.readdirSync('/tmp'), FILES && fs.readdirSync('/').includes('tmp')], [[], false]);
				assert.ok(fs.existsSync('/tmp') && fs.statSync('/tmp').isDirectory())`,
			`const os = require('os'), path = require('path');
				const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'test-'));
				fs.mkdirSync(dir + '/a/b', {recursive: true});
				fs.writeFileSync(dir + '/a/b/c', 'c');
				await fs.promises.cp(dir + '/a', dir + '/d', {recursive: true});
				fs.renameSync(dir + '/d', dir + '/e');
				assert.deepEqual(fs.readdirSync(dir, {recursive: true}), ['a', 'a/b', 'a/b/c', 'e', 'e/b', 'e/b/c']);
				fs.rmSync(dir, {recursive: true});
				assert.deepEqual(fs.readdirSync('/tmp'), [])`,
			`const fd = fs.openSync('/tmp/part', 'w+');
				fs.writeSync(fd, 'abcdef'); fs.writeSync(fd, 'X', 2); fs.ftruncateSync(fd, 5);
				const b = Buffer.alloc(3); fs.readSync(fd, b, 0, 3, 1); fs.closeSync(fd);
				assert.equal(b + fs.readFileSync('/tmp/part'), 'bXdabXde')`,
			`for (const dev of ['/dev/null', require('os').devNull]) {
				fs.writeFileSync(dev, 'x'); fs.appendFileSync(dev, 'x');
				const fd = fs.openSync(dev, 'r+'); fs.writeSync(fd, 'x'); fs.closeSync(fd);
				assert.equal(fs.readFileSync(dev, 'utf8'), '');
			}
			const out = fs.createWriteStream('/dev/null'); out.end('x');
			await require('events').once(out, 'finish')`,
			`const codes = [];
				for (const f of [() => fs.writeFileSync('/dev/new', ''), () => fs.mkdirSync('/tmp'),
					() => fs.rmdirSync('/tmp'), () => fs.rmSync('/tmp', {recursive: true}),
					() => fs.renameSync('/tmp', '/elsewhere'), () => fs.unlinkSync('/dev/null'),
					() => fs.writeFileSync('/tmp', ''), () => fs.readFileSync('/tmp/none'),
					() => fs.writeFileSync('/tmp/' + 'n'.repeat(300), ''), () => fs.readdirSync('/dev/null'),
					() => { fs.writeFileSync('/tmp/f', ''); fs.writeFileSync('/tmp/f/g', '') },
					() => fs.symlinkSync('/x', '/tmp/link'), () => fs.linkSync('/tmp/f', '/link')]) {
					try { f(); codes.push('none') } catch (e) { codes.push(e.code ?? 'refused') }
				}
				assert.deepEqual(codes, ['EACCES', 'EEXIST', 'EACCES', 'EACCES', 'EXDEV', 'EACCES', 'EISDIR', 'ENOENT',
					'EINVAL', 'ENOTDIR', 'ENOTDIR', 'refused', 'refused'])`,
			`fs.writeFileSync('/tmp/m.mjs', 'export const a = 1'); fs.writeFileSync('/tmp/c.js', 'exports.b = 2');
				const found = FILES ? [(await import('/tmp/m.mjs')).a, require('/tmp/c.js').b] : [1, 2];
				assert.deepEqual(found, [1, 2])`,
		} {
			for _, options := range []javascript.RunOptions{{Files: files}, {}} {
				options.Globals = map[string]any{"FILES": options.Files != nil}
				result := run(t, "const assert = require('assert');\n"+script, options)
				require.Empty(t, result.Console, script)
				require.Equal(t, before, contents(t, files), "%s\nleaves nothing in the project", script)
			}
		}
	})
}

// TestScratchBesideTheProject moves and copies between both, by paths that do not say at once where they lead.
func TestScratchBesideTheProject(t *testing.T) {
	onEachFileSystem(t, func(t *testing.T, files afero.Fs) {
		options := javascript.RunOptions{Files: files}
		require.NoError(t, afero.WriteFile(files, "/a.txt", []byte("moved"), 0o644))
		require.NoError(t, files.MkdirAll("/dir/sub", 0o755))
		result := run(t, `
			fs.renameSync('/a.txt', '/dir/../tmp/deep/../b.txt');
			fs.copyFileSync('tmp/b.txt', '/c.txt');
			fs.cpSync('/dir', '/tmp/dir', {recursive: true});
			fs.renameSync('/tmp/./b.txt', '/new/d.txt');
			fs.writeFileSync('/tmp/../e.txt', 'e');
			const codes = [];
			for (const f of [() => fs.renameSync('/dir', '/tmp/moved'), () => fs.renameSync('/tmp/dir', '/moved'),
				() => fs.renameSync('/c.txt', '/dev/x')]) {
				try { f() } catch (e) { codes.push(e.code, e.errno) }
			}
			return JSON.stringify([codes, fs.readdirSync('/tmp', {recursive: true}), fs.existsSync('/a.txt')])`,
			options)
		require.JSONEq(t, `[["EXDEV", -18, "EXDEV", -18, "EACCES", -13], ["dir", "dir/sub"], false]`, result.Text)
		now := contents(t, files)
		require.Equal(t, []string{"moved", "moved", "e"}, []string{now["/c.txt"], now["/new/d.txt"], now["/e.txt"]})
		require.NotContains(t, now, "/a.txt")
		require.NotContains(t, now, "/tmp")

		require.NoError(t, files.Mkdir("/tmp", 0o755))
		run(t, `fs.writeFileSync('/tmp/kept', 'its own')`, options)
		require.Equal(t, "its own", contents(t, files)["/tmp/kept"], "a project's own /tmp is used")
	})
}

// TestScratchAndLinks has links of a project that lead to the host's files, and one in the place of /tmp.
func TestScratchAndLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	for name, to := range map[string]string{
		"link": filepath.Join(outside, "secret"), "there": outside, "back": "/tmp", "null": "/dev/null",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("there are no links here:", err)
		}
	}
	files, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer files.Close()
	const attempts = `const done = [];
		fs.writeFileSync('/ok', 'ok');
		for (const f of [() => fs.copyFileSync('/link', '/tmp/a'), () => fs.renameSync('/link', '/tmp/a'),
			() => fs.cpSync('/there', '/tmp/a', {recursive: true}), () => fs.renameSync('/there/secret', '/tmp/a'),
			() => fs.writeFileSync('/back/a', ''), () => fs.copyFileSync('/ok', '/there/a'),
			() => fs.renameSync('/ok', '/there/a'), () => fs.readdirSync('/there'), () => fs.readFileSync('/null'),
			() => fs.renameSync('/ok', '/null'), () => fs.readFileSync('/tmp/secret'),
			() => fs.writeFileSync('/tmp/../there/a', '')]) {
			try { f(); done.push(String(f)) } catch (e) { if (!e.code) throw e }
		}
		return JSON.stringify([done, fs.existsSync('/tmp/a'), fs.existsSync('/ok')])`
	for range 2 {
		result := run(t, attempts, javascript.RunOptions{Files: files})
		require.JSONEq(t, `[[], false, true]`, result.Text)
		names, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Len(t, names, 1)
		// Then /tmp itself is a link. It is the project's, which does not follow it.
		if _, err := os.Lstat(filepath.Join(dir, "tmp")); err == nil {
			continue
		}
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, "tmp")))
	}
}

// TestScratchOfAProjectThatCannotBeChanged is /tmp all the same, and takes nothing away from the project.
func TestScratchOfAProjectThatCannotBeChanged(t *testing.T) {
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	require.NoError(t, afero.WriteFile(project, "/a.txt", []byte("a"), 0o644))
	result := run(t, `fs.copyFileSync('/a.txt', '/tmp/a.txt');
		const codes = [];
		for (const f of [() => fs.renameSync('/a.txt', '/tmp/b.txt'), () => fs.renameSync('/tmp/a.txt', '/b.txt')]) {
			try { f() } catch (e) { codes.push(e.code) }
		}
		return codes.join() + fs.readdirSync('/tmp') + fs.readFileSync('/tmp/a.txt', 'utf8')`,
		javascript.RunOptions{Files: vfs.ReadOnly(project, "/")})
	require.Equal(t, "EROFS,EROFSa.txta", result.Text)
	require.Equal(t, map[string]string{"/": "a directory", "/a.txt": "a"}, contents(t, project))
}

// TestScratchIsBounded fills /tmp in several ways.
func TestScratchIsBounded(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`const mb = 'x'.repeat(1 << 20); for (let i = 0; i < 1000; i++) fs.appendFileSync('/tmp/big', mb)`,
		`const b = Buffer.alloc(1 << 20); for (let i = 0; i < 1000; i++) fs.writeFileSync('/tmp/' + i, b)`,
		`for (let i = 0; i < 1e6; i++) fs.writeFileSync('/tmp/' + i, '')`,
		`for (let i = 0; i < 1e6; i++) fs.mkdirSync('/tmp/' + 'd/'.repeat(i % 50) + i, {recursive: true})`,
		`const fd = fs.openSync('/tmp/sparse', 'w'); fs.writeSync(fd, 'x', (1 << 25) - 5)`,
		`fs.writeFileSync('/tmp/a', Buffer.alloc(9 << 20));
			for (let i = 0; i < 1000; i++) fs.copyFileSync('/tmp/a', '/tmp/b' + i)`,
		`const b = Buffer.alloc(9 << 20);
			for (let i = 0; i < 1000; i++) { fs.writeFileSync('/a', b); fs.renameSync('/a', '/tmp/' + i) }`,
	} {
		files := afero.NewMemMapFs()
		result, err := tryRun(t, "try { "+script+" } catch (e) { return e.code }",
			javascript.RunOptions{Files: files, Limits: sandbox.Limits{Memory: 32 << 20, Work: sandbox.Unlimited}})
		require.NoError(t, err, script)
		require.Contains(t, []string{"ENOSPC", "EFBIG"}, result.Text, script)
	}
}

// TestScratchBetweenScripts is empty for each script of a session, as in all runs, and cannot wait for an answer.
func TestScratchBetweenScripts(t *testing.T) {
	first := run(t, "fs.writeFileSync('/tmp/a', 'x')", javascript.RunOptions{Session: true})
	second := run(t, "return fs.readdirSync('/tmp').length", javascript.RunOptions{Session: true, State: first.State})
	require.Equal(t, "0", second.Text)

	const script = `fs.writeFileSync('/tmp/a', 'x');
		const all = await Promise.allSettled([ask(1), ask(2)]);
		fs.rmSync('/tmp/a');
		return all.map((a) => a.reason.message).concat(await ask(3)).join('\n')`
	waits, err := engine.Run(t.Context(), script, asking(nil))
	require.ErrorIs(t, err, javascript.ErrSuspend)
	result, err := engine.Resume(t.Context(), waits.State, asking(func(x any) (any, error) { return x, nil }))
	require.NoError(t, err)
	const refused = "ask has no answer yet, and a script with files in /tmp cannot wait for it: " +
		"remove them first, or put them elsewhere\n"
	require.Equal(t, strings.Repeat(refused, 2)+"3", result.Text)
}

// TestLibrariesBesideScratch are loaded again when the project has got a /tmp with what they have looked for.
func TestLibrariesBesideScratch(t *testing.T) {
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/lib/a.js",
		[]byte(`var a = fs.existsSync('/tmp/config') ? fs.readFileSync('/tmp/config', 'utf8') : 'none'`), 0o644))
	options := javascript.RunOptions{Files: files, Libraries: []string{"/lib"}}
	for _, want := range []string{"none", "none", "own", "other"} {
		if want != "none" {
			require.NoError(t, files.MkdirAll("/tmp", 0o755))
			require.NoError(t, afero.WriteFile(files, "/tmp/config", []byte(want), 0o644))
		}
		require.Equal(t, want, run(t, "fs.writeFileSync('/tmp/config2', 'x'); return a", options).Text)
	}
}
