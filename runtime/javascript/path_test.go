package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
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
		return [() => path.join('a', 1), () => path.dirname(), () => path.format(null),
			() => path.basename('a', 1)].map((f) => { try { f() } catch (e) { return e.code } }).join()`).Text)
}

func TestBuiltInModules(t *testing.T) {
	require.Equal(t, "true,true,true,true,true,true,/a/b,true", run(t, `
		const {join} = await import('node:path'), {readFile, promises, default: whole} = await import('fs');
		return [require('fs') === fs, require('node:fs/promises') === fs,
			require('path/posix') === require('path'), require('node:process') === process,
			readFile === fs.readFile, promises === fs && whole === fs,
				join('/a', 'b'), typeof require('fs').constants === 'object'].join()`).Text)
}
