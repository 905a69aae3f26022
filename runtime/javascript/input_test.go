package javascript_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// Standard input arrives in whatever way a script reads it.
func TestStdin(t *testing.T) {
	t.Parallel()
	const input = "one\ntwo é\n\x00three"
	const want = `"one\ntwo é\n\u0000three"`
	for name, script := range map[string]string{
		"whole":        `return JSON.stringify(fs.readFileSync(0, 'utf8'))`,
		"as bytes":     `return JSON.stringify(fs.readFileSync(0).toString())`,
		"by name":      `return JSON.stringify(fs.readFileSync('/dev/stdin', {encoding: 'utf8'}))`,
		"by a promise": `return JSON.stringify(await fs.promises.readFile('/dev/stdin', 'utf8'))`,
		"by a callback": `return JSON.stringify(
			await new Promise((r) => fs.readFile(0, 'utf8', (e, text) => r(text))))`,
		"twice": `const all = fs.readFileSync(0, 'utf8');
			return JSON.stringify(all + fs.readFileSync(0, 'utf8'))`,
		"a loop": `const got = []; for await (const chunk of process.stdin) got.push(chunk);
			return JSON.stringify(Buffer.concat(got).toString())`,
		"events": `let got = ''; process.stdin.setEncoding('utf8').on('data', (d) => { got += d });
			await require('events').once(process.stdin, 'end'); return JSON.stringify(got)`,
		"readable": `let got = '', c; process.stdin.setEncoding('utf8').on('readable', () => {
			while ((c = process.stdin.read()) !== null) got += c }); await require('events').once(process.stdin, 'end');
			return JSON.stringify(got)`,
		"lines": `const got = [];
			for await (const line of require('readline').createInterface({input: process.stdin})) got.push(line);
			return JSON.stringify(got.join('\n'))`,
		"a file's stream": `return JSON.stringify(
			await require('stream/consumers').text(fs.createReadStream('/dev/stdin')))`,
		"a descriptor": `const fd = fs.openSync('/dev/stdin'), got = []; for (;;) {
			const b = Buffer.alloc(5), n = fs.readSync(fd, b); if (n === 0) break; got.push(b.subarray(0, n)) }
			fs.closeSync(fd); return JSON.stringify(Buffer.concat(got).toString())`,
		"the module fs": `const fs = require('fs'); return JSON.stringify(fs.readFileSync(0, 'utf8'))`,
		"with options": `const fs = require('fs');
			return JSON.stringify(fs.readFileSync(process.stdin.fd, {encoding: 'utf-8', flag: 'r'}))`,
		"in base64": `const fs = require('fs');
			return JSON.stringify(Buffer.from(fs.readFileSync(0, 'base64'), 'base64').toString())`,
		"fs by a callback": `const fs = require('fs');
			return JSON.stringify(await new Promise((r) => fs.readFile(0, {encoding: 'utf8'}, (e, text) => r(text))))`,
		"promisified": `const fs = require('fs');
			return JSON.stringify(await require('util').promisify(fs.readFile)(0, 'utf8'))`,
		"a handle": `const h = await require('fs/promises').open('/dev/stdin');
			return JSON.stringify((await h.stat()).isFIFO() && await h.readFile('utf8'))`,
		"a stream of 0": `return JSON.stringify(
			await require('stream/consumers').text(require('fs').createReadStream(null, {fd: 0})))`,
		"imported fs": `import {readFileSync} from 'node:fs';
			export default JSON.stringify(readFileSync(0, 'utf8'))`,
		"an imported module": `import { stdin } from 'process'; let got = '';
			for await (const c of stdin.setEncoding('utf8')) got += c; export default JSON.stringify(got)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, reader := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input)),
				iotest.DataErrReader(strings.NewReader(input))} {
				require.Equal(t, want, run(t, script, javascript.RunOptions{Stdin: reader}).Text)
			}
		})
	}
}

func TestStdinThatIsNotThere(t *testing.T) {
	result := run(t, `
		const got = [];
		for await (const chunk of process.stdin) got.push(chunk);
		for (const f of [() => fs.readSync(0, Buffer.alloc(1)), () => fs.readFileSync(0),
			() => fs.readFileSync('/dev/stdin')]) {
			try { got.push(f()) } catch (e) { got.push(e.code) }
		}
		return got.join()`)
	require.Equal(t, "0,ERR_FEATURE_UNAVAILABLE_ON_PLATFORM,ENOENT", result.Text)
}

// A read waits, and does not keep the run from ending.
func TestStdinThatNeverComes(t *testing.T) {
	reader, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	reading := readerFunc(func(p []byte) (int, error) {
		cancel()
		return reader.Read(p)
	})

	_, err := engine.Run(ctx, `try { fs.readFileSync(0) } catch {} return 'went on'`,
		&javascript.RunOptions{Stdin: reading})

	require.ErrorIs(t, err, context.Canceled)
}

func TestStdinThatFails(t *testing.T) {
	for name, reader := range map[string]io.Reader{
		"an error": iotest.ErrReader(errors.New("secret")),
		"a panic":  readerFunc(func([]byte) (int, error) { panic("secret") }),
		"a lie":    readerFunc(func(p []byte) (int, error) { return len(p) + 1, nil }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, `try { return fs.readSync(0, Buffer.alloc(10)) } catch (e) { return e.message }`,
				javascript.RunOptions{Stdin: reader})
			require.NotContains(t, result.Text, "secret")
			require.Contains(t, []string{"EIO: i/o error, read", "10"}, result.Text)
		})
	}
}

// Endless input ends at a limit.
func TestStdinWithoutEnd(t *testing.T) {
	endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	_, err := tryRun(t, `fs.readFileSync(0)`, javascript.RunOptions{Stdin: endless})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitMemory, limit.Limit)

	_, err = tryRun(t, `for await (const chunk of process.stdin);`, javascript.RunOptions{Stdin: endless,
		Limits: sandbox.Limits{Time: 10 * time.Millisecond}})
	require.ErrorAs(t, err, &limit)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestStreamsByName writes to the standard streams as if they were files, unless the project has such files.
func TestStreamsByName(t *testing.T) {
	t.Parallel()
	const script = `
		require('fs').writeFileSync('/dev/stdout', 'a\n'); await fs.appendFile('/dev/stderr', Buffer.from('b\n'));
		const { openSync, writeSync, closeSync, createWriteStream } = require('fs');
		const fd = openSync('/dev/stdout', 'w'); writeSync(fd, 'c\n'); closeSync(fd);
		const out = createWriteStream('/dev/stdout'); out.end('d\n'); await require('events').once(out, 'finish')`
	entry := func(level sandbox.Level, text string) sandbox.Entry { return sandbox.Entry{Level: level, Text: text} }
	want := []sandbox.Entry{entry(sandbox.LevelLog, "a"), entry(sandbox.LevelError, "b"), entry(sandbox.LevelLog, "c"),
		entry(sandbox.LevelLog, "d")}
	files := filesWith(t, nil)
	require.Equal(t, want, run(t, script, javascript.RunOptions{Files: files}).Console)
	require.Equal(t, want, run(t, script).Console)
	files = filesWith(t, map[string]string{"/dev/stdout": "", "/dev/stderr": ""})
	require.Empty(t, run(t, script, javascript.RunOptions{Files: files}).Console)
	content, err := afero.ReadFile(files, "/dev/stdout")
	require.NoError(t, err)
	require.Equal(t, "d\n", string(content))
}
