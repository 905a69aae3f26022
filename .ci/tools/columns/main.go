// Command columns finds lines that are longer than 120 columns, with tabs of 4, in the files of a repository that
// people write as code. It is given the repository's directory and a list of exceptions: lines of a number and a file,
// which may have as many long lines, since it holds data or texts that cannot be broken. With -list it prints that list
// anew.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const limit = 120

func main() {
	list := flag.Bool("list", false, "print the list of exceptions as it would have to be")
	flag.Parse()
	problems, err := check(flag.Arg(0), flag.Arg(1), *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, problem := range problems {
		fmt.Println(problem)
	}
	if len(problems) > 0 && !*list {
		os.Exit(1)
	}
}

// check returns what is wrong with the files of a repository, or the list of exceptions that would make it right.
func check(dir, exceptions string, list bool) (problems []string, err error) {
	allowed := map[string]int{}
	if !list {
		data, err := os.ReadFile(exceptions)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			var n int
			var name string
			if _, err := fmt.Sscan(line, &n, &name); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", exceptions, line, err)
			}
			allowed[name] = n
		}
	}
	git := exec.Command("git", "ls-files", "-z", "*.go", "*.js", "*.mjs", "*.ts", "*.css", "*.py", "*.sh")
	git.Dir = dir
	out, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		long, err := longLines(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case os.IsNotExist(err): // removed, and not yet committed
		case err != nil:
			return nil, err
		case list && len(long) > 0:
			problems = append(problems, fmt.Sprint(len(long), " ", name))
		case len(long) > allowed[name]:
			for _, line := range long {
				problems = append(problems, fmt.Sprintf("%s:%d: longer than %d columns", name, line, limit))
			}
		case len(long) < allowed[name]:
			problems = append(problems, fmt.Sprintf("%s: the list of exceptions has %d long lines, and there are %d",
				name, allowed[name], len(long)))
		}
		delete(allowed, name)
	}
	for name := range allowed {
		problems = append(problems, name+": is among the exceptions, and is no file of these kinds")
	}
	return problems, nil
}

// longLines returns the numbers of the lines of a file that are too long.
func longLines(name string) (long []int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		width := 0
		for _, r := range lines.Text() {
			if width++; r == '\t' {
				width += 3 - (width-1)%4
			}
		}
		if width > limit {
			long = append(long, n)
		}
	}
	return long, lines.Err()
}
