package textfile

import (
	"encoding/base64"
	"mime"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// dataURL returns content as a data URL, behind a line that says what it is.
func dataURL(line, mime string, content []byte) string {
	var b strings.Builder
	b.Grow(len(line) + len("\ndata:;base64,") + len(mime) + base64.StdEncoding.EncodedLen(len(content)))
	b.WriteString(line + "\ndata:" + mime + ";base64,")
	encoder := base64.NewEncoder(base64.StdEncoding, &b)
	_, _ = encoder.Write(content) // a Builder takes everything
	_ = encoder.Close()
	return b.String()
}

// decode returns what a file that is made of a text has in it: the text, or what it encodes, if it is a data URL in
// base64.
func decode(shown, text string) (content []byte, binary bool, err error) {
	head, data, ok := strings.Cut(text, ",")
	// A text that only begins like that has something else there: types are short, and on one line.
	if !ok || len(head) > 300 || !isDataURL().MatchString(head) ||
		strings.ContainsAny(head, "\r\n") {
		return []byte(text), false, nil
	}
	if declared := head[len("data:") : len(head)-len(";base64")]; declared != "" && declared[0] != ';' {
		if _, _, err := mime.ParseMediaType(declared); err != nil {
			return nil, false, because(err, "Error: The data URL for %s has an invalid type: %q.", shown, declared)
		}
	}
	data = strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\r', '\n':
			return -1
		}
		return c
	}, data)
	encoding := base64.StdEncoding
	if !strings.HasSuffix(data, "=") {
		encoding = base64.RawStdEncoding
	}
	content, err = encoding.DecodeString(data)
	if err != nil {
		return nil, false, because(err, "Error: The data URL for %s is not valid base64. "+
			"Use the standard alphabet, with + and /, or pass plain text that does not begin with data:.", shown)
	}
	return content, true, nil
}

var isDataURL = lazyregexp.New(`(?s)^[dD][aA][tT][aA]:.*;[bB][aA][sS][eE]64$`)
