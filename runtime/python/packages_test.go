package python

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// standard stands in for packages in builds that have none.
var standard = packageImage{"standard", nil, []string{"xml.dom.minidom", "wave"}, false}

// prepared returns the directories of the images with packages in a cache directory.
func prepared(t testing.TB, cache string) []string {
	kept, err := filepath.Glob(filepath.Join(cache, "prepared-*"))
	require.NoError(t, err)
	return kept
}

func contentOf(t testing.TB, dir string) map[string]string {
	files := map[string]string{}
	for _, name := range []string{"memory", "state.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		files[name] = string(data)
	}
	return files
}

// runFrom runs code in a sandbox that starts from an image.
func runFrom(t testing.TB, i *Interpreter, image *sandbox.Image, code string) *Result {
	begun, err := i.program.Begin(t.Context(), sandbox.RunOptions{})
	require.NoError(t, err)
	defer begun.End()
	r := newRun(begun, RunOptions{Name: "script.py"})
	r.code = code
	in, err := r.step(python.StepAll, func() (*sandbox.Instance, error) { return r.Start(image) })
	result, err := r.end(in, err)
	require.NoError(t, err)
	return result
}

// TestPreparedImages makes an image with modules, of which later processes start, and damages it in all ways: what is
// not exactly what was written is made again.
func TestPreparedImages(t *testing.T) {
	t.Parallel()
	cache := cacheWithoutImages(t)
	start := func() (*Interpreter, *sandbox.Image) {
		i := ownInterpreter(t, sandbox.EngineOptions{CacheDir: cache})
		image, err := i.program.Prepared(standard.preparation())
		require.NoError(t, err)
		return i, image
	}
	const code = "import sys, xml.dom.minidom\nx = [m in sys.modules for m in ('wave', 'tomllib')]\n" +
		"x, xml.dom.minidom.parseString('<a b=\"c\"/>').documentElement.getAttribute('b')"
	const want = "([True, False], 'c')"
	made, image := start()
	first := runFrom(t, made, image, code)
	require.Equal(t, want, first.Text)
	require.Len(t, prepared(t, cache), 1)
	entry := prepared(t, cache)[0]
	good := contentOf(t, entry)
	written, err := os.Stat(filepath.Join(entry, "memory"))
	require.NoError(t, err)

	i, image := start()
	again := runFrom(t, i, image, code)
	require.Equal(t, want, again.Text)
	require.Equal(t, first.Usage.Work, again.Usage.Work, "the work of the imports counts in each run")
	require.Greater(t, first.Usage.Work, runFrom(t, i, nil, "1").Usage.Work+1_000_000)
	still, err := os.Stat(filepath.Join(entry, "memory"))
	require.NoError(t, err)
	require.True(t, os.SameFile(written, still), "it was made again")
	require.Equal(t, 1, i.engine.Stats().Images)

	seen := map[string]bool{}
	for range 2 {
		i, image := start()
		for range 2 {
			seen[runFrom(t, i, image, "import random, uuid, os\nrandom.random(), uuid.uuid4(), os.urandom(8)").Text] =
				true
		}
	}
	require.Len(t, seen, 4, "seeds differ")

	rewrite := func(name string, change func([]byte) []byte) func() {
		return func() {
			data, err := os.ReadFile(filepath.Join(entry, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(entry, name), change(data), 0o600))
		}
	}
	// forge is what looks as if it had been written so.
	forge := func(memory, state string) func() {
		return func() {
			require.NoError(t, os.RemoveAll(entry))
			var key cachedir.Key
			_, err := hex.Decode(key[:], []byte(strings.TrimPrefix(filepath.Base(entry), "prepared-")))
			require.NoError(t, err)
			e, err := cachedir.Open(cache, "prepared", key)
			require.NoError(t, err)
			require.NoError(t, e.Write("memory", []byte(memory)))
			require.NoError(t, e.Write("state.json", []byte(state)))
			require.NoError(t, e.Publish())
		}
	}
	ofBase := contentOf(t, images(t, cache)[0])
	page := os.Getpagesize()
	for name, damage := range map[string]func(){
		"a bit of the memory": rewrite("memory", func(data []byte) []byte { data[len(data)/2] ^= 1; return data }),
		"a bit of the state":  rewrite("state.json", func(data []byte) []byte { data[len(data)/2] ^= 1; return data }),
		"the end":             rewrite("memory", func(data []byte) []byte { return data[:len(data)-page] }),
		"nothing":             rewrite("memory", func(data []byte) []byte { return nil }),
		"more": rewrite("memory", func(data []byte) []byte {
			return append(data, make([]byte, page)...)
		}),
		"a file that is missing": func() {
			require.NoError(t, os.Remove(filepath.Join(entry, "state.json")))
		},
		"no image":               forge("memory", good["state.json"]),
		"an image that is short": forge(good["memory"][:len(good["memory"])-page], good["state.json"]),
		"no state":               forge(good["memory"], "state"),
		"globals of another":     forge(good["memory"], `{"Globals":[1,2,3],"State":{}}`),
		"a state of another": forge(good["memory"],
			strings.Replace(good["state.json"], `"Run":`, `"Run":1`, 1)),
		"work of nobody": forge(good["memory"], strings.Replace(good["state.json"], `"Work":`, `"Work":-`, 1)),
		"a half unit of it": forge(good["memory"],
			strings.Replace(good["state.json"], `"Remainder":`, `"Remainder":99`, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			damage()
			i, image := start()
			require.Equal(t, want, runFrom(t, i, image, code).Text)
			require.Equal(t, good, contentOf(t, entry))
		})
	}
	t.Run("removed while it is used", func(t *testing.T) {
		i, image := start()
		require.NoError(t, os.RemoveAll(entry))
		require.Equal(t, want, runFrom(t, i, image, code).Text)
	})
	require.Equal(t, ofBase, contentOf(t, images(t, cache)[0]))
}

// TestPreparedImagesWithoutARightPlace has no cache directory, or one that others can change or nobody can write to.
func TestPreparedImagesWithoutARightPlace(t *testing.T) {
	t.Parallel()
	cache := cacheWithoutImages(t)
	told := 0
	i := ownInterpreter(t, sandbox.EngineOptions{CacheDir: cache, CacheFailed: func(error) { told++ }})
	require.NoError(t, os.Chmod(cache, 0o777))
	t.Cleanup(func() { require.NoError(t, os.Chmod(cache, 0o700)) })
	image, err := i.program.Prepared(standard.preparation())
	require.NoError(t, err)
	require.Equal(t, "42", runFrom(t, i, image, "6 * 7").Text)
	require.Equal(t, 1, told)
	require.Empty(t, prepared(t, cache))

	broken := packageImage{"broken", nil, []string{"no_such_module"}, false}
	for range 2 {
		_, err = i.program.Prepared(broken.preparation())
		require.ErrorContains(t, err, "No module named 'no_such_module'")
	}
	require.Equal(t, "42", outcomeText(t, i, "6 * 7", RunOptions{}))
}

func outcomeText(t testing.TB, i *Interpreter, code string, options RunOptions) string {
	t.Helper()
	if options.Limits.Time == 0 {
		options.Limits.Time = 5 * time.Minute
	}
	result, err := i.Run(t.Context(), code, &options)
	require.NoError(t, err)
	return result.Text
}

// TestPackageImageFor finds out which image code begins with.
func TestPackageImageFor(t *testing.T) {
	there := []string{"numpy", "pandas", "pytz", "matplotlib"}
	for code, want := range map[string]string{
		"import numpy as np": "numpy", "import pandas": "pandas", "from numpy.linalg import svd": "numpy",
		"import numpy\nimport pandas": "pandas", "import pandas\nimport numpy": "pandas",
		"import os, pandas as pd": "pandas", "x = 1\nimport os as o, json, numpy as np": "numpy",
		"def f():\n    import pandas\n    return pandas": "pandas", "'''doc'''\nfrom pandas import DataFrame": "pandas",
		"import pytz": "", "import pandas_gbq": "", "import my.numpy": "", "# import numpy": "",
		"from . import numpy": "",
		"x = 'import numpy'":  "", "import numpy_financial, pandas": "pandas",
		"import matplotlib.pyplot as plt\nimport pandas":                    "matplotlib",
		"import numpy\ndef f():\n    from matplotlib import pyplot":         "matplotlib",
		"import sys\nsys.path.insert(0, '/mine')\nimport numpy":             "",
		"import os\nos.environ['PANDAS_X'] = '1'\nimport pandas":            "",
		"import numpy\nimport sys\nsys.path.append('/mine')\nimport pandas": "numpy",
	} {
		got := ""
		if image := packageImageFor(code, python.LeadingImports(code), there); image != nil {
			got = image.name
		}
		require.Equal(t, want, got, code)
		require.Nil(t, packageImageFor(code, python.LeadingImports(code), nil), code)
	}
}

// dataInterpreter skips a test where the build has no NumPy and no pandas.
func dataInterpreter(t testing.TB, options sandbox.EngineOptions) *Interpreter {
	i := ownInterpreter(t, options)
	if packages := i.Packages(); !slices.Contains(packages, "numpy") || !slices.Contains(packages, "pandas") {
		t.Skip("this build of Python has no packages for data")
	}
	return i
}

// TestPackagesOfNobody lets a run that has secrets be the first one that needs an image with packages. There is nothing
// of it in the image, which is the same as that which any other run gives rise to.
func TestPackagesOfNobody(t *testing.T) {
	dataInterpreter(t, sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	const use = "import pandas as pd, numpy as np, own # S3CRET\nkept = pd.DataFrame({'S3CRET': [own.x] * 1000})\n" +
		"pd.kept = np.kept = kept\npd.set_option('display.max_rows', 7)\nprint('S3CRET' * 100)\nlen(kept)"
	secret := RunOptions{Owner: "S3CRET", Name: "S3CRET.py", Args: []string{"S3CRET"}, Stdin: []byte("S3CRET"),
		Environment: map[string]string{"S3CRET": "S3CRET"},
		Files:       libraryFiles(t, map[string]string{"/lib/python/own.py": "x = 'S3CRET'", "/S3CRET": "S3CRET"}),
		Functions:   []Function{{Name: "S3CRET"}}}
	secret.Functions = withFunction(RunOptions{}, "S3CRET", 1).Functions
	var made []map[string]string
	for n, options := range []RunOptions{secret, {}} {
		cache := cacheWithoutImages(t)
		i := dataInterpreter(t, sandbox.EngineOptions{CacheDir: cache})
		if n == 0 {
			require.Equal(t, "1000", outcomeText(t, i, use, options))
		} else {
			require.Equal(t, "1", outcomeText(t, i, "import pandas\n1", options))
		}
		require.Len(t, prepared(t, cache), 1)
		made = append(made, contentOf(t, prepared(t, cache)[0]))
		for name, content := range made[n] {
			require.NotContains(t, content, "S3CRET", name)
		}
		// whoever comes next, in this process or another one
		for _, i := range []*Interpreter{i, dataInterpreter(t, sandbox.EngineOptions{CacheDir: cache})} {
			const look = "import pandas as pd, numpy as np\n" +
				"hasattr(pd, 'kept'), hasattr(np, 'kept'), pd.get_option('display.max_rows')"
			require.Equal(t, "(False, False, 60)", outcomeText(t, i, look, RunOptions{Owner: "another"}))
			image, err := i.program.Prepared(packageImages[1].preparation())
			require.NoError(t, err)
			begun, err := i.program.Begin(t.Context(),
				sandbox.RunOptions{Limits: sandbox.Limits{Memory: PackagesMemory}})
			require.NoError(t, err)
			defer begun.End()
			in, err := begun.Start(image)
			require.NoError(t, err)
			memory, ok := in.Module().Memory().Read(0, in.Module().Memory().Size())
			require.True(t, ok)
			require.False(t, bytes.Contains(memory, []byte("S3CRET")))
		}
	}
	require.Equal(t, made[1], made[0])
}

// TestPackagesInRuns compares what runs give that start from an image with packages with what they give when they
// import them themselves.
func TestPackagesInRuns(t *testing.T) {
	i := dataInterpreter(t, sandbox.EngineOptions{})
	for _, p := range packageImages {
		if !slices.Contains(i.Packages(), p.name) {
			continue
		}
		_, err := i.program.Prepared(p.preparation())
		require.NoError(t, err)
	}
	image := func(options RunOptions, code string) string {
		options, err := options.withDefaults(i.program)
		require.NoError(t, err)
		begun, err := i.program.Begin(t.Context(), sandbox.RunOptions{})
		require.NoError(t, err)
		defer begun.End()
		r := newRun(begun, options)
		r.code = code
		set, err := r.findLibraries(i.program)
		require.NoError(t, err)
		if set == nil || set.packages == nil {
			return "none"
		}
		return fmt.Sprint(len(set.modules))
	}
	empty := RunOptions{Files: libraryFiles(t, nil)}
	require.Equal(t, "0", image(empty, "import pandas"))
	require.Equal(t, "0", image(RunOptions{}, "import os\nx = 1\nimport numpy"))
	var work []int64
	for range 3 {
		result, err := i.Run(t.Context(), "import pandas as pd\nint(pd.Series([1, 2]).sum())", &empty)
		require.NoError(t, err)
		require.Equal(t, "3", result.Text)
		work = append(work, result.Usage.Work)
	}
	require.Less(t, slices.Max(work)-slices.Min(work), int64(10_000),
		"work does not depend on what is kept, but on how many digits a seed has: %v", work)

	for name, files := range map[string]string{
		"a module that pandas looks for": "/lib/python/pyarrow.py",
		"one of the project's own":       "/bottleneck.py",
		"a package":                      "/lib/python/numexpr/__init__.py",
	} {
		t.Run(name, func(t *testing.T) {
			options := RunOptions{Files: libraryFiles(t, map[string]string{files: "print('mine')\nraise ImportError"})}
			require.Equal(t, "none", image(options, "import pandas"))
			out := outcome(t, i, "import pandas\n6 * 7", options)
			require.Contains(t, out, "42")
			require.Contains(t, out, "mine")
			require.Equal(t, "0", image(options, "import numpy"), "NumPy does not look for it")
		})
	}
	t.Run("another folder of libraries", func(t *testing.T) {
		options := RunOptions{Libraries: []string{"/one", "/two"},
			Files: libraryFiles(t, map[string]string{"/two/pyarrow.py": "print('mine')\nraise ImportError",
				"/one/own.py": "x = 6 * 7"})}
		require.Contains(t, outcome(t, i, "import pandas\n1", options), "mine")
		require.NoError(t, options.Files.Remove("/two/pyarrow.py"))
		require.Equal(t, "0", image(options, "import pandas"))
		require.Equal(t, "42\n", outcome(t, i, "import pandas\nimport own\nown.x", options))
		require.Equal(t, "(['/one', '/two'], 42)\n", outcome(t, i,
			"import pandas, own, sys\nsys.path[-3:-1], own.x", options))
	})
	t.Run("libraries of the project that use them", func(t *testing.T) {
		seen := map[string]bool{}
		for n, library := range []string{
			"import numpy as np, random\nmine = random.Random()\ndef f(): return np.random.rand(), mine.random()",
			"from numpy.random import rand as f"} {
			options := RunOptions{Owner: fmt.Sprint("libraries", n), Files: libraryFiles(t, map[string]string{
				"/lib/python/own.py": library})}
			before := i.engine.Stats().Images
			for range 4 {
				result := outcome(t, i, "import numpy as np\nimport own\nown.f()", options)
				require.NotContains(t, seen, result, "seeds differ")
				seen[result] = true
				require.Equal(t, before+1, i.engine.Stats().Images, "its image is kept")
			}
		}
	})
	t.Run("variables that they read", func(t *testing.T) {
		options := RunOptions{Environment: map[string]string{"PANDAS_COPY_ON_WRITE": "1"}}
		const code = "import pandas as pd\npd.options.mode.copy_on_write"
		require.Equal(t, "True", outcomeText(t, i, code, options))
		require.Equal(t, "False", outcomeText(t, i, code, RunOptions{Environment: map[string]string{"A": "1"}}))
	})
	t.Run("the year", func(t *testing.T) {
		require.Equal(t, "(True, True)", outcomeText(t, i, "import pandas as pd, datetime\nfrom dateutil.parser "+
			"import parse\nyear = datetime.date.today().year\nparse('1/1/%02d' % ((year + 40) % 100)).year == year + "+
			"40, pd.Timestamp.now().year == year", RunOptions{}))
	})
	t.Run("less memory than they take", func(t *testing.T) {
		for code, memory := range map[string]int64{"import pandas\n1": 50 << 20, "import numpy\n1": 42 << 20} {
			result, err := i.Run(t.Context(), code, &RunOptions{Limits: sandbox.Limits{Memory: memory}})
			require.True(t, err == nil || IsScriptFailure(err), "%v", err)
			require.LessOrEqual(t, result.Usage.Memory, memory)
		}
	})
	t.Run("sessions", func(t *testing.T) {
		first, err := i.Run(t.Context(), "import numpy as np\na = np.arange(3)", &RunOptions{Session: true})
		require.NoError(t, err)
		require.Equal(t, "3", outcomeText(t, i, "int(a.sum())", RunOptions{Session: true, State: first.State}))
	})
}

// TestPackagesInHostileFiles has files that cannot be looked at.
func TestPackagesInHostileFiles(t *testing.T) {
	i := dataInterpreter(t, sandbox.EngineOptions{})
	for name, then := range map[string]func() error{
		"panics": func() error { panic("no") }, "fails": func() error { return afero.ErrFileClosed },
		"hangs": func() error { select {} },
	} {
		for _, n := range []int32{0, 1, 5, 20} {
			files := &hostileFiles{Fs: libraryFiles(t, nil), then: then}
			files.left.Store(n)
			limit := 5 * time.Minute
			if name == "hangs" {
				limit = 200 * time.Millisecond
			}
			result, err := i.Run(t.Context(), "import pandas\n1", &RunOptions{Files: files,
				Limits: sandbox.Limits{Time: limit}})
			require.NotNil(t, result, name)
			require.True(t, err == nil || IsScriptFailure(err), "%s: %v", name, err)
		}
	}
}
