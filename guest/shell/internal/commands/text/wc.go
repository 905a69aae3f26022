package text

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var wc = &command.Command{
	Name:     "wc",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Print newline, word, and byte counts for each FILE, and a total line if more than one FILE is " +
		"specified. With no\n" +
		"FILE, or when FILE is -, read standard input.",
	Options: []command.Option{
		{Short: 'c', Long: "bytes", Help: "print the byte counts"},
		{Short: 'm', Long: "chars", Help: "print the character counts"},
		{Short: 'l', Long: "lines", Help: "print the newline counts"},
		{Long: "files0-from", Arg: "F", Help: "read input from the files specified by NUL-terminated names\nin file F"},
		{Short: 'L', Long: "max-line-length", Help: "print the maximum display width"},
		{Short: 'w', Long: "words", Help: "print the word counts"},
		{Long: "total", Arg: "WHEN", Help: "when to print a line with total counts: auto, always, only,\nnever"},
	},
	Run: runWc,
}

// counts are lines, words, characters, bytes and the length of the longest line.
type counts [5]int64

func runWc(c *command.Context) int {
	show := [5]bool{c.Has("lines"), c.Has("words"), c.Has("chars"), c.Has("bytes"), c.Has("max-line-length")}
	if show == [5]bool{} {
		show = [5]bool{true, true, false, true, false}
	}
	ok := true
	names := c.Args
	if list, given := c.Value("files0-from"); given {
		var err error
		if names, err = c.InputLines(list, 0); err != nil {
			c.Errorf("cannot open %s for reading: %s", command.Quote(list), command.Text(err))
			return 1
		}
	}
	type result struct {
		counts
		name string
	}
	var results []result
	var total counts
	standard := len(names) == 0
	if standard {
		names = []string{"-"}
	}
	unsized := false
	sizes := int64(0)
	for _, name := range names {
		in, err := c.Input(name)
		var n counts
		if err == nil {
			if info, failure := c.Stat(name); name != "-" && failure == nil && info.Mode().IsRegular() {
				sizes += info.Size()
			} else {
				unsized = true
			}
			n, err = count(in, show[1] || show[2] || show[4])
			_ = in.Close()
		}
		if err != nil {
			c.FileError(name, err)
			ok = false
			if command.Text(err) != "Is a directory" {
				continue
			}
		}
		if standard {
			name = ""
		}
		results = append(results, result{n, name})
		for i := range total {
			total[i] += n[i]
		}
		total[4] = max(total[4]-n[4], n[4])
	}
	when, _ := c.Value("total")
	if len(names) > 1 && when != "never" || when == "always" {
		results = append(results, result{total, "total"})
	}
	if when == "only" {
		results = []result{{total, ""}}
	}
	width := len(strconv.FormatInt(sizes, 10))
	if unsized {
		width = max(width, 7)
	}
	one := 0
	for _, s := range show {
		if s {
			one++
		}
	}
	if one == 1 && len(names) == 1 || when == "only" || c.Has("files0-from") {
		width = 1
	}
	out := c.Output()
	for _, r := range results {
		first := true
		for i, s := range show {
			if !s {
				continue
			}
			if !first {
				_ = out.WriteByte(' ')
			}
			first = false
			fmt.Fprintf(out, "%*d", width, r.counts[i])
		}
		if r.name != "" {
			_, _ = out.WriteString(" " + r.name)
		}
		_ = out.WriteByte('\n')
	}
	return command.Status(out.Flush() == nil && ok)
}

// count counts what is in a stream; words and characters only if they are wanted.
func count(r io.Reader, all bool) (n counts, err error) {
	buffer := make([]byte, 64<<10)
	kept := 0
	inWord := false
	column := int64(0)
	for {
		size, err := r.Read(buffer[kept:])
		data := buffer[:kept+size]
		n[3] += int64(size)
		if !all {
			for {
				i := bytes.IndexByte(data, '\n')
				if i < 0 {
					break
				}
				n[0]++
				data = data[i+1:]
			}
			data = nil
		}
		at := 0
		for at < len(data) {
			r, width := rune(data[at]), 1
			printable, space := r >= ' ' && r <= '~', r == ' ' || r >= '\t' && r <= '\r'
			if r >= utf8.RuneSelf {
				if err == nil && !utf8.FullRune(data[at:]) {
					break
				}
				if r, width = utf8.DecodeRune(data[at:]); r == utf8.RuneError && width == 1 {
					at++
					continue
				}
				printable, space = unicode.IsPrint(r), unicode.IsSpace(r)
			}
			at += width
			n[2]++
			switch {
			case r == '\n':
				n[0]++
				n[4] = max(n[4], column)
				column = 0
			case r == '\r' || r == '\f':
				n[4] = max(n[4], column)
				column = 0
			case r == '\t':
				column += 8 - column%8
			case printable:
				column++
				if wide(r) {
					column++
				}
			}
			if space {
				inWord = false
			} else if !inWord && printable {
				inWord = true
				n[1]++
			}
		}
		data = data[at:]
		kept = copy(buffer, data)
		if err == io.EOF {
			n[4] = max(n[4], column)
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// wide says whether a character takes two columns.
func wide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1f64f || r >= 0x1f900 && r <= 0x1f9ff ||
		r >= 0x20000 && r <= 0x3fffd)
}
