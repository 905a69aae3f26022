package text

import (
	"bytes"
	"strconv"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var uniq = &command.Command{
	Name:     "uniq",
	Operands: "[OPTION]... [INPUT [OUTPUT]]",
	Summary: "Filter adjacent matching lines from INPUT (or standard input), writing to OUTPUT (or standard " +
		"output). With no\n" +
		"options, matching lines are merged to the first occurrence.",
	Options: []command.Option{
		{Short: 'c', Long: "count", Help: "prefix lines by the number of occurrences"},
		{Short: 'd', Long: "repeated", Help: "only print duplicate lines, one for each group"},
		{Short: 'D', Help: "print all duplicate lines"},
		{Long: "all-repeated", Arg: "METHOD", Optional: true,
			Help: "like -D, but allow separating groups with an empty line;\nMETHOD={none(default),prepend,separate}"},
		{Short: 'f', Long: "skip-fields", Arg: "N", Help: "avoid comparing the first N fields"},
		{Long: "group", Arg: "METHOD", Optional: true, Help: "show all items, separating groups with an empty " +
			"line;\nMETHOD={separate(default),prepend,append,both}"},
		{Short: 'i', Long: "ignore-case", Help: "ignore differences in case when comparing"},
		{Short: 's', Long: "skip-chars", Arg: "N", Help: "avoid comparing the first N characters"},
		{Short: 'u', Long: "unique", Help: "only print unique lines"},
		{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		{Short: 'w', Long: "check-chars", Arg: "N", Help: "compare no more than N characters in lines"},
	},
	Run: runUniq,
}

func runUniq(c *command.Context) int {
	if len(c.Args) > 2 {
		return c.Extra(c.Args[2])
	}
	name := "-"
	if len(c.Args) > 0 {
		name = c.Args[0]
	}
	numbers := map[string]int{"check-chars": -1}
	for option, text := range map[string]string{"skip-fields": "fields to skip", "skip-chars": "bytes to skip",
		"check-chars": "bytes to compare"} {
		if s, ok := c.Value(option); ok {
			n, err := strconv.Atoi(s)
			if err != nil || n < 0 {
				c.Errorf("%s: invalid number of %s", s, text)
				return 1
			}
			numbers[option] = n
		}
	}
	in, err := c.Input(name)
	if err != nil {
		c.FileError(name, err)
		return 1
	}
	defer in.Close()
	out := c.Output()
	if len(c.Args) == 2 && c.Args[1] != "-" {
		file, err := c.Create(c.Args[1])
		if err != nil {
			c.FileError(c.Args[1], err)
			return 1
		}
		defer file.Close()
		out.Reset(file)
	}
	separator := c.Separator("zero-terminated")
	fields, chars, most := numbers["skip-fields"], numbers["skip-chars"], numbers["check-chars"]
	fold, counted, repeated, unique := c.Has("ignore-case"), c.Has("count"), c.Has("repeated"), c.Has("unique")
	key := func(line []byte) []byte {
		for range fields {
			line = bytes.TrimLeft(line, " \t")
			if i := bytes.IndexAny(line, " \t"); i >= 0 {
				line = line[i:]
			} else {
				line = nil
			}
		}
		line = line[min(len(line), chars):]
		if most >= 0 {
			line = line[:min(len(line), most)]
		}
		if fold {
			line = bytes.ToLower(line)
		}
		return line
	}
	all, allGiven := c.Value("all-repeated")
	allGiven = allGiven || c.Has("D")
	group, grouped := c.Value("group")
	var lines [][]byte // of one group; only the first one unless all are wanted
	var first, last []byte
	count, groups := 0, 0
	write := func(line []byte) {
		_, _ = out.Write(line)
		_ = out.WriteByte(separator)
	}
	flush := func() {
		if count == 0 {
			return
		}
		switch {
		case grouped:
			if groups > 0 && group != "append" || group == "prepend" || group == "both" {
				write(nil)
			}
			for _, line := range lines {
				write(line)
			}
			if group == "append" {
				write(nil)
			}
			groups++
			return
		case allGiven:
			if count > 1 {
				if all == "prepend" || all == "separate" && groups > 0 {
					write(nil)
				}
				for _, line := range lines {
					write(line)
				}
				groups++
			}
			return
		case repeated && count < 2, unique && count > 1:
			return
		}
		if counted {
			digits := strconv.Itoa(count)
			_, _ = out.WriteString("       "[min(len(digits), 7):])
			_, _ = out.WriteString(digits)
			_ = out.WriteByte(' ')
		}
		write(lines[0])
	}
	err = command.Lines(in, separator, func(line []byte) bool {
		line = bytes.TrimSuffix(line, []byte{separator})
		k := key(line)
		if count > 0 && bytes.Equal(k, last) {
			count++
			if grouped || allGiven {
				lines = append(lines, bytes.Clone(line))
			}
			return true
		}
		flush()
		count, last = 1, append(last[:0], k...)
		if grouped || allGiven {
			line = bytes.Clone(line)
		} else {
			first = append(first[:0], line...)
			line = first
		}
		lines = append(lines[:0], line)
		return true
	})
	flush()
	if grouped && group == "both" && groups > 0 {
		write(nil)
	}
	if err != nil {
		c.Errorf("error reading %s", command.Quote(name))
		return 1
	}
	return command.Status(out.Flush() == nil)
}
