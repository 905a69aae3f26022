package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// The marks in a document between which the figures are.
const (
	beginMark = "<!-- figures: begin -->\n"
	endMark   = "<!-- figures: end -->\n"
)

// writeDocument puts text into a file, between its marks if it has them.
func writeDocument(name, text string) error {
	data, err := os.ReadFile(name)
	if err == nil {
		before, rest, begins := strings.Cut(string(data), beginMark)
		_, after, ends := strings.Cut(rest, endMark)
		if begins && ends {
			text = before + beginMark + text + endMark + after
		}
	} else if !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// document is the whole result as Markdown.
func (f *field) document(tables []*table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s with `go -C bench run .`", time.Now().UTC().Format(time.DateOnly))
	if f.quick {
		b.WriteString(" -quick, so the figures say nothing")
	} else {
		fmt.Fprintf(&b, ", %d rounds", f.rounds)
	}
	fmt.Fprintf(&b, ".\n\n- machine: %s\n- this project: %s, %s\n", machine(), f.revision, runtime.Version())
	for _, note := range f.notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	b.WriteString("\n| | version | what it is |\n|---|---|---|\n")
	for _, c := range f.contestants {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, c.version, c.about)
	}
	for _, t := range tables {
		t.write(&b)
	}
	return b.String()
}

// write appends the table as Markdown.
func (t *table) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n|", t.title, t.about)
	for _, col := range t.columns {
		fmt.Fprintf(b, " | %s", col.name)
	}
	if t.mean {
		b.WriteString(" | mean")
	}
	b.WriteString(" |\n|---")
	for range t.columns {
		b.WriteString("|--:")
	}
	if t.mean {
		b.WriteString("|--:")
	}
	b.WriteString("|\n")
	var notes []string
	for _, c := range t.rows {
		fmt.Fprintf(b, "| %s", c.name)
		for _, col := range t.columns {
			fmt.Fprintf(b, " | %s", t.cell(c, col, &notes))
		}
		if t.mean {
			b.WriteString(" | " + t.meanCell(c))
		}
		b.WriteString(" |\n")
	}
	for i, note := range notes {
		fmt.Fprintf(b, "\n(%d) %s\n", i+1, note)
	}
}

// cell is a figure and its ratio, and a note if there is something to say.
func (t *table) cell(c *contestant, col *column, notes *[]string) string {
	note := func(text string) string {
		*notes = append(*notes, fmt.Sprintf("%s, %s: %s.", c.name, col.name, text))
		return fmt.Sprintf(" (%d)", len(*notes))
	}
	if err := col.failures[c.id]; err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return "failed" + note(strings.TrimRight(strings.ToValidUTF8(text[:min(len(text), 200)], ""), "."))
	}
	value, ok := median(col.samples[c.id])
	if !ok {
		return "–"
	}
	text := t.format(value)
	if r := t.ratio(col, c.id); r > 0 && c.id != t.base {
		text += " (" + formatRatio(r) + ")"
	}
	if count := col.counts[c.id]; count > 0 {
		text += note(fmt.Sprintf("%d, since it cannot do more", count))
	}
	return text
}

func (t *table) meanCell(c *contestant) string {
	mean, columns := t.geometricMean(c.id)
	switch {
	case columns == 0:
		return "–"
	case columns < len(t.columns):
		return fmt.Sprintf("%s of %d", formatRatio(mean), columns)
	}
	return formatRatio(mean)
}

func formatRatio(r float64) string {
	switch {
	case r >= 100:
		return fmt.Sprintf("%.0f×", r)
	case r >= 10:
		return fmt.Sprintf("%.1f×", r)
	case r >= 0.1:
		return fmt.Sprintf("%.2f×", r)
	}
	return fmt.Sprintf("%.2g×", r)
}

// formatBytes shows bytes in the unit that fits.
func formatBytes(bytes float64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.0f KiB", bytes/(1<<10))
	}
	return fmt.Sprintf("%.2f MiB", bytes/(1<<20))
}

// formatTime shows seconds with three digits.
func formatTime(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.2f s", seconds)
}
