package data

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var html2text = &command.Command{
	Name: "html2text", Operands: "[OPTION]... [FILE]...",
	Summary: "Convert HTML to plain text. With no FILE, read standard input.",
	Options: []command.Option{
		{Short: 'w', Long: "width", Arg: "N", Help: "wrap lines at N columns (default 79; 0 does not wrap)"},
		{Short: 'l', Long: "links", Help: "show where links lead: text (address)"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "write to FILE"},
		{Long: "ignore-links"}, {Long: "body-width", Arg: "N"}, {Long: "nobs"}, {Long: "utf8"},
	},
	Run: runHTML2text,
}

func runHTML2text(c *command.Context) int {
	width := 79
	for _, name := range []string{"width", "body-width"} {
		if s, ok := c.Value(name); ok {
			n, err := strconv.Atoi(s)
			if err != nil || n < 0 {
				return c.Usage("invalid width %s", command.QuoteText(s))
			}
			width = n
		}
	}
	var all []byte
	ok := c.EachInput(func(_ string, r io.Reader) error {
		data, err := io.ReadAll(r)
		all = append(all, data...)
		return err
	})
	out := c.Output()
	if name, given := c.Value("output"); given {
		file, err := c.Create(name)
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		defer file.Close()
		out = bufio.NewWriter(file)
	}
	t := &textMaker{out: out, width: width, links: c.Has("links")}
	t.convert(string(all))
	if err := out.Flush(); err != nil {
		c.Errorf("write error: %s", command.Text(err))
		return 1
	}
	return command.Status(ok)
}

// A textMaker makes text of HTML.
type textMaker struct {
	out    *bufio.Writer
	width  int
	links  bool
	line   strings.Builder
	space  bool // a blank is due
	gap    int  // how many newlines are due
	begun  bool
	pre    int
	indent int
	lists  []int // the number of the next item, or 0
	bullet string
	href   string
	cell   bool
}

// skipped are elements whose content is not shown.
var skipped = map[string]bool{"script": true, "style": true, "head": true, "template": true, "noscript": true,
	"svg": true}

// blocks are elements that begin on a line of their own, with so many blank lines around them.
var blocks = map[string]int{"p": 1, "div": 0, "section": 0, "article": 0, "header": 0, "footer": 0, "main": 0, "nav": 0,
	"aside": 0,
	"h1":    1, "h2": 1, "h3": 1, "h4": 1, "h5": 1, "h6": 1, "ul": 1, "ol": 1, "dl": 1,
	"li": 0, "dt": 0, "dd": 0, "table": 1, "tr": 0,
	"blockquote": 1, "pre": 1, "form": 0, "figure": 1, "figcaption": 0, "address": 0, "title": 1, "body": 0, "html": 0}

func (t *textMaker) convert(s string) {
	for s != "" {
		at := strings.IndexByte(s, '<')
		if at < 0 {
			t.text(s)
			break
		}
		if at > 0 {
			t.text(s[:at])
			s = s[at:]
		}
		if strings.HasPrefix(s, "<!--") {
			end := strings.Index(s[4:], "-->")
			if end < 0 {
				break
			}
			s = s[4+end+3:]
			continue
		}
		if len(s) < 2 || !(s[1] == '/' || s[1] == '!' || s[1] == '?' || s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z') {
			t.text("<")
			s = s[1:]
			continue
		}
		end := tagEnd(s)
		tag := s[1:end]
		s = s[min(len(s), end+1):]
		name, attributes := tagName(tag)
		if closing, ok := strings.CutPrefix(name, "/"); ok {
			t.close(closing)
			continue
		}
		if skipped[name] && !strings.HasSuffix(tag, "/") {
			i := strings.Index(strings.ToLower(s), "</"+name)
			if i < 0 {
				break
			}
			s = s[i:]
			continue
		}
		t.open(name, attributes)
	}
	t.flush()
	if t.begun {
		_ = t.out.WriteByte('\n')
	}
}

// tagEnd returns where a tag ends: quotes may have ">".
func tagEnd(s string) int {
	quote := byte(0)
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i
		}
	}
	return len(s)
}

func tagName(tag string) (name, attributes string) {
	i := strings.IndexAny(tag, " \t\r\n")
	if i < 0 {
		i = len(tag)
	}
	name = strings.ToLower(strings.TrimSuffix(tag[:i], "/"))
	return name, tag[i:]
}

// attribute returns an attribute of a tag.
func attribute(attributes, name string) string {
	lower := strings.ToLower(attributes)
	i := strings.Index(lower, name+"=")
	if i < 0 {
		return ""
	}
	rest := attributes[i+len(name)+1:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		value, _, _ := strings.Cut(rest[1:], rest[:1])
		return html.UnescapeString(value)
	}
	value, _, _ := strings.Cut(rest, " ")
	return html.UnescapeString(value)
}

func (t *textMaker) open(name, attributes string) {
	if blank, ok := blocks[name]; ok {
		t.block(blank)
	}
	switch name {
	case "br":
		t.flush()
		t.gap = max(t.gap, 1)
	case "hr":
		t.block(0)
		t.text(strings.Repeat("-", max(3, min(t.width, 72))))
		t.block(0)
	case "ul", "ol":
		number := 0
		if name == "ol" {
			number = 1
		}
		if len(t.lists) > 0 {
			t.gap = min(t.gap, 1)
		}
		t.lists = append(t.lists, number)
	case "li":
		t.bullet = "* "
		if n := len(t.lists); n > 0 && t.lists[n-1] > 0 {
			t.bullet = strconv.Itoa(t.lists[n-1]) + ". "
			t.lists[n-1]++
		}
	case "dd", "blockquote":
		t.indent += 2
	case "pre":
		t.pre++
	case "td", "th":
		if t.cell {
			t.word("\t")
		}
		t.cell = true
	case "tr":
		t.cell = false
	case "img":
		if alt := attribute(attributes, "alt"); alt != "" {
			t.text("[" + alt + "]")
		}
	case "a":
		t.href = attribute(attributes, "href")
	}
}

func (t *textMaker) close(name string) {
	switch name {
	case "ul", "ol":
		t.flush()
		if len(t.lists) > 0 {
			t.lists = t.lists[:len(t.lists)-1]
		}
	case "dd", "blockquote":
		t.flush()
		t.indent = max(0, t.indent-2)
	case "pre":
		t.flush()
		t.pre = max(0, t.pre-1)
	case "a":
		if t.links && t.href != "" {
			t.text(" (" + t.href + ")")
		}
		t.href = ""
	}
	if blank, ok := blocks[name]; ok {
		if len(t.lists) > 0 && (name == "ul" || name == "ol") {
			blank = 0
		}
		t.block(blank)
	}
}

// block ends a line, and asks for blank lines.
func (t *textMaker) block(blank int) {
	t.flush()
	t.gap = max(t.gap, 1+blank)
	t.space = false
}

func (t *textMaker) text(s string) {
	s = html.UnescapeString(s)
	if t.pre > 0 {
		for i, line := range strings.Split(s, "\n") {
			if i > 0 {
				t.put(t.line.String())
				t.line.Reset()
				t.gap = 1
			}
			t.line.WriteString(strings.TrimRight(line, "\r"))
		}
		return
	}
	s = strings.ReplaceAll(s, "\u00a0", " ")
	if s != "" && strings.ContainsRune(" \t\r\n", rune(s[0])) {
		t.space = true
	}
	for i, word := range strings.Fields(s) {
		if i > 0 {
			t.space = true
		}
		t.word(word)
	}
	if trimmed := strings.TrimRight(s, " \t\r\n"); trimmed != s && trimmed != "" {
		t.space = true
	}
}

func (t *textMaker) word(word string) {
	if word == "\t" {
		t.line.WriteString("\t")
		t.space = false
		return
	}
	length := utf8.RuneCountInString(t.line.String())
	if length > 0 && t.space {
		room := t.width - t.margin() - len(t.bullet)
		if t.width > 0 && length+1+utf8.RuneCountInString(word) > room {
			t.flush()
			t.gap = max(t.gap, 1)
		} else if !strings.HasSuffix(t.line.String(), "\t") {
			t.line.WriteByte(' ')
		}
	}
	t.space = false
	t.line.WriteString(word)
}

func (t *textMaker) margin() int { return t.indent + 2*max(0, len(t.lists)) }

// flush writes the line that is being made.
func (t *textMaker) flush() {
	if t.line.Len() == 0 {
		return
	}
	t.put(t.line.String())
	t.line.Reset()
	t.space = false
}

func (t *textMaker) put(line string) {
	if t.begun {
		for range min(max(t.gap, 1), 2) {
			_ = t.out.WriteByte('\n')
		}
	}
	t.gap = 0
	t.begun = true
	margin := t.margin()
	if t.bullet != "" {
		margin = max(0, margin-len("* "))
		line = t.bullet + line
		t.bullet = ""
	}
	fmt.Fprintf(t.out, "%s%s", strings.Repeat(" ", margin), strings.TrimRight(line, " "))
}
