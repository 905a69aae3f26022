package xmlcall

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String writes the call as a model should. Parse returns the same tool and params for it.
func (b Block) String() string {
	var w strings.Builder
	w.WriteString("<tool:" + escapeName(b.Tool) + ">\n")
	for _, p := range b.Params {
		newline := ""
		if strings.ContainsAny(p.Value, "\r\n") {
			newline = "\n"
		}
		key := escapeName(p.Key)
		fmt.Fprintf(&w, "<param:%s>%s%s%[2]s</param:%[1]s>\n", key, newline, escape(p.Value))
	}
	w.WriteString("</tool:" + escapeName(b.Tool) + ">")
	return w.String()
}

// escapeName writes a name as it can be in a tag, and so that all of it is seen.
func escapeName(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r >= utf8.RuneSelf && unicode.IsPrint(r), r < utf8.RuneSelf && isNameByte(byte(r)) &&
			r != '&' && (r != ':' || i > 0):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
