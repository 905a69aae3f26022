//go:build suites

package javascript_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

// A project of others, whose tests are run as they are, by what is in testdata/published/vitest.mjs.
type ownSuite struct {
	name     string
	variable string  // names a checkout
	tests    string  // the ending of the files that have tests
	folder   string  // the folder that has the sources, or empty for all
	share    float64 // of what passes in Node
	least    int     // how many tests pass in Node, at least
}

var ownSuites = []ownSuite{
	{
		name: "thealgorithms", variable: "TOOLRUN_THEALGORITHMS", tests: ".test.js", share: 0.998, least: 12000,
	}, {
		name: "date-fns", variable: "TOOLRUN_DATE_FNS", tests: "/test.ts", folder: "src", share: 0.99, least: 3300,
	},
}

// slow begins the reasons why files are left out: they would take longer than a run may.
const slow = "slow: "

// TestOwnSuites runs the tests of TheAlgorithms/JavaScript and date-fns by the tool and by Node: those that pass there
// pass here. Each file runs in its own sandbox, with the default limits.
func TestOwnSuites(t *testing.T) {
	for _, suite := range ownSuites {
		t.Run(suite.name, func(t *testing.T) {
			dir, files := suite.prepare(t)
			c := tally{suite: suite.name}
			listed := differences(t, suite.name)
			var programs []program
			for _, name := range files {
				if strings.HasPrefix(listed[name], slow) {
					c.add(name, false, listed[name])
					continue
				}
				run := "import { run } from 'vitest';\nawait run(() => import(%q));\n"
				there := filepath.Join(dir, "bundled", strings.TrimSuffix(name, filepath.Ext(name))+".mjs")
				programs = append(programs, program{
					name: name, module: true,
					code: fmt.Sprintf(run, "/"+name), forNode: fmt.Sprintf(run, there),
				})
			}
			here, there := inTool(t, programs, dir), inNode(t, programs, dir)
			for i, p := range programs {
				results := testResults(t, p.name, here[i].Stdout)
				for name, wrong := range testResults(t, p.name, there[i].Stdout) {
					if wrong != "" {
						continue
					}
					wrong, ran := results[name]
					if !ran {
						wrong = "it has not run:\n" + here[i].Error + "\n" + here[i].Stderr
					}
					c.add(name, wrong == "", wrong)
				}
			}
			c.check(t, suite.share, suite.least)
		})
	}
}

// testResults returns what is wrong by the names of tests, or nothing. Names that are there twice get a number.
func testResults(t *testing.T, file, output string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(output) {
		text, ok := strings.CutPrefix(line, "@test ")
		if !ok {
			continue
		}
		var result [2]string
		require.NoError(t, json.Unmarshal([]byte(text), &result))
		base := file + " > " + strings.Join(strings.Fields(result[0]), " ")
		name := base
		for n := 2; ; n++ {
			if _, there := out[name]; !there {
				break
			}
			name = fmt.Sprintf("%s #%d", base, n)
		}
		out[name] = result[1]
	}
	return out
}

// prepare copies the sources, installs packages, and returns the folder and the files in it that have tests. They are
// also bundled for Node, which loads neither TypeScript nor files whose names are not complete.
func (s ownSuite) prepare(t *testing.T) (dir string, files []string) {
	checkout := published(t, s.variable)
	dir = withPackages(t)
	for _, folder := range []string{"node_modules", "lib/node_modules"} {
		shim := filepath.Join(dir, folder, "vitest")
		require.NoError(t, os.MkdirAll(shim, 0o755))
		code, err := os.ReadFile("testdata/published/vitest.mjs")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(shim, "index.js"), code, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(shim, "package.json"),
			[]byte(`{"name":"vitest","type":"module","exports":"./index.js"}`), 0o644))
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(checkout, s.folder), func(name string, d fs.DirEntry,
		err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(checkout, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(dir, path), 0o755)
		}
		if !slices.Contains([]string{".js", ".ts", ".mjs", ".json"}, filepath.Ext(name)) {
			return nil
		}
		if strings.HasSuffix("/"+filepath.ToSlash(path), s.tests) {
			files = append(files, filepath.ToSlash(path))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), data, 0o644)
	}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o644))
	result := api.Build(api.BuildOptions{
		EntryPoints: files, AbsWorkingDir: dir, Outbase: dir, Outdir: filepath.Join(dir, "bundled"),
		OutExtension: map[string]string{".js": ".mjs"}, Write: true, Bundle: true, Packages: api.PackagesExternal,
		Format: api.FormatESModule, Target: api.ES2022, Platform: api.PlatformNode,
	})
	require.Empty(t, result.Errors)
	return dir, files
}
