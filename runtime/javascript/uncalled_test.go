package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestMethodsOfStatsTakenForBooleans runs scripts that use the methods of what fs.stat returns with and without a call.
func TestMethodsOfStatsTakenForBooleans(t *testing.T) {
	files := map[string]string{
		"/a.txt": "a",
		"/kind.mjs": `import fs from 'fs'; ` +
			`export const kind = (p) => fs.statSync(p).isDirectory ? 'directory' : 'file'`,
		"/kind.ts": "type Path = string;\nexport function kind(p: Path): string {\n  return fs.statSync(p).isFile " +
			"? 'file' : 'directory' }",
		"/right.mjs": `export const isFile = (p) => fs.statSync(p).isFile()`,
	}
	for name, test := range map[string]struct{ script, want string }{
		"a condition": {"const s = await fs.stat('/a.txt');\nreturn s.isDirectory ? 1 : 2",
			"script.js:2:10: isDirectory"},
		"several, in a loop": {
			`for (let i = 0; i < 3; i++) if (fs.lstatSync('/a.txt').isFile) await 0; return !fs.statSync('/').isFile`,
			"script.js:1:56: isFile",
		},
		"entries": {`return (await fs.readdir('/', {withFileTypes: true})).filter((e) => e.isDirectory).length`,
			"script.js:1:71: isDirectory"},
		"a script that throws": {`if (fs.statSync('/a.txt').isDirectory) throw new Error('a directory')`,
			"script.js:1:27: isDirectory"},
		"a module": {`import {kind} from '/kind.mjs'; export default kind('/a.txt')`,
			"/kind.mjs:1:64: isDirectory"},
		"a module in TypeScript": {`import {kind} from '/kind.ts'; export default kind('/a.txt')`,
			"/kind.ts:3:25: isFile"},
		"calls": {
			`const s = fs.statSync('/a.txt'); return s.isDirectory() ? 1 : s.isFile() && !s.isSymbolicLink()`, "",
		},
		"objects of the script": {
			`const o = {isFile: true}; fs.statSync('/a.txt').isFile(); return o.isFile ? 1 : 2`, "",
		},
		"code that never runs": {
			`if (!fs.statSync('/a.txt').isFile()) return fs.statSync('/a.txt').isFile ? 1 : 2`, "",
		},
		"a call of another's": {
			`const {isFile} = fs.statSync('/a.txt'); return isFile.call(fs.statSync('/')) ? 1 : 2`, "",
		},
		"a right module":            {`import {isFile} from '/right.mjs'; export default isFile('/a.txt')`, ""},
		"a property that is theirs": {`const s = fs.statSync('/a.txt'); s.isFile = true; return s.isFile ? 1 : 2`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			result, _ := tryRun(t, test.script, javascript.RunOptions{Files: filesWith(t, files)})
			if test.want == "" {
				require.Empty(t, result.Console)
				return
			}
			require.Len(t, result.Console, 1)
			require.Equal(t, sandbox.LevelWarn, result.Console[0].Level)
			require.Contains(t, result.Console[0].Text, test.want+" is a method")
		})
	}
	require.Equal(t, "true,true,false,isFile,1,a.isDirectory.isFile", run(t, `
		const s = fs.statSync('/a.txt');
		const names = []; for (const name in s) if (/^is(F|D)/.test(name)) names.push(name);
		return [s.isFile(), 'isFile' in s, Object.hasOwn(s, 'isFile'),
			s.isFile.name, s.size, 'a.' + names.sort().join('.')].join()`,
		javascript.RunOptions{Files: filesWith(t, files)}).Text)
}

// TestExistsWithoutAPath is for Node's answers: existsSync never throws.
func TestExistsWithoutAPath(t *testing.T) {
	require.Equal(t, "ERR_INVALID_ARG_TYPE,false,false,true", run(t, `
		const error = await fs.exists().catch((e) => e);
		return [error.code, fs.existsSync(), await fs.exists('/nothing'), await fs.exists('/')].join()`,
		javascript.RunOptions{Files: filesWith(t, nil)}).Text)
}
