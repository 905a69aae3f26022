package misc

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var cal = &command.Command{
	Name: "cal", Operands: "[OPTION]... [[MONTH] YEAR]", Summary: "Display a calendar.",
	Options: []command.Option{
		{Short: '1', Help: "display single month output (the default)"},
		{Short: '3', Help: "display previous, current and next month"},
		{Short: 'A', Arg: "N", Help: "display N months after the specified month"},
		{Short: 'B', Arg: "N", Help: "display N months before the specified month"},
		{Short: 'h', Help: "turn off highlighting of today (always off)"},
		{Short: 'j', Help: "display days of the year"},
		{Short: 'm', Arg: "MONTH", Help: "display the specified month"},
		{Short: 'M', Help: "weeks begin on Monday"},
		{Short: 'S', Help: "weeks begin on Sunday (the default)"},
		{Short: 'y', Help: "display a calendar for the specified year"},
	},
	Run: runCal,
}

func runCal(c *command.Context) int {
	zone := time.UTC
	if l, err := time.LoadLocation(c.Getenv("TZ")); err == nil {
		zone = l
	}
	now := time.Now().In(zone)
	year, month := now.Year(), now.Month()
	whole := c.Has("y")
	readMonth := func(s string) bool {
		if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= 12 {
			month = time.Month(n)
			return true
		}
		for m := time.January; m <= time.December; m++ {
			if len(s) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), strings.ToLower(s)) {
				month = m
				return true
			}
		}
		c.Errorf("%s is neither a month number (1..12) nor a name", s)
		return false
	}
	args := c.Args
	if len(args) > 2 {
		fmt.Fprintln(c.Stderr, "Usage: cal [options] [[month] year]")
		return 64
	}
	if len(args) == 2 {
		if !readMonth(args[0]) {
			return 64
		}
		args = args[1:]
	} else if len(args) == 1 {
		if _, err := strconv.Atoi(args[0]); err != nil {
			if !readMonth(args[0]) {
				return 64
			}
			args = nil
		} else {
			whole = !c.Has("m")
		}
	}
	if len(args) == 1 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || n > 9999 {
			c.Errorf("year `%s' not in range 1..9999", args[0])
			return 64
		}
		year = n
	}
	if m, ok := c.Value("m"); ok && !readMonth(m) {
		return 64
	}
	k := calendar{monday: c.Last("M", "S") == "M", days: c.Has("j")}
	out := c.Output()
	if whole {
		fmt.Fprintf(out, "%*s%d\n", (3*k.width()-len(strconv.Itoa(year)))/2, "", year)
		for m := time.January; m <= time.December; m += 3 {
			k.row(out, year, []time.Month{m, m + 1, m + 2}, false)
		}
	} else {
		before, after := 0, 0
		if c.Has("3") {
			before, after = 1, 1
		}
		for name, n := range map[string]*int{"B": &before, "A": &after} {
			if v, ok := c.Value(name); ok {
				*n, _ = strconv.Atoi(v)
				*n = max(0, min(1200, *n))
			}
		}
		var months []time.Month
		for i := -before; i <= after; i++ {
			months = append(months, month+time.Month(i))
		}
		for len(months) > 0 {
			n := min(3, len(months))
			k.row(out, year, months[:n], true)
			months = months[n:]
		}
	}
	if out.Flush() != nil {
		return 1
	}
	return 0
}

type calendar struct{ monday, days bool }

func (k calendar) width() int {
	if k.days {
		return 27
	}
	return 20
}

// row writes months next to each other.
func (k calendar) row(out interface{ WriteString(string) (int, error) }, year int, months []time.Month, withYear bool) {
	var blocks [][]string
	for _, m := range months {
		blocks = append(blocks, k.month(time.Date(year, m, 1, 0, 0, 0, 0, time.UTC), withYear))
	}
	for i := range 8 {
		var b strings.Builder
		for j, block := range blocks {
			if j > 0 {
				b.WriteString("  ")
			}
			fmt.Fprintf(&b, "%-*s", k.width(), block[i])
		}
		// Lines have the width of a month, and two blanks after it.
		_, _ = out.WriteString(b.String() + "  \n")
	}
}

// month returns the lines of a month.
func (k calendar) month(first time.Time, withYear bool) []string {
	title := first.Month().String()
	if withYear {
		title += " " + strconv.Itoa(first.Year())
	}
	pad := (k.width() - len(title)) / 2
	lines := []string{strings.Repeat(" ", pad) + title}
	names := []string{"Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"}
	start := int(first.Weekday())
	if k.monday {
		names = append(names[1:], names[0])
		start = (start + 6) % 7
	}
	cell := 2
	if k.days {
		cell = 3
	}
	var header []string
	for _, n := range names {
		header = append(header, fmt.Sprintf("%*s", cell, n))
	}
	lines = append(lines, strings.Join(header, " "))
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", start*(cell+1)))
	for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
		n := day.Day()
		if k.days {
			n = day.YearDay()
		}
		fmt.Fprintf(&b, "%*d", cell, n)
		if (start+day.Day())%7 == 0 {
			lines = append(lines, b.String())
			b.Reset()
		} else {
			b.WriteByte(' ')
		}
	}
	lines = append(lines, strings.TrimRight(b.String(), " "))
	for len(lines) < 8 {
		lines = append(lines, "")
	}
	return lines
}
