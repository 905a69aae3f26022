package javascript_test

import (
	"fmt"
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

// fileSystems are kinds of file systems that scripts may get, each with /memories protected where that is possible.
var fileSystems = map[string]func(t *testing.T) afero.Fs{
	"afero in memory": func(*testing.T) afero.Fs { return afero.NewMemMapFs() },
	"a directory":     func(t *testing.T) afero.Fs { return afero.NewBasePathFs(afero.NewOsFs(), t.TempDir()) },
	"a project in memory": func(t *testing.T) afero.Fs {
		project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
		require.NoError(t, err)
		return project
	},
	"a project in a directory": openDir,
}

func onEachFileSystem(t *testing.T, test func(t *testing.T, files afero.Fs)) {
	for name, open := range fileSystems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// harness defines what scripts of these tests use: show gives what a function answers, or how its error reads; prepare
// makes the files that the calls begin with.
const harness = `
	const show = async (f) => { try { const v = await f();
		return typeof v === 'string' ? v : v instanceof Uint8Array ? 'bytes ' + v.join() : String(JSON.stringify(v)) }
		catch (e) { return e.message + ' [' + [e.name, e.code, e.path] + ']' } };
	const tree = (dir = '/') => fs.readdirSync(dir, {recursive: true}).map((n) => { const p = dir + n;
		return fs.statSync(p).isDirectory() ? n + '/' : n + '=' + fs.readFileSync(p, 'utf8') }).join(' ');
	const prepare = () => {
		for (const n of fs.readdirSync('/')) fs.rmSync(n, {recursive: true});
		fs.writeFileSync('/f', 'file'); fs.writeFileSync('/d/g', 'G');
			fs.writeFileSync('/d/e/h', 'H'); fs.mkdirSync('/empty');
	};
`

const (
	before  = "d/ d/e/ d/e/h=H d/g=G empty/ f=file"
	noEnt   = "ENOENT: no such file or directory, '%[1]s' [Error,ENOENT,%[1]s]"
	exist   = "EEXIST: file already exists, '%[1]s' [Error,EEXIST,%[1]s]"
	isDir   = "EISDIR: illegal operation on a directory, '%[1]s' [Error,EISDIR,%[1]s]"
	notDir  = "ENOTDIR: not a directory, '%[1]s' [Error,ENOTDIR,%[1]s]"
	inval   = "EINVAL: invalid argument, '%[1]s' [Error,EINVAL,%[1]s]"
	missing = "EINVAL: missing required argument '%s' for fs.%s [TypeError,ERR_INVALID_ARG_TYPE,]"
)

// fileCalls are calls, what they give, and what there is then ("" is as before).
var fileCalls = []struct{ call, want, tree string }{
	{`readFile('/f')`, "bytes 102,105,108,101", ""},
	{`readFile('/f', 'utf8')`, "file", ""},
	{`readFile('f', {encoding: 'UTF-8'})`, "file", ""},
	{`readFile('/x/../f', {encoding: 'latin1', flag: 'r'})`, "file", ""},
	{`readFile('/f', null)`, "bytes 102,105,108,101", ""},
	{`readFile('/f', {encoding: null})`, "bytes 102,105,108,101", ""},
	{`readFile('/f', 'base64')`, "ZmlsZQ==", ""},
	{`readFile('/f', 'hex')`, "66696c65", ""},
	{`readFile('/f', 'rot13')`, "EINVAL: invalid argument, unknown encoding (known are 'utf8', 'latin1', 'ascii', " +
		"'utf16le', 'base64', 'base64url' and 'hex'), '/f' [TypeError,ERR_INVALID_ARG_VALUE,/f]", ""},
	{`readFile('/f', 5)`, "EINVAL: invalid argument, unknown encoding (known are 'utf8', 'latin1', 'ascii', " +
		"'utf16le', 'base64', 'base64url' and 'hex'), '/f' [TypeError,ERR_INVALID_ARG_VALUE,/f]", ""},
	{`readFile('no')`, fmt.Sprintf(noEnt, "no"), ""},
	{`readFile('/d')`, fmt.Sprintf(isDir, "/d"), ""},
	{`readFile('/f/x')`, fmt.Sprintf(notDir, "/f/x"), ""},
	{`readFile()`, fmt.Sprintf(missing, "path", "readFile"), ""},
	{`readFile(7)`, "EBADF: bad file descriptor, read [Error,EBADF,]", ""},
	{
		`readFile(null)`,
		`The "path" argument must be of type string or an instance of Buffer or URL. Received null [TypeError,` +
			`ERR_INVALID_ARG_TYPE,]`,
		"",
	},

	{`writeFile('/f', 'new')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=new"},
	{`writeFile('/n/m/o', new Uint8Array([65, 66, 67]).subarray(1))`, "undefined",
		"d/ d/e/ d/e/h=H d/g=G empty/ n/ n/m/ n/m/o=BC f=file"},
	{`writeFile('/f', new Uint16Array([0x4241]).buffer)`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=AB"},
	{`writeFile('/f', new DataView(new Uint8Array([65, 66, 67]).buffer, 1, 1))`, "undefined",
		"d/ d/e/ d/e/h=H d/g=G empty/ f=B"},
	{`writeFile('/f', '4142', 'hex')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=AB"},
	{`writeFile('/f', 'QUI', {encoding: 'base64'})`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=AB"},
	{`writeFile('/f', 'xyz', 'hex')`,
		"EINVAL: invalid argument, the data is not hex, '/f' [TypeError,ERR_INVALID_ARG_VALUE,/f]", ""},
	{`writeFile('/f', 'Q!', 'base64')`,
		"EINVAL: invalid argument, the data is not base64, '/f' [TypeError,ERR_INVALID_ARG_VALUE,/f]", ""},
	{`writeFile('/f', '+', {flag: 'a'})`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=file+"},
	{`writeFile('/f', '+', {flag: 'wx'})`, fmt.Sprintf(exist, "/f"), ""},
	{`writeFile('/n', '+', {flag: 'wx+'})`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=file n=+"},
	{`writeFile('/f', '', {flag: 'q'})`,
		"The argument 'flags' is invalid. Received 'q' [TypeError,ERR_INVALID_ARG_VALUE,]", ""},
	{`writeFile('/f', {})`, "EINVAL: invalid argument, data must be string or buffer, '/f' " +
		"[TypeError,ERR_INVALID_ARG_TYPE,/f]", ""},
	{`writeFile('/f')`, fmt.Sprintf(missing, "data", "writeFile"), ""},
	{`writeFile('/d', '')`, fmt.Sprintf(isDir, "/d"), ""},
	{`writeFile('/', '')`, fmt.Sprintf(isDir, "/"), ""},
	{`writeFile('/f/x', '')`, fmt.Sprintf(notDir, "/f/x"), ""},
	{`writeFile('/f/x/y', '')`, fmt.Sprintf(notDir, "/f/x/y"), ""},
	{`writeFile('', '')`, fmt.Sprintf(inval, ""), ""},
	{`writeFile('a\\b', '')`, fmt.Sprintf(inval, `a\b`), ""},
	{`writeFile()`, fmt.Sprintf(missing, "path", "writeFile"), ""},
	{`appendFile('/f', '!')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=file!"},
	{`appendFile('/n/o', new Uint8Array([65]))`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ n/ n/o=A f=file"},
	{`appendFile('/f', '', {flag: 'ax'})`, fmt.Sprintf(exist, "/f"), ""},
	{`appendFile('/d', '')`, fmt.Sprintf(isDir, "/d"), ""},
	{`truncate('/f')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f="},
	{`truncate('/f', 2)`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=fi"},
	{`truncate('/f', 6)`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=file\x00\x00"},
	{`truncate('/f', -1)`, fmt.Sprintf(inval, "/f"), ""},
	{`truncate('/f', 1.5)`, fmt.Sprintf(inval, "/f"), ""},
	{`truncate('/f', 1e9)`, "EFBIG: file too large, '/f' [Error,EFBIG,/f]", ""},
	{`truncate('/no')`, fmt.Sprintf(noEnt, "/no"), ""},

	{`exists('/f')`, "true", ""},
	{`exists('/d')`, "true", ""},
	{`exists('/')`, "true", ""},
	{`exists('/f/x')`, "false", ""},
	{`exists('/no')`, "false", ""},
	{`exists({})`, "false", ""},
	{`access('/f')`, "undefined", ""},
	{`access('/f', fs.constants.R_OK | fs.constants.W_OK)`, "undefined", ""},
	{`access('/f', fs.constants.X_OK)`, "EACCES: permission denied, '/f' [Error,EACCES,/f]", ""},
	{`access('/no')`, fmt.Sprintf(noEnt, "/no"), ""},

	{`mkdir('/n')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ n/ f=file"},
	{`mkdir('n/m')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ n/ n/m/ f=file"},
	{`mkdir('/d')`, fmt.Sprintf(exist, "/d"), ""},
	{`mkdir('/f', {recursive: true})`, fmt.Sprintf(exist, "/f"), ""},
	{`mkdir('/d', {recursive: true})`, "undefined", ""},
	{`mkdir('/', {recursive: true})`, "undefined", ""},
	{`mkdir('/')`, fmt.Sprintf(exist, "/"), ""},
	{`mkdir('/f/x/y', {recursive: true})`, fmt.Sprintf(notDir, "/f/x/y"), ""},
	{`mkdir()`, fmt.Sprintf(missing, "path", "mkdir"), ""},

	{`readdir('/')`, `["d","empty","f"]`, ""},
	{`readdir('/empty')`, `[]`, ""},
	{`readdir('/', {recursive: true})`, `["d","d/e","d/e/h","d/g","empty","f"]`, ""},
	{`readdir('/d', {withFileTypes: true})`,
		`[{"isFile":false,"isDirectory":true,"name":"e","parentPath":"/d"},` +
			`{"isFile":true,"isDirectory":false,"name":"g","parentPath":"/d"}]`, ""},
	{`readdir('d', {withFileTypes: true, recursive: true}).then(
		(l) => l.map((e) => e.parentPath + ':' + e.name + e.isFile() + e.isDirectory() + e.isSymbolicLink()))`,
		`["d:efalsetruefalse","d/e:htruefalsefalse","d:gtruefalsefalse"]`, ""},
	{`readdir('/f')`, fmt.Sprintf(notDir, "/f"), ""},
	{`readdir('/no')`, fmt.Sprintf(noEnt, "/no"), ""},

	{`unlink('/f')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/"},
	{`unlink('/d')`, fmt.Sprintf(isDir, "/d"), ""},
	{`unlink('/no')`, fmt.Sprintf(noEnt, "/no"), ""},
	{`rmdir('/empty')`, "undefined", "d/ d/e/ d/e/h=H d/g=G f=file"},
	{`rmdir('/d')`, "ENOTEMPTY: directory not empty, '/d' (pass {recursive: true} to remove it with its content) " +
		"[Error,ENOTEMPTY,/d]", ""},
	{`rmdir('/d', {recursive: true})`, "undefined", "empty/ f=file"},
	{`rmdir('/f')`, fmt.Sprintf(notDir, "/f"), ""},
	{`rmdir('/f', {recursive: true})`, fmt.Sprintf(notDir, "/f"), ""},
	{`rmdir('/')`, "EBUSY: resource busy or locked, '/' [Error,EBUSY,/]", ""},
	{`rm('/f')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/"},
	{`rm('/d')`, fmt.Sprintf(isDir, "/d"), ""},
	{`rm('/d', {recursive: true})`, "undefined", "empty/ f=file"},
	{`rm('/..', {recursive: true, force: true})`, "EBUSY: resource busy or locked, '/..' [Error,EBUSY,/..]", ""},
	{`rm('/no')`, fmt.Sprintf(noEnt, "/no"), ""},
	{`rm('/no', {force: true})`, "undefined", ""},
	{`rm('/no/no', {recursive: true, force: true})`, "undefined", ""},

	{`rename('/f', '/n')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ n=file"},
	{`rename('/d', '/n/m')`, "undefined", "empty/ n/ n/m/ n/m/e/ n/m/e/h=H n/m/g=G f=file"},
	{`rename('/f', '/d/g')`, fmt.Sprintf(exist, "/d/g"), ""},
	{`rename('/d', '/empty')`, fmt.Sprintf(exist, "/empty"), ""},
	{`rename('/f', '/f')`, fmt.Sprintf(exist, "/f"), ""},
	{`rename('/no', '/f')`, fmt.Sprintf(noEnt, "/no"), ""},
	{`rename('/f', '/d/g/x')`, fmt.Sprintf(notDir, "/d/g/x"), ""},
	{`rename('/d', 'd/e/x')`, fmt.Sprintf(inval, "d/e/x"), ""},
	{`rename('/', '/x')`, "EBUSY: resource busy or locked, '/' [Error,EBUSY,/]", ""},
	{`rename()`, fmt.Sprintf(missing, "oldPath", "rename"), ""},
	{`rename('/f')`, fmt.Sprintf(missing, "newPath", "rename"), ""},

	{`copyFile('/f', '/n/m')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ n/ n/m=file f=file"},
	{`copyFile('/f', '/d/g')`, "undefined", "d/ d/e/ d/e/h=H d/g=file empty/ f=file"},
	{`copyFile('/f', '/f')`, "undefined", ""},
	{`copyFile('/f', '/d/g', fs.constants.COPYFILE_EXCL)`, fmt.Sprintf(exist, "/d/g"), ""},
	{`copyFile('/d', '/n')`, fmt.Sprintf(isDir, "/d"), ""},
	{`copyFile('/f', '/d')`, fmt.Sprintf(isDir, "/d"), ""},
	{`copyFile('no', '/n')`, fmt.Sprintf(noEnt, "no"), ""},
	{`copyFile('/f', '/f/n')`, fmt.Sprintf(notDir, "/f/n"), ""},
	{`copyFile('/f')`, fmt.Sprintf(missing, "dest", "copyFile"), ""},
	{`cp('/d', '/n', {recursive: true})`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ n/ n/e/ n/e/h=H n/g=G f=file"},
	{`cp('/d', '/empty', {recursive: true})`, "undefined",
		"d/ d/e/ d/e/h=H d/g=G empty/ empty/e/ empty/e/h=H empty/g=G f=file"},
	{`cp('/f', '/n')`, "undefined", "d/ d/e/ d/e/h=H d/g=G empty/ f=file n=file"},
	{`cp('/f', '/d/g', {force: false})`, "undefined", ""},
	{`cp('/f', '/d/g', {force: false, errorOnExist: true})`, fmt.Sprintf(exist, "/d/g"), ""},
	{`cp('/d', '/n')`, fmt.Sprintf(isDir, "/d"), ""},
	{`cp('/d', '/d/n', {recursive: true})`, fmt.Sprintf(inval, "/d/n"), ""},
	{`cp('/', '/n', {recursive: true})`, fmt.Sprintf(inval, "/n"), ""},
	{`cp('/d', '/f', {recursive: true})`, fmt.Sprintf(notDir, "/f"), ""},
	{`cp('/no', '/n', {recursive: true})`, fmt.Sprintf(noEnt, "/no"), ""},

	{`stat('/no')`, fmt.Sprintf(noEnt, "/no"), ""},
	{`lstat('/f/x')`, fmt.Sprintf(notDir, "/f/x"), ""},
	{`stat('/f').then((s) => [s.isFile(), s.isDirectory(), s.isSymbolicLink(), s.size,
		s.readonly, s.isBinary, s.mime, Math.abs(Date.now() - s.mtime) < 6e4, s.mtimeMs === s.mtime.getTime()])`,
		`[true,false,false,4,false,false,"text/plain",true,true]`, ""},
	{`stat('/d').then((s) => [s.isFile(), s.isDirectory(), s.size, s.mime])`,
		`[false,true,0,"application/x-directory"]`, ""},
	{`lstat('/f').then((s) => Object.keys(JSON.parse(JSON.stringify(s))))`,
		`["isFile","isDirectory","size","readonly","mtime","isBinary","mime","mtimeMs"]`, ""},
}

func TestFileFunctions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	styles := map[string]func(call string) string{
		"promise": func(call string) string { return "fs." + call },
		"sync": func(call string) string {
			name, rest, _ := strings.Cut(call, "(")
			if strings.Contains(rest, ".then(") { // which only promises have
				return "fs.promises." + call
			}
			return "fs." + name + "Sync(" + rest
		},
		"callback": callback,
	}
	onEachFileSystem(t, func(t *testing.T, files afero.Fs) {
		for style, spell := range styles {
			script := harness + "const out = [];\n"
			for _, test := range fileCalls {
				script += "prepare(); out.push([await show(() => " + spell(test.call) + "), tree()]);\n"
			}
			answers := run(t, script+"return out", javascript.RunOptions{Files: files}).Value.([]any)
			for i, test := range fileCalls {
				after := test.tree
				if after == "" {
					after = before
				}
				require.Equal(t, []any{test.want, after}, answers[i], "%s %s", test.call, style)
			}
		}
	})
}

// callback is a call with a callback, as a promise.
func callback(call string) string {
	call, then, _ := strings.Cut(call, ".then(")
	if then != "" {
		then = ".then(" + then
	}
	name, args, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	if args != "" {
		args += ", "
	}
	errorFirst := "(e, v) => e ? no(e) : yes(v)"
	if name == "exists" {
		errorFirst = "yes"
	}
	return fmt.Sprintf("new Promise((yes, no) => { let late = false; const r = fs.%s(%s(...a) => { if (!late) no(new "+
		"Error('called at once')); (%s)(...a) }); if (r !== undefined) no(new Error('returns something')); late = "+
		"true })%s", name, args, errorFirst, then)
}

func TestEncodings(t *testing.T) {
	for _, test := range []struct {
		encoding, hex, text string
		back                string // what writing the text gives, if that is something else
	}{
		{"utf8", "c3a9e282acf09f9880", "é€😀", ""},
		{"latin1", "e9ff41", "éÿA", ""},
		{"binary", "0080ff", "\x00\u0080ÿ", ""},
		{"ascii", "41c9", "AI", "4149"},
		{"utf16le", "e900ac203dd800de", "é€😀", ""},
		{"ucs2", "410042", "A", "4100"},
		{"UCS-2", "00d84100", "\ufffdA", "fdff4100"},
		{"base64", "fbff3e", "+/8+", ""},
		{"base64url", "fbff3e41", "-_8-QQ", ""},
		{"hex", "00ff10", "00ff10", ""},
	} {
		t.Run(test.encoding, func(t *testing.T) {
			result := run(t, fmt.Sprintf(`
				await fs.writeFile('/a', %q, 'hex');
				const text = await fs.readFile('/a', %[2]q);
				await fs.writeFile('/b', text, %[2]q);
				return [text, await fs.readFile('/b', 'hex')]`, test.hex, test.encoding),
				javascript.RunOptions{Files: afero.NewMemMapFs()})
			back := test.back
			if back == "" {
				back = test.hex
			}
			require.Equal(t, []any{test.text, back}, result.Value)
		})
	}
	require.Equal(t, `[true,true,true,true,"8081"]`, run(t, `
		const refuses = (text, encoding) => { try { fs.writeFileSync('/a', text, encoding); return false } catch (e) {
			return e.code === 'ERR_INVALID_ARG_VALUE' } };
		fs.writeFileSync('/b', ' g\nIE \t=', 'base64');
		return JSON.stringify([refuses('a===', 'base64'), refuses('a=b=', 'base64'),
			refuses('abc', 'hex'), refuses('€', 'base64'), fs.readFileSync('/b', 'hex')])`,
		javascript.RunOptions{Files: afero.NewMemMapFs()}).Text)
}

// What readFile gives without an encoding is read as text by many who write for Node.
func TestBytesAsText(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"toString": {`return fs.readFileSync('/a.json').toString()`, `{"a":"é"}`},
		"toString of an encoding": {
			`const b = await fs.readFile('/a.json');
				return [b.toString('hex').slice(0, 4), b.toString('base64'), b.toString('latin1').length].join()`,
			`7b22,eyJhIjoiw6kifQ==,10`,
		},
		"JSON.parse": {`return JSON.parse(await fs.readFile('/a.json')).a`, "é"},
		"in a template": {"return `${fs.readFileSync('/a.json')}` + fs.readFileSync('/a.json')",
			`{"a":"é"}{"a":"é"}`},
		"what is written later": {`const b = fs.readFileSync('/a.json'); b[0] = 91; return String(b).slice(0, 4)`,
			`["a"`},
		"they are bytes": {
			`const b = fs.readFileSync('/a.json'); return [b.constructor.name,
				b instanceof Uint8Array, Object.keys(b).length, structuredClone(b).length, [...b.slice(0, 2)]].join()`,
			"Buffer,true,10,10,123,34",
		},
		"as all others": {`return String(new Uint8Array([1, 2]))`, "1,2"},
		"an unknown encoding": {
			`try { fs.readFileSync('/a.json').toString('utf9') } catch (e) { return e.name + e.message }`,
			"TypeErrorUnknown encoding: utf9",
		},
		"an encoding that is none": {
			`try { fs.readFileSync('/a.json').toString({toString() { throw 1 }}) } catch (e) { return e }`, "1",
		},
		"of something else": {
			`const {toString} = fs.readFileSync('/a.json'); try { toString.call({}) } catch (e) { return e.name }`,
			"TypeError",
		},
		"of a part": {`const b = fs.readFileSync('/a.json'); return b.toString.call(b.subarray(1, 4))`,
			`"a"`},
		"more than there is memory": {
			`const b = fs.readFileSync('/a.json');
				try { b.toString.call(new Uint8Array(2e7), 'hex').length } catch (e) { return e.name }`,
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := filesWith(t, map[string]string{"/a.json": `{"a":"é"}`})
			result, err := tryRun(t, test.script, javascript.RunOptions{Files: files,
				Limits: sandbox.Limits{Memory: 32 << 20}})
			if test.want == "" {
				require.ErrorContains(t, err, "memory limit exceeded")
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, result.Text)
		})
	}
}

func TestStatTellsWhatAFileIs(t *testing.T) {
	files := afero.NewMemMapFs()
	for name, content := range map[string]string{
		"/a.png": "\x89PNG\r\n\x1a\n\x00", "/a.json": "{}", "/a.bin": "\x00\x01",
		"/long.txt": strings.Repeat("é", 1<<20),
	} {
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o600))
	}
	require.NoError(t, afero.WriteFile(files, "/locked.md", nil, 0o400))
	require.Equal(t, "a.bin true application/octet-stream false\na.json false application/json false\na.png true "+
		"image/png false\n"+
		"locked.md false text/markdown true\nlong.txt false text/plain false", run(t, `
		return (await fs.readdir('/')).map((n) => { const s = fs.statSync(n);
			return [n, s.isBinary, s.mime, s.readonly].join(' ') }).join('\n')`,
		javascript.RunOptions{Files: files}).Text)
	require.Contains(t, run(t, `console.log(await fs.stat('/a.json'))`,
		javascript.RunOptions{Files: files}).Console[0].Text, `"isFile": true,`)
}

func TestReadOnlyFiles(t *testing.T) {
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	require.NoError(t, vfs.WriteFile(t.Context(), project, "/memories/m", []byte("kept")))
	require.NoError(t, vfs.WriteFile(t.Context(), project, "/f", []byte("f")))
	files := vfs.ReadOnly(project, "/memories")
	for call, want := range map[string]string{
		`writeFile('memories/m', '')`:                    "write 'memories/m'",
		`appendFile('/memories/m', '')`:                  "write '/memories/m'",
		`truncate('/memories/m')`:                        "write '/memories/m'",
		`mkdir('/memories')`:                             "mkdir '/memories'",
		`mkdir('/memories/n', {recursive: true})`:        "mkdir '/memories/n'",
		`unlink('/x/../memories/m')`:                     "unlink '/x/../memories/m'",
		`unlink('/memories/missing')`:                    "unlink '/memories/missing'",
		`rmdir('/memories')`:                             "rmdir '/memories'",
		`rm('/memories', {recursive: true})`:             "rmdir '/memories'",
		`rm('/memories')`:                                "rmdir '/memories'",
		`rm('/memories/m')`:                              "unlink '/memories/m'",
		`rm('/memories/missing', {force: true})`:         "unlink '/memories/missing'",
		`rename('/memories/m', '/n')`:                    "rename '/memories/m'",
		`rename('/f', '/memories/n')`:                    "rename '/memories/n'",
		`rename('/f', '/memories/m')`:                    "rename '/memories/m'",
		`copyFile('/f', '/MEMORIES/m')`:                  "write '/MEMORIES/m'",
		`cp('/f', '/memories/deep/n')`:                   "write '/memories/deep/n'",
		`access('/memories/m', fs.constants.W_OK)`:       "access '/memories/m'",
		`writeFile('/memories/n/o', '', {flag: 'wx'})`:   "write '/memories/n/o'",
		`cp('/memories', '/memories/n', {recursive: 1})`: "write '/memories/n'",
	} {
		require.Equal(t, "EROFS: read-only file system, "+want,
			run(t, `try { await fs.`+call+` } catch (e) { return e.message }`,
				javascript.RunOptions{Files: files}).Text, call)
	}
	require.Equal(t, "true,true,false,kept,kept", run(t, `
		await fs.copyFile('/memories/m', '/n');
		return [(await fs.stat('/memories/m')).readonly, (await fs.stat('/memories')).readonly, (await fs.stat(
			'/n')).readonly, await fs.readFile('/n', 'utf8'), await fs.readFile('/memories/m', 'utf8')].join()`,
		javascript.RunOptions{Files: files}).Text)
	above := javascript.RunOptions{Files: vfs.ReadOnly(project, "/a/b")}
	require.Equal(t, "EROFS: read-only file system, rename '/a'|EROFS: read-only file system, rmdir 'a'", run(t, `
		await fs.mkdir('/a'); const errors = [];
		try { await fs.rename('/a', '/z') } catch (e) { errors.push(e.message) }
		try { await fs.rm('a', {recursive: true}) } catch (e) { errors.push(e.message) }
		return errors.join('|')`, above).Text)
}

func TestQuotaOfFiles(t *testing.T) {
	project, err := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Bytes: 1000, Files: 5}}).Open(t.Context(),
		"test")
	require.NoError(t, err)
	require.Equal(t, "ENOSPC: no space left on device, '/a/b/c'|[]|ENOSPC: no space left on device, '/f'|500|ENOSPC: "+
		"no space left on device, '/g'|ENOSPC: no space left on device, '/1/2/3/4/5/6'", run(t, `
		const out = []; const attempt = async (f) => { try { await f() } catch (e) { out.push(e.message) } };
		await attempt(() => fs.writeFile('/a/b/c', 'x'.repeat(2000)));
		out.push(JSON.stringify(await fs.readdir('/')));
		await fs.writeFile('/f', 'x'.repeat(500));
		await attempt(() => fs.appendFile('/f', 'x'.repeat(600)));
		out.push((await fs.stat('/f')).size);
		await attempt(async () => { await fs.copyFile('/f', '/e'); await fs.copyFile('/f', '/g') });
		await attempt(() => fs.mkdir('/1/2/3/4/5/6'));
		return out.join('|')`, javascript.RunOptions{Files: project}).Text)
}

func TestNamesThatDifferInCase(t *testing.T) {
	require.Equal(t, "EEXIST: file already exists, '/README.md'", run(t, `
		await fs.writeFile('/Readme.md', ''); try { await fs.writeFile('/README.md', '') } catch (e) {
			return e.message }`,
		javascript.RunOptions{Files: openDir(t)}).Text)
}

func TestLinksInADirectory(t *testing.T) {
	dir := t.TempDir()
	files, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer files.Close()
	if err := afero.NewOsFs().(afero.Symlinker).SymlinkIfPossible("/etc/passwd",
		filepath.Join(dir, "link")); err != nil {
		t.Skip("there are no links here:", err)
	}
	require.Equal(t, "false,false|false,false|EINVAL,EINVAL,EINVAL|false", run(t, `
		const kinds = (e) => [e.isFile(), e.isDirectory()].join();
		const codes = []; for (const f of [() => fs.readFile('/link'), () => fs.writeFile('/link', ''),
			() => fs.copyFile('/link', '/x')]) try { await f() } catch (e) { codes.push(e.code) }
		const out = [kinds(fs.readdirSync('/', {withFileTypes: true})[0]), kinds(fs.statSync('/link')), codes.join()];
		await fs.unlink('/link');
		return [...out, await fs.exists('/link')].join('|')`, javascript.RunOptions{Files: files}).Text)
}
