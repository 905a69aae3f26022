package filesystem_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

func TestViewOfADirectory(t *testing.T) {
	const header = "Here're the files and directories up to 2 levels deep in "
	onBoth(t, func(b *bench) {
		do(b, step{object{"command": "view", "path": "/"}, header + "/, excluding hidden items:\n(empty)", ""})
		b.Put(map[string]string{
			"/a.txt":           "hello",
			"/z/deep/down/x":   "",
			"/z/b":             "1",
			"/z/deep.txt":      strings.Repeat("x", 1023),
			"/b/":              "",
			"/B.md":            strings.Repeat("x", 1536),
			"/big":             strings.Repeat("x", 2<<20),
			"/.hidden":         "x",
			"/z/.git/config":   "x",
			"/.config/app":     "x",
			"/node_modules/m":  "x",
			"/memories/notes":  "n",
			"/quiet/.nothing":  "x",
			"/almost":          strings.Repeat("x", 1<<20-1),
			"/.tool-output/c1": "a\nb\nc\n",
		})
		do(b,
			step{object{"command": "view", "path": "/"}, text(
				header+"/, excluding hidden items:",
				"4.0K\t/b",
				"4.0K\t/memories",
				"1\t/memories/notes",
				"4.0K\t/node_modules",
				"1\t/node_modules/m",
				"4.0K\t/quiet",
				"4.0K\t/z",
				"4.0K\t/z/deep",
				"1\t/z/b",
				"1023\t/z/deep.txt",
				"1.5K\t/B.md",
				"5\t/a.txt",
				"1.0M\t/almost",
				"2.0M\t/big",
			), ""},
			step{object{"command": "view", "path": "z/./x/../"}, text(
				header+"/z, excluding hidden items:",
				"4.0K\t/z/deep",
				"4.0K\t/z/deep/down",
				"1\t/z/b",
				"1023\t/z/deep.txt",
			), ""},
			step{object{"command": "view", "path": "/b"}, header + "/b, excluding hidden items:\n(empty)", ""},
			step{object{"command": "view", "path": "/quiet"}, header + "/quiet, excluding hidden items:\n(empty)", ""},
			// What is hidden can still be viewed by its name.
			step{object{"command": "view", "path": "/.config"}, header + "/.config, excluding hidden " +
				"items:\n1\t/.config/app", ""},
			step{object{"command": "view", "path": "/.tool-output/c1", "view_range": []int{2, 3}}, text(
				"Here's the content of /.tool-output/c1 with line numbers:", "     2\tb", "     3\tc",
			), ""},
			step{object{"command": "view", "path": "/", "view_range": []int{}},
				b.Call(object{"command": "view", "path": "/"}).Text(), ""},
			step{object{"command": "view", "path": "/no"}, "The path /no does not exist. Please provide a valid path.",
				failed},
			step{object{"command": "view", "path": "/a.txt/no"},
				"The path /a.txt/no does not exist. Please provide a valid path.", failed},
		)
	})
}

func TestViewOfAFile(t *testing.T) {
	const header = "Here's the content of /f with line numbers:"
	invalid := func(given, valid string) string {
		return "Error: Invalid `view_range` parameter: " + given +
			". It should be [first line, last line] within the range of lines of the file: " + valid +
			". A last line of -1 means the end of the file."
	}
	tests := map[string]struct {
		content string
		lines   any
		want    string
		code    tool.Code
	}{
		"an empty file": {"", nil, header, ""},
		"an empty file has no lines to show": {"", []int{1, 1},
			"Error: Invalid `view_range` parameter: [1, 1]. The file /f is empty.", failed},
		"one line":                           {"a", nil, header + "\n     1\ta", ""},
		"a newline at the end ends the line": {"a\nb\n", nil, header + "\n     1\ta\n     2\tb", ""},
		"empty lines": {"\n\nb\n\n", nil, header + "\n     1\t\n     2\t\n     3\tb\n     4\t",
			""},
		"carriage returns stay": {"a\r\nb\r\n", nil, header + "\n     1\ta\r\n     2\tb\r", ""},
		"a range":               {"a\nb\nc\nd\n", []int{2, 3}, header + "\n     2\tb\n     3\tc", ""},
		"a range of one line":   {"a\nb\nc", []int{3, 3}, header + "\n     3\tc", ""},
		"a range to the end":    {"a\nb\nc", []int{2, -1}, header + "\n     2\tb\n     3\tc", ""},
		"a range as text":       {"a\nb\nc", "[1, 2]", header + "\n     1\ta\n     2\tb", ""},
		"a range of numbers with fractions of zero": {"a\nb\nc", []any{1.0, "2"},
			header + "\n     1\ta\n     2\tb", ""},
		"no range":                   {"a", []int{}, header + "\n     1\ta", ""},
		"a range that begins with 0": {"a\nb\n", []int{0, 1}, invalid("[0, 1]", "[1, 2]"), failed},
		"a range beyond the end": {"a\nb\n", []int{1, 3},
			header + "\n     1\ta\n     2\tb\n[The file ends here: it has 2 lines.]", ""},
		"the end of a range beyond the end": {"a\nb", []int{2, 100},
			header + "\n     2\tb\n[The file ends here: it has 2 lines.]", ""},
		"a range beyond the only line": {"a\n", []int{1, 2},
			header + "\n     1\ta\n[The file ends here: it has 1 line.]", ""},
		"a range that begins beyond the end": {"a\nb\n", []int{3, -1}, invalid("[3, -1]", "[1, 2]"), failed},
		"a range of huge numbers beyond the end": {"a\nb\n", []any{1e300, 1e300}, invalid("[1e+300, 1e+300]", "[1, 2]"),
			failed},
		"a range that ends before it begins": {"a\nb\n", []int{2, 1}, invalid("[2, 1]", "[1, 2]"), failed},
		"a negative range":                   {"a\nb\n", []int{-2, -1}, invalid("[-2, -1]", "[1, 2]"), failed},
		"a range of three":                   {"a\nb\n", []int{1, 2, 3}, invalid("[1, 2, 3]", "[1, 2]"), failed},
		"a range of one":                     {"a\nb\n", []int{1}, invalid("[1]", "[1, 2]"), failed},
		"a range of huge numbers": {"a\nb\n", []any{1, 1e300},
			header + "\n     1\ta\n     2\tb\n[The file ends here: it has 2 lines.]", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(b *bench) {
				b.Put(map[string]string{"/f": test.content})
				input := object{"command": "view", "path": "/f"}
				if test.lines != nil {
					input["view_range"] = test.lines
				}
				do(b, step{input, test.want, test.code})
			})
		})
	}
}

func TestViewOfManyLines(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{"/most": strings.Repeat("\n", 999_999), "/more": strings.Repeat("\n", 1_000_000)})
	do(b,
		step{object{"command": "view", "path": "/most", "view_range": []int{999_999, -1}},
			"Here's the content of /most with line numbers:\n999999\t", ""},
		step{object{"command": "view", "path": "/more"}, "File /more exceeds maximum line limit of 999999 lines.",
			failed},
		step{object{"command": "view", "path": "/more", "view_range": []int{1, 2}},
			"File /more exceeds maximum line limit of 999999 lines.", failed},
	)
}

func TestViewOfAFileThatIsTooLarge(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, &vfs.Options{Quota: vfs.Quota{FileSize: 64 << 20}}))
	b.Put(map[string]string{"/most": strings.Repeat("x", 32<<20), "/more": strings.Repeat("x", 32<<20+1)})
	require.Empty(t, b.Call(object{"command": "view", "path": "/most"}).Code)
	const tooLarge = "Error: The file /more is too large: it has 33554433 bytes, and files of up to 33554432 bytes " +
		"can be viewed or edited."
	do(b,
		step{object{"command": "view", "path": "/more"}, tooLarge, failed},
		step{object{"command": "str_replace", "path": "/more", "old_str": "x"}, tooLarge, failed},
		step{object{"command": "append", "path": "/more", "file_text": "x"}, tooLarge, failed},
		step{object{"command": "copy", "old_path": "/more", "new_path": "/most", "overwrite": true}, tooLarge, failed},
		step{object{"command": "copy", "old_path": "/more", "new_path": "/again"},
			"Successfully copied /more to /again", ""},
	)
}

func TestViewOfABinary(t *testing.T) {
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))))
	wide := picture.String()[:16] + "\x00\x00\xff\xff" + picture.String()[20:]
	tests := map[string]struct {
		content, mime string
		carried       bool
	}{
		"an image":                   {picture.String(), "image/png", true},
		"an image that is damaged":   {picture.String()[:20], "image/png", false},
		"an image that is too wide":  {wide, "image/png", false},
		"an image that is too large": {picture.String() + strings.Repeat("\x00", 4<<20), "image/png", false},
		"a WebP": {"RIFF\x11\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f\x00\x00\x00\x00",
			"image/webp", true},
		"a WebP that is cut off": {"RIFF\xff\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f\x00\x00\x00\x00",
			"image/webp", false},
		"a PDF":       {"%PDF-1.7\n\x00", "application/pdf", false},
		"a ZIP":       {"PK\x03\x04\x00", "application/zip", false},
		"WebAssembly": {"\x00asm\x01\x00\x00\x00", "application/wasm", false},
		"a 7z":        {"7z\xbc\xaf\x27\x1c\x00", "application/x-7z-compressed", false},
		"a tar":       {strings.Repeat("a\x00", 128) + "\x00ustar\x00", "application/x-tar", false},
		"SQLite":      {"SQLite format 3\x00....", "application/vnd.sqlite3", false},
		"a NUL":       {"\x00", "application/octet-stream", false},
		"a NUL somewhere in a text": {"hello\n" + strings.Repeat("x", 10_000) + "\x00",
			"application/octet-stream", false},
		"text in Cyrillic letters":       {"\xcf\xf0\xe8\xe2\xe5\xf2", "application/octet-stream", false},
		"UTF-16 that is cut off":         {"\xff\xfeh\x00i", "text/plain;charset=utf-16le", false},
		"text that ends within a letter": {"caf\xc3", "application/octet-stream", false},
		"HTML that turns out to be none": {"<html>\x00", "application/octet-stream", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(b *bench) {
				b.Put(map[string]string{"/f.bin": test.content})
				encoded := base64.StdEncoding.EncodeToString([]byte(test.content))
				if len(encoded) < 30_000 {
					want := "Binary file /f.bin (" + test.mime + "):\ndata:" + test.mime + ";base64," + encoded
					do(b, step{object{"command": "view", "path": "/f.bin"}, want, ""})
					do(b, step{object{"command": "view", "path": "/f.bin", "view_range": []int{1, 2}}, want, ""})
				}
				result := b.Call(object{"command": "view", "path": "/f.bin"})
				require.Len(t, result.Content, 1)
				require.Equal(t, test.carried, result.Content[0].Data != nil)
				if test.carried {
					require.Equal(t, test.content, string(result.Content[0].Data))
					require.Equal(t, test.mime, result.Content[0].MIME)
				}
			})
		})
	}
}

func TestTextIsNoBinary(t *testing.T) {
	for _, content := range []string{"GIF89a", "%PDF-1.4 in text", "\x1b[1m", "\ufeffwith a mark", "日本語", "<svg/>"} {
		b := newBench(t, tooltest.InMemory(t, nil))
		b.Put(map[string]string{"/f": content})
		do(b, step{object{"command": "view", "path": "/f"}, "Here's the content of /f with line numbers:\n     1\t" +
			content, ""})
	}
}

func TestViewAll(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/a.txt": "one\ntwo\n", "/d/b.bin": "\x00", "/empty": ""})
		do(b,
			step{object{"command": "view-all", "paths": []string{"/a.txt", "d", "/no", "/d/b.bin", "/empty", `a\b`}},
				text(
					"=== /a.txt ===",
					"Here's the content of /a.txt with line numbers:",
					"     1\tone",
					"     2\ttwo",
					"",
					"=== /d ===",
					"Here're the files and directories up to 2 levels deep in /d, excluding hidden items:",
					"1\t/d/b.bin",
					"",
					"=== /no [ERROR] ===",
					"The path /no does not exist. Please provide a valid path.",
					"",
					"=== /d/b.bin ===",
					"Binary file /d/b.bin (application/octet-stream):",
					"data:application/octet-stream;base64,AA==",
					"",
					"=== /empty ===",
					"Here's the content of /empty with line numbers:",
					"",
					`=== a\b [ERROR] ===`,
					`Error: The path "a\\b" cannot be used: it contains a backslash; names are separated by "/".`,
				), ""},
			step{object{"command": "view-all", "paths": "/empty"},
				"=== /empty ===\nHere's the content of /empty with line numbers:", ""},
			step{object{"command": "view-all", "paths": []string{"/x", "/y\n=== /z ==="}}, text(
				"=== /x [ERROR] ===",
				"The path /x does not exist. Please provide a valid path.",
				"",
				"=== /y\ufffd=== /z === [ERROR] ===",
				`Error: The path "/y\n=== /z ===" cannot be used: it contains a control character.`,
			), failed},
		)
	})
}

func TestViewAllWithImages(t *testing.T) {
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))))
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{"/a": "a", "/i.png": picture.String(), "/j.png": picture.String()})
	result := b.Call(object{"command": "view-all", "paths": []string{"/a", "/i.png", "/j.png", "/a"}})
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture.Bytes())
	require.Equal(t, text(
		"=== /a ===",
		"Here's the content of /a with line numbers:",
		"     1\ta",
		"",
		"=== /i.png ===",
		"Binary file /i.png (image/png):",
		url,
		"",
		"=== /j.png ===",
		"Binary file /j.png (image/png):",
		url,
		"",
		"=== /a ===",
		"Here's the content of /a with line numbers:",
		"     1\ta",
	), result.Text())
	require.Len(t, result.Content, 5)
	require.Equal(t, picture.Bytes(), result.Content[1].Data)
	require.Equal(t, picture.Bytes(), result.Content[3].Data)
}

func TestViewAllIsLimited(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{"/big": strings.Repeat("x", 20<<20)})
	result := b.Call(object{"command": "view-all", "paths": []string{"/big", "/big", "/big"}})
	require.Equal(t, "Viewed 2 of 3 paths", result.Status)
}

func TestViewOfOtherEncodings(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{
		"/u16.txt": "\xff\xfeh\x00i\x00\r\x00\n\x00", "/latin1.txt": "caf\xe9 menu\n", "/cp1252.txt": "5 \x80\n",
		"/mac.txt": "a\rb\r",
	})
	const header, decoded = "Here's the content of %s with line numbers:\n%s",
		"\n[Decoded from %s; edits keep this encoding.]"
	for _, test := range []struct{ path, lines, encoding string }{
		{"/u16.txt", "     1\thi\r", "UTF-16LE"}, {"/latin1.txt", "     1\tcafé menu", "Latin-1"},
		{"/cp1252.txt", "     1\t5 €", "Windows-1252"}, {"/mac.txt", "     1\ta\n     2\tb", ""},
	} {
		want := fmt.Sprintf(header, test.path, test.lines)
		if test.encoding != "" {
			want += fmt.Sprintf(decoded, test.encoding)
		}
		do(b,
			step{object{"command": "view", "path": test.path}, want, ""},
			step{object{"command": "view-all", "paths": []string{test.path}}, "=== " + test.path + " ===\n" + want, ""},
		)
	}
	do(b, step{object{"command": "view", "path": "/latin1.txt", "view_range": []int{1, 9}}, fmt.Sprintf(header,
		"/latin1.txt", "     1\tcafé menu") +
		"\n[The file ends here: it has 1 line.]" + fmt.Sprintf(decoded, "Latin-1"), ""})
}
