package python

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/python"
	"github.com/toolrun/toolrun/internal/cachedir"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// ownInterpreter starts an engine for one test.
func ownInterpreter(t testing.TB, options sandbox.EngineOptions) *Interpreter {
	file := os.Getenv("TOOLRUN_PYTHON")
	if file == "" {
		t.Skip("TOOLRUN_PYTHON does not name a build of CPython")
	}
	module, err := os.ReadFile(file)
	require.NoError(t, err)
	if options.CacheDir == "" {
		options.CacheDir = enginetest.CacheDir()
	}
	engine, err := sandbox.New(&options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	interpreter, err := New(t.Context(), engine, FromBytes(module))
	require.NoError(t, err)
	return interpreter
}

// cacheWithoutImages returns a cache directory that has compiled code, but no image yet.
func cacheWithoutImages(t testing.TB) string {
	ownInterpreter(t, sandbox.EngineOptions{}) // so that there is compiled code
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	kept, err := filepath.Glob(filepath.Join(enginetest.CacheDir(), "engine-*"))
	require.NoError(t, err)
	for _, entry := range kept {
		err := filepath.WalkDir(entry, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(enginetest.CacheDir(), path)
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.Mkdir(filepath.Join(dir, name), 0o700)
			}
			if os.Link(path, filepath.Join(dir, name)) == nil {
				return nil
			}
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
			}
			return err
		})
		if !os.IsNotExist(err) { // another process is removing it
			require.NoError(t, err)
		}
	}
	return dir
}

// images returns the directories of the images in a cache directory.
func images(t testing.TB, cache string) []string {
	kept, err := filepath.Glob(filepath.Join(cache, "image-*"))
	require.NoError(t, err)
	return kept
}

// snapshot is what a sandbox has before a run begins in it.
type snapshot struct {
	at      *instance
	memory  []byte
	vm      python.State
	session session
	files   int
}

// nextSandbox looks at the sandbox that the next run will get.
func nextSandbox(t testing.TB, i *Interpreter) snapshot {
	r, err := i.program.Begin(t.Context(), sandbox.RunOptions{})
	require.NoError(t, err)
	defer r.End()
	started, err := r.Start(nil)
	require.NoError(t, err)
	in := started.Driver().(*instance)
	memory, ok := in.Module().Memory().Read(0, in.Module().Memory().Size())
	require.True(t, ok)
	return snapshot{in, bytes.Clone(memory), in.vm.State(), in.session, in.OpenFiles()}
}

// leftOvers is code that leaves as much as it can in its sandbox, and whether the sandbox can be used again.
var leftOvers = []struct {
	name, code string
	reused     bool
}{
	{"nothing", "1", true},
	{"strings all over the memory", "kept = ['S3CRET' * 300 + str(i) for i in range(1000)]\nprint('S3CRET' * 100)",
		true},
	{"changed modules", `
import builtins, sys, os, random, json, asyncio, time, gc, linecache, warnings
builtins.S3CRET = sys.S3CRET = 'S3CRET'
builtins.print = json.loads = json.dumps = None
os.environ['S3CRET'] = 'S3CRET'
sys.path[:] = ['S3CRET']
sys.modules['S3CRET'] = sys
sys.setrecursionlimit(100)
random.seed(5)
gc.disable()
warnings.simplefilter('error')
sys.stdout = None
asyncio.set_event_loop_policy(None)
os.chdir('/dir')
time.sleep = lambda n: 1 / 0`, true},
	{"open files", "kept = [open('/file') for i in range(50)]\nopen('/S3CRET', 'w').write('S3CRET')", true},
	{"closed streams", "import os\nfor i in range(10):\n  try: os.close(i)\n  except OSError: pass", true},
	{"unfinished lines", "import sys\nprint('S3CRET', end='')\nprint('S3CRET', end='', file=sys.stderr)", true},
	{"calls that are under way", "import asyncio\ntask = asyncio.create_task(later('S3CRET'))\nawait " +
		"asyncio.sleep(0.001)\nlater = ToolError.code = 'S3CRET'\n1 / 0", true},
	{"a standard input that is not read to its end",
		"input()\nimport builtins, contextvars\ncontextvars.ContextVar('S3CRET').set(1)", true},
	{"a result", "{'S3CRET': ['S3CRET'] * 1000}", true},
	{"an exception", "raise ValueError('S3CRET')", true},
	{"a deep stack", "class A:\n  def __repr__(self):\n    secret = 'S3CRET'\n    return repr(self) + " +
		"secret\nrepr(A())", true},
	{"a database", "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('create table S3CRET " +
		"(x)')\ndb.execute('begin')", true},
	{"patched functions of its own", "import gc, time\nfor o in gc.get_referrers(time):\n  if isinstance(o, dict) " +
		"and 'ask' in o: o['main'] = o['run'] = o['ask'] = 'S3CRET'", true},
	{"more memory than there was", "kept = [bytes([83]) * 10**6 for i in range(20)]", true},
	{"memory over its limit", "kept = []\nwhile True: kept.append(bytes([83]) * 10**6)", true},
	{"an endless loop", "secret = 'S3CRET'\nwhile True: pass", false},
	{"an exit", "import os\nos._exit(3)", false},
	{"a crash", "import os\nos.abort()", false},
}

func leftOverOptions(t testing.TB, i *Interpreter) *RunOptions {
	memory := int64(40 << 20)
	if len(i.Packages()) > 0 {
		memory = 80 << 20
	}
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/file", []byte("S3CRET"), 0o600))
	require.NoError(t, files.Mkdir("/dir", 0o700))
	later := func(ctx context.Context, _ []any, _ map[string]any) (any, error) {
		<-ctx.Done()
		return "S3CRET", nil
	}
	return &RunOptions{Files: files, Stdin: []byte("S3CRET\nS3CRET"),
		Functions: []Function{{Name: "later", Call: later}}, Limits: sandbox.Limits{Time: time.Minute, Memory: memory,
			Work: 10_000_000}}
}

// TestImagesOnDisk compares a sandbox that starts from an image on disk with one of the process that made the image,
// byte by byte. An image that cannot be used is made again.
func TestImagesOnDisk(t *testing.T) {
	t.Parallel()
	cache := cacheWithoutImages(t)
	require.Empty(t, images(t, cache))
	made := nextSandbox(t, ownInterpreter(t, sandbox.EngineOptions{CacheDir: cache}))
	require.Len(t, images(t, cache), 1)
	entry := images(t, cache)[0]
	written, err := os.Stat(filepath.Join(entry, "memory"))
	require.NoError(t, err)

	start := func() *Interpreter {
		i := ownInterpreter(t, sandbox.EngineOptions{CacheDir: cache})
		require.Equal(t, []string{entry}, images(t, cache))
		return i
	}
	i := start()
	next := nextSandbox(t, i)
	require.True(t, bytes.Equal(made.memory, next.memory), "another memory")
	require.Equal(t, made.vm, next.vm)
	require.Equal(t, made.session, next.session)
	result, err := i.Run(t.Context(), "import json\njson.dumps(6 * 7)", nil)
	require.NoError(t, err)
	require.Equal(t, "'42'", result.Text)
	still, err := os.Stat(filepath.Join(entry, "memory"))
	require.NoError(t, err)
	require.True(t, os.SameFile(written, still), "it was made again")

	rewrite := func(name string, change func([]byte) []byte) func() {
		return func() {
			data, err := os.ReadFile(filepath.Join(entry, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(entry, name), change(data), 0o600))
		}
	}
	// forge is what looks as if it had been written so.
	forge := func(files map[string]string) func() {
		return func() {
			require.NoError(t, os.RemoveAll(entry))
			var key cachedir.Key
			_, err := hex.Decode(key[:], []byte(strings.TrimPrefix(filepath.Base(entry), "image-")))
			require.NoError(t, err)
			e, err := cachedir.Open(cache, "image", key)
			require.NoError(t, err)
			for name, content := range files {
				require.NoError(t, e.Write(name, []byte(content)))
			}
			require.NoError(t, e.Publish())
		}
	}
	state, err := os.ReadFile(filepath.Join(entry, "state.json"))
	require.NoError(t, err)
	memory, err := os.ReadFile(filepath.Join(entry, "memory"))
	require.NoError(t, err)
	small := binary.LittleEndian.AppendUint64(bytes.Clone(memory[:8]), 1<<16) // a page of WebAssembly without content
	small = binary.LittleEndian.AppendUint64(small, 0)
	for name, damage := range map[string]func(){
		"a bit of the memory": rewrite("memory", func(data []byte) []byte {
			data[len(data)/2] ^= 1
			return data
		}),
		"files that are no image": forge(map[string]string{"memory": "memory", "state.json": string(state)}),
		"globals of another module": forge(map[string]string{"memory": string(memory),
			"state.json": `{"Globals":[1,2,3,4,5,6],"State":{}}`}),
		"memory of another module": forge(map[string]string{"memory": string(small), "state.json": string(state)}),
	} {
		t.Run(name, func(t *testing.T) {
			damage()
			i := start()
			result, err := i.Run(t.Context(), "6 * 7", nil)
			require.NoError(t, err)
			require.Equal(t, "42", result.Text)
			now, err := os.ReadFile(filepath.Join(entry, "memory"))
			require.NoError(t, err)
			require.Len(t, now, len(memory))
		})
	}
}

// TestNothingIsLeft runs code after each that leaves something, in the same sandbox where it is used again. The memory
// of the sandbox before that is compared, byte by byte, with one that has not been used. All start from an image on
// disk.
func TestNothingIsLeft(t *testing.T) {
	const probe = `
import sys, os, random, json, asyncio, time, warnings, gc
print(json.dumps(sorted(os.environ)), json.loads('1'))
await asyncio.sleep(0)
time.sleep(0)
[sorted(globals()), hasattr(sys, 'S3CRET'), sys.path, len(sys.modules),
    sys.getrecursionlimit(), gc.isenabled(), os.getcwd(),
	len(warnings.filters), open('/file').read(), sorted(os.listdir('/')), hash('a')]`
	ownInterpreter(t, sandbox.EngineOptions{}) // makes the image if it is not there
	i := ownInterpreter(t, sandbox.EngineOptions{MaxIdle: 1})
	first, err := i.Run(t.Context(), probe, leftOverOptions(t, i))
	require.NoError(t, err)
	fresh := nextSandbox(t, i)
	require.False(t, bytes.Contains(fresh.memory, []byte("S3CRET")))
	for _, test := range leftOvers {
		t.Run(test.name, func(t *testing.T) {
			before := nextSandbox(t, i).at
			_, err := i.Run(t.Context(), test.code, leftOverOptions(t, i))
			require.True(t, err == nil || IsScriptFailure(err), "%v", err)
			after := nextSandbox(t, i)
			require.Equal(t, test.reused, before == after.at)
			require.True(t, bytes.Equal(fresh.memory, after.memory), "something is left in memory")
			require.Equal(t, fresh.vm, after.vm)
			require.Equal(t, session{}, after.session)
			require.Zero(t, after.files)
			result, err := i.Run(t.Context(), probe, leftOverOptions(t, i))
			require.NoError(t, err)
			require.Equal(t, first.Text, result.Text)
			require.Equal(t, first.Console, result.Console)
			require.Equal(t, first.Usage.Memory, result.Usage.Memory)
		})
	}
}

// TestRandomness is new in each run.
func TestRandomness(t *testing.T) {
	i := ownInterpreter(t, sandbox.EngineOptions{})
	for _, code := range []string{
		"import random\nrandom.random()", "import secrets\nsecrets.token_hex()", "import uuid\nstr(uuid.uuid4())",
		"import os\nos.urandom(8)",
		"import random\nrandom.Random().random()", "import tempfile\nnext(tempfile._get_candidate_names())",
		"import uuid\nstr(uuid.uuid1())",
	} {
		seen := map[string]bool{}
		for range 3 {
			result, err := i.Run(t.Context(), code, nil)
			require.NoError(t, err)
			require.False(t, seen[result.Text], "%s: %s", code, result.Text)
			seen[result.Text] = true
		}
	}
}

// TestWorkIsTheSameInEachSandbox runs code in new sandboxes and used ones.
func TestWorkIsTheSameInEachSandbox(t *testing.T) {
	i := ownInterpreter(t, sandbox.EngineOptions{MaxIdle: 1})
	work := map[int64]int{}
	for range 4 {
		result, err := i.Run(t.Context(), "sum(range(10000))", nil)
		require.NoError(t, err)
		work[result.Usage.Work]++
		_, err = i.Run(t.Context(), "while True: pass", &RunOptions{Limits: sandbox.Limits{Work: 100_000}})
		require.Error(t, err)
	}
	require.Len(t, work, 1, "%v", work)
}
