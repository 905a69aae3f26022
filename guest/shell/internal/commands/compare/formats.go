package compare

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// write writes changes in the style that is wanted.
func (d *differ) write(sources [2]*source, script []change) {
	if d.named {
		names := []string{sources[0].name, sources[1].name}
		copy(names, d.labels)
		fmt.Fprintf(d.out, "diff%s %s %s\n", d.typed, command.QuoteOdd(names[0]), command.QuoteOdd(names[1]))
	}
	switch d.style {
	case "unified":
		d.headers(sources, "---", "+++")
		d.hunks(script, func(hunk []change) { d.unified(sources, hunk) })
	case "context":
		d.headers(sources, "***", "---")
		d.hunks(script, func(hunk []change) { d.copied(sources, hunk) })
	case "side-by-side":
		d.sideBySide(sources, script)
	case "groups":
		d.groups(sources, script)
	case "ed":
		for i := len(script) - 1; i >= 0; i-- {
			d.ed(sources, script[i])
		}
	case "rcs":
		for _, c := range script {
			if c.deleted > 0 {
				fmt.Fprintf(d.out, "d%d %d\n", c.at+1, c.deleted)
			}
			if c.inserted > 0 {
				fmt.Fprintf(d.out, "a%d %d\n", c.at+c.deleted, c.inserted)
				for _, line := range sources[1].lines[c.other : c.other+c.inserted] {
					_, _ = d.out.Write(line)
				}
			}
		}
	default:
		for _, c := range script {
			if !c.ignored {
				d.normal(sources, c)
			}
		}
	}
}

// headers writes the names and times of the files.
func (d *differ) headers(sources [2]*source, marks ...string) {
	for i, s := range sources {
		if i < len(d.labels) {
			fmt.Fprintf(d.out, "%s %s\n", marks[i], d.labels[i])
			continue
		}
		layout := "2006-01-02 15:04:05.000000000 -0700"
		fmt.Fprintf(d.out, "%s %s\t%s\n", marks[i], quoteName(s.name), s.time.In(command.Zone(d.c)).Format(layout))
	}
}

// quoteName quotes a name that patch could not read otherwise.
func quoteName(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r == 127 }) < 0 {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		switch i := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case i >= 0:
			b.WriteString(`\` + "abtnvfr\"\\"[i:i+1])
		case c < ' ' || c == 127:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// hunks divides changes into those that are shown together.
func (d *differ) hunks(script []change, show func(hunk []change)) {
	for len(script) > 0 {
		n, matters := 1, !script[0].ignored
		for ; n < len(script); n++ {
			before := script[n-1]
			distance := 2*d.context + 1
			if script[n].ignored {
				distance = d.context
			}
			if script[n].at-(before.at+before.deleted) >= distance {
				break
			}
			matters = matters || !script[n].ignored
		}
		if matters {
			show(script[:n])
		}
		script = script[n:]
	}
}

// line writes a line after a mark. Lines without an end are told.
func (d *differ) line(mark string, line []byte) {
	text, ended := bytes.CutSuffix(line, []byte("\n"))
	if d.c.Has("initial-tab") && mark != "" {
		mark = strings.TrimSuffix(mark, " ") + "\t"
		if strings.TrimSpace(mark) == "" {
			mark = "\t"
		}
	}
	if len(text) == 0 && d.c.Has("suppress-blank-empty") {
		mark = strings.TrimRight(mark, " \t")
	}
	_, _ = d.out.WriteString(mark)
	if d.c.Has("expand-tabs") {
		column := 0
		for _, b := range text {
			if b == '\t' {
				n := d.tab - column%d.tab
				_, _ = d.out.WriteString(strings.Repeat(" ", n))
				column += n
				continue
			}
			_ = d.out.WriteByte(b)
			column++
		}
	} else {
		_, _ = d.out.Write(text)
	}
	_ = d.out.WriteByte('\n')
	if !ended {
		_, _ = d.out.WriteString("\\ No newline at end of file\n")
	}
}

// numbers writes a range of lines: "3", "3,5", or "2" for none after line 2.
func numbers(at, count int) string {
	if count <= 1 {
		return fmt.Sprint(at + count)
	}
	return fmt.Sprintf("%d,%d", at+1, at+count)
}

func (d *differ) normal(sources [2]*source, c change) {
	letter := "c"
	if c.deleted == 0 {
		letter = "a"
	} else if c.inserted == 0 {
		letter = "d"
	}
	fmt.Fprintf(d.out, "%s%s%s\n", numbers(c.at, c.deleted), letter, numbers(c.other, c.inserted))
	for _, line := range sources[0].lines[c.at : c.at+c.deleted] {
		d.line("< ", line)
	}
	if letter == "c" {
		_, _ = d.out.WriteString("---\n")
	}
	for _, line := range sources[1].lines[c.other : c.other+c.inserted] {
		d.line("> ", line)
	}
}

func (d *differ) ed(sources [2]*source, c change) {
	letter := "c"
	if c.deleted == 0 {
		letter = "a"
	} else if c.inserted == 0 {
		letter = "d"
	}
	fmt.Fprintf(d.out, "%s%s\n", numbers(c.at, c.deleted), letter)
	if c.inserted == 0 {
		return
	}
	open := true
	for _, line := range sources[1].lines[c.other : c.other+c.inserted] {
		if !open {
			_, _ = d.out.WriteString("a\n")
			open = true
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if string(line) == "." {
			// A line of a dot alone would end the text.
			_, _ = d.out.WriteString("..\n.\ns/.//\n")
			open = false
			continue
		}
		_, _ = d.out.Write(append(bytes.Clone(line), '\n'))
	}
	if open {
		_, _ = d.out.WriteString(".\n")
	}
}

// extent returns the lines of both files that a hunk shows.
func (d *differ) extent(sources [2]*source, hunk []change) (from, to [2]int) {
	first, last := hunk[0], hunk[len(hunk)-1]
	from = [2]int{max(0, first.at-d.context), max(0, first.other-d.context)}
	to = [2]int{
		min(len(sources[0].lines), last.at+last.deleted+d.context),
		min(len(sources[1].lines), last.other+last.inserted+d.context),
	}
	return from, to
}

// functionLine returns the last line before a hunk that matches -F or -p.
func (d *differ) functionLine(lines [][]byte, before int) string {
	if d.function == nil {
		return ""
	}
	for i := before - 1; i >= 0; i-- {
		line := bytes.TrimSuffix(lines[i], []byte("\n"))
		if d.function.Match(line) {
			line = bytes.TrimLeft(line, " \t")
			line = line[:min(len(line), 40)]
			return " " + string(bytes.TrimRight(line, " \t"))
		}
	}
	return ""
}

func (d *differ) unified(sources [2]*source, hunk []change) {
	from, to := d.extent(sources, hunk)
	span := func(f int) string {
		switch n := to[f] - from[f]; n {
		case 0:
			return fmt.Sprintf("%d,0", from[f])
		case 1:
			return fmt.Sprint(to[f])
		default:
			return fmt.Sprintf("%d,%d", from[f]+1, n)
		}
	}
	fmt.Fprintf(d.out, "@@ -%s +%s @@%s\n", span(0), span(1), d.functionLine(sources[0].lines, from[0]))
	at := from[0]
	for _, c := range hunk {
		for ; at < c.at; at++ {
			d.line(" ", sources[0].lines[at])
		}
		for ; at < c.at+c.deleted; at++ {
			d.line("-", sources[0].lines[at])
		}
		for _, line := range sources[1].lines[c.other : c.other+c.inserted] {
			d.line("+", line)
		}
	}
	for ; at < to[0]; at++ {
		d.line(" ", sources[0].lines[at])
	}
}

// copied writes a hunk in context style: the lines of one file, and then those of the other one.
func (d *differ) copied(sources [2]*source, hunk []change) {
	from, to := d.extent(sources, hunk)
	span := func(f int) string {
		if to[f]-from[f] <= 1 {
			return fmt.Sprint(to[f])
		}
		return fmt.Sprintf("%d,%d", from[f]+1, to[f])
	}
	fmt.Fprintf(d.out, "***************%s\n*** %s ****\n", d.functionLine(sources[0].lines, from[0]), span(0))
	show := func(f int, sign string, place func(c change) (at, count, others int)) {
		at := from[f]
		any := false
		for _, c := range hunk {
			_, count, _ := place(c)
			any = any || count > 0
		}
		if !any {
			return
		}
		for _, c := range hunk {
			start, count, others := place(c)
			for ; at < start; at++ {
				d.line("  ", sources[f].lines[at])
			}
			mark := sign
			if others > 0 {
				mark = "! "
			}
			for ; at < start+count; at++ {
				d.line(mark, sources[f].lines[at])
			}
		}
		for ; at < to[f]; at++ {
			d.line("  ", sources[f].lines[at])
		}
	}
	show(0, "- ", func(c change) (int, int, int) { return c.at, c.deleted, c.inserted })
	fmt.Fprintf(d.out, "--- %s ----\n", span(1))
	show(1, "+ ", func(c change) (int, int, int) { return c.other, c.inserted, c.deleted })
}

// A columns is the layout of two columns.
type columns struct {
	d            *differ
	half, second int // the width of each, and where the second one begins
}

func (d *differ) sideBySide(sources [2]*source, script []change) {
	tab := d.tab
	if d.c.Has("expand-tabs") {
		tab = 1
	}
	// Three columns are between, at least, and the second one begins at a tab stop.
	gutter := tab + 3
	second := d.width>>1 + gutter>>1 + d.width&gutter&1
	second -= second % tab
	l := columns{d: d, half: max(0, min(second-3, d.width-second)), second: second}
	if l.half == 0 {
		l.second = d.width
	}
	a, b := sources[0].lines, sources[1].lines
	at, other := 0, 0
	common := func(end, otherEnd int) {
		if !d.c.Has("suppress-common-lines") {
			for !d.c.Has("left-column") && at < end && other < otherEnd {
				l.row(a[at], ' ', b[other])
				at, other = at+1, other+1
			}
			for ; !d.c.Has("left-column") && other < otherEnd; other++ {
				l.row(nil, ')', b[other])
			}
			for ; at < end; at++ {
				l.row(a[at], '(', nil)
			}
		}
		at, other = end, otherEnd
	}
	for _, c := range script {
		if c.ignored {
			continue
		}
		common(c.at, c.other)
		end, otherEnd := c.at+c.deleted, c.other+c.inserted
		for ; at < end && other < otherEnd; at, other = at+1, other+1 {
			l.row(a[at], '|', b[other])
		}
		for ; other < otherEnd; other++ {
			l.row(nil, '>', b[other])
		}
		for ; at < end; at++ {
			l.row(a[at], '<', nil)
		}
	}
	common(len(a), len(b))
}

// row writes a row, of which a column can be missing.
func (l *columns) row(left []byte, sign byte, right []byte) {
	column := 0
	newline := bytes.HasSuffix(left, []byte("\n"))
	if left != nil {
		column = l.cell(left, 0)
	}
	if sign != ' ' {
		column = l.move(column, (l.half+l.second-1)/2) + 1
		if sign == '|' && newline != bytes.HasSuffix(right, []byte("\n")) {
			if sign = '\\'; newline {
				sign = '/'
			}
		}
		_ = l.d.out.WriteByte(sign)
	}
	if right != nil {
		newline = newline || bytes.HasSuffix(right, []byte("\n"))
		if right[0] != '\n' {
			column = l.move(column, l.second)
			l.cell(right, column)
		}
	}
	if newline {
		_ = l.d.out.WriteByte('\n')
	}
}

// move writes blanks up to a column.
func (l *columns) move(from, to int) int {
	if !l.d.c.Has("expand-tabs") {
		for next := from + l.d.tab - from%l.d.tab; next <= to; next += l.d.tab {
			_ = l.d.out.WriteByte('\t')
			from = next
		}
	}
	for ; from < to; from++ {
		_ = l.d.out.WriteByte(' ')
	}
	return to
}

// cell writes as much of a line as there is room for, and returns the column after it.
func (l *columns) cell(line []byte, indent int) int {
	in, out := 0, 0
	line = bytes.TrimSuffix(line, []byte("\n"))
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		part := line[:size]
		line = line[size:]
		switch {
		case r == '\t':
			n := l.d.tab - in%l.d.tab
			if in == out {
				stop := out + n
				if l.d.c.Has("expand-tabs") {
					for stop = min(stop, l.half); out < stop; out++ {
						_ = l.d.out.WriteByte(' ')
					}
				} else if stop < l.half {
					out = stop
					_ = l.d.out.WriteByte('\t')
				}
			}
			in += n
		case r == '\r':
			_ = l.d.out.WriteByte('\r')
			l.move(0, indent)
			in, out = 0, 0
		default:
			width := 1
			if r >= utf8.RuneSelf && size > 1 {
				width = command.RuneWidth(r)
			} else if r < ' ' || r == 127 || size == 1 && r == utf8.RuneError {
				width = 0
			}
			if in += width; in <= l.half {
				out = in
				_, _ = l.d.out.Write(part)
			}
		}
	}
	return out
}
