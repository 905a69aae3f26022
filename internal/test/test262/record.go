package test262

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Failures are the cases that are known to fail, by [Case.String], with the reasons.
type Failures map[string]string

// ParseFailures reads a list: each line has the path of a test and the modes in which it fails. Comments before a
// line, which begin with #, give the reason for it and for those that follow up to an empty line.
func ParseFailures(text string) (Failures, error) {
	failures := Failures{}
	reason := ""
	for number, line := range numbered(text) {
		switch comment, isComment := strings.CutPrefix(line, "#"); {
		case line == "":
			reason = ""
		case isComment:
			reason = strings.TrimSpace(reason + " " + strings.TrimSpace(comment))
		default:
			fields := strings.Fields(line)
			if len(fields) < 2 {
				return nil, fmt.Errorf("test262: line %d of the failures does not say in which modes", number)
			}
			for _, mode := range fields[1:] {
				switch Mode(mode) {
				case Sloppy, Strict, Module:
				default:
					return nil, fmt.Errorf("test262: line %d of the failures has the mode %q", number, mode)
				}
				name := fields[0] + " " + mode
				if _, twice := failures[name]; twice {
					return nil, fmt.Errorf("test262: line %d of the failures has %s again", number, name)
				}
				failures[name] = reason
			}
		}
	}
	return failures, nil
}

// numbered yields the lines of a text, from 1, without spaces around them.
func numbered(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		lines := bufio.NewScanner(strings.NewReader(text))
		for n := 1; lines.Scan(); n++ {
			if !yield(n, strings.TrimSpace(lines.Text())) {
				return
			}
		}
	}
}

// String returns the list without reasons.
func (f Failures) String() string {
	modes := map[string][]string{}
	for name := range f {
		path, mode, _ := strings.Cut(name, " ")
		modes[path] = append(modes[path], mode)
	}
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(modes)) {
		slices.Sort(modes[path])
		fmt.Fprintf(&out, "%s %s\n", path, strings.Join(modes[path], " "))
	}
	return out.String()
}

// Record describes the results of a commit of the suite.
type Record struct {
	Commit   string   // of the suite
	Engine   string   // what tells it from others
	Cases    int      // how many are run
	Failures Failures // those that fail in the engine by itself, and so in a sandbox too
}

// ParseRecord reads what [Record.String] returns.
func ParseRecord(text string) (*Record, error) {
	head, list, _ := strings.Cut(text, "\n\n")
	r := &Record{}
	for number, line := range numbered(head) {
		name, value, _ := strings.Cut(line, " ")
		var err error
		switch name {
		case "#":
		case "commit":
			r.Commit = value
		case "engine":
			r.Engine = value
		case "cases":
			r.Cases, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("%q is not known", name)
		}
		if err != nil {
			return nil, fmt.Errorf("test262: line %d of the record: %w", number, err)
		}
	}
	var err error
	r.Failures, err = ParseFailures(list)
	return r, err
}

func (r *Record) String() string {
	return fmt.Sprintf(`# What of tc39/test262 fails in a sandbox because it fails in the bare engine too. `+
		`Made by .ci/test262 -record.
commit %s
engine %s
cases %d

%s`, r.Commit, r.Engine, r.Cases, r.Failures)
}
