package misc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/jq"
)

var fileCommand = &command.Command{
	Name: "file", Operands: "[OPTION]... FILE...", Summary: "Determine the type of FILEs.",
	Options: []command.Option{
		{Short: 'b', Long: "brief", Help: "do not prepend filenames to output lines"},
		{Short: 'i', Long: "mime", Help: "output MIME type strings (--mime-type and --mime-encoding)"},
		{Long: "mime-type", Help: "output the MIME type"},
		{Long: "mime-encoding", Help: "output the MIME encoding"},
		{Short: 'L', Long: "dereference", Help: "follow symlinks"},
		{Short: 'h', Long: "no-dereference", Help: "don't follow symlinks (default)"},
		{Short: 'f', Long: "files-from", Arg: "FILE", Help: "read the filenames to be examined from FILE"},
		{Short: 'F', Long: "separator", Arg: "STRING", Help: "use string as separator instead of ':'"},
		{Short: 'N', Long: "no-pad", Help: "do not pad output"},
		{Short: '0', Long: "print0"}, {Short: 'k', Long: "keep-going"}, {Short: 's',
			Long: "special-files"}, {Short: 'z', Long: "uncompress"},
		{Short: 'E'}, {Short: 'p', Long: "preserve-date"},
	},
	Notes: "It knows the formats that are common. The rest is text, by its encoding, or data.",
	Run:   runFile,
}

func runFile(c *command.Context) int {
	names := c.Args
	if from, ok := c.Value("files-from"); ok {
		lines, err := c.InputLines(from, '\n')
		if err != nil {
			c.FileError(from, err)
			return 1
		}
		names = append(names, lines...)
	}
	if len(names) == 0 {
		fmt.Fprintln(c.Stderr, "Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n"+
			"            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n"+
			"            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n            <file> ...")
		return 1
	}
	width := 0
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(shownName(name)))
	}
	separator := ":"
	if s, ok := c.Value("separator"); ok {
		separator = s
	}
	status := 0
	for _, name := range names {
		t, failed := identify(c, name)
		if failed {
			status = 0
		}
		text := t.text
		switch {
		case c.Has("mime") && !failed:
			text = t.mime + "; charset=" + t.encoding
		case c.Has("mime-type") && !failed:
			text = t.mime
		case c.Has("mime-encoding") && !failed:
			text = t.encoding
		}
		if c.Has("brief") {
			fmt.Fprintln(c.Stdout, text)
			continue
		}
		pad := ""
		if !c.Has("no-pad") {
			pad = strings.Repeat(" ", width-utf8.RuneCountInString(shownName(name)))
		}
		fmt.Fprintf(c.Stdout, "%s%s%s %s\n", shownName(name), separator, pad, text)
	}
	return status
}

func shownName(name string) string {
	if name == "-" {
		return "/dev/stdin"
	}
	return name
}

type fileType struct{ text, mime, encoding string }

func identify(c *command.Context, name string) (t fileType, failed bool) {
	if name != "-" {
		stat := c.Lstat
		if c.Has("dereference") {
			stat = c.Stat
		}
		info, err := stat(name)
		if err != nil {
			return fileType{text: fmt.Sprintf("cannot open `%s' (%s)", name, command.Text(err))}, true
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := c.Readlink(name)
			kind := "symbolic link to " + target
			if _, err := c.Stat(name); err != nil {
				kind = "broken symbolic link to " + target
			}
			return fileType{kind, "inode/symlink", "binary"}, false
		case info.IsDir():
			return fileType{"directory", "inode/directory", "binary"}, false
		case info.Mode()&fs.ModeCharDevice != 0:
			return fileType{"character special (1/3)", "inode/chardevice", "binary"}, false
		}
	}
	in, err := c.Input(name)
	if err != nil {
		return fileType{text: fmt.Sprintf("cannot open `%s' (%s)", name, command.Text(err))}, true
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return fileType{text: fmt.Sprintf("cannot read `%s' (%s)", name, command.Text(err))}, true
	}
	return identifyData(data), false
}

// binaries are formats that begin with certain bytes.
var binaries = []struct{ magic, text, mime string }{
	{"\x7fELF", "ELF", "application/x-executable"},
	{"\x00asm\x01\x00\x00\x00", "WebAssembly (wasm) binary module version 0x1 (MVP)", "application/wasm"},
	{"GIF8", "GIF image data", "image/gif"},
	{"\x89PNG\r\n\x1a\n", "PNG image data", "image/png"},
	{"\xff\xd8\xff", "JPEG image data", "image/jpeg"},
	{"BM", "PC bitmap", "image/bmp"},
	{"\x00\x00\x01\x00", "MS Windows icon resource", "image/vnd.microsoft.icon"},
	{"%PDF-", "PDF document", "application/pdf"},
	{"PK\x03\x04", "Zip archive data", "application/zip"},
	{"PK\x05\x06", "Zip archive data (empty)", "application/zip"},
	{"\x1f\x8b", "gzip compressed data", "application/gzip"},
	{"BZh", "bzip2 compressed data", "application/x-bzip2"},
	{"\xfd7zXZ\x00", "XZ compressed data", "application/x-xz"},
	{"\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+), Dictionary ID: None", "application/zstd"},
	{"7z\xbc\xaf\x27\x1c", "7-zip archive data, version 0.4", "application/x-7z-compressed"},
	{"SQLite format 3\x00", "SQLite 3.x database", "application/vnd.sqlite3"},
	{"OggS", "Ogg data", "audio/ogg"},
	{"ID3", "Audio file with ID3 version 2", "audio/mpeg"},
	{"fLaC", "FLAC audio bitstream data", "audio/flac"},
	{"wOFF", "Web Open Font Format", "font/woff"},
	{"wOF2", "Web Open Font Format (Version 2)", "font/woff2"},
	{"\xca\xfe\xba\xbe", "compiled Java class data", "application/x-java-applet"},
}

func identifyData(data []byte) fileType {
	if len(data) == 0 {
		return fileType{"empty", "inode/x-empty", "binary"}
	}
	if len(data) == 1 {
		return fileType{"very short file (no magic)", "application/octet-stream", "binary"}
	}
	for _, b := range binaries {
		if bytes.HasPrefix(data, []byte(b.magic)) && (b.magic != "BM" || len(data) > 14 && data[6] == 0 &&
			data[7] == 0) {
			return fileType{b.text + details(b.magic, data), b.mime, "binary"}
		}
	}
	switch {
	case len(data) > 262 && string(data[257:262]) == "ustar":
		kind := "POSIX tar archive"
		if string(data[257:265]) == "ustar  \x00" {
			kind += " (GNU)"
		}
		return fileType{kind, "application/x-tar", "binary"}
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WAVE":
		return fileType{"RIFF (little-endian) data, WAVE audio", "audio/x-wav", "binary"}
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return fileType{"RIFF (little-endian) data, Web/P image", "image/webp", "binary"}
	case len(data) > 12 && string(data[4:8]) == "ftyp":
		return fileType{"ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4", "binary"}
	}
	return identifyText(data)
}

// details are what is said of some binary formats.
func details(magic string, data []byte) string {
	switch {
	case magic == "GIF8" && len(data) >= 6:
		s := ", version " + string(data[3:6]) + ","
		if len(data) >= 10 {
			s += fmt.Sprintf(" %d x %d", binary.LittleEndian.Uint16(data[6:]), binary.LittleEndian.Uint16(data[8:]))
		}
		return s
	case strings.HasPrefix(magic, "\x89PNG") && len(data) >= 29:
		color := map[byte]string{0: "grayscale", 2: "RGB", 3: "colormap", 4: "gray+alpha", 6: "RGBA"}[data[25]]
		interlace := "non-interlaced"
		if data[28] == 1 {
			interlace = "interlaced"
		}
		return fmt.Sprintf(", %d x %d, %d-bit/color %s, %s", binary.BigEndian.Uint32(data[16:]),
			binary.BigEndian.Uint32(data[20:]),
			data[24], color, interlace)
	case magic == "%PDF-" && len(data) >= 8:
		return ", version " + strings.TrimSpace(string(data[5:8]))
	case magic == "PK\x03\x04" && len(data) >= 10:
		method := map[uint16]string{0: "store", 8: "deflate"}[binary.LittleEndian.Uint16(data[8:])]
		version := binary.LittleEndian.Uint16(data[4:]) & 0xff
		return fmt.Sprintf(", at least v%d.%d to extract, compression method=%s", version/10, version%10, method)
	case magic == "\x7fELF" && len(data) > 20:
		bits, order := "32-bit", "LSB"
		if data[4] == 2 {
			bits = "64-bit"
		}
		if data[5] == 2 {
			order = "MSB"
		}
		return " " + bits + " " + order + " executable"
	case magic == "BZh" && len(data) > 3:
		return ", block size = " + string(data[3]) + "00k"
	}
	return ""
}

const longLine = 300

func identifyText(data []byte) fileType {
	encoding, name := "us-ascii", "ASCII text"
	bom := bytes.HasPrefix(data, []byte("\xef\xbb\xbf"))
	ascii, latin := true, true
	for _, c := range data {
		switch {
		case c >= 0x80:
			ascii = false
			if c < 0xa0 {
				latin = false
			}
		case c < ' ' && (c < 7 || c > 13) && c != 27, c == 127:
			if bytes.HasPrefix(data, []byte("\xff\xfe")) {
				return fileType{"Unicode text, UTF-16, little-endian text", "text/plain", "utf-16le"}
			}
			if bytes.HasPrefix(data, []byte("\xfe\xff")) {
				return fileType{"Unicode text, UTF-16, big-endian text", "text/plain", "utf-16be"}
			}
			return fileType{"data", "application/octet-stream", "binary"}
		}
	}
	switch {
	case ascii:
	case utf8.Valid(data):
		encoding, name = "utf-8", "Unicode text, UTF-8 text"
		if bom {
			name = "Unicode text, UTF-8 (with BOM) text"
		}
	case latin:
		encoding, name = "iso-8859-1", "ISO-8859 text"
	default:
		encoding, name = "unknown-8bit", "Non-ISO extended-ASCII text"
	}
	kind, mime, executable := textKind(data)
	tail := lineEnds(data)
	switch {
	case kind == "JSON text data" || kind == "New Line Delimited JSON text data" || kind == "CSV text":
		return fileType{kind, mime, encoding}
	case executable:
		return fileType{kind + ", " + name + " executable" + tail, mime, encoding}
	case kind != "":
		return fileType{kind + ", " + name + tail, mime, encoding}
	}
	return fileType{name + tail, "text/plain", encoding}
}

// lineEnds says what is special about the lines of a text.
func lineEnds(data []byte) string {
	var tail string
	longest := 0
	crlf, lf, cr := 0, 0, 0
	from := 0
	for i, c := range data {
		switch {
		case c == '\n':
			if i > 0 && data[i-1] == '\r' {
				crlf++
				cr--
			} else {
				lf++
			}
			longest = max(longest, i-from)
			from = i + 1
		case c == '\r':
			cr++
		}
	}
	longest = max(longest, len(data)-from)
	if longest >= longLine {
		tail += fmt.Sprintf(", with very long lines (%d)", longest)
	}
	var ends []string
	if crlf > 0 {
		ends = append(ends, "CRLF")
	}
	if cr > 0 {
		ends = append(ends, "CR")
	}
	if lf > 0 && len(ends) > 0 {
		ends = append(ends, "LF")
	}
	switch {
	case crlf+lf+cr == 0:
		tail += ", with no line terminators"
	case len(ends) > 0:
		tail += ", with " + strings.Join(ends, ", ") + " line terminators"
	}
	return tail
}

// interpreters are what scripts begin with.
var interpreters = []struct{ name, text, mime string }{
	{"bash", "Bourne-Again shell script", "text/x-shellscript"}, {"dash", "a /usr/bin/dash script",
		"text/x-shellscript"},
	{"zsh", "Paul Falstad's zsh script", "text/x-shellscript"}, {"sh", "POSIX shell script", "text/x-shellscript"},
	{"python", "Python script", "text/x-script.python"}, {"node", "Node.js script", "application/javascript"},
	{"perl", "Perl script text", "text/x-perl"}, {"ruby", "Ruby script", "text/x-ruby"}, {"awk", "awk script",
		"text/x-awk"},
	{"make", "makefile script", "text/x-makefile"}, {"php", "PHP script", "text/x-php"},
}

// cSource matches the beginning of programs in C.
var cSource = regexp.MustCompile(`(?m)^(#include[ \t]*[<"]|` +
	`(extern|static|int|void|char|double|float|struct|typedef)\b[^;\n]*\([^;\n]*\)\s*\{)`)

// textKind returns what a text is, if that can be told.
func textKind(data []byte) (kind, mime string, executable bool) {
	head := data[:min(len(data), 4096)]
	if line, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		words := strings.Fields(string(line))
		program := ""
		for _, w := range words {
			base := w[strings.LastIndexByte(w, '/')+1:]
			if base != "env" && !strings.HasPrefix(base, "-") {
				program = base
				break
			}
		}
		for _, i := range interpreters {
			if strings.HasPrefix(program, i.name) {
				return i.text, i.mime, true
			}
		}
		return "a " + strings.TrimSpace(string(line)) + " script", "text/plain", true
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	lower := bytes.ToLower(trimmed)
	switch {
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		if _, err := jq.Parse(string(data)); err == nil {
			return "JSON text data", "application/json", false
		}
		first, rest, _ := bytes.Cut(trimmed, []byte("\n"))
		if _, err := jq.Parse(string(first)); err == nil && len(bytes.TrimSpace(rest)) > 0 {
			return "New Line Delimited JSON text data", "application/x-ndjson", false
		}
	case bytes.HasPrefix(lower, []byte("<?xml")):
		if bytes.Contains(lower, []byte("<svg")) {
			return "SVG Scalable Vector Graphics image", "image/svg+xml", false
		}
		return "XML 1.0 document", "text/xml", false
	case bytes.HasPrefix(lower, []byte("<svg")):
		return "SVG Scalable Vector Graphics image", "image/svg+xml", false
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")),
		bytes.HasPrefix(lower, []byte("<head")), bytes.HasPrefix(lower, []byte("<body")):
		return "HTML document", "text/html", false
	case bytes.HasPrefix(lower, []byte("<?php")):
		return "PHP script", "text/x-php", false
	case cSource.Match(head):
		return "C source", "text/x-c", false
	case bytes.HasPrefix(trimmed, []byte("diff ")), bytes.HasPrefix(trimmed, []byte("--- ")) && bytes.Contains(head,
		[]byte("\n+++ ")):
		return "unified diff output", "text/x-diff", false
	case isCSV(data):
		return "CSV text", "text/csv", false
	}
	return "", "text/plain", false
}

// isCSV says whether the first lines have as many fields each, more than one.
func isCSV(data []byte) bool {
	lines := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
	if len(lines) < 2 || len(lines) > 1 && len(data) > 0 && data[len(data)-1] != '\n' && len(lines) < 3 {
		return false
	}
	fields := 0
	for i, line := range lines[:min(len(lines), 10)] {
		n, quoted := 0, false
		for _, c := range line {
			switch {
			case c == '"':
				quoted = !quoted
			case c == ',' && !quoted:
				n++
			}
		}
		if i == 0 {
			fields = n
		}
		if n == 0 || n != fields {
			return false
		}
	}
	return true
}
