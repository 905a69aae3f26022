package misc

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var tsort = &command.Command{
	Name: "tsort", Operands: "[OPTION] [FILE]",
	Summary: "Write totally ordered list consistent with the partial ordering in FILE. With no FILE, or when it is " +
		"-,\n" +
		"read standard input.",
	Run: runTsort,
}

// A task is a word, with what must come after it.
type task struct {
	name   string
	before int // how many come before it
	after  []*task
	done   bool
}

func runTsort(c *command.Context) int {
	name := "-"
	if len(c.Args) > 1 {
		return c.Extra(c.Args[1])
	}
	if len(c.Args) == 1 {
		name = c.Args[0]
	}
	in, err := c.Input(name)
	if err != nil {
		c.FileError(name, err)
		return 1
	}
	defer in.Close()
	tasks := map[string]*task{}
	var all []*task
	get := func(name string) *task {
		t := tasks[name]
		if t == nil {
			t = &task{name: name}
			tasks[name] = t
			all = append(all, t)
		}
		return t
	}
	words := bufio.NewScanner(in)
	words.Split(bufio.ScanWords)
	words.Buffer(nil, 1<<20)
	var first *task
	for words.Scan() {
		t := get(words.Text())
		if first == nil {
			first = t
			continue
		}
		if first != t {
			first.after = append(first.after, t)
			t.before++
		}
		first = nil
	}
	if err := words.Err(); err != nil {
		c.FileError(name, err)
		return 1
	}
	if first != nil {
		c.Errorf("%s: input contains an odd number of tokens", command.QuoteOdd(name))
		return 1
	}
	return order(c, c.Output(), name, all)
}

func order(c *command.Context, out *bufio.Writer, name string, all []*task) int {
	status, left := 0, len(all)
	var ready []*task
	add := func() {
		for _, t := range byName(all) {
			if t.before == 0 && !t.done {
				ready = append(ready, t)
				t.done = true
			}
		}
	}
	add()
	for left > 0 {
		for len(ready) > 0 {
			t := ready[0]
			ready = ready[1:]
			fmt.Fprintln(out, t.name)
			left--
			for i := len(t.after) - 1; i >= 0; i-- {
				next := t.after[i]
				if next.before--; next.before == 0 && !next.done {
					ready = append(ready, next)
					next.done = true
				}
			}
		}
		if left == 0 {
			break
		}
		_ = out.Flush()
		status = 1
		breakLoop(c, c.Stderr, name, all)
		add()
	}
	if out.Flush() != nil {
		return 1
	}
	return status
}

// breakLoop tells of a loop, and takes one of its relations away.
func breakLoop(c *command.Context, w io.Writer, name string, all []*task) {
	c.Errorf("%s: input contains a loop:", command.QuoteOdd(name))
	var loop []*task
	at := map[*task]int{}
	var t *task
	for _, candidate := range byName(all) {
		if !candidate.done {
			t = candidate
			break
		}
	}
	for {
		if from, ok := at[t]; ok {
			loop = loop[from:]
			break
		}
		at[t] = len(loop)
		loop = append(loop, t)
		// Go back to one that must come before.
		for _, before := range all {
			if before.done {
				continue
			}
			for _, after := range before.after {
				if after == t {
					t = before
					goto found
				}
			}
		}
		return
	found:
	}
	for i := len(loop) - 1; i >= 0; i-- {
		fmt.Fprintf(w, "%s: %s\n", c.Name, loop[i].name)
	}
	before := loop[1%len(loop)]
	for i, after := range before.after {
		if after == loop[0] {
			before.after = append(before.after[:i:i], before.after[i+1:]...)
			loop[0].before--
			return
		}
	}
}

// byName returns tasks in the order of their names.
func byName(all []*task) []*task {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b *task) int { return strings.Compare(a.name, b.name) })
	return sorted
}
