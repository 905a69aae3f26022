package javascript_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestFiles(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"text": {
			`await fs.writeFile('/a.txt', 'é€😀\n'); return await fs.readFile('/a.txt', 'utf8')`, "é€😀\n",
		},
		"text with NULs": {
			`await fs.writeFile('/a', 'x\0y'); return (await fs.readFile('/a', 'utf8')).length`, "3",
		},
		"bytes": {
			`await fs.writeFile('/a', new Uint8Array([0, 1, 255])); return await fs.readFile('/a')`,
			"Uint8Array(3) [0, 1, 255]",
		},
		"a buffer": {
			`await fs.writeFile('/a', new Uint8Array([1, 2]).buffer); return (await fs.readFile('/a')).length`, "2",
		},
		"a view writes its own part": {
			`await fs.writeFile('/a', new Uint8Array([1, 2, 3, 4]).subarray(1, 3));
				return (await fs.readFile('/a')).join()`,
			"2,3",
		},
		"an empty file": {
			`await fs.writeFile('/a', '');
				return [await fs.readFile('/a', 'utf8'), (await fs.readFile('/a')).length].join()`,
			",0",
		},
		"relative paths": {
			`await fs.writeFile('a', 'x'); return await fs.readFile('/./b/../a', {encoding: 'UTF-8'})`, "x",
		},
		"parents are made": {
			`await fs.writeFile('/a/b/c.txt', 'deep'); return await fs.readFile('/a/b/c.txt', 'utf8')`, "deep",
		},
		"a file is replaced whole": {
			`await fs.writeFile('/a', 'long text'); await fs.writeFile('/a', 'x');
				return await fs.readFile('/a', 'utf8')`,
			"x",
		},
		"a lone surrogate": {
			`await fs.writeFile('/a', 'a\ud800b'); return await fs.readFile('/a', 'utf8')`, "a\ufffdb",
		},
		"invalid UTF-8 as browsers read it": {
			`await fs.writeFile('/a',
				new Uint8Array([0xff, 0xfe, 0x61, 0, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0x62, 0xed, 0xa0]));
				return JSON.stringify(await fs.readFile('/a', 'utf8'))`,
			`"��a\u0000��b��"`,
		},
		"wide text with NULs": {
			`const s = '€\0😀\0\x01'; await fs.writeFile('/a', s); return await fs.readFile('/a', 'utf8') === s`, "true",
		},
		"invalid UTF-8": {
			`await fs.writeFile('/a', new Uint8Array([97, 255])); return await fs.readFile('/a', 'utf8')`, "a\ufffd",
		},
		"a file that is missing": {
			`try { await fs.readFile('no.txt') } catch (e) {
				return [e instanceof Error, e.code, e.path, e.message].join('|') }`,
			"true|ENOENT|no.txt|ENOENT: no such file or directory, 'no.txt'",
		},
		"reading a directory": {
			`await fs.writeFile('/d/f', ''); try { await fs.readFile('/d') } catch (e) { return e.message }`,
			"EISDIR: illegal operation on a directory, '/d'",
		},
		"writing a directory": {
			`await fs.writeFile('/d/f', ''); try { await fs.writeFile('/d', '') } catch (e) { return e.message }`,
			"EISDIR: illegal operation on a directory, '/d'",
		},
		"writing the root": {`try { await fs.writeFile('/', '') } catch (e) { return e.message }`,
			"EISDIR: illegal operation on a directory, '/'"},
		"a file as a directory": {
			`await fs.writeFile('/f', ''); try { await fs.writeFile('/f/g', '') } catch (e) { return e.message }`,
			"ENOTDIR: not a directory, '/f/g'",
		},
		"no path": {`try { await fs.readFile() } catch (e) { return e.message }`,
			"EINVAL: missing required argument 'path' for fs.readFile"},
		"no data": {`try { await fs.writeFile('/a', 5) } catch (e) { return e.message }`,
			"EINVAL: invalid argument, data must be string or buffer, '/a'"},
		"an unknown encoding": {`try { await fs.readFile('/a', 'latin7') } catch (e) { return e.code }`,
			"ERR_INVALID_ARG_VALUE"},
		"a path that is too long": {`try { await fs.readFile('x'.repeat(5000)) } catch (e) { return e.code }`,
			"EINVAL"},
		"an error's stack is the script's": {"\nasync function load() { return await fs.readFile('/no') }\ntry { " +
			"await load() } catch (e) { return e.stack.includes('script.js:2:') }", "true"},
	} {
		for store, open := range map[string]func(t *testing.T) afero.Fs{
			"in memory":      func(*testing.T) afero.Fs { return afero.NewMemMapFs() },
			"in a directory": openDir,
		} {
			t.Run(name+" "+store, func(t *testing.T) {
				t.Parallel()
				require.Equal(t, test.want, run(t, test.script, javascript.RunOptions{Files: open(t)}).Text)
			})
		}
	}
}

func openDir(t *testing.T) afero.Fs {
	t.Helper()
	dir, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dir.Close()) })
	return dir
}

func TestNoFiles(t *testing.T) {
	require.Equal(t, "ENOENT", run(t, `try { await fs.readFile('/a') } catch (e) { return e.code }`).Text)
	require.Equal(t, "ENOENT", run(t, `try { await fs.writeFile('/a', '') } catch (e) { return e.code }`).Text)
}

func TestLargeFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Run("of wide text are never cut", func(t *testing.T) {
		options := javascript.RunOptions{Files: afero.NewMemMapFs(), Limits: sandbox.Limits{Memory: 32 << 20}}
		require.Equal(t, "EFBIG: file too large, '/a'", run(t,
			`try { await fs.writeFile('/a', '\xe9'.repeat(17e6)) } catch (e) { return e.message }`, options).Text)
	})
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/large", make([]byte, 80<<20), 0o600))
	require.Equal(t, "EFBIG: file too large, '/large'",
		run(t, `try { await fs.readFile('/large') } catch (e) { return e.message }`,
			javascript.RunOptions{Files: files}).Text)

	require.NoError(t, afero.WriteFile(files, "/fits once", bytes.Repeat([]byte("x"), 40<<20), 0o600))
	require.NoError(t, afero.WriteFile(files, "/fits not", bytes.Repeat([]byte("x"), 63<<20), 0o600))
	for _, encoding := range []string{"undefined", "'utf8'"} {
		read := func(path string) (*javascript.Result, error) {
			return tryRun(t, fmt.Sprintf(`const all = await fs.readFile('%s', %s); return [all.length, all.at(-1)]`,
				path, encoding), javascript.RunOptions{Files: files})
		}
		result, err := read("/fits once")
		require.NoError(t, err)
		require.Contains(t, result.Text, "41943040")
		_, err = read("/fits not")
		require.Equal(t, byMemory, endedAs(err))
	}
}

// brokenFs fails in a given way.
type brokenFs struct {
	afero.Fs
	fail func() error
}

func (b brokenFs) Stat(name string) (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "stat", Path: "/host/secret" + name, Err: b.fail()}
}

func TestFileSystemsThatFail(t *testing.T) {
	for name, test := range map[string]struct {
		fail func() error
		want string
	}{
		"read-only": {func() error { return syscall.EROFS }, "EROFS: read-only file system, write '/a'"},
		"full":      {func() error { return syscall.ENOSPC }, "ENOSPC: no space left on device, '/a'"},
		"forbidden": {func() error { return fs.ErrPermission }, "EACCES: permission denied, '/a'"},
		"broken":    {func() error { return errors.New("broken disk") }, "EIO: broken disk, '/a'"},
		"out of reach": {func() error {
			return &vfs.UnavailableError{Reason: "the database is restarting", Err: errors.New("db.internal:5432")}
		}, "EIO: the files cannot be reached at the moment (the database is restarting), and nothing has been " +
			"changed; try again later, '/a'"},
		"one that panics": {func() error { panic("oh") }, "EIO: panicked: oh, '/a'"},
	} {
		t.Run(name, func(t *testing.T) {
			options := javascript.RunOptions{Files: brokenFs{afero.NewMemMapFs(), test.fail}}
			require.Equal(t, test.want, run(t, `try { await fs.writeFile('/a', '') } catch (e) { return e.message }`,
				options).Text)
		})
	}
	t.Run("one that hangs is abandoned when time is up", func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		options := javascript.RunOptions{
			Files:  brokenFs{afero.NewMemMapFs(), func() error { <-release; return nil }},
			Limits: sandbox.Limits{Time: 10 * time.Millisecond},
		}
		_, err := tryRun(t, `await fs.readFile('/a')`, options)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestACSVOfManyRows(t *testing.T) {
	t.Parallel()
	var csv strings.Builder
	csv.WriteString("id,city,amount\n")
	for i := range 100_000 {
		csv.WriteString([]string{"1,Oslo,10.5\n", "2,Lima,2\n", "3,Kyoto,7.25\n"}[i%3])
	}
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/sales.csv", []byte(csv.String()), 0o600))
	result := run(t, `
		const [header, ...rows] = (await fs.readFile('/sales.csv', 'utf8')).trim().split('\n');
		const totals = {};
		for (const row of rows) {
			const [, city, amount] = row.split(',');
			(totals[city] ??= {rows: 0, amount: 0}).rows++;
			totals[city].amount += Number(amount);
		}
		await fs.writeFile('/summary.json', JSON.stringify(totals));
		return rows.length`, javascript.RunOptions{Files: files})
	require.Equal(t, "100000", result.Text)
	summary, err := afero.ReadFile(files, "/summary.json")
	require.NoError(t, err)
	require.JSONEq(
		t, `{"Oslo":{"rows":33334,"amount":350007},"Lima":{"rows":33333,"amount":66666},`+
			`"Kyoto":{"rows":33333,"amount":241664.25}}`,
		string(summary),
	)
}
