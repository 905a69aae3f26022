// The command bench compares this project with other ways to run JavaScript, Python and shells: the same work, done by
// turns in one process each, and the result as Markdown. Run it from the root of the repository:
//
//	go -C bench run .
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/toolrun/toolrun/bench/protocol"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are what the flags say.
type settings struct {
	rounds int
	quick  bool
	only   *regexp.Regexp
	node   bool
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "-serve" {
		return exitCode(serve(args[1]), stderr)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var s settings
	flags.IntVar(&s.rounds, "rounds", 5, "how many times everything is done")
	flags.BoolVar(&s.quick, "quick", false, "do little of everything, and once: the figures say nothing")
	flags.BoolVar(&s.node, "node", hasNode(), "include what needs Node and npm")
	only := flags.String("only", "",
		"do only what matches the `regexp`, as table/contestant: \"start|v8/(toolrun|goja)$\"")
	out := flags.String("out", "", "write into `file` instead: between its markers, if it has them")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	var err error
	if s.only, err = regexp.Compile(*only); err != nil || flags.NArg() > 0 || s.rounds < 1 {
		fmt.Fprintln(stderr, "bench: wrong arguments", flags.Args(), err)
		return 2
	}
	return exitCode(compare(s, *out, stdout, stderr), stderr)
}

func exitCode(err error, stderr io.Writer) int {
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// serve is what a process does that runs one engine.
func serve(id string) error {
	start, ok := engines[id]
	if !ok {
		return fmt.Errorf("there is no engine %q", id)
	}
	engine, err := start()
	if err != nil {
		return err
	}
	return protocol.Serve(engine, os.Stdin, os.Stdout)
}

func compare(s settings, out string, stdout, stderr io.Writer) error {
	if _, err := os.Stat("v8suite/driver.js"); err != nil {
		return errors.New("it has to run in its own directory, as with go -C bench run ., to find its files")
	}
	if s.quick {
		s.rounds = 1
	}
	field, err := newField(s, stderr)
	if err != nil {
		return err
	}
	defer field.close()
	tables, err := field.tables()
	if err != nil {
		return err
	}
	for _, t := range tables {
		field.measure(t)
	}
	text := field.document(tables)
	if out == "" {
		_, err = io.WriteString(stdout, text)
	} else {
		err = writeDocument(out, text)
	}
	for _, t := range tables {
		err = errors.Join(err, t.failureOfOurs())
	}
	return err
}
