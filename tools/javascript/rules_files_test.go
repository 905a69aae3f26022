package javascript_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// withoutFiles is the text of a result without the line that says which files have changed.
func withoutFiles(text string) string {
	text, _, _ = strings.Cut(text, "\nFiles: ")
	return text
}

// TestFileFunctions checks the functions of fs, with promises.
func TestFileFunctions(t *testing.T) {
	r := newRegistry(t)
	for _, c := range []rule{
		{
			"readFile gives a Buffer",
			`const b = await fs.readFile('/a.txt');
				return [b.constructor.name, b instanceof Uint8Array, b.join('.')].join()`,
			"Buffer,true,195.169.33",
		},
		{"readFile gives a string with an encoding",
			`return await fs.readFile('/a.txt', 'utf8') + await fs.readFile('/a.txt', 'utf-8') +
				await fs.readFile('/a.txt', {encoding: 'utf8'})`,
			"é!é!é!"},
		{"all give promises", `return ['readFile', 'writeFile', 'appendFile',
			'exists', 'mkdir', 'readdir', 'unlink', 'rmdir', 'rm', 'rename', 'copyFile', 'stat'].filter((name) => {
			const p = fs[name]('/nothing', '/nothing'); p.catch(() => {}); return !(p instanceof Promise) }).length`,
			"0"},
		{
			"writeFile makes parents",
			`await fs.writeFile('/x/y/z.txt', 'a'); return await fs.readFile('/x/y/z.txt', 'utf8')`,
			"a",
		},
		{"writeFile replaces", `await fs.writeFile('/a.txt', 'b'); return await fs.readFile('/a.txt', 'utf8')`, "b"},
		{"writeFile takes an ArrayBuffer",
			`await fs.writeFile('/b', new Uint8Array([1, 2, 3]).buffer); return (await fs.readFile('/b')).join()`,
			"1,2,3"},
		{"writeFile writes only the " +
			"bytes of a view", `const all = new Uint8Array([1, 2, 3, 4, 5, 6]);
				await fs.writeFile('/b', all.subarray(1, 3)); await fs.appendFile('/b', new DataView(all.buffer, 4, 1));
			await fs.appendFile('/b', new Uint16Array(all.buffer, 4, 1)); return (await fs.readFile('/b')).join()`,
			"2,3,5,5,6"},
		{
			"appendFile",
			`await fs.appendFile('/a.txt', 'b'); await fs.appendFile('/new/c.txt', 'c');
				return await fs.readFile('/a.txt', 'utf8') + await fs.readFile('/new/c.txt', 'utf8')`,
			"é!bc",
		},
		{
			"exists",
			`return [await fs.exists('/a.txt'), await fs.exists('/dir'),
				await fs.exists('/nothing'), await fs.exists('/a.txt/x'), await fs.exists('')].join()`,
			"true,true,false,false,false",
		},
		{"mkdir makes parents", `await fs.mkdir('/m/n/o'); return (await fs.stat('/m/n/o')).isDirectory()`, "true"},
		{"mkdir refuses what is there", `return fs.mkdir('/dir').catch((e) => e.code)`, "EEXIST"},
		{
			"unless it is recursive",
			`await fs.mkdir('/dir', {recursive: true});
				return fs.mkdir('/a.txt', {recursive: true}).catch((e) => e.code)`,
			"EEXIST",
		},
		{"readdir lists directories first", `return (await fs.readdir('/dir')).join()`, "B,a,Z.txt,b.txt"},
		{
			"readdir with types",
			`return (await fs.readdir('/dir', {withFileTypes: true})).map(
				(e) => e.name + (e.isDirectory() ? '/' : '') + e.isFile()).join()`,
			"B/false,a/false,Z.txttrue,b.txttrue",
		},
		{"unlink", `await fs.unlink('/a.txt'); return await fs.exists('/a.txt')`, "false"},
		{"rmdir", `await fs.rmdir('/dir/B/empty'); return (await fs.readdir('/dir/B')).length`, "0"},
		{"rmdir, recursive", `await fs.rmdir('/dir', {recursive: true}); return await fs.exists('/dir')`, "false"},
		{
			"rm",
			`await fs.rm('/a.txt'); await fs.rm('/dir', {recursive: true});
				await fs.rm('/nothing', {force: true}); return (await fs.readdir('/')).join()`,
			"memories",
		},
		{
			"rename",
			`await fs.rename('/a.txt', '/sub/b.txt'); await fs.rename('/dir', '/moved');
				return [await fs.exists('/a.txt'), await fs.readFile('/sub/b.txt', 'utf8'),
				(await fs.readdir('/moved')).length].join()`,
			"false,é!,4",
		},
		{
			"rename never overwrites",
			`const code = await fs.rename('/a.txt', '/dir/b.txt').catch((e) => e.code);
				return [code, await fs.readFile('/a.txt', 'utf8'), await fs.readFile('/dir/b.txt', 'utf8')].join()`,
			"EEXIST,é!,b",
		},
		{
			"copyFile",
			`await fs.copyFile('/a.txt', '/x/copy.txt'); await fs.copyFile('/memories/m.md', '/a.txt');
				return await fs.readFile('/x/copy.txt', 'utf8') + await fs.readFile('/a.txt', 'utf8')`,
			"é!note",
		},
		{
			"stat of a file",
			`const s = await fs.stat('/a.txt'); return [s.isFile(), s.isDirectory(),
				s.size, s.readonly, s.mtime instanceof Date, s.mtime > 1.6e12, s.isBinary, s.mime].join()`,
			"true,false,3,false,true,true,false,text/plain",
		},
		{
			"stat of bytes",
			`await fs.writeFile('/p', new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0]));
				const s = await fs.stat('/p'); return [s.isBinary, s.mime, s.size].join()`,
			"true,image/png,9",
		},
		{
			"stat of a directory",
			`const s = await fs.stat('/dir'); return [s.isFile(), s.isDirectory(), s.size, s.isBinary, s.mime].join()`,
			"false,true,0,false,application/x-directory",
		},
		{
			"stat of what is protected",
			`return [(await fs.stat('/memories')).readonly, (await fs.stat('/memories/m.md')).readonly].join()`,
			"true,true",
		},
		{
			"paths are normalised",
			`return await fs.readFile('dir/../../../a.txt', 'utf8') + await fs.readFile('//dir//./b.txt', 'utf8')`,
			"é!b",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := newEnv(t)
			writeFiles(t, env.Files, map[string]string{"/a.txt": "é!", "/dir/b.txt": "b", "/dir/Z.txt": "z",
				"/dir/a/x": "", "/memories/m.md": "note"})
			require.NoError(t, env.Files.MkdirAll("/dir/B/empty", 0o755))
			require.Equal(t, c.want, withoutFiles(run(t, r, env, c.code).Text()))
		})
	}
}

// TestFileErrors checks the errors of fs: they are Errors with a code and a path, and the message has the path as it
// was passed.
func TestFileErrors(t *testing.T) {
	const missing, exists, isDir, notDir = "ENOENT: no such file or directory, ", "EEXIST: file already exists, ",
		"EISDIR: illegal operation on a directory, ", "ENOTDIR: not a directory, "
	const readOnly, invalid = "EROFS: read-only file system, ", "EINVAL: invalid argument, "
	r := newRegistry(t)
	for _, c := range []struct{ call, message, path string }{
		{`readFile('nothing')`, missing + "'nothing'", "nothing"},
		{`readFile('/dir/../nothing/./x')`, missing + "'/dir/../nothing/./x'", "/dir/../nothing/./x"},
		{`stat('/nothing')`, missing + "'/nothing'", "/nothing"},
		{`readdir('/nothing')`, missing + "'/nothing'", "/nothing"},
		{`unlink('/nothing')`, missing + "'/nothing'", "/nothing"},
		{`rmdir('/nothing')`, missing + "'/nothing'", "/nothing"},
		{`rm('/nothing')`, missing + "'/nothing'", "/nothing"},
		{`rename('/nothing', '/x')`, missing + "'/nothing'", "/nothing"},
		{`copyFile('/nothing', '/x')`, missing + "'/nothing'", "/nothing"},
		{`mkdir('/dir')`, exists + "'/dir'", "/dir"},
		{`mkdir('/a.txt')`, exists + "'/a.txt'", "/a.txt"},
		{`rename('/a.txt', '/dir/b.txt')`, exists + "'/dir/b.txt'", "/dir/b.txt"},
		{`rename('/a.txt', '/dir')`, exists + "'/dir'", "/dir"},
		{`writeFile('/a.txt', '', {flag: 'wx'})`, exists + "'/a.txt'", "/a.txt"},
		{`readFile('/dir')`, isDir + "'/dir'", "/dir"},
		{`writeFile('/dir', '')`, isDir + "'/dir'", "/dir"},
		{`appendFile('/dir', '')`, isDir + "'/dir'", "/dir"},
		{`writeFile('/', '')`, isDir + "'/'", "/"},
		{`unlink('/dir')`, isDir + "'/dir'", "/dir"},
		{`copyFile('/dir', '/x')`, isDir + "'/dir'", "/dir"},
		{`copyFile('/a.txt', '/dir')`, isDir + "'/dir'", "/dir"},
		{`rm('/dir')`, isDir + "'/dir'", "/dir"},
		{`readdir('/a.txt')`, notDir + "'/a.txt'", "/a.txt"},
		{`rmdir('/a.txt')`, notDir + "'/a.txt'", "/a.txt"},
		{`writeFile('/a.txt/b', '')`, notDir + "'/a.txt/b'", "/a.txt/b"},
		{`mkdir('/a.txt/b')`, notDir + "'/a.txt/b'", "/a.txt/b"},
		{`readFile('/a.txt/b')`, notDir + "'/a.txt/b'", "/a.txt/b"},
		{`rmdir('/dir')`, "ENOTEMPTY: directory not empty, '/dir' (pass {recursive: true} to remove it with its " +
			"content)", "/dir"},
		{`rename('/dir', '/dir/sub')`, invalid + "'/dir/sub'", "/dir/sub"},
		{`readFile('')`, invalid + "''", ""},
		{`readFile('/a\0b')`, invalid + "'/a\x00b'", "/a\x00b"},
		{`writeFile('/x', {})`, invalid + "data must be string or buffer, '/x'", "/x"},
		{`writeFile('/x', 7)`, invalid + "data must be string or buffer, '/x'", "/x"},
		{`writeFile('/x', 5)`, invalid + "data must be string or buffer, '/x'", "/x"},
		{`appendFile('/x', null)`, invalid + "data must be string or buffer, '/x'", "/x"},
		{`readFile()`, "EINVAL: missing required argument 'path' for fs.readFile", ""},
		{`writeFile()`, "EINVAL: missing required argument 'path' for fs.writeFile", ""},
		{`writeFile('/a.txt')`, "EINVAL: missing required argument 'data' for fs.writeFile", ""},
		{`exists()`, "EINVAL: missing required argument 'path' for fs.exists", ""},
		{`stat(undefined)`, "EINVAL: missing required argument 'path' for fs.stat", ""},
		{`rename('/a.txt')`, "EINVAL: missing required argument 'newPath' for fs.rename", ""},
		{`writeFile('/memories/x', '')`, readOnly + "write '/memories/x'", "/memories/x"},
		{`writeFile('/dir/../memories/x', '')`, readOnly + "write '/dir/../memories/x'", "/dir/../memories/x"},
		{`writeFile('memories/./m.md', '')`, readOnly + "write 'memories/./m.md'", "memories/./m.md"},
		{`appendFile('/memories/m.md', '')`, readOnly + "write '/memories/m.md'", "/memories/m.md"},
		{`copyFile('/a.txt', '/memories/x')`, readOnly + "write '/memories/x'", "/memories/x"},
		{`mkdir('/memories/x')`, readOnly + "mkdir '/memories/x'", "/memories/x"},
		{`unlink('/memories/m.md')`, readOnly + "unlink '/memories/m.md'", "/memories/m.md"},
		{`rmdir('/memories')`, readOnly + "rmdir '/memories'", "/memories"},
		{`rmdir('/memories', {recursive: true})`, readOnly + "rmdir '/memories'", "/memories"},
		{`rename('/memories/m.md', '/x')`, readOnly + "rename '/memories/m.md'", "/memories/m.md"},
		{`rename('/a.txt', '/memories/x')`, readOnly + "rename '/memories/x'", "/memories/x"},
	} {
		t.Run(c.call, func(t *testing.T) {
			env := newEnv(t)
			writeFiles(t, env.Files, map[string]string{"/a.txt": "a", "/dir/b.txt": "b", "/memories/m.md": "note"})
			code := fmt.Sprintf(
				`try { await fs.%s } catch (e) { return [e instanceof Error, `+
					`e.code, e.path ?? '', e.message].join('|') } return 'no error'`,
				c.call,
			)
			errno, _, _ := strings.Cut(c.message, ":")
			switch { // Node's codes
			case strings.Contains(c.message, "missing required argument"), strings.Contains(c.message, "data must be"):
				errno = "ERR_INVALID_ARG_TYPE"
			case strings.Contains(c.message, "\x00"):
				errno = "ERR_INVALID_ARG_VALUE"
			}
			require.Equal(t, "true|"+errno+"|"+c.path+"|"+c.message, run(t, r, env, code).Text())
		})
	}
	t.Run("ENOSPC", func(t *testing.T) {
		project, err := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Bytes: 100}}).Open(t.Context(), "small")
		require.NoError(t, err)
		env := newEnv(t)
		env.Files = project
		require.Equal(t, "true|ENOSPC|/x|ENOSPC: no space left on device, '/x'",
			run(t, r, env, `try { await fs.writeFile('/x', 'a'.repeat(1000)) } catch (e) {
				return [e instanceof Error, e.code, e.path, e.message].join('|') }`).Text())
	})
	t.Run("EIO", func(t *testing.T) {
		env := newEnv(t)
		env.Files = wrapfs.Foreign(broken{afero.NewMemMapFs()})
		require.Equal(t, "true|EIO|/a|EIO: the disk is on fire, '/a'",
			run(t, r, env, `try { await fs.readFile('/a') } catch (e) {
				return [e instanceof Error, e.code, e.path, e.message].join('|') }`).Text())
	})
}

// broken is a file system that fails with paths of its own in the errors.
type broken struct{ afero.Fs }

func (broken) Stat(string) (os.FileInfo, error) {
	return nil, &os.PathError{Op: "stat", Path: "/secret/place/a", Err: fmt.Errorf("the disk is on fire")}
}
