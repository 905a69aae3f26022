package runtime

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest"
	"github.com/toolrun/toolrun/internal/module"
)

// What the engine runs is not always what was written: there is a wrapper around it, or types have been taken out of it.

// origin says where the lines and columns of a file, as the engine sees it, come from.
type origin struct {
	prefix int         // columns of the first line that the host has put there
	source *module.Map // nil if the lines are those that were written
}

// maxMaps is how many bytes the maps of a run's files may have together. Beyond that, positions in further files are those that the
// engine sees.
const maxMaps = 32 << 20

// note notes where a file comes from that the engine is about to run. The engine keeps its name as well, which bounds how many there are.
func (r *run) note(file string, o origin) {
	left := maxMaps - (r.maps - r.origins[file].source.Size())
	if o.source.Size() > left {
		o.source = nil
	}
	r.maps = maxMaps - left + o.source.Size()
	r.origins[file] = o
}

// place returns the line and column that were written. Where a column is not known, it is 0.
func (o origin) place(line, column int) (int, int) {
	if line == 1 && column > o.prefix { // the engine counts from 0 here, and from 1 in other lines, but has no column before 1
		column -= o.prefix
		if o.prefix > 0 || column > 1 {
			column++
		}
	} else if line == 1 {
		column = min(column, 1)
	}
	if o.source != nil {
		if l, c, ok := o.source.Original(line, max(column, 1)); ok {
			if column == 0 {
				c = 0
			}
			return l, c
		}
	}
	return line, column
}

// position matches the end of a stack frame, FILE:LINE:COLUMN with or without parentheses around it.
var position = regexp.MustCompile(`([^\s(][^(]*):(\d+):(\d+)\)?$`)

// maxStack is how much of a stack is looked at, in bytes.
const maxStack = 128 << 10

// mapStack returns a stack with the lines and columns that were written.
func (in *instance) mapStack(ctx context.Context, args arguments) (guest.Value, error) {
	stack, _, ok := args.text(1, maxStack)
	if !ok {
		return 0, failf("a stack must be a string")
	}
	lines := strings.Split(stack, "\n")
	for i, frame := range lines {
		lines[i] = in.run.mapFrame(frame)
	}
	return in.vm.NewString(ctx, strings.Join(lines, "\n"))
}

func (r *run) mapFrame(frame string) string {
	text := strings.TrimPrefix(strings.TrimSpace(frame), "at ")
	m := position.FindStringSubmatch(text)
	if m == nil {
		return frame
	}
	o, ok := r.origins[m[1]]
	if !ok {
		return frame
	}
	line, column := o.place(number(m[2]), number(m[3]))
	head, end := frame[:strings.LastIndex(frame, m[1])], ""
	if strings.HasSuffix(frame, ")") {
		end = ")"
	}
	return fmt.Sprintf("%s%s:%d:%d%s", head, m[1], line, column, end)
}

func number(digits string) int {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0 // there are too many of them
	}
	return int(n)
}

// firstPosition finds where the first frame of a stack is that has a position in a file. The engine calls the texts of
// JSON.parse and the like <input>, and does not know the lines of some initialisers.
func firstPosition(stack string) (file string, line, column int) {
	for frame := range strings.SplitSeq(stack, "\n") {
		m := position.FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(frame), "at "))
		if m == nil || m[1][0] == '<' {
			continue
		}
		if line = number(m[2]); line > 0 {
			return m[1], line, number(m[3])
		}
	}
	return "", 0, 0
}
