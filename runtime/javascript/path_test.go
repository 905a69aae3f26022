package javascript_test

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestPath(t *testing.T) {
	calls := []struct{ call, want string }{
		{`sep + path.delimiter`, `"/:"`},
		{`posix === path`, `true`},
		{`normalize('')`, `"."`},
		{`normalize('/a/./b//../c/')`, `"/a/c/"`},
		{`normalize('../a/../../b')`, `"../../b"`},
		{`normalize('a/..')`, `"."`},
		{`normalize('./')`, `"./"`},
		{`normalize('/..//..')`, `"/"`},
		{`normalize('...')`, `"..."`},
		{`join()`, `"."`},
		{`join('', '')`, `"."`},
		{`join('/a', '..', '../b', 'c/')`, `"/b/c/"`},
		{`join('a', '', '/b')`, `"a/b"`},
		{`resolve()`, `"/"`},
		{`resolve('a', './b', '../c')`, `"/a/c"`},
		{`resolve('/a', '/b', 'c')`, `"/b/c"`},
		{`resolve(5, '/a')`, `"/a"`},
		{`resolve('..', 'a/')`, `"/a"`},
		{`isAbsolute('/a')`, `true`},
		{`isAbsolute('a')`, `false`},
		{`isAbsolute('')`, `false`},
		{`dirname('')`, `"."`},
		{`dirname('/')`, `"/"`},
		{`dirname('//')`, `"/"`},
		{`dirname('//a')`, `"//"`},
		{`dirname('/a//b//')`, `"/a/"`},
		{`dirname('a')`, `"."`},
		{`dirname('a/b/')`, `"a"`},
		{`basename('/a/b.txt')`, `"b.txt"`},
		{`basename('/a/b.txt//')`, `"b.txt"`},
		{`basename('/a/b.txt', '.txt')`, `"b"`},
		{`basename('b.txt', 'b.txt')`, `""`},
		{`basename('/b.txt', 'b.txt')`, `"b.txt"`},
		{`basename('/')`, `""`},
		{`basename('/a/b.txt//', '.txt')`, `"b"`},
		{`extname('a.tar.gz')`, `".gz"`},
		{`extname('.bashrc')`, `""`},
		{`extname('..')`, `""`},
		{`extname('...')`, `"."`},
		{`extname('a.')`, `"."`},
		{`extname('a.b/c')`, `""`},
		{`extname('a.b/')`, `".b"`},
		{`relative('/a/b/c', '/a/d')`, `"../../d"`},
		{`relative('/a/b', '/a/bc')`, `"../bc"`},
		{`relative('/a', '/a/b/c')`, `"b/c"`},
		{`relative('/', '/a')`, `"a"`},
		{`relative('/a/b', '/')`, `"../.."`},
		{`relative('a', '/a')`, `""`},
		{`parse('/home/u/file.txt')`, `{"root":"/","dir":"/home/u","base":"file.txt","ext":".txt","name":"file"}`},
		{`parse('./.x/')`, `{"root":"","dir":".","base":".x","ext":"","name":".x"}`},
		{`parse('/')`, `{"root":"/","dir":"/","base":"","ext":"","name":""}`},
		{`parse('')`, `{"root":"","dir":"","base":"","ext":"","name":""}`},
		{`parse('//a')`, `{"root":"/","dir":"/","base":"a","ext":"","name":"a"}`},
		{`format({dir: '/a', name: 'b', ext: 'txt'})`, `"/a/b.txt"`},
		{`format({root: '/', base: 'b', ext: '.x'})`, `"/b"`},
		{`format({root: '/', dir: '/', base: 'b'})`, `"/b"`},
		{`format({})`, `""`},
	}
	script := "const path = require('path'); const out = [];\n"
	for _, test := range calls {
		script += "out.push(JSON.stringify(path." + test.call + "));\n"
	}
	answers := run(t, script+"return out").Value.([]any)
	for i, test := range calls {
		require.Equal(t, test.want, answers[i], test.call)
	}
	require.Equal(t, "ERR_INVALID_ARG_TYPE,ERR_INVALID_ARG_TYPE,ERR_INVALID_ARG_TYPE,ERR_INVALID_ARG_TYPE",
		run(t, `const path = require('path');
		return [() => path.join('a', 1), () => path.dirname(), () => path.format(null), () => path.basename('a', 1)].map((f) => { try { f() } catch (e) { return e.code } }).join()`).Text)
}

// pathDigest compares what two implementations give for many paths that are made of a few parts.
const pathDigest = `
	const parts = ['', '/', 'a', '.', '..', 'b.c', '.d', 'e.', '//', 'f/', '/..', '.g.h'];
	const paths = [];
	for (const a of parts) for (const b of parts) for (const c of parts) paths.push(a + b + c);
	const out = [];
	paths.forEach((p, i) => {
		if (/^\/\.\.\/*$/.test(p)) return; // of which Node says that it has the extension "."
		const q = paths[(i * 7919) % paths.length];
		const without = p.endsWith('/') ? () => '' : path.basename; // Node keeps slashes, if the suffix is something else
		const {root, dir, base, ext, name} = path.parse(p);
		out.push([p, q, path.normalize(p), path.join(p, q), path.resolve('/', p), path.resolve('/x', p, q), path.dirname(p), path.basename(p), without(p, q),
			without(p, '.c'), path.extname(p), path.relative('/' + p, '/' + q), path.isAbsolute(p), root, dir, base, ext, name, path.format({root, dir, base}), path.format({dir: p, name, ext})].join('|'));
	});`

func TestBuiltInModules(t *testing.T) {
	require.Equal(t, "true,true,true,true,true,true,/a/b,true", run(t, `
		const {join} = await import('node:path'), {readFile, promises, default: whole} = await import('fs');
		return [require('fs') === fs, require('node:fs/promises') === fs, require('path/posix') === require('path'), require('node:process') === process,
			readFile === fs.readFile, promises === fs && whole === fs, join('/a', 'b'), typeof require('fs').constants === 'object'].join()`).Text)
}

func TestPathIsLikeNodes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there to compare with:", err)
	}
	command := exec.CommandContext(t.Context(), node, "-e", "const path = require('path').posix;"+pathDigest+
		"console.log(JSON.stringify(out))")
	output, err := command.Output()
	require.NoError(t, err)
	var want []any
	require.NoError(t, json.Unmarshal(output, &want))
	files := afero.NewMemMapFs()
	run(t, "const path = require('path');"+pathDigest+"await fs.writeFile('/out', JSON.stringify(out))",
		javascript.RunOptions{Files: files})
	output, err = afero.ReadFile(files, "/out")
	require.NoError(t, err)
	var got []any
	require.NoError(t, json.Unmarshal(output, &got))
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
}
