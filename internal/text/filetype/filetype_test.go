package filetype_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/filetype"
)

func TestOf(t *testing.T) {
	const png, zip = "\x89PNG\r\n\x1a\n\x00", "PK\x03\x04\x00"
	almost := strings.Repeat("x", filetype.HeadSize-1)
	for why, test := range map[string]struct {
		name, head, mime string
		binary           bool
	}{
		"text":                           {"a.txt", "hello", "text/plain", false},
		"text without an ending":         {"README", "hello", "text/plain", false},
		"nothing":                        {"a.json", "", "application/json", false},
		"an ending in capitals":          {"A.CSV", "a,b", "text/csv", false},
		"text that looks like something": {"a.txt", "<!DOCTYPE html><p>x", "text/plain", false},
		"an image":                       {"a.png", png, "image/png", true},
		"an image by another name":       {"a.txt", png, "image/png", true},
		"a PDF of ASCII alone":           {"a.txt", "%PDF-1.4\n1 0 obj", "application/pdf", false},
		"rich text":                      {"a", `{\rtf1\ansi x}`, "application/rtf", false},
		"an archive":                     {"a", zip, "application/zip", true},
		"a table": {"a.xlsx", zip,
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true},
		"a table that is none":                   {"a.xlsx", png, "image/png", true},
		"text by the name, but not by content":   {"a.csv", "a\x00b", "application/octet-stream", true},
		"text that is not UTF-8":                 {"a.txt", "caf\xe9", "application/octet-stream", true},
		"UTF-16":                                 {"a.txt", "\xff\xfea\x00", "text/plain;charset=utf-16le", true},
		"a signature of our own":                 {"a", "SQLite format 3\x00", "application/vnd.sqlite3", true},
		"a character that the head cuts":         {"a", almost + "€", "text/plain", false},
		"a wrong byte where the head ends":       {"a", almost + "\xff", "application/octet-stream", true},
		"an incomplete character where it ends":  {"a", "abc\xe2\x82", "application/octet-stream", true},
		"what comes behind the head is not seen": {"a", almost + "xx\x00", "text/plain", false},
	} {
		t.Run(why, func(t *testing.T) {
			mime, binary := filetype.Of(test.name, []byte(test.head))
			require.Equal(t, test.mime, mime)
			require.Equal(t, test.binary, binary)
		})
	}
}
