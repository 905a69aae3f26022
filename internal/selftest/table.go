package selftest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Wrong returns the outcomes with mistakes.
func (r *Report) Wrong() []Outcome {
	var wrong []Outcome
	for _, o := range r.Outcomes {
		if o.Wrong != "" {
			wrong = append(wrong, o)
		}
	}
	return wrong
}

// WriteTable prints a line for each family of attacks, one for all of them, and what they did to the process.
func (r *Report) WriteTable(w io.Writer) error {
	var families []string
	byFamily := map[string][]Outcome{}
	for _, o := range r.Outcomes {
		family := Attack{Name: o.Attack}.Family()
		if byFamily[family] == nil {
			families = append(families, family)
		}
		byFamily[family] = append(byFamily[family], o)
	}

	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\truns\tas they should\tstopped by time\tlate: median\tworst\tmemory: most\tgrown: worst\t\n")
	for _, family := range families {
		writeRow(table, family, byFamily[family])
	}
	writeRow(table, "all", r.Outcomes)
	table.Flush()

	p := r.Process
	fmt.Fprintln(&b)
	if p.Stall > 0 {
		fmt.Fprintf(&b, "The rest of the process was kept waiting for %s at most; there were %d garbage collections.\n",
			milliseconds(p.Stall), p.Collections)
	}
	if p.MemoryMost > 0 {
		fmt.Fprintf(&b, "It had %d MiB of memory before, %d MiB at most, %d MiB after.\n", p.MemoryBefore>>20,
			p.MemoryMost>>20, p.MemoryAfter>>20)
	}
	for _, o := range r.Wrong() {
		fmt.Fprintf(&b, "%s: %s\n", o.Attack, o.Wrong)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRow(w io.Writer, name string, outcomes []Outcome) {
	right := 0
	var late []time.Duration
	var latest, largest, nearest Outcome
	for _, o := range outcomes {
		if o.Wrong == "" {
			right++
		}
		if o.Late > 0 {
			late = append(late, o.Late)
		}
		if o.Late > latest.Late {
			latest = o
		}
		if o.MemoryMost > largest.MemoryMost {
			largest = o
		}
		if o.grown() > nearest.grown() {
			nearest = o
		}
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t", name, len(outcomes), right, len(late))
	if len(late) == 0 {
		fmt.Fprint(w, "\t\t")
	} else {
		slices.Sort(late)
		fmt.Fprintf(w, "%s\t%s (%s)\t", milliseconds(late[len(late)/2]), milliseconds(latest.Late), latest.Attack)
	}
	if nearest.MemoryMost == 0 {
		fmt.Fprint(w, "\t\t\n")
		return
	}
	fmt.Fprintf(w, "%s\t%s of %s (%s)\t\n", mebibytes(largest.MemoryMost),
		mebibytes(nearest.MemoryMost-nearest.MemoryBefore),
		mebibytes(nearest.MemoryAllowed-nearest.MemoryBefore), strings.TrimPrefix(nearest.Attack, name+"-"))
}

// grown is which part of what it may the process has grown by.
func (o Outcome) grown() float64 {
	if o.MemoryMost == 0 {
		return -1
	}
	return float64(o.MemoryMost-o.MemoryBefore) / float64(o.MemoryAllowed-o.MemoryBefore)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string {
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
