package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestColumns checks which lines are found, with and without exceptions.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	long := strings.Repeat("é", 121) + "\n"
	write("fine.go", strings.Repeat("é", 120)+"\n\t"+strings.Repeat("x", 116)+"\n")
	write("long.js", "short\n"+long)
	write("tab.go", "\n\t\t"+strings.Repeat("x", 113)+"\n")
	write("data.txt", long)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	for name, test := range map[string]struct {
		exceptions string
		want       []string
	}{
		"without exceptions": {"", []string{"long.js:2: longer than 120 columns", "tab.go:2: longer than 120 columns"}},
		"with exceptions":    {"1 long.js\n1 tab.go\n", nil},
		"with too many": {"2 long.js\n1 tab.go\n1 fine.go\n1 data.txt\n", []string{
			"data.txt: is among the exceptions, and is no file of these kinds",
			"fine.go: the list of exceptions has 1 long lines, and there are 0",
			"long.js: the list of exceptions has 2 long lines, and there are 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			problems, err := check(dir, write("exceptions", test.exceptions), false)
			slices.Sort(problems)
			if err != nil || !slices.Equal(problems, test.want) {
				t.Fatal(err, problems)
			}
		})
	}
}
