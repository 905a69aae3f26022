//go:build suites

package python_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines calls a function with each line of JSON in a file, which may be compressed.
func lines[T any](t *testing.T, name string, do func(T)) {
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
	for s := bufio.NewScanner(r); s.Scan(); {
		var value T
		require.NoError(t, json.Unmarshal(s.Bytes(), &value))
		do(value)
	}
}

// TestHumanEval runs the problems of openai/human-eval with their solutions and tests. TOOLRUN_HUMANEVAL names
// HumanEval.jsonl.gz. A wrong solution fails.
func TestHumanEval(t *testing.T) {
	file := named(t, "TOOLRUN_HUMANEVAL")
	s := newSandboxed(t, 64)
	problems := 0
	type problem struct {
		ID       string `json:"task_id"`
		Prompt   string `json:"prompt"`
		Solution string `json:"canonical_solution"`
		Test     string `json:"test"`
		Entry    string `json:"entry_point"`
	}
	lines(t, file, func(p problem) {
		problems++
		t.Run(p.ID, func(t *testing.T) {
			end := "\n" + p.Test + "\ncheck(" + p.Entry + ")\n"
			require.Equal(t, outcome{}, s.run(t, p.Prompt+p.Solution+end, nil, nil))
			if problems == 1 {
				require.Contains(t, s.run(t, p.Prompt+"    return None"+end, nil, nil).stderr, "AssertionError")
			}
		})
	})
	require.Equal(t, 164, problems)
}

// valuesOf prints the values of which the tests of a problem say what they should be.
const valuesOf = `
import ast
for test in %s:
    test = ast.parse(test).body[0].test
    for part in (test.left, *test.comparators) if isinstance(test, ast.Compare) else [test]:
        text = ast.unparse(part)
        try:
            value = eval(text)
            if isinstance(value, (set, frozenset)):
                value = sorted(value, key=repr)
            print(text, '=>', type(value).__name__, value)
        except Exception as error:
            print(text, '=>', type(error).__name__, error)
`

// invalidEscape is a warning that CPython 3.12 gives, and 3.11 does not.
var invalidEscape = regexp.MustCompile(`(?m)^script\.py:\d+: SyntaxWarning: invalid escape sequence .*\n  .*\n?`)

// TestMBPP compares what the solutions of google-research's mbpp.jsonl return with what they return in the Python of
// this machine, many in a program. TOOLRUN_MBPP names the file.
func TestMBPP(t *testing.T) {
	file := named(t, "TOOLRUN_MBPP")
	s := newSandboxed(t, 64)
	var programs []string
	type problem struct {
		Setup string   `json:"test_setup_code"`
		Code  string   `json:"code"`
		Tests []string `json:"test_list"`
	}
	lines(t, file, func(p problem) {
		tests, err := json.Marshal(p.Tests)
		require.NoError(t, err)
		if strings.Contains(p.Code, "getsizeof") { // objects are smaller here
			return
		}
		programs = append(programs, strings.ReplaceAll(p.Code+"\n"+p.Setup, "\r\n", "\n")+"\n"+
			strings.Replace(valuesOf, "%s", string(tests), 1))
	})
	require.Greater(t, len(programs), 900)
	// The machine's Python takes longest to start: it gets all of them in one program.
	all, err := json.Marshal(programs)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/programs.json", all, 0o666))
	want := native(t, `
import contextlib, io, json
out = []
for code in json.load(open('programs.json')):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        exec(code, {'__name__': '__main__'})
    out.append(text.getvalue())
print(json.dumps(out))`, dir)
	require.Zero(t, want.status, want.stderr)
	var outputs []string
	require.NoError(t, json.Unmarshal([]byte(want.stdout), &outputs))
	for i, code := range programs {
		got := s.run(t, code, nil, nil)
		got.stderr = invalidEscape.ReplaceAllString(got.stderr, "")
		if got != (outcome{stdout: outputs[i]}) {
			t.Errorf("problem %d\n--- here:\n%s%s--- there:\n%s", i+1, got.stdout, got.stderr, outputs[i])
		}
	}
}
