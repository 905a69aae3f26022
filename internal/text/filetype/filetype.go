// Package filetype determines the type of a file from its content and name, in the same way on every host.
package filetype

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"
)

// Types that do not depend on a file's content.
const (
	// Directory is the type of a directory.
	Directory = "application/x-directory"
	// Unknown is the type of binary content that is not recognised.
	Unknown = "application/octet-stream"
)

// HeadSize is how many bytes of a file [Of] needs to see.
const HeadSize = 64 << 10

// IsText reports whether content is text: valid UTF-8 without NULs.
func IsText(content []byte) bool {
	return bytes.IndexByte(content, 0) < 0 && utf8.Valid(content)
}

// signatures recognise types that http.DetectContentType does not know.
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

// MIME returns the type of content that is not text, from its first bytes.
func MIME(content []byte) string {
	detected := http.DetectContentType(content)
	if base, charset, _ := strings.Cut(detected, ";"); strings.HasPrefix(base, "text/") {
		if strings.Contains(charset, "utf-16") {
			return base + ";charset=" + strings.TrimPrefix(strings.TrimSpace(charset), "charset=")
		}
		detected = Unknown // it looks at how the content begins, and that is not how it goes on
	}
	if detected == Unknown {
		for _, s := range signatures {
			if len(content) >= s.offset && bytes.HasPrefix(content[s.offset:], []byte(s.bytes)) {
				return s.mime
			}
		}
	}
	return detected
}

// textSignatures recognise types whose files can be text, too.
var textSignatures = []struct{ bytes, mime string }{
	{"%PDF-", "application/pdf"},
	{"%!PS-Adobe-", "application/postscript"},
	{`{\rtf`, "application/rtf"},
}

// textTypes maps the endings of names to types of text.
var textTypes = map[string]string{
	".css": "text/css", ".csv": "text/csv", ".htm": "text/html", ".html": "text/html", ".ics": "text/calendar",
	".js": "text/javascript", ".cjs": "text/javascript", ".mjs": "text/javascript", ".json": "application/json",
	".map": "application/json", ".md": "text/markdown", ".markdown": "text/markdown", ".sh": "application/x-sh",
	".svg": "image/svg+xml", ".toml": "application/toml", ".tsv": "text/tab-separated-values", ".ts": "text/typescript",
	".cts": "text/typescript", ".mts": "text/typescript", ".xhtml": "application/xhtml+xml", ".xml": "application/xml",
	".yaml": "application/yaml", ".yml": "application/yaml",
}

// zipTypes maps the endings of names to types of archives.
var zipTypes = map[string]string{
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".epub": "application/epub+zip",
	".jar":  "application/java-archive",
	".odp":  "application/vnd.oasis.opendocument.presentation",
	".ods":  "application/vnd.oasis.opendocument.spreadsheet",
	".odt":  "application/vnd.oasis.opendocument.text",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// Of returns the type of a file from its name and head, which is its whole content or at least the first [HeadSize]
// bytes. Content decides first; the name only tells kinds of text and of archives apart.
func Of(name string, head []byte) (mime string, isBinary bool) {
	ending := strings.ToLower(path.Ext(name))
	if len(head) >= HeadSize {
		head = head[:HeadSize-incomplete(head[:HeadSize])]
	}
	if IsText(head) {
		for _, s := range textSignatures {
			if bytes.HasPrefix(head, []byte(s.bytes)) {
				return s.mime, false
			}
		}
		if mime, ok := textTypes[ending]; ok {
			return mime, false
		}
		return "text/plain", false
	}
	mime = MIME(head)
	if special, ok := zipTypes[ending]; ok && mime == "application/zip" {
		mime = special
	}
	return mime, true
}

// incomplete returns how many bytes at the end begin a character that may continue after them.
func incomplete(head []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(head); n++ {
		if rest := head[len(head)-n:]; utf8.RuneStart(rest[0]) {
			if utf8.FullRune(rest) {
				return 0
			}
			return n
		}
	}
	return 0
}
