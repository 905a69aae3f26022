package compare

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
)

// ifdef sets the formats of -D.
func (d *differ) ifdef(name string) {
	old := "#ifndef " + name + "\n%<"
	d.formats = map[string]string{
		"old-group-format":     old + "#endif /* ! " + name + " */\n",
		"new-group-format":     "#ifdef " + name + "\n%>#endif /* " + name + " */\n",
		"changed-group-format": old + "#else /* " + name + " */\n%>#endif /* " + name + " */\n",
	}
}

// A group is some lines of both files, each of which can have none.
type group struct {
	d                 *differ
	lines             [2][][]byte
	at, other         int // where they begin, from 0
	deleted, inserted int
	unchanged         bool
}

// groups writes the whole of both files by formats.
func (d *differ) groups(sources [2]*source, script []change) {
	lines := [2][][]byte{sources[0].lines, sources[1].lines}
	at, other := 0, 0
	same := func(end, otherEnd int) {
		if end > at || otherEnd > other {
			group{d, lines, at, other, end - at, otherEnd - other, true}.write("unchanged", "%=")
		}
	}
	for _, c := range script {
		if c.ignored {
			continue
		}
		same(c.at, c.other)
		g := group{d, lines, c.at, c.other, c.deleted, c.inserted, false}
		switch {
		case c.inserted == 0:
			g.write("old", g.format("changed", "%<"))
		case c.deleted == 0:
			g.write("new", g.format("changed", "%>"))
		default:
			g.write("changed", g.format("old", "%<")+g.format("new", "%>"))
		}
		at, other = c.at+c.deleted, c.other+c.inserted
	}
	same(len(lines[0]), len(lines[1]))
}

// format returns the format of a kind of groups, or another one if none was given.
func (g group) format(kind, otherwise string) string {
	if format, ok := g.d.formats[kind+"-group-format"]; ok {
		return format
	}
	return otherwise
}

// write writes a group by the format of its kind, or by another one if none was given.
func (g group) write(kind, otherwise string) {
	expand(g.d.out, g.format(kind, otherwise), func(letter byte) bool {
		switch letter {
		case '<':
			g.writeLines("old", 0, g.at, g.deleted)
		case '>':
			g.writeLines("new", 1, g.other, g.inserted)
		case '=':
			g.writeLines("unchanged", 0, g.at, g.deleted)
		default:
			return false
		}
		return true
	}, func(letter byte) (int, bool) {
		at, count := g.at, g.deleted
		if letter >= 'A' && letter <= 'Z' {
			at, count = g.other, g.inserted
		}
		switch letter | 0x20 {
		case 'e':
			return at, true
		case 'f':
			return at + 1, true
		case 'l':
			return at + count, true
		case 'm':
			return at + count + 1, true
		case 'n':
			return count, true
		}
		return 0, false
	})
}

// writeLines writes lines of a file by the format of their kind.
func (g group) writeLines(kind string, file, at, count int) {
	format, ok := g.d.formats[kind+"-line-format"]
	if !ok {
		format = "%l\n"
	}
	for i := at; i < at+count; i++ {
		line := g.lines[file][i]
		text := bytes.TrimSuffix(line, []byte("\n"))
		expand(g.d.out, format, func(letter byte) bool {
			switch letter {
			case 'l':
				_, _ = g.d.out.Write(text)
			case 'L':
				_, _ = g.d.out.Write(line)
			default:
				return false
			}
			return true
		}, func(letter byte) (int, bool) { return i + 1, letter == 'n' })
	}
}

// expand writes a format. Letters after "%" are for a function, and those of numbers, as in "%5dN", for another one.
func expand(out *bufio.Writer, format string, do func(byte) bool, number func(byte) (int, bool)) {
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		_, _ = out.WriteString(text)
		if !found {
			return
		}
		format = rest
		switch {
		case rest == "":
			_, _ = out.WriteString("%")
		case rest[0] == '%':
			_, _ = out.WriteString("%")
			format = rest[1:]
		case strings.HasPrefix(rest, "c'") && len(rest) > 3 && rest[3] == '\'':
			_, _ = out.WriteString(rest[2:3])
			format = rest[4:]
		case do(rest[0]):
			format = rest[1:]
		default:
			spec := len(rest) - len(strings.TrimLeft(rest, "-0123456789."))
			if spec+1 < len(rest) && strings.IndexByte("doxX", rest[spec]) >= 0 {
				if n, ok := number(rest[spec+1]); ok {
					_, _ = out.WriteString(fmt.Sprintf("%"+rest[:spec+1], n))
					format = rest[spec+2:]
					continue
				}
			}
			_, _ = out.WriteString("%")
		}
	}
}
