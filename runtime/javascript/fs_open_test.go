package javascript_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestOpenFilesHostile asks open files and streams for what is absurd.
func TestOpenFilesHostile(t *testing.T) {
	t.Parallel()
	const failed = `const failed = (f) => { try { return f() } catch (e) { return e.code } };`
	for name, c := range map[string]struct{ code, want string }{
		"thousands of handles": {`let n = 0; try { for (;; n++) fs.openSync('/f') } catch (e) { return n + e.code }`,
			"1024EMFILE"},
		"handles are used again": {
			`for (let i = 0; i < 1500; i++) fs.closeSync(fs.openSync('/f')); return fs.openSync('/f')`, "3",
		},
		"far behind the end": {`return fs.readSync(fs.openSync('/f'), Buffer.alloc(9), 0, 9, 2 ** 53 - 1)`,
			"0"},
		"farther": {`return fs.readSync(fs.openSync('/f'), Buffer.alloc(9), 0, 9, 2n ** 63n - 1n)`,
			"0"},
		"writing far behind the end": {`return failed(() => fs.writeSync(fs.openSync('/f', 'r+'), 'x', 2 ** 53 - 1))`,
			"EFBIG"},
		"writing a little behind it": {
			`fs.writeSync(fs.openSync('/f', 'r+'), 'x', 6); return fs.readFileSync('/f').toString('hex')`,
			"746578740000" + "78",
		},
		"a removed file": {
			`const h = fs.openSync('/f', 'r+'); fs.rmSync('/f');
				return failed(() => fs.readSync(h, Buffer.alloc(1))) + failed(() => fs.writeSync(h, 'x'))`,
			"ENOENTENOENT",
		},
		"a file that became a directory": {
			`const h = fs.openSync('/f', 'r+'); fs.rmSync('/f'); fs.mkdirSync('/f');
				return failed(() => fs.readSync(h, Buffer.alloc(1))) + failed(() => fs.writeSync(h, 'x'))`,
			"EISDIREISDIR",
		},
		"a length that changes": {
			`const b = Buffer.alloc(8); const h = fs.openSync('/f');
				return failed(() => fs.readSync(h, b, {get length() { return 100 }})) + b.length`,
			"ERR_OUT_OF_RANGE8",
		},
		"a long file in parts": {
			`fs.writeFileSync('/l', 'ab'.repeat(1.6e6)); const b = Buffer.alloc(4e6);
				const n = fs.readSync(fs.openSync('/l'), b, 0, 4e6, 1);
				return n + b.toString('latin1', n - 2, n) + b[n]`,
			"3199999ab0",
		},
		"standard input": {
			`return fs.readSync(0, Buffer.alloc(1)) + (() => {
				try { fs.readFileSync(0) } catch (e) { return e.message } })()`,
			"0standard input is not available here: read a file of the project, or put the data into the code",
		},
		"a stream to nowhere": {
			`return await new Promise((r) => fs.createWriteStream('/f/x').on('error', (e) => r(e.code)))`, "ENOTDIR",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := afero.NewMemMapFs()
			require.NoError(t, afero.WriteFile(files, "/f", []byte("text"), 0o600))
			require.Equal(t, c.want, run(t, failed+c.code, javascript.RunOptions{Files: files}).Text)
		})
	}
}

// TestEndlessStreams stops streams that never end by the limit of work.
func TestEndlessStreams(t *testing.T) {
	for name, script := range map[string]string{
		"a source": `const { Readable } = require('stream');
			await new Readable({ read() { this.push('x') } }).forEach(() => {})`,
		"a generator": `const { pipeline } = require('stream/promises');
			await pipeline(function* () { for (;;) yield 'x' }, async function (s) { for await (const x of s); })`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, script, javascript.RunOptions{Limits: sandbox.Limits{Work: 5_000_000}})
			require.Error(t, err)
		})
	}
}
