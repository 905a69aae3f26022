//go:build suites

package javascript_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// quickJSShim stands for the modules of QuickJS' own command line. What is not there is an error of the test, which is
// no crash.
const quickJSShim = `
	export function gc() {
		for (let round = 0; round < 2; round++) {
			const probe = (() => { const cycle = {}; cycle.self = cycle; return new WeakRef(cycle) })();
			const kept = [];
			for (let i = 0; probe.deref() && i < 48; i++) kept.push(new ArrayBuffer(1 << 19));
		}
	}
	export const std = { gc };
`

var (
	quickJSModules = regexp.MustCompile(`["']qjs:\w+["']`)
	quickJSNoTests = regexp.MustCompile(`^(fixture_|microbench|test_worker|assert\.js|empty\.js|bug1672$)`)
	topLevel       = regexp.MustCompile(`(?ms)^(?:async )?function\*? (\w+)\([^\n]*\)\s*^?\{.*?^\}`)
)

// TestQuickJS runs the tests of QuickJS-ng itself, of any version, in the checkout that TOOLRUN_QUICKJS names. They
// may fail: this engine is older than most of them. None may crash it. Of those that it cannot compile, each function
// runs by itself.
func TestQuickJS(t *testing.T) {
	checkout := os.Getenv("TOOLRUN_QUICKJS")
	if checkout == "" {
		t.Skip("TOOLRUN_QUICKJS does not name a checkout of quickjs-ng/quickjs")
	}
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/shim.js", []byte(quickJSShim), 0o600))
	tests := map[string]string{}
	root := filepath.Join(checkout, "tests")
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, file)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && quickJSNoTests.MatchString(entry.Name()): // endless loops
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		source := quickJSModules.ReplaceAllString(string(data), `"/shim.js"`)
		if path.Ext(file) == ".js" && !quickJSNoTests.MatchString(entry.Name()) {
			tests[filepath.ToSlash(name)] = source
		}
		return afero.WriteFile(files, "/"+filepath.ToSlash(name), []byte(source), 0o600)
	}))
	require.Greater(t, len(tests), 60, "this is no checkout of quickjs-ng/quickjs")

	passed, failed := 0, 0
	attempt := func(source string) error {
		_, err := engine.Run(t.Context(), source, &javascript.RunOptions{
			Files: files, Limits: sandbox.Limits{Time: 10 * time.Second},
			Functions: []javascript.Function{{Name: "print", Call: func(context.Context, []any) (any, error) {
				return nil, nil
			}}},
		})
		return err
	}
	check := func(name, source string) (compiles bool) {
		err := attempt(source)
		if err == nil {
			passed++
			return true
		}
		failed++
		var crash *sandbox.CrashError
		if errors.As(err, &crash) || !javascript.IsScriptFailure(err) {
			t.Errorf("%s: %v", name, err)
		}
		var script *javascript.ScriptError
		return !errors.As(err, &script) || !script.Syntax
	}
	for name, source := range tests {
		if check(name, source) {
			continue
		}
		for _, function := range topLevel.FindAllStringSubmatch(source, -1) {
			check(name+": "+function[1], strings.Join(
				[]string{`import { assert, assertThrows } from "/assert.js"; import * as std from "/shim.js";`,
					"const os = {}, bjson = {};", function[0], "await " + function[1] + "();"}, "\n"))
		}
	}
	t.Logf("%d tests and functions of tests pass, %d fail without a crash", passed, failed)
	require.Greater(t, passed, 50)

	var crash *sandbox.CrashError
	require.ErrorAs(t, attempt(enginetest.Crash), &crash, "this would have been noticed")
}
