package javascript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/selftest"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	jstool "github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A user is one of those that use an engine at the same time. Each has a project of its own; all share one beside.
type user struct {
	engine  *enginetest.Engine
	tools   *registry.Registry
	own     vfs.Project
	shared  vfs.Project
	hostile []selftest.Attack
	random  *rand.Rand
}

// want runs a script that must have a result.
func (u *user) want(text, script string, options javascript.RunOptions) error {
	options.Limits.Time = patience
	result, err := u.engine.Run(context.Background(), script, &options)
	if err != nil || result.Text != text {
		return fmt.Errorf("%q instead of %q: %w", result.Text, text, err)
	}
	return nil
}

// wantCall does a call of a tool, whose result must contain a text.
func (u *user) wantCall(text, name string, input map[string]any, files afero.Fs) error {
	raw, err := json.Marshal(input)
	if err != nil {
		return err
	}
	env := registry.Env{Files: files, Limits: registry.Limits{Timeout: patience}}
	env.Selection.Options = map[string]map[string]any{jstool.Name: {code.OptionToolCalls: true}}
	result := u.tools.Dispatch(context.Background(), tool.Call{Tool: name, Input: raw}, env)
	if got := result.Text(); result.IsError() || !strings.Contains(got, text) {
		return fmt.Errorf("%s (%s) instead of %q: %w", got, result.Code, text, result.Err)
	}
	return nil
}

// goodWork is what users do that must have the right result, by name. i is different each time.
var goodWork = map[string]func(u *user, i int) error{
	"computing": func(u *user, i int) error {
		return u.want(fmt.Sprint(i*999*500), `let n = 0; for (let k = 0; k < 1000; k++) n += k * i; return n`,
			javascript.RunOptions{Globals: map[string]any{"i": i}})
	},
	"strings": func(u *user, i int) error {
		return u.want(strings.Repeat("ab", i%500), `return 'AB'.repeat(n).replace(/[A-Z]/g, (c) => c.toLowerCase())`,
			javascript.RunOptions{Globals: map[string]any{"n": i % 500}})
	},
	"the console": func(u *user, i int) error {
		result, err := u.engine.Run(context.Background(),
			fmt.Sprintf(`for (let k = 0; k < 50; k++) console.log(k, {i: %d}); process.stdout.write('end')`, i), nil)
		if err != nil || len(result.Console) != 51 || result.Console[49].Text != fmt.Sprintf("49 {\n  \"i\": %d\n}",
			i) || result.Console[50].Text != "end" {
			return fmt.Errorf("%v: %w", result.Console, err)
		}
		return nil
	},
	"a console that is cut off": func(u *user, _ int) error {
		result, err := u.engine.Run(context.Background(),
			`for (let k = 0; k < 100; k++) console.log('x'.repeat(100)); return 1`,
			&javascript.RunOptions{Limits: sandbox.Limits{Output: 1000}})
		if err != nil || result.Truncated == 0 || result.Text != "1" {
			return fmt.Errorf("%d: %w", result.Truncated, err)
		}
		return nil
	},
	"files": func(u *user, i int) error {
		call := u.own.WithCall(fmt.Sprint("call-", i))
		defer call.EndCall()
		return u.want(fmt.Sprintf("%d,true,b.txt", i), `
			await fs.rm('/work', {recursive: true, force: true});
			await fs.writeFile('/work/a.txt', String(i)); fs.renameSync('/work/a.txt', '/work/b.txt');
			fs.appendFileSync('/work/b.txt', '!'.repeat(i % 1000)); fs.copyFileSync('/work/b.txt', '/copy');
			return [parseInt(await fs.readFile('/copy', 'utf8')), fs.existsSync('/work/b.txt'),
				fs.readdirSync('/work')].join()`,
			javascript.RunOptions{Files: vfs.ReadOnly(call, "/memories"), Globals: map[string]any{"i": i}})
	},
	"files that others change": func(u *user, i int) error {
		call := u.shared.WithCall(fmt.Sprint("call-", i))
		defer call.EndCall()
		return u.want("whole", `
			fs.writeFileSync('/shared', letter.repeat(5000));
			const text = fs.readFileSync('/shared', 'utf8');
			return text === text[0].repeat(5000) ? 'whole' : text`,
			javascript.RunOptions{Files: call, Globals: map[string]any{"letter": string(rune('a' + i%26))}})
	},
	"files that are not there": func(u *user, _ int) error {
		return u.want("ENOENT", `try { fs.readFileSync('/missing') } catch (e) { return e.code }`,
			javascript.RunOptions{Files: u.own})
	},
	"libraries": func(u *user, i int) error {
		files := afero.NewMemMapFs()
		for name, text := range map[string]string{
			"/lib/a.js":    fmt.Sprintf(`var which = %d`, i%7),
			"/lib/math.ts": `export const double = (n: number): number => 2 * n`,
			"/lib/time.js": fmt.Sprintf(`var made = %d && Date.now()`, i%2),
		} {
			if err := afero.WriteFile(files, name, []byte(text), 0o600); err != nil {
				return err
			}
		}
		return u.want(fmt.Sprint(2*(i%7)), `which++; return math.double(which - 1)`, javascript.RunOptions{Files: files,
			Libraries: []string{"/lib"}})
	},
	"libraries that fail": func(u *user, i int) error {
		files := afero.NewMemMapFs()
		if err := afero.WriteFile(files, "/lib/a.js", []byte(fmt.Sprintf(`throw new Error('%d')`, i)),
			0o600); err != nil {
			return err
		}
		return u.want("1", `return 1`, javascript.RunOptions{Files: files, Libraries: []string{"/lib"}})
	},
	"functions": func(u *user, i int) error {
		return u.want(fmt.Sprint(4*i+6), `
			const later = await Promise.all([add(i, 0), add(i, 1), add(i, 2)]);
			return later.reduce((a, b) => a + b) + now(i, 3)`,
			javascript.RunOptions{Globals: map[string]any{"i": i}, Functions: []javascript.Function{
				{Name: "now", Call: addArguments}, {Name: "add", Async: true, Call: addArguments},
			}})
	},
	"functions that fail": func(u *user, _ int) error {
		return u.want("no,fails panicked: no",
			`try { throws() } catch (e) { try { await fails() } catch (f) { return [e.message, f.message].join() } }`,
			javascript.RunOptions{Functions: []javascript.Function{
				{Name: "throws", Call: func(context.Context, []any) (any, error) { return nil, errors.New("no") }},
				{Name: "fails", Async: true, Call: func(context.Context, []any) (any, error) { panic("no") }},
			}})
	},
	"bytes": func(u *user, i int) error {
		data := make([]byte, i%100_000)
		for at := range data {
			data[at] = byte(at)
		}
		return u.want(fmt.Sprintf("%d,%d", len(data), len(data)),
			`return [echo(data).length, data.filter((b, at) => b === at % 256).length].join()`,
			javascript.RunOptions{Globals: map[string]any{"data": data},
				Functions: []javascript.Function{{Name: "echo", Call: echo}}})
	},
	"TypeScript": func(u *user, i int) error {
		return u.want(fmt.Sprint(i+1),
			fmt.Sprintf(
				`interface P<T> { x: T } enum E { A = 1 } const p: P<number> = {x: %d}; return p.x + E.A as number`, i,
			), javascript.RunOptions{})
	},
	"modules": func(u *user, i int) error {
		files := afero.NewMemMapFs()
		for name, text := range map[string]string{
			"/a.mjs": `import {b} from './b.mjs'; export const a = () => b + 1`,
			"/b.mjs": fmt.Sprintf(`import {a} from './a.mjs'; export const b = %d; export const later = () => a()`,
				i),
			"/c.cjs":      `module.exports = {n: require('./d.json').n}`,
			"/d.json":     `{"n": 5}`,
			"/broken.mjs": `export const x = `,
		} {
			if err := afero.WriteFile(files, name, []byte(text), 0o600); err != nil {
				return err
			}
		}
		return u.want(fmt.Sprintf("%d,5,SyntaxError", i+1), `
			import {later} from '/b.mjs'; import c from '/c.cjs';
			const failed = await import('/broken.mjs').catch((e) => e.name);
			return [later(), c.n, failed].join()`, javascript.RunOptions{Files: files})
	},
	"timers": func(u *user, _ int) error {
		return u.want("1,2,3,aborted", `
			const out = [];
			setTimeout(() => out.push(2), 5); setTimeout(() => out.push(3), 5); await 0; out.push(1);
			await new Promise((r) => AbortSignal.timeout(10).addEventListener('abort', r)); out.push('aborted');
			return out.join()`, javascript.RunOptions{})
	},
	"the web platform": func(u *user, i int) error {
		return u.want(fmt.Sprintf("%d,é,36,2", i), `
			const url = new URL('https://example.com/?i=' + i);
			return [url.searchParams.get('i'), new TextDecoder().decode(new TextEncoder().encode('é')),
				crypto.randomUUID().length, structuredClone({a: [1, 2]}).a[1]].join()`,
			javascript.RunOptions{Globals: map[string]any{"i": i}})
	},
	"an exit": func(u *user, i int) error {
		_, err := u.engine.Run(context.Background(), fmt.Sprintf(`process.exit(%d)`, i%100+1), nil)
		if exit, ok := errors.AsType[*javascript.ExitError](err); !ok || exit.Code != i%100+1 {
			return fmt.Errorf("no exit: %w", err)
		}
		return nil
	},
	"an exception": func(u *user, i int) error {
		_, err := u.engine.Run(context.Background(),
			fmt.Sprintf(`globalThis.kept = new Uint8Array(1e5); throw new RangeError('%d')`, i), nil)
		if e, ok := errors.AsType[*javascript.ScriptError](err); !ok || e.Name != "RangeError" ||
			e.Message != fmt.Sprint(i) {
			return fmt.Errorf("no exception: %w", err)
		}
		return nil
	},
	"recursion": func(u *user, _ int) error {
		return u.want("RangeError", `function f() { f() } try { f() } catch (e) { return e.name }`,
			javascript.RunOptions{})
	},
	"giving up": func(u *user, _ int) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(u.random.IntN(3000))*time.Microsecond)
		defer cancel()
		_, err := u.engine.Run(ctx, `await new Promise((r) => setTimeout(r, 1e6))`, &javascript.RunOptions{Files: u.own,
			Globals: map[string]any{"x": []byte("x")}})
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("was not stopped: %w", err)
		}
		return nil
	},
	"the javascript tool": func(u *user, i int) error {
		code := fmt.Sprintf(
			`console.log('said'); await fs.writeFile('/tool', '%d'); return await fs.readFile('/tool', 'utf8')`, i,
		)
		return u.wantCall(fmt.Sprint(i), jstool.Name, map[string]any{"code": code}, u.own)
	},
	"code that calls tools": func(u *user, i int) error {
		code := fmt.Sprintf(`
			await tools.filesystem({command: 'create', path: '/of-code',
				file_text: 'text %d', overwrite: true}).catch(() => 0);
			const all = await Promise.all([1, 2, 3].map((n) => tools.filesystem({command: 'view', path: '/'})));
			return all.filter((text) => text.includes('of-code')).length + ' calls'`, i)
		return u.wantCall("3 calls", jstool.Name, map[string]any{"code": code}, u.own)
	},
	"the filesystem tool": func(u *user, i int) error {
		path := fmt.Sprintf("/tools/%d.txt", i%50)
		call := func(command string, more map[string]any) error {
			input := map[string]any{"command": command, "path": path}
			maps.Copy(input, more)
			return u.wantCall("", "filesystem", input, u.own)
		}
		_ = call("delete", nil) // it may be there
		return errors.Join(call("create", map[string]any{"file_text": fmt.Sprint("one ", i)}),
			call("str_replace", map[string]any{"old_str": "one", "new_str": "two"}),
			u.wantCall(fmt.Sprint("two ", i), "filesystem", map[string]any{"command": "view", "path": path}, u.own))
	},
	"the memory tool": func(u *user, i int) error {
		input := map[string]any{"command": "create", "path": fmt.Sprintf("/memories/%d.md", i%20),
			"file_text": fmt.Sprint(i)}
		// it may be there
		_ = u.wantCall("", "memory", map[string]any{"command": "delete", "path": input["path"]}, u.own)
		if err := u.wantCall("", "memory", input, u.own); err != nil {
			return err
		}
		return u.wantCall(fmt.Sprint(i), "memory", map[string]any{"command": "view", "path": input["path"]}, u.own)
	},
	"a result that is kept in a file": func(u *user, _ int) error {
		return u.wantCall("/.tool-output/", jstool.Name, map[string]any{"code": `return 'line\n'.repeat(20000)`}, u.own)
	},
}

func addArguments(_ context.Context, args []any) (any, error) {
	sum := 0.0
	for _, a := range args {
		n, ok := a.(float64)
		if !ok {
			return nil, fmt.Errorf("%v is no number", a)
		}
		sum += n
	}
	return sum, nil
}

// hostileWork runs one of the hostile scripts, and says how it has ended. Those that reach a limit on one machine
// finish on another one, or reach a limit that comes later: which it is, is checked where there is more time. What a
// script must return or throw is the same everywhere.
func hostileWork(u *user) (ended string, err error) {
	script := u.hostile[u.random.IntN(len(u.hostile))]
	options := javascript.RunOptions{Functions: selftest.Functions(),
		Limits: sandbox.Limits{Time: 100 * time.Millisecond}}
	store := local.NewMemoryStore(nil)
	defer store.Close()
	if options.Files, err = store.Open(context.Background(), "hostile"); err != nil {
		return "", err
	}
	result, err := u.engine.Run(context.Background(), script.Source, &options)
	ended = selftest.Ending(result, err)
	kind, _, _ := strings.Cut(ended, " ")
	stopped := slices.ContainsFunc(script.Endings, func(e string) bool { return strings.HasSuffix(e, " limit") })
	switch orderly := slices.Contains([]string{"returns", "exception", "exits", "never", "recursion"}, kind); {
	case script.Allows(ended), ended == byTime, ended == byMemory, stopped && orderly:
	default:
		return kind, fmt.Errorf("%s: %s", script.Name, ended)
	}
	return kind, nil
}

// TestEndurance does work of all kinds, a fifth of it hostile, and wants each result to be right and the process not
// to grow, once each user has done work of all kinds.
func TestEndurance(t *testing.T) {
	if !*soak {
		t.Skip("takes long: -soak runs it")
	}
	const work, atOnce = 24_000, 16
	engine := enginetest.New(sandbox.EngineOptions{MaxRuns: atOnce})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	tools, err := registry.New(jstool.New(func(context.Context) (*javascript.Interpreter, error) {
		return engine.Interpreter, nil
	}, nil), memory.New(), filesystem.New())
	require.NoError(t, err)
	small := vfs.Options{NoSync: true, History: vfs.HistoryOptions{Bytes: 256 << 10}}
	onDisk, err := local.OpenStore(t.TempDir(), &small)
	require.NoError(t, err)
	defer onDisk.Close()
	inMemory := local.NewMemoryStore(&small)
	open := func(store vfs.Store, id string) vfs.Project {
		project, err := store.Open(t.Context(), id)
		require.NoError(t, err)
		t.Cleanup(func() { _ = project.Close() })
		return project
	}
	hostile, err := selftest.Attacks()
	require.NoError(t, err)
	// made alone, or no script
	hostile = slices.DeleteFunc(hostile, func(a selftest.Attack) bool { return a.Grows > 0 || a.Source == "" })
	users := make([]*user, atOnce)
	shared := open(onDisk, "shared")
	for n := range users {
		store := inMemory
		if n%2 == 0 {
			store = onDisk
		}
		users[n] = &user{engine, tools, open(store, fmt.Sprint("user-", n)), shared, hostile,
			rand.New(rand.NewPCG(1, uint64(n)))}
	}
	kinds := slices.Sorted(maps.Keys(goodWork))

	var mu sync.Mutex
	counts := map[string]int{}
	var failures []string
	count := func(kind string, err error) {
		mu.Lock()
		defer mu.Unlock()
		counts[kind]++
		if err != nil && len(failures) < 20 {
			failures = append(failures, fmt.Sprintf("%s: %v", kind, err))
		}
	}
	var group sync.WaitGroup
	for n, u := range users {
		group.Go(func() {
			for i, kind := range kinds {
				count(kind, goodWork[kind](u, 100*n+i))
			}
			for range work / 1000 {
				ended, err := hostileWork(u)
				count("hostile: "+ended, err)
			}
		})
	}
	group.Wait()
	numbers := make(chan int)
	before := leakcheck.Take()
	for _, u := range users {
		group.Go(func() {
			for i := range numbers {
				if i%5 == 0 {
					ended, err := hostileWork(u)
					count("hostile: "+ended, err)
				} else {
					kind := kinds[(i-i/5-1)%len(kinds)]
					count(kind, goodWork[kind](u, i))
				}
			}
		})
	}
	for i := range work {
		if i%(work/10) == 0 {
			t.Logf("%d runs: %v", i, leakcheck.Take())
		}
		numbers <- i
	}
	close(numbers)
	group.Wait()
	// Up to 64 images of the modules that scripts use are kept, each in a file of the memory, and what users have
	// written in memory. If each run left four kilobytes, it would be more.
	most := leakcheck.Growth{Mappings: 200, Descriptors: 64, Memory: 92 << 20}
	if race.Enabled { // whose own memory would be counted
		most.Memory = 0
	}
	after := before.Require(t, most)
	t.Logf("%d runs\nbefore: %v\nafter:  %v", work, before, after)
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %d", kind, counts[kind])
	}
	require.Empty(t, failures)
}
