package escape_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// An attempt is something that must not succeed. The tables in testdata/escape have them; README.md there says how.
type attempt struct {
	name     string
	settings map[string]string
	things   []thing // in the project, before
	each     []string
	steps    []step
}

// A thing is what somebody puts into a project without the tools.
type thing struct{ kind, path, text string }

// A step is something that is done, and what is to come of it.
type step struct {
	kind    string // js, call, undo, import, set or put
	what    string // the tool, or the call that is undone
	input   string
	want    string
	code    string
	pattern bool
	results []string // instead of want: one for each value
	// settings are those that hold from here on, and thing is what is put into the project.
	settings map[string]string
	thing    thing

	at int // where the expectation is in the archive, for -update
}

// A table is one file.
type table struct {
	file     string
	archive  *txtar.Archive
	attempts []*attempt
}

// known are the settings that an attempt, or a table for all of its attempts, can have.
var known = []string{
	"calls", "enable", "files", "grants", "id", "inline", "keeps", "mode", "off", "on", "options", "project",
	"readonly", "settings", "stores", "timeout", "unguarded",
}

func readTables(t *testing.T) (tables []*table) {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/escape/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		table := &table{file: file, archive: archive}
		require.NoError(t, table.parse(), file)
		tables = append(tables, table)
	}
	return tables
}

// parse says what is wrong with the text of a table.
func parse(text string) error {
	return (&table{archive: txtar.Parse([]byte(text))}).parse()
}

func (t *table) parse() error {
	defaults := map[string]string{}
	names := map[string]bool{}
	var a *attempt
	for i, f := range t.archive.Files {
		kind, rest, _ := strings.Cut(f.Name, " ")
		text := strings.TrimSuffix(string(f.Data), "\n")
		switch {
		case kind == "default" && a == nil:
			if err := settingsOf(text, defaults); err != nil {
				return err
			}
			continue
		case kind == "attempt":
			if err := a.check(); err != nil {
				return err
			}
			if rest == "" || names[rest] {
				return fmt.Errorf("attempt %q has no name of its own", rest)
			}
			names[rest] = true
			a = &attempt{name: rest, settings: map[string]string{}}
			for name, value := range defaults {
				a.settings[name] = value
			}
			if err := settingsOf(text, a.settings); err != nil {
				return fmt.Errorf("%s: %w", rest, err)
			}
			t.attempts = append(t.attempts, a)
			continue
		case a == nil:
			return fmt.Errorf("%q comes before the first attempt", f.Name)
		}
		if err := a.add(i, kind, rest, text); err != nil {
			return fmt.Errorf("%s: %q: %w", a.name, f.Name, err)
		}
	}
	return a.check()
}

// check reports whether an attempt is complete. A nil one is.
func (a *attempt) check() error {
	switch {
	case a == nil:
		return nil
	case len(a.steps) == 0:
		return fmt.Errorf("%s: it does nothing", a.name)
	case a.steps[len(a.steps)-1].at == 0 || !slices.ContainsFunc(a.steps,
		func(s step) bool { return s.kind != "put" && s.kind != "set" }):
		return fmt.Errorf("%s: it does not say what comes of it", a.name)
	}
	return nil
}

func settingsOf(text string, to map[string]string) error {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || !slices.Contains(known, name) {
			return fmt.Errorf("%q is no setting", line)
		}
		var err error
		if to[name], err = unquoted(strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

// unquoted returns a value, which can stand between quotation marks as in Go.
func unquoted(value string) (string, error) {
	if !strings.HasPrefix(value, `"`) {
		return value, nil
	}
	return strconv.Unquote(value)
}

func (a *attempt) add(at int, kind, rest, text string) error {
	switch kind {
	case "file", "dir", "other", "raw", "link", "hardlink", "pipe", "gone":
		path, err := unquoted(rest)
		if err != nil {
			return err
		}
		if len(a.steps) > 0 {
			a.steps = append(a.steps, step{kind: "put", thing: thing{kind, path, text}, at: at})
			return nil
		}
		a.things = append(a.things, thing{kind, path, text})
	case "each":
		for line := range strings.Lines(text) {
			value, err := unquoted(strings.TrimSuffix(line, "\n"))
			if err != nil {
				return err
			}
			a.each = append(a.each, value)
		}
	case "js", "call", "undo", "import":
		if n := len(a.steps); n > 0 && a.steps[n-1].at == 0 {
			return fmt.Errorf("it does not say what comes of what is before")
		}
		a.steps = append(a.steps, step{kind: kind, what: rest, input: text})
	case "set":
		settings := maps.Clone(a.settings)
		for _, s := range a.steps {
			if s.settings != nil {
				settings = maps.Clone(s.settings)
			}
		}
		if err := settingsOf(text, settings); err != nil {
			return err
		}
		a.steps = append(a.steps, step{kind: kind, settings: settings, at: at})
	case "want", "like":
		if len(a.steps) == 0 {
			return fmt.Errorf("nothing has been done")
		}
		s := &a.steps[len(a.steps)-1]
		s.want, s.code, s.pattern, s.at = text, rest, kind == "like", at
	case "results":
		if len(a.steps) == 0 {
			return fmt.Errorf("nothing has been done")
		}
		s := &a.steps[len(a.steps)-1]
		s.results, s.at = strings.Split(text, "\n"), at
	default:
		return fmt.Errorf("it is not known")
	}
	return nil
}

// values are what the attempt is made with, one after the other.
func (a *attempt) values() []string {
	if a.each == nil {
		return []string{""}
	}
	return a.each
}

// kinds are the kinds of projects that it is made in.
func (a *attempt) kinds() []string {
	kinds := strings.Fields(a.settings["stores"])
	return slices.DeleteFunc(kinds, func(kind string) bool {
		return a.linked() &&
			(kind == "memory" || runtime.GOOS == "windows")
	})
}

// linked reports whether the attempt needs a directory of the host.
func (a *attempt) linked() bool {
	return slices.ContainsFunc(a.things, func(t thing) bool {
		return t.kind == "raw" || t.kind == "link" || t.kind == "hardlink" || t.kind == "pipe"
	})
}

// fill puts a value, and the directory outside of the project, into a text. In code and JSON $each is a literal, and
// $raw the value as it is.
func fill(text, value, outside string, literal bool) string {
	each := value
	if literal {
		quoted, _ := json.Marshal(value) // a string always can
		each = string(quoted)
	}
	return strings.NewReplacer("$each", each, "$raw", value, "$outside", filepath.ToSlash(outside)).Replace(text)
}
