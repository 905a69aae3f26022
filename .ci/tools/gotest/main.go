// Command gotest runs a command that begins with "go test", and runs what fails twice more, by itself. A test that then
// passes both times is flaky: its name is printed, and it does not count as a failure, but three of them do. They are
// counted over all commands that name the same file in TOOLRUN_FLAKY. What the race detector finds, and what does not
// compile, fails at once. With -strict, nothing is run again.
//
// The flags of go test are given as -flag=value.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// tolerated is how many flaky tests pass.
const tolerated = 2

// An event is a line of `go test -json`: see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
}

// A failure is a test that failed, or a package that ended before its tests did if test is "".
type failure struct{ pkg, test string }

func (f failure) String() string { return strings.TrimSpace(f.pkg + " " + f.test) }

// death matches what the output of a test binary has that did not end by itself.
var death = regexp.MustCompile(`(?m)^(panic: |fatal error: |signal: |exit status [^1])`)

func main() {
	strict := flag.Bool("strict", false, "do not run again what fails")
	flag.Parse()
	args := flag.Args()
	if len(args) < 2 || args[0] != "go" || args[1] != "test" {
		fmt.Fprintln(os.Stderr, `usage: gotest [-strict] go test ...`)
		os.Exit(2)
	}
	failures, final := run(os.Stdout, args[2:])
	if final || *strict && len(failures) > 0 {
		os.Exit(1)
	}
	if len(failures) == 0 {
		return
	}
	var flags []string
	for _, arg := range args[2:] {
		if strings.HasPrefix(arg, "-") {
			flags = append(flags, arg)
		}
	}
	ok := true
	for _, f := range failures {
		if fails(f, flags) {
			fmt.Println("FAILS AGAIN", f)
			ok = false
		} else {
			fmt.Println("FLAKY", f)
			flaky(f)
		}
	}
	if all := flaky(); len(all) > tolerated {
		fmt.Printf("%d tests are flaky: %d are too many\n", len(all), tolerated+1)
		ok = false
	}
	if !ok {
		os.Exit(1)
	}
}

// fails runs a failure again, by itself, and reports whether it fails in one of two runs.
func fails(f failure, flags []string) bool {
	args := append(slices.Clone(flags), "-count=1")
	if f.test != "" {
		args = append(args, "-run=^"+regexp.QuoteMeta(f.test)+"$")
	}
	for range 2 {
		if failures, final := run(os.Stdout, append(args, f.pkg)); final || len(failures) > 0 {
			return true
		}
	}
	return false
}

// run runs the tests and prints a line for each package, and the output of those that fail. It returns the failures,
// and whether they are final.
func run(w io.Writer, args []string) (failures []failure, final bool) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	output := map[failure]*bytes.Buffer{} // of a test, and of what belongs to none in a package
	failed := map[string][]failure{}
	died := map[string]bool{} // packages that did not end by themselves
	broken := false
	look := func(pkg string, out []byte) {
		died[pkg] = died[pkg] || death.Match(out)
		broken = broken || bytes.Contains(out, []byte("WARNING: DATA RACE"))
		w.Write(out)
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil { // what go itself says
			fmt.Fprintln(w, lines.Text())
			continue
		}
		name, _, sub := strings.Cut(e.Test, "/")
		of := failure{e.Package, name}
		out := output[of]
		if out == nil {
			out = &bytes.Buffer{}
			output[of] = out
		}
		switch {
		case e.Action == "build-output":
			fmt.Fprint(w, e.Output)
		case e.Action == "build-fail":
			broken = true
		case e.Action == "output":
			out.WriteString(e.Output)
		case sub:
		case e.Action == "fail" && name != "":
			failed[e.Package] = append(failed[e.Package], of)
			look(e.Package, out.Bytes())
			delete(output, of)
		case e.Action == "fail":
			for of, out := range output { // also of the tests that ran when it ended, such as by a timeout
				if of.pkg == e.Package {
					look(e.Package, out.Bytes())
					delete(output, of)
				}
			}
			here := failed[e.Package]
			if len(here) == 0 || died[e.Package] {
				here = []failure{{pkg: e.Package}} // other tests may not have run
			}
			failures = append(failures, here...)
		case (e.Action == "pass" || e.Action == "skip") && name == "":
			all := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			fmt.Fprintln(w, all[len(all)-1])
			delete(output, of)
		case e.Action == "pass" || e.Action == "skip":
			delete(output, of)
		}
	}
	err = cmd.Wait()
	return failures, broken || lines.Err() != nil || err != nil && len(failures) == 0
}

// found are the flaky tests of this command, where no file keeps them.
var found []string

// flaky adds to the tests that are counted, and returns all of them.
func flaky(more ...failure) []string {
	for _, f := range more {
		found = append(found, f.String())
	}
	name := os.Getenv("TOOLRUN_FLAKY")
	if name == "" {
		return found
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer file.Close()
	for _, f := range more {
		fmt.Fprintln(file, f)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
