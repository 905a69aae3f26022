package textfile

import (
	"bytes"
	"encoding/base64"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// IsText reports whether content is text: valid UTF-8 without NULs.
func IsText(content []byte) bool {
	return bytes.IndexByte(content, 0) < 0 && utf8.Valid(content)
}

// signatures are of types that http.DetectContentType does not know.
var signatures = []struct {
	offset int
	bytes  string
	mime   string
}{
	{0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{0, "\xfd7zXZ\x00", "application/x-xz"},
	{0, "BZh", "application/x-bzip2"},
	{0, "\x28\xb5\x2f\xfd", "application/zstd"},
	{0, "SQLite format 3\x00", "application/vnd.sqlite3"},
	{0, "\x7fELF", "application/x-elf"},
	{0, "fLaC", "audio/flac"},
	{0, "II*\x00", "image/tiff"},
	{0, "MM\x00*", "image/tiff"},
	{4, "ftypavif", "image/avif"},
	{4, "ftypheic", "image/heic"},
	{257, "ustar", "application/x-tar"},
}

const unknownBinary = "application/octet-stream"

// MIME returns the type of content that is not text, judged by how it begins.
func MIME(content []byte) string {
	detected := http.DetectContentType(content)
	if base, charset, _ := strings.Cut(detected, ";"); strings.HasPrefix(base, "text/") {
		if strings.Contains(charset, "utf-16") {
			return base + ";charset=" + strings.TrimPrefix(strings.TrimSpace(charset), "charset=")
		}
		detected = unknownBinary // it looks at how the content begins, and that is not how it goes on
	}
	if detected == unknownBinary {
		for _, s := range signatures {
			if len(content) >= s.offset && bytes.HasPrefix(content[s.offset:], []byte(s.bytes)) {
				return s.mime
			}
		}
	}
	return detected
}

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

// decode returns what a file that is made of a text has in it: the text, or what it encodes, if it is a data URL in base64.
func decode(shown, text string) (content []byte, binary bool, err error) {
	head, data, ok := strings.Cut(text, ",")
	// A text that only begins like that has something else there: types are short, and on one line.
	if !ok || len(head) > 300 || !hasPrefixFold(head, "data:") || !hasSuffixFold(head, ";base64") || strings.ContainsAny(head, "\r\n") {
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
		return nil, false, because(err, "Error: The data URL for %s is not valid base64. Use the standard alphabet, with + and /, or pass plain text that does not begin with data:.", shown)
	}
	return content, true, nil
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
