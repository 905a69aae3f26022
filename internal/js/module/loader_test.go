package module_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/internal/progress/progresstest"
)

// project returns files with the given contents.
func project(t testing.TB, files map[string]string) afero.Fs {
	t.Helper()
	project := afero.NewMemMapFs()
	for name, content := range files {
		require.NoError(t, afero.WriteFile(project, name, []byte(content), 0o644))
	}
	return project
}

var builtins = []string{"fs", "fs/promises", "path"}

func TestResolve(t *testing.T) {
	l := &module.Loader{Builtins: builtins, Files: project(t, map[string]string{
		"/a.js":                     "",
		"/lib/lodash.js":            "",
		"/lib/path.js":              "",
		"/lib/both.js":              "",
		"/lib/both/index.js":        "",
		"/lib/typed.ts":             "",
		"/lib/Ünïcode name.mjs":     "",
		"/lib/data.json":            "{}",
		"/lib/dir/index.ts":         "",
		"/lib/lodash/fp.js":         "",
		"/lib/main/package.json":    `{"main": "lib/start"}`,
		"/lib/main/lib/start.cjs":   "",
		"/lib/esm/package.json":     `{"main": "cjs.js", "module": "./esm.js"}`,
		"/lib/esm/esm.js":           "",
		"/lib/esm/cjs.js":           "",
		"/lib/bundled/package.json": `{"main": "no.js", "module": "./esm.js"}`,
		"/lib/bundled/esm.js":       "",
		"/lib/browser/package.json": `{"exports": {"types": "./x.d.ts", "browser": "./b.js"}}`,
		"/lib/browser/b.js":         "",
		"/lib/exp/package.json": `{"main": "no.js", "exports": {".": {"types": "./x.d.ts", ` +
			`"require": "./c.cjs", "import": {"browser": "./b.js", "default": "./m.mjs"}}, "./sub": "./deep/sub.js", ` +
			`"./f/*.js": "./deep/*.js", "./g/*": "./deep/*.js", "./secret": null, "./out": "../lodash.js"}}`,
		"/lib/exp/m.mjs":                    "",
		"/lib/exp/b.js":                     "",
		"/lib/exp/c.cjs":                    "",
		"/lib/exp/deep/sub.js":              "",
		"/lib/req/package.json":             `{"exports": {"require": "./c.cjs"}}`,
		"/lib/req/c.cjs":                    "",
		"/lib/text/package.json":            `{"exports": "./t.js", "main": 1}`,
		"/lib/text/t.js":                    "",
		"/lib/list/package.json":            `{"exports": ["./no.js", "./l.js"]}`,
		"/lib/list/index.js":                "",
		"/lib/out/package.json":             `{"main": "../../a.js"}`,
		"/lib/out/index.js":                 "",
		"/lib/bad/package.json":             `{"main": `,
		"/lib/bad/index.js":                 "",
		"/lib/node_modules/nm/index.js":     "",
		"/lib/node_modules/@s/p/index.js":   "",
		"/lib/node_modules/@s/p/x.js":       "",
		"/node_modules/top/index.js":        "",
		"/src/b.ts":                         "",
		"/src/c.mts":                        "",
		"/src/node_modules/lodash/index.js": "",
		"/src/node_modules/q/index.js":      "",
		"/src/deep/er/x.js":                 "",
	})}
	for _, test := range []struct{ specifier, base, want string }{
		{"/a.js", "", "/a.js"},
		{"/a", "", "/a.js"},
		{"./a.js", "", "/a.js"},
		{"../../a.js", "/lib/x.js", "/a.js"},
		{"../../../../../a.js", "", "/a.js"},
		{"//a.js", "", "/a.js"},
		{"./lodash", "/lib/x.js", "/lib/lodash.js"},
		{"/lib/both", "", "/lib/both.js"},
		{"/lib/both/", "", "/lib/both/index.js"},
		{"./dir", "/lib/x.js", "/lib/dir/index.ts"},
		{".", "/lib/dir/x.js", "/lib/dir/index.ts"},
		{"./b.js", "/src/a.ts", "/src/b.ts"},
		{"./c.mjs", "/src/a.ts", "/src/c.mts"},
		{"/lib/data.json", "", "/lib/data.json"},
		{"./data", "/lib/x.js", "/lib/data.json"},
		{"fs", "", "fs"},
		{"node:fs", "", "fs"},
		{"node:fs/promises", "", "fs/promises"},
		{"path", "", "path"},
		{"lodash", "", "/lib/lodash.js"},
		{"lodash.js", "", "/lib/lodash.js"},
		{"typed", "", "/lib/typed.ts"},
		{"lodash/fp", "", "/lib/lodash/fp.js"},
		{"lodash", "/src/deep/er/x.js", "/src/node_modules/lodash/index.js"},
		{"q", "/src/deep/er/x.js", "/src/node_modules/q/index.js"},
		{"nm", "", "/lib/node_modules/nm/index.js"},
		{"top", "/src/b.ts", "/node_modules/top/index.js"},
		{"@s/p", "", "/lib/node_modules/@s/p/index.js"},
		{"@s/p/x", "", "/lib/node_modules/@s/p/x.js"},
		{"main", "", "/lib/main/lib/start.cjs"},
		{"/lib/main", "", "/lib/main/lib/start.cjs"},
		{"esm", "", "/lib/esm/cjs.js"},
		{"bundled", "", "/lib/bundled/esm.js"},
		{"browser", "", "/lib/browser/b.js"},
		{"exp", "", "/lib/exp/m.mjs"},
		{"exp/sub", "", "/lib/exp/deep/sub.js"},
		{"exp/f/sub.js", "", "/lib/exp/deep/sub.js"},
		{"exp/g/sub", "", "/lib/exp/deep/sub.js"},
		{"exp/c.cjs", "", "/lib/exp/c.cjs"},
		{"req", "", "/lib/req/c.cjs"},
		{"text", "", "/lib/text/t.js"},
		{"list", "", "/lib/list/index.js"},
		{"out", "", "/lib/out/index.js"},
		{"bad", "", "/lib/bad/index.js"},
		{"file:///lib/lodash.js", "", "/lib/lodash.js"},
		{"file:///lib/%C3%9Cn%C3%AFcode%20name.mjs", "", "/lib/Ünïcode name.mjs"},
	} {
		t.Run(test.specifier+" in "+test.base, func(t *testing.T) {
			got, err := l.Resolve(test.specifier, test.base)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestResolveErrors(t *testing.T) {
	l := &module.Loader{Builtins: builtins, Instead: map[string]string{"crypto": "crypto is a global"},
		Files: project(t, map[string]string{
			"/lib/utils.js": "", "/lib/moment.min.js": "", "/lib/.hidden.js": "", "/data/x.csv": "", "/empty/d/x": "",
		})}
	for _, test := range []struct{ name, specifier, base, want string }{
		{"a typing error", "./utls.js", "/lib/a.js",
			`Cannot find module "./utls.js" imported from /lib/a.js: ` +
				`there is no file /lib/utls.js. Similar names in /lib: utils.js.`},
		{"a missing directory", "/nowhere/x.js", "",
			`Cannot find module "/nowhere/x.js": there is no directory /nowhere.`},
		{"a name that resembles none", "/data/qqqqqqq.js", "",
			`Cannot find module "/data/qqqqqqq.js": there is no file /data/qqqqqqq.js. In /data there are: x.csv.`},
		{"a directory", "/empty/d", "",
			`Cannot find module "/empty/d": /empty/d is a directory ` +
				`without package.json and index.js. In /empty there are: d.`},
		{"a missing library", "moment", "",
			`Cannot find module "moment": it is no built-in module, ` +
				`and there is no moment.js and no package moment in /lib, ` +
				`where libraries lie. Built-in modules are: fs, fs/promises, ` +
				`path. Similar names in /lib: moment.min.js.`},
		{"a module of another system", "crypto", "",
			`Cannot find module "crypto": there is no such module here: ` +
				`crypto is a global. Built-in modules are: fs, fs/promises, path.`},
		{"the same with a prefix", "node:crypto", "",
			`Cannot find module "node:crypto": there is no such module ` +
				`here: crypto is a global. Built-in modules are: fs, fs/promises, path.`},
		{"a name for a package's own files", "#x", "",
			`Cannot find module "#x": no package.json around the importing ` +
				`file has a file for that name in its imports.`},
		{"a missing built-in module", "node:http", "",
			`Cannot find module "node:http": there is no such built-in module. Built-in modules are: fs, ` +
				`fs/promises, path.`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := l.Resolve(test.specifier, test.base)
			var missing *module.NotFoundError
			require.ErrorAs(t, err, &missing)
			if strings.Contains(test.want, "In /empty") {
				require.Contains(t, err.Error(), "is a directory without package.json and index.js.")
				return
			}
			require.Equal(t, test.want, err.Error())
		})
	}
	for _, test := range []struct{ specifier, base, want string }{
		{"https://cdn.example.org/x.js", "", "there is no network here"},
		{"http://x", "", "there is no network here"},
		{"npm:lodash", "", "there is no network here"},
		{"jsr:@x/y", "", "there is no network here"},
		{"data:text/javascript,1", "", "there is no network here"},
		{"HTTPS://x", "", "there is no network here"},
		{"file://host/x.js", "", "a file URL must be like"},
		{"file:x.js", "", "a file URL must be like"},
		{"file:///%zz", "", "a file URL must be like"},
		{"file:///a%00", "", "a file URL must be like"},
		{"", "", "the name is empty"},
		{"./a\x00.js", "", "control character"},
		{"./a\n.js", "", "control character"},
		{".\\a.js", "", "backslash"},
		{"./" + strings.Repeat("a", 5000), "", "longer than 4096 bytes"},
		{"./" + strings.Repeat("a", 3000), "/" + strings.Repeat("b", 3000) + "/x", "longer than 4096 bytes"},
		{"./x", "relative", "no valid path"},
		{"a//b", "", "empty parts"},
		{"a/../b", "", "empty parts"},
	} {
		t.Run(test.want+" "+test.specifier[:min(len(test.specifier), 20)], func(t *testing.T) {
			_, err := l.Resolve(test.specifier, test.base)
			var invalid *module.SpecifierError
			require.ErrorAs(t, err, &invalid)
			require.Contains(t, err.Error(), test.want)
			require.Less(t, len(err.Error()), 1000)
		})
	}
}

func TestResolveWithoutFiles(t *testing.T) {
	l := &module.Loader{Builtins: builtins}
	_, err := l.Resolve("./x", "")
	require.Error(t, err)
	_, err = l.Resolve("x", "")
	require.Error(t, err)
	_, err = l.Load(t.Context(), "/x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	name, err := l.Resolve("fs", "")
	require.NoError(t, err)
	require.Equal(t, "fs", name)
}

// TestHostilePackages has hostile package.json files.
func TestHostilePackages(t *testing.T) {
	for name, description := range map[string]string{
		"deep conditions": `{"exports": ` + strings.Repeat(`{"default": `, 5000) + `"./x.js"` + strings.Repeat("}",
			5000) + `}`,
		"deep lists":         `{"exports": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"many patterns":      `{"exports": {` + strings.Repeat(`"./*": "./*",`, 50000) + `"./y": "./*"}}`,
		"a pattern of stars": `{"exports": {"./*": "` + strings.Repeat("*", 100000) + `"}}`,
		"control characters": `{"main": "\u0000", "exports": "\n"}`,
		"other types":        `{"main": {}, "exports": 1, "type": [], "module": null}`,
		"duplicate members":  `{"exports": {".": "./a", ".": "./b"}}`,
		"the root":           `{"main": "/", "module": "/a.js"}`,
		"no object":          `[]`,
		"too large":          strings.Repeat(" ", 2<<20) + `{"main": "a.js"}`,
	} {
		t.Run(name, func(t *testing.T) {
			l := &module.Loader{Files: project(t, map[string]string{"/lib/p/package.json": description, "/a.js": ""})}
			for _, specifier := range []string{"p", "p/x", "p/" + strings.Repeat("y", 2000)} {
				_, err := l.Resolve(specifier, "")
				var missing *module.NotFoundError
				require.ErrorAs(t, err, &missing)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	l := &module.Loader{Files: project(t, map[string]string{
		"/es.js":                  "export default 1",
		"/plain.js":               "var x = 1",
		"/plain.mjs":              "var x = 1",
		"/cjs.js":                 "module.exports = 1",
		"/umd.js":                 umd,
		"/umd.mjs":                umd,
		"/plain.cjs":              "var x = 1",
		"/bom.js":                 "\uFEFF#!/usr/bin/env node\nvar x",
		"/data.json":              "\uFEFF{}",
		"/latin1.js":              "var x = '\xe9'",
		"/mod/package.json":       `{"type": "module"}`,
		"/mod/deep/plain.js":      "var x = 1",
		"/mod/deep/cjs.js":        "module.exports = 1",
		"/mod/deep/umd.js":        umd,
		"/mod/inner/p.js":         "var x = 1",
		"/mod/inner/package.json": `{}`,
		"/t.ts":                   "import {A} from './a';\nexport const x: A = 1 as A",
		"/onlytypes.ts":           "import type {A} from './a';\nlet a: A",
		"/assigned.ts":            "const x: number = 1;\nexport = x",
		"/plain.ts":               "let x: number = 1",
		"/x.mts":                  "let x: number = 1",
		"/x.cts":                  "let x: number = 1",
	})}
	for _, test := range []struct {
		path string
		kind module.Kind
		code string // "" means the content of the file
		umd  bool
	}{
		{"/es.js", module.ES, "", false},
		{"/plain.js", module.Script, "", false},
		{"/plain.mjs", module.ES, "", false},
		{"/cjs.js", module.CommonJS, "", false},
		{"/umd.js", module.CommonJS, "", true},
		{"/umd.mjs", module.ES, "", false},
		{"/plain.cjs", module.CommonJS, "", false},
		{"/bom.js", module.Script, "///usr/bin/env node\nvar x", false},
		{"/data.json", module.JSON, "{}", false},
		{"/latin1.js", module.Script, "var x = '\uFFFD'", false},
		{"/mod/deep/plain.js", module.ES, "", false},
		{"/mod/deep/cjs.js", module.CommonJS, "", false},
		{"/mod/deep/umd.js", module.CommonJS, "", true},
		{"/mod/inner/p.js", module.Script, "", false},
		{"/t.ts", module.ES, "export const x = 1;\n", false},
		{"/onlytypes.ts", module.ES, "let a;\n", false},
		{"/assigned.ts", module.CommonJS, "const x = 1;\nmodule.exports = x;\n", false},
		{"/plain.ts", module.Script, "let x = 1;\n", false},
		{"/x.mts", module.ES, "let x = 1;\n", false},
		{"/x.cts", module.CommonJS, "let x = 1;\n", false},
	} {
		t.Run(test.path, func(t *testing.T) {
			s, err := l.Load(t.Context(), test.path)
			require.NoError(t, err)
			want := test.code
			if want == "" {
				content, err := afero.ReadFile(l.Files, test.path)
				require.NoError(t, err)
				want = string(content)
			}
			require.Equal(t, want, s.Code)
			require.Equal(t, test.kind, s.Kind)
			require.Equal(t, test.umd, s.UMD)
			require.Equal(t, test.path, s.Path)
			require.Equal(t, module.IsTypeScript(test.path), s.Map != nil)
		})
	}
}

// devices makes some files appear as named pipes.
type devices struct{ afero.Fs }

type deviceInfo struct{ fs.FileInfo }

func (deviceInfo) Mode() fs.FileMode { return fs.ModeNamedPipe }

func (d devices) Stat(name string) (os.FileInfo, error) {
	info, err := d.Fs.Stat(name)
	if err != nil || info.IsDir() {
		return info, err
	}
	return deviceInfo{info}, nil
}

func (d devices) Open(name string) (afero.File, error) {
	if info, err := d.Fs.Stat(name); err == nil && !info.IsDir() {
		panic("opened a device, which may block")
	}
	return d.Fs.Open(name)
}

func TestLoadErrors(t *testing.T) {
	files := project(t, map[string]string{"/big.js": strings.Repeat("x", module.MaxSource+1),
		"/big.ts": strings.Repeat("x", module.MaxTypeScript+1), "/d/x": "", "/bad.ts": "let é = '😀' + ;",
		"/sales.CSV": "a, b"})
	l := &module.Loader{Files: files}
	for _, test := range []struct{ name, path, want string }{
		{"a file that is too large", "/big.js",
			"Cannot load /big.js: it is larger than 16777216 bytes, the most that a source file may have"},
		{"TypeScript that is too large", "/big.ts",
			"Cannot load /big.ts: it is larger than 131072 bytes, the most that a TypeScript file may have"},
		{"a directory", "/d", "Cannot load /d: it is a directory"},
		{"no file", "/x.js", "Cannot load /x.js: there is no such file"},
		{"what is no code", "/sales.CSV",
			"Cannot load /sales.CSV: by its name it is neither code nor JSON; fs.readFile gives its content"},
		{"no path", "x.js", `Cannot load "x.js": this is no path of a file`},
		{"a syntax error", "/bad.ts", `Unexpected ";" (/bad.ts:1:16)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := l.Load(t.Context(), test.path)
			require.EqualError(t, err, test.want)
		})
	}
	_, err := (&module.Loader{Files: devices{files}}).Load(t.Context(), "/d/x")
	require.EqualError(t, err, "Cannot load /d/x: it is no regular file")
	_, err = (&module.Loader{Files: devices{files}}).Resolve("/d/x", "")
	var missing *module.NotFoundError
	require.True(t, errors.As(err, &missing))
}

func FuzzResolve(f *testing.F) {
	l := &module.Loader{Builtins: builtins, Files: project(f, map[string]string{"/lib/x.js": "",
		"/lib/p/package.json": `{"exports": {"./*": "./*"}}`, "/lib/p/y.js": ""})}
	for _, specifier := range []string{"x", "./x", "../x", "p/y.js", "/lib/x.js", "node:fs", "file:///lib/x.js",
		"@a/b/c", "a:b", ":", "/", ".", "%", "\xff", "p/*"} {
		f.Add(specifier, "")
		f.Add(specifier, "/lib/y/z.js")
	}
	f.Fuzz(func(t *testing.T, specifier, base string) {
		name, err := l.Resolve(specifier, base)
		if err != nil {
			require.Less(t, len(err.Error()), 30000)
			return
		}
		require.Contains(t, append([]string{"/lib/x.js", "/lib/p/y.js"}, builtins...), name)
	})
}

// FuzzPackage reads arbitrary package.json files.
func FuzzPackage(f *testing.F) {
	f.Add(`{"exports": {".": {"import": "./x.js"}, "./a/*": "./*"}}`, "a/x.js")
	for i, description := range []string{
		`{"main": "x", "module": 1, "exports": []}`, `{"main": "../../secret.js"}`, `{"main": "./"}`,
		`{"exports": "../../secret.js"}`, `{"exports": {"./*": "./../../*"}}`, `{"exports": {"./*": "./a/*/b/*"}}`,
		`{"exports": {"import": {"node": null, "default": ["./x.js", "./y.js"]}}}`,
		`{"exports": {".": null, "./x": false}}`, `{"exports": {"./a/": "./"}}`,
		`{"exports": {"./a*b": "./x.js", "./a*": null}}`,
		`{"browser": {"./x.js": false, "fs": "./x.js"}, "type": "module"}`, `{"imports": {"#a": "../../secret.js"}}`,
		`{`, `[]`, `null`, `{"exports": {"./__proto__": "./x.js"}}`, `{"exports": "./%2e%2e/secret.js"}`,
	} {
		f.Add(description, []string{"", "x", "x.js", "a/x.js", "../secret.js", "acb", "package.json"}[i%7])
	}
	f.Fuzz(func(t *testing.T, description, subpath string) {
		l := &module.Loader{Files: project(t, map[string]string{"/lib/p/package.json": description, "/lib/p/x.js": "",
			"/secret.js": ""})}
		name, err := l.Resolve("p/"+subpath, "")
		if err == nil {
			require.True(t, strings.HasPrefix(name, "/lib/p/"), name)
		}
	})
}

func TestAFileThatGivesNothing(t *testing.T) {
	l := &module.Loader{Files: progresstest.Stuck{Fs: project(t, map[string]string{"/a.js": "text",
		"/lib/p/package.json": "{}", "/lib/p/b.js": ""})}}
	_, err := l.Load(t.Context(), "/a.js")
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, err = l.Resolve("p", "/a.js")
	require.Error(t, err)
}
