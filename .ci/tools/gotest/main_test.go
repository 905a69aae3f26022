package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testFile has one test, that ends as the environment says. A test that is flaky fails once.
const testFile = `package p

import (
	"os"
	"testing"
)

func Test(t *testing.T) {
	if _, err := os.Stat("failed"); err == nil {
		return
	}
	switch os.Getenv("ENDING") {
	case "fail":
		t.Fatal("as always")
	case "flaky":
		os.WriteFile("failed", nil, 0o666)
		t.Run("row", func(t *testing.T) { t.Fatal("once") })
	case "panic":
		os.WriteFile("failed", nil, 0o666)
		panic("once")
	case "hang":
		os.WriteFile("failed", nil, 0o666)
		select {}
	}
}
`

// TestGotest checks what the command makes of each kind of ending.
func TestGotest(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "gotest")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	for name, test := range map[string]struct {
		ending, before string
		strict         bool
		ok             bool
		want           string
	}{
		"passes":          {ok: true, want: "ok  \tp"},
		"fails":           {ending: "fail", want: "FAILS AGAIN p Test\n"},
		"flaky":           {ending: "flaky", ok: true, want: "FLAKY p Test\n"},
		"flaky, strictly": {ending: "flaky", strict: true, want: "once"},
		"the second":      {ending: "flaky", before: "x\n", ok: true, want: "FLAKY p Test\n"},
		"the third":       {ending: "flaky", before: "x\ny\n", want: "3 tests are flaky"},
		"a panic":         {ending: "panic", ok: true, want: "FLAKY p\n"},
		"hangs":           {ending: "hang", ok: true, want: "[select (no cases)"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{
				"go.mod": "module p\n", "p_test.go": testFile, "flaky": test.before,
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"go", "test", "-count=1", "-timeout=2s", "./..."}
			if test.strict {
				args = append([]string{"-strict"}, args...)
			}
			cmd := exec.Command(binary, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "ENDING="+test.ending, "TOOLRUN_FLAKY="+filepath.Join(dir, "flaky"))
			out, err := cmd.CombinedOutput()
			if (err == nil) != test.ok || !strings.Contains(string(out), test.want) {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// TestWhatDoesNotCompile checks that it is not run again.
func TestWhatDoesNotCompile(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{"go.mod": "module p\n", "p_test.go": "package p\n\nvar x int = \"\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out strings.Builder
	if failures, final := run(&out, []string{"./..."}); !final || !strings.Contains(out.String(), "cannot use") {
		t.Fatal(failures, final, out.String())
	}
}
