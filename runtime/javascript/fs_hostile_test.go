package javascript_test

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// useFs uses all of fs, and returns what a script should get whatever it has done to the language before.
const useFs = `
	fs.writeFileSync('/d/f', 'text'); await fs.appendFile('/d/f', bytes);
		await fs.mkdir('/d/e'); await fs.copyFile('/d/f', '/d/g'); await fs.rename('/d/g', '/d/h');
	const info = await fs.stat('/d/f'), list = await fs.readdir('/', {withFileTypes: true, recursive: true});
	const called = await new Promise((end) => fs.readFile('/d/f', 'utf8', (e, text) => end(e === null && text)));
	let failed; try { await fs.unlink('/no') } catch (e) { failed = e.code + e.path }
	let names = ''; for (let i = 0; i < list.length; i++) names += list[i].parentPath +
		':' + list[i].name + list[i].isFile() + ' ';
	const got = '' + info.isFile() + info.isDirectory() + info.size + info.mime + info.isBinary +
		'|' + names + '|' + called + '|' + failed + '|' + (await fs.exists('/d/h')) + fs.existsSync('/x');
	await fs.rm('/d', {recursive: true});
	return got + fs.readdirSync('/').length`

const usedFs = "truefalse5text/plainfalse|/:dfalse /d:efalse /d:ftrue /d:htrue |text!|ENOENT/no|truefalse0"

func TestFilesWhateverAScriptHasReplaced(t *testing.T) {
	for name, script := range map[string]string{
		"nothing": ``,
		"methods of arrays": `for (const k of Object.getOwnPropertyNames(Array.prototype)) if (k !== 'length' &&
			k !== 'constructor') try { Array.prototype[k] = () => { throw 'hijacked' } } catch {}`,
		"iterators": `Array.prototype[Symbol.iterator] = String.prototype[Symbol.iterator] = () => {
			throw 'hijacked' }`,
		"methods of strings": `for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== 'length' &&
			k !== 'constructor') try { String.prototype[k] = () => { throw 'hijacked' } } catch {}`,
		"methods of functions": `for (const k of ['call', 'apply', 'bind']) Function.prototype[k] = () => {
			throw 'hijacked' }`,
		"methods of weak maps": `for (const k of ['get', 'set', 'has']) WeakMap.prototype[
			k] = Map.prototype[k] = () => { throw 'hijacked' }`,
		"Reflect and Object": `for (const o of [JSON, Reflect, Object]) for (
			const k of Object.getOwnPropertyNames(o)) try { o[k] = () => { throw 'hijacked' } } catch {}`,
		"globals": `for (const k of ['Uint8Array', 'Array', 'Object', 'String',
			'WeakMap', 'Error', 'TypeError', 'Reflect', 'queueMicrotask']) globalThis[k] = () => { throw 'hijacked' }`,
		"promises": `Promise.resolve = Promise.reject = () => { throw 'hijacked' }`,
		"setters everywhere": `for (const k of ['name', 'parentPath', 'size', 'kind', 'mime', 'names',
			'kinds', '0', '1', '2', 'length', 'isFile', 'start', 'end']) Object.defineProperty(Object.prototype,
			k, {set() { throw 'hijacked' }, get() { throw 'hijacked' }, configurable: true})`,
		"setters of arrays": `for (let i = -1; i < 10; i++) Object.defineProperty(Array.prototype,
			i, {set() { throw 'hijacked' }, get() { return 'wrong' }, configurable: true})`,
		"functions of fs": `for (const k of ['readFile', 'stat', 'exists']) fs[k + 'Sync'] = () => {
			throw 'hijacked' }; fs.existsSync = () => false`,
		"the prototype of stat": `fs.writeFileSync('/f', ''); const p = Object.getPrototypeOf(fs.statSync('/f'));
			p.toJSON = () => { throw 'hijacked' }; fs.unlinkSync('/f')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, usedFs, run(t, "const bytes = new Uint8Array([33]);"+script+";"+useFs,
				javascript.RunOptions{Files: afero.NewMemMapFs()}).Text)
		})
	}
}

func TestHostileArgumentsOfFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"options that throw": {
			`try { fs.readFileSync('/f', {get encoding() { throw 'mine' }}) } catch (e) { return e }`, "mine",
		},
		"options that are a proxy": {
			`try { await fs.rm('/f', new Proxy({}, {get() { throw 'mine' }})) } catch (e) { return e }`, "mine",
		},
		"options that call fs": {
			`await fs.rm('/f', {get recursive() { fs.writeFileSync('/g', ''); return true }});
				return fs.readdirSync('/').join()`,
			"g",
		},
		"an encoding that changes": {
			`let n = 0; return fs.readFileSync('/f', {get encoding() { return ['utf8', 'hex'][n++] }})`, "abc",
		},
		"a buffer that shrinks meanwhile": {
			`const b = new ArrayBuffer(100, {maxByteLength: 200}); const v = new Uint8Array(b, 50);
				fs.writeFileSync('/g', v, {get flag() { b.resize(10); return 'w' }}); return fs.statSync('/g').size`,
			"0",
		},
		"a long path": {
			`try { fs.readFileSync('/x'.repeat(5e6)) } catch (e) { return e.code + (e.message.length < 5000) }`,
			"EINVALtrue",
		},
		"a path with a NUL": {`return fs.existsSync('/f\0')`, "false"},
		"a path with dots":  {`return fs.readFileSync('/../../../f', 'utf8')`, "abc"},
		"flags that are no numbers": {
			`const out = [];
				for (const m of [1n, Symbol('x'), {valueOf() { throw 'mine' }}, 'x', null, 1e300, NaN]) try {
				fs.accessSync('/f', m); out.push('ok') } catch (e) { out.push(e.name ?? e) } return out.join()`,
			"TypeError,TypeError,mine,ok,ok,ok,ok",
		},
		"lengths that are no numbers": {
			`const out = []; for (const n of ['1', {}, null, 1.5, NaN, -1, 3e9, 2 ** 32, Infinity]) try {
				fs.truncateSync('/f', n); out.push(n) } catch (e) { out.push(e.code) }
				return [...new Set(out), fs.statSync('/f').size].join()`,
			"EINVAL,3",
		},
		"data of any kind": {
			`const out = []; for (const d of [1, null, {}, [], () => 1, Symbol('x'),
				1n, new Date(), {buffer: new ArrayBuffer(3), byteLength: 3}, new Proxy(new Uint8Array(3), {})]) try {
				fs.writeFileSync('/f', d); out.push(String(d)) } catch (e) { out.push(e.code) }
				return [...new Set(out), fs.readFileSync('/f', 'utf8')].join()`,
			"ERR_INVALID_ARG_TYPE,abc",
		},
		"a shared buffer": {
			`const b = new Uint8Array(new SharedArrayBuffer(2)); b[0] = 65;
				b[1] = 66; fs.writeFileSync('/g', b); return fs.readFileSync('/g', 'utf8')`,
			"AB",
		},
		"methods on something else": {
			`const p = Object.getPrototypeOf(fs.statSync('/f')); return [p.isFile.call(5),
				p.isFile.call({}), p.isDirectory(), JSON.stringify(p.toJSON.call({a: 1}))].join()`,
			`false,false,false,{"isFile":false,"isDirectory":false,"a":1}`,
		},
		"callbacks without end": {
			`let n = 0; await new Promise((end) => { const next = () => ++n < 1000 ? fs.stat('/f', next) : end();
				next() }); return n`,
			"1000",
		},
		"a callback and nothing else": {`try { fs.readFile(() => {}) } catch (e) { return e.message }`,
			"EINVAL: missing required argument 'path' for fs.readFile"},
		"operations that are no names": {
			`return ['constructor', '__proto__', 'toString'].map((n) => typeof fs.promises[n + 'Sync']).join()`,
			"undefined,undefined,undefined",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := afero.NewMemMapFs()
			require.NoError(t, afero.WriteFile(files, "/f", []byte("abc"), 0o644))
			result := run(t, test.script, javascript.RunOptions{Files: files})
			require.Equal(t, test.want, result.Text)
		})
	}
}

func TestEncodingsStayWithinMemory(t *testing.T) {
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/f", make([]byte, 12<<20), 0o644))
	options := javascript.RunOptions{Files: files, Limits: sandbox.Limits{Memory: 16 << 20}}
	require.Equal(t, "EFBIG,EFBIG", run(t,
		`return ['hex', 'base64'].map((e) => { try { fs.readFileSync('/f', e) } catch (e) { return e.code } }).join()`,
		options).Text)
}

// A liarFs has one directory, /d, and one file, /f, that are not what they seem.
type liarFs struct {
	afero.Fs
	info    fs.FileInfo
	readdir func(count int) ([]fs.FileInfo, error)
	read    func(b []byte) (int, error)
	write   func(b []byte) (int, error)
	failure func(op string) error
}

func (l *liarFs) fail(op string) error {
	if l.failure == nil {
		return nil
	}
	return l.failure(op)
}

func (l *liarFs) Stat(name string) (fs.FileInfo, error) {
	if err := l.fail("stat"); err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "/d") {
		return fakeInfo{name: "d", mode: fs.ModeDir | 0o755}, nil
	}
	if name != "/f" {
		return nil, &fs.PathError{Op: "stat", Path: "/host" + name, Err: fs.ErrNotExist}
	}
	return l.info, nil
}

func (l *liarFs) Open(name string) (afero.File, error) { return l.OpenFile(name, os.O_RDONLY, 0) }

func (l *liarFs) OpenFile(string, int, fs.FileMode) (afero.File, error) {
	if err := l.fail("open"); err != nil {
		return nil, err
	}
	return &liarFile{fs: l}, nil
}

func (l *liarFs) Rename(from, to string) error {
	return &os.LinkError{Op: "rename", Old: "/host" + from, New: "/host" + to, Err: errors.New("odd")}
}

func (l *liarFs) MkdirAll(string, fs.FileMode) error { return l.fail("mkdir") }

type liarFile struct {
	afero.File
	fs *liarFs
}

func (f *liarFile) Readdir(count int) ([]fs.FileInfo, error) { return f.fs.readdir(count) }
func (f *liarFile) Read(b []byte) (int, error)               { return f.fs.read(b) }
func (f *liarFile) Write(b []byte) (int, error)              { return f.fs.write(b) }
func (f *liarFile) Close() error                             { return f.fs.fail("close") }

type fakeInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (f fakeInfo) Name() string       { return f.name }
func (f fakeInfo) Size() int64        { return f.size }
func (f fakeInfo) Mode() fs.FileMode  { return f.mode }
func (f fakeInfo) ModTime() time.Time { return time.Time{} }
func (f fakeInfo) IsDir() bool        { return f.mode.IsDir() }
func (f fakeInfo) Sys() any           { return nil }

func TestFileSystemsThatLie(t *testing.T) {
	forever := func(b []byte) (int, error) { return len(b), nil }
	nothing := func([]byte) (int, error) { return 0, io.EOF }
	file := fakeInfo{name: "f", mode: 0o644}
	sized := func(size int64) fakeInfo { return fakeInfo{name: "f", size: size, mode: 0o644} }
	once := func(names ...string) func(int) ([]fs.FileInfo, error) {
		return func(int) (infos []fs.FileInfo, _ error) {
			for _, name := range names {
				infos = append(infos, fakeInfo{name: name, mode: fs.ModeDir | 0o755})
			}
			return infos, io.EOF
		}
	}
	const code = `try { return String(await CALL) } catch (e) { return e.message }`
	for name, test := range map[string]struct {
		files liarFs
		call  string
		want  string
	}{
		"a file that never ends": {liarFs{info: file, read: forever}, `fs.readFile('/f')`,
			"EFBIG: file too large, '/f'"},
		"a file that is smaller than it says": {liarFs{info: sized(1 << 20), read: nothing},
			`fs.readFile('/f', 'utf8')`, ""},
		"a negative size": {liarFs{info: sized(-5), read: nothing}, `fs.readFile('/f', 'utf8')`,
			""},
		"an enormous size": {liarFs{info: sized(math.MaxInt64), read: nothing},
			`fs.readFile('/f')`, "EFBIG: file too large, '/f'"},
		"reading more than there is room": {liarFs{info: file, read: func(b []byte) (int, error) {
			return len(b) + 1, nil
		}}, `fs.readFile('/f')`, "EIO: panicked:"},
		"reading a negative number": {liarFs{info: file, read: func([]byte) (int, error) {
			return -1, nil
		}}, `fs.readFile('/f')`, "EIO: panicked:"},
		"no information": {liarFs{info: nil}, `fs.readFile('/f')`, "EIO: panicked:"},
		"a device": {liarFs{info: fakeInfo{mode: fs.ModeDevice}, read: forever},
			`fs.readFile('/f')`, "EINVAL: invalid argument, '/f'"},
		"writing to a pipe": {liarFs{info: fakeInfo{mode: fs.ModeNamedPipe}},
			`fs.writeFile('/f', '')`, "EINVAL: invalid argument, '/f'"},
		"a device's state": {liarFs{info: fakeInfo{mode: fs.ModeDevice}, read: forever},
			`fs.stat('/f').then((s) => [s.isFile(), s.isDirectory(), s.mime])`, "false,false,application/octet-stream"},
		"writing less than all": {liarFs{info: file, write: func(b []byte) (int, error) {
			return len(b) - 1, nil
		}}, `fs.writeFile('/f', 'abc')`, "EIO: short write, '/f'"},
		"failing to close": {liarFs{info: file, write: forever, failure: failOn("close")},
			`fs.writeFile('/f', 'abc')`, "EIO: close failed, '/f'"},
		"panicking when it closes": {liarFs{info: file, write: forever, failure: func(op string) error {
			return panicOn(op, "close")
		}}, `fs.writeFile('/f', 'abc')`, "EIO: panicked: close, '/f'"},
		"the host's paths, of two": {liarFs{info: file}, `fs.rename('/f', '/g')`, "EIO: odd, '/g'"},
		"the host's paths": {liarFs{info: file}, `fs.readFile('/h')`,
			"ENOENT: no such file or directory, '/h'"},
		"names that are none": {liarFs{readdir: once("", ".", "..", "a/b", "/", "ok")},
			`fs.readdir('/d')`, "ok"},
		"names that are none, recursively": {liarFs{readdir: once("..", ".")},
			`fs.readdir('/d', {recursive: true})`, ""},
		"names that are not UTF-8": {liarFs{readdir: once("a\xff", "\x00b")},
			`fs.readdir('/d').then(JSON.stringify)`, `["\u0000b","a` + "\ufffd" + `"]`},
		"directories in each other without end": {liarFs{readdir: once("d")}, `fs.readdir('/d', {recursive: true})`,
			"ENOMEM: not enough memory, '/d'"},
		"a directory that never ends": {liarFs{readdir: func(count int) ([]fs.FileInfo, error) {
			return make([]fs.FileInfo, 0, count), nil
		}}, `fs.readdir('/d')`, ""},
		"a directory without end": {liarFs{readdir: func(count int) (infos []fs.FileInfo, _ error) {
			for range count {
				infos = append(infos, fakeInfo{name: strings.Repeat("x", 100)})
			}
			return infos, nil
		}}, `fs.readdir('/d')`, "ENOMEM: not enough memory, '/d'"},
		"an entry without information": {liarFs{readdir: func(int) ([]fs.FileInfo, error) {
			return make([]fs.FileInfo, 1), nil
		}}, `fs.readdir('/d')`, "EIO: panicked:"},
		"a directory that fails": {liarFs{readdir: func(int) ([]fs.FileInfo, error) {
			return nil, errors.New("odd")
		}}, `fs.rmdir('/d')`, "EIO: odd, '/d'"},
		"exists, where all fails": {liarFs{failure: failOn("stat")}, `fs.exists('/f')`, "false"},
		"exists, where all panics": {liarFs{failure: func(op string) error { return panicOn(op, "stat") }},
			`fs.exists('/f')`, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := javascript.RunOptions{Files: &test.files, Limits: sandbox.Limits{Memory: 8 << 20}}
			text := run(t, strings.Replace(code, "CALL", test.call, 1), options).Text
			if strings.HasSuffix(test.want, "panicked:") {
				require.Contains(t, text, test.want)
				return
			}
			require.Equal(t, test.want, text)
		})
	}
	t.Run("what reads nothing for ever is left when time is up", func(t *testing.T) {
		var opened atomic.Bool
		ended := make(chan struct{})
		files := &liarFs{info: file, read: func([]byte) (int, error) { return 0, nil }, failure: func(op string) error {
			switch op {
			case "open":
				opened.Store(true)
			case "close":
				close(ended)
			}
			return nil
		}}
		_, err := tryRun(t, `fs.readFileSync('/f')`, javascript.RunOptions{Files: files,
			Limits: sandbox.Limits{Time: 10 * time.Millisecond}})
		require.Equal(t, byTime, endedAs(err))
		if opened.Load() { // time may be up before that
			<-ended // and its goroutine ends
		}
	})
}

func failOn(failing string) func(op string) error {
	return func(op string) error {
		if op == failing {
			return errors.New(op + " failed")
		}
		return nil
	}
}

func panicOn(op, panicking string) error {
	if op == panicking {
		panic(op)
	}
	return nil
}
