package filesystem_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

func TestCreate(t *testing.T) {
	onBoth(t, func(b *bench) {
		do(b,
			step{object{"command": "create", "path": "/a/b/c.txt", "file_text": "hello\n"},
				"File created successfully at: /a/b/c.txt", ""},
			step{object{"command": "create", "path": "no/slash", "file_text": ""},
				"File created successfully at: /no/slash", ""},
			step{object{"command": "create", "path": "/../up//x/", "file_text": "x"},
				"File created successfully at: /up/x", ""},
			step{object{"command": "create", "path": "/a/b/c.txt", "file_text": "other"},
				"Error: File /a/b/c.txt already exists. Set overwrite to true to replace.", failed},
			step{object{"command": "create", "path": "/a/b/c.txt", "file_text": "other", "overwrite": false},
				"Error: File /a/b/c.txt already exists. Set overwrite to true to replace.", failed},
			step{object{"command": "create", "path": "/no/slash", "file_text": "$&", "overwrite": true},
				"File created successfully at: /no/slash", ""},
			step{object{"command": "create", "path": "/", "file_text": "x"},
				"Error: Cannot create a file at the root path.", failed},
			step{object{"command": "create", "path": "/a/..", "file_text": "x", "overwrite": true},
				"Error: Cannot create a file at the root path.", failed},
			// A directory is not replaced, and a file does not become one.
			step{object{"command": "create", "path": "/a", "file_text": "x"},
				"Error: The path /a is a directory, not a file.", failed},
			step{object{"command": "create", "path": "/a", "file_text": "x", "overwrite": true},
				"Error: The path /a is a directory, not a file.", failed},
			step{object{"command": "create", "path": "/up/x/y/z", "file_text": "x", "overwrite": true},
				"Error: The path /up/x/y/z cannot be used: /up/x is a file, not a directory.", failed},
		)
		require.Equal(b.T, map[string]string{
			"/a/": "", "/a/b/": "", "/a/b/c.txt": "hello\n", "/no/": "", "/no/slash": "$&", "/up/": "", "/up/x": "x",
		}, b.Tree())
	})
}

func TestCreateOfABinary(t *testing.T) {
	invalid := "Error: The data URL for /f is not valid base64. Use the standard alphabet, with + and /, or pass " +
		"plain text that does not begin with data:."
	tests := map[string]struct {
		text, content, want string
	}{
		"an image":         {"data:image/png;base64,iVBORw0KGgo=", "\x89PNG\r\n\x1a\n", ""},
		"without padding":  {"data:image/png;base64,iVBORw0KGgo", "\x89PNG\r\n\x1a\n", ""},
		"with parameters":  {"data:text/plain;charset=utf-8;base64,aGk=", "hi", ""},
		"without a type":   {"data:;base64,aGk=", "hi", ""},
		"in capitals":      {"DATA:image/PNG;BASE64,aGk=", "hi", ""},
		"wrapped":          {"data:a/b;base64,\naG\r\n k=\n", "hi", ""},
		"empty":            {"data:a/b;base64,", "", ""},
		"bad letters":      {"data:a/b;base64,a*k=", "", invalid},
		"another alphabet": {"data:a/b;base64,__--", "", invalid},
		"too much padding": {"data:a/b;base64,aGk==", "", invalid},
		"cut off":          {"data:a/b;base64,aGkaa", "", invalid},
		"text behind it":   {"data:a/b;base64,aGk= and more!", "", invalid},
		"a type that is none": {"data:image/;base64,aGk=", "",
			`Error: The data URL for /f has an invalid type: "image/".`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tooltest.InMemory(t, nil))
			s := step{object{"command": "create", "path": "/f", "file_text": test.text},
				"Binary file created successfully at: /f", ""}
			if test.want != "" {
				s.want, s.code = test.want, failed
			}
			do(b, s)
			if test.want == "" {
				require.Equal(t, map[string]string{"/f": test.content}, b.Tree())
			} else {
				require.Empty(t, b.Tree())
			}
		})
	}
	for _, text := range []string{"data:text/plain,hi", "data: one, two", "see data:a/b;base64,aGk=",
		"data:\n;base64,x", "data:" + strings.Repeat("x", 400) + ";base64,aGk="} {
		b := newBench(t, tooltest.InMemory(t, nil))
		do(b, step{object{"command": "create", "path": "/f", "file_text": text},
			"File created successfully at: /f", ""})
		require.Equal(t, map[string]string{"/f": text}, b.Tree())
	}
}

func TestStrReplace(t *testing.T) {
	numbers := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	const edited = "The file has been edited."
	tests := map[string]struct {
		content  string
		old      string
		new      any
		want     string
		fails    bool
		contents string
	}{
		"in the middle": {numbers(1, 9), "line 5", "LINE", text(edited,
			"     2\tline 2", "     3\tline 3", "     4\tline 4", "     5\tLINE", "     6\tline 6", "     7\tline 7",
			"     8\tline 8"), false,
			numbers(1, 4) + "LINE\n" + numbers(6, 9)},
		"at the beginning": {"a\nb\n", "a", "A", text(edited, "     1\tA", "     2\tb"), false, "A\nb\n"},
		"more lines": {numbers(1, 9), "line 5\n", "x\ny\n", text(edited,
			"     2\tline 2", "     3\tline 3", "     4\tline 4", "     5\tx", "     6\ty", "     7\tline 6",
			"     8\tline 7", "     9\tline 8"), false,
			numbers(1, 4) + "x\ny\n" + numbers(6, 9)},
		"fewer lines": {numbers(1, 9), "line 4\nline 5\nline 6\n", "x\n", text(edited,
			"     1\tline 1", "     2\tline 2", "     3\tline 3", "     4\tx", "     5\tline 7", "     6\tline 8",
			"     7\tline 9"), false,
			numbers(1, 3) + "x\n" + numbers(7, 9)},
		"nothing instead": {numbers(1, 9), "line 5\n", "", text(edited,
			"     2\tline 2", "     3\tline 3", "     4\tline 4", "     5\tline 6", "     6\tline 7", "     7\tline 8",
			"     8\tline 9"), false,
			numbers(1, 4) + numbers(6, 9)},
		"no new_str":            {"a b c", " b", nil, text(edited, "     1\ta c"), false, "a c"},
		"all of it":             {"a\n", "a\n", "", edited + "\n", false, ""},
		"the last line":         {"a\nb", "\nb", "", text(edited, "     1\ta"), false, "a"},
		"a new line at the end": {"a\nb", "b", "b\n", text(edited, "     1\ta", "     2\tb"), false, "a\nb\n"},
		"what looks like a pattern": {"a.c abc", "a.c", "$& $1 \\0", text(edited, "     1\t$& $1 \\0 abc"), false,
			"$& $1 \\0 abc"},
		"what contains itself": {"x", "x", "xx", text(edited, "     1\txx"), false, "xx"},
		"letters of several bytes": {"naïve\n日本", "本", "曜日", text(edited, "     1\tnaïve", "     2\t日曜日"), false,
			"naïve\n日曜日"},
		"what is not there": {"abc", "abd", "x",
			"No replacement was performed, old_str `abd` did not appear verbatim in /f.", true, "abc"},
		"what is there in another case": {"abc", "ABC", "x",
			"No replacement was performed, old_str `ABC` did not appear verbatim in /f.", true, "abc"},
		"what is there twice": {"x\na\nb\na\n", "a", "c",
			"No replacement was performed. Multiple occurrences of old_str `a` in lines: 2, 4. Please ensure it is " +
				"unique", true, "x\na\nb\na\n"},
		"what is there twice in a line": {"x\naba\n", "a", "c",
			"No replacement was performed. Multiple occurrences of old_str `a` in lines: 2. Please ensure it is unique",
			true, "x\naba\n"},
		"what is there twice, of two lines": {"a\nb\na\nb\na\nb\n", "b\na", "c",
			"No replacement was performed. Multiple occurrences of old_str `b\na` in lines: 2, 4. Please ensure it " +
				"is unique", true, "a\nb\na\nb\na\nb\n"},
		"what overlaps itself": {"\naaa", "aa", "b",
			"No replacement was performed. Multiple occurrences of old_str `aa` in lines: 2. Please ensure it is " +
				"unique", true, "\naaa"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(b *bench) {
				b.Put(map[string]string{"/f": test.content})
				input := object{"command": "str_replace", "path": "/f", "old_str": test.old}
				if test.new != nil {
					input["new_str"] = test.new
				}
				s := step{input, test.want, ""}
				if test.fails {
					s.code = failed
				}
				do(b, s)
				require.Equal(t, map[string]string{"/f": test.contents}, b.Tree())
			})
		})
	}
}

func TestStrReplaceNamesNotMoreLinesThanHelp(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{"/f": strings.Repeat("a\n", 10_000)})
	want := "No replacement was performed. Multiple occurrences of old_str `a` in lines: "
	for i := range 100 {
		want += fmt.Sprint(i+1, ", ")
	}
	do(b, step{object{"command": "str_replace", "path": "/f", "old_str": "a"}, want + "and more. Please ensure it is " +
		"unique", failed})
	do(b, step{object{"command": "str_replace", "path": "/f", "old_str": strings.Repeat("b", 100_000)},
		"No replacement was performed, old_str `" + strings.Repeat("b", 2000) + "...` did not appear verbatim in /f.",
		failed})
}

func TestInsert(t *testing.T) {
	invalid := func(line, most any) string {
		return fmt.Sprintf("Error: Invalid `insert_line` parameter: %v. It should be within the range of lines of "+
			"the file: [0, %v]", line, most)
	}
	tests := map[string]struct {
		content  string
		line     any
		text     string
		contents string
		fails    string
	}{
		"at the top":   {"a\nb\n", 0, "x", "x\na\nb\n", ""},
		"after a line": {"a\nb\n", 1, "x", "a\nx\nb\n", ""},
		"a newline at the end adds no blank line": {"a\nb\n", 1, "x\n", "a\nx\nb\n", ""},
		"two newlines add one":                    {"a\nb\n", 1, "x\n\n", "a\nx\n\nb\n", ""},
		"several lines":                           {"a\nb\n", 1, "x\ny", "a\nx\ny\nb\n", ""},
		"at the end":                              {"a\nb\n", 2, "x", "a\nb\nx\n", ""},
		"at the end, with a newline":              {"a\nb\n", 2, "x\n", "a\nb\nx\n", ""},
		"at the end of a text without a newline":  {"a\nb", 2, "x", "a\nb\nx", ""},
		"a newline behind a text without":         {"a\nb", 2, "x\n", "a\nb\nx\n", ""},
		"into an empty file":                      {"", 0, "x", "x\n", ""},
		"a blank line into an empty file":         {"", 0, "", "\n", ""},
		"a line into an empty file":               {"", 0, "x\n", "x\n", ""},
		"a blank line":                            {"a\nb\n", 1, "", "a\n\nb\n", ""},
		"a blank line as such":                    {"a\nb\n", 1, "\n", "a\n\nb\n", ""},
		"what looks like a pattern":               {"a\nb\n", 1, "$&", "a\n$&\nb\n", ""},
		"the number as text":                      {"a\nb\n", "1", "x", "a\nx\nb\n", ""},
		"the number with a fraction of zero":      {"a\nb\n", json.RawMessage("1.0"), "x", "a\nx\nb\n", ""},
		"behind the end":                          {"a\nb\n", 3, "x", "a\nb\n", invalid(3, 2)},
		"behind the end of an empty file":         {"", 1, "x", "", invalid(1, 0)},
		"before the beginning":                    {"a\nb", -1, "x", "a\nb", invalid(-1, 2)},
		"far behind":                              {"a\nb", json.RawMessage("1e99"), "x", "a\nb", invalid("1e99", 2)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(b *bench) {
				b.Put(map[string]string{"/f": test.content})
				s := step{object{"command": "insert", "path": "/f", "insert_line": test.line, "insert_text": test.text},
					"The file /f has been edited.", ""}
				if test.fails != "" {
					s.want, s.code = test.fails, failed
				}
				do(b, s)
				require.Equal(t, map[string]string{"/f": test.contents}, b.Tree())
			})
		})
	}
}

func TestEditsOfWhatIsNoText(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f.bin": "a\x00", "/d/": ""})
		before := b.Tree()
		const missing = "Error: The path %s does not exist or is not a file."
		for _, command := range []string{"str_replace", "insert"} {
			edit := func(path, want string) step {
				return step{object{"command": command, "path": path, "old_str": "a", "new_str": "b", "insert_line": 0},
					want, failed}
			}
			do(b,
				edit("/f.bin", "Error: Cannot use "+command+" on binary file /f.bin. Use create command with dataUrl "+
					"to overwrite."),
				edit("/no", fmt.Sprintf(missing, "/no")),
				edit("/f.bin/no", fmt.Sprintf(missing, "/f.bin/no")),
				edit("/d", fmt.Sprintf(missing, "/d")),
				edit("/", "Error: The path / is a directory, not a file."),
			)
		}
		require.Equal(b.T, before, b.Tree())
	})
}

func TestAppend(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f.bin": "a\x00", "/d/": "", "/f": "a"})
		do(b,
			step{object{"command": "append", "path": "/f", "file_text": "b\n"}, "Content appended to /f", ""},
			step{object{"command": "append", "path": "/f", "file_text": "c"}, "Content appended to /f", ""},
			step{object{"command": "append", "path": "/f", "file_text": ""}, "Content appended to /f", ""},
			step{object{"command": "append", "path": "/f", "file_text": "data:a/b;base64,aGk="},
				"Content appended to /f", ""},
			step{object{"command": "append", "path": "/new/g", "file_text": "x"},
				"File created successfully at: /new/g", ""},
			step{object{"command": "append", "path": "/h.bin", "file_text": "data:a/b;base64,aGk="},
				"Binary file created successfully at: /h.bin", ""},
			step{object{"command": "append", "path": "/f.bin", "file_text": "x"},
				"Error: Cannot append to binary file /f.bin.", failed},
			step{object{"command": "append", "path": "/d", "file_text": "x"}, "Error: /d is a directory, not a file.",
				failed},
			step{object{"command": "append", "path": "/", "file_text": "x"}, "Error: Cannot append to the root path.",
				failed},
			step{object{"command": "append", "path": "/f/g", "file_text": "x"},
				"Error: The path /f/g cannot be used: /f is a file, not a directory.", failed},
		)
		require.Equal(b.T, map[string]string{
			"/d/": "", "/f": "ab\ncdata:a/b;base64,aGk=", "/f.bin": "a\x00", "/h.bin": "hi", "/new/": "", "/new/g": "x",
		}, b.Tree())
	})
}

func TestWhatIsTooMuchIsRefused(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, &vfs.Options{Quota: vfs.Quota{Bytes: 100, Files: 3, FileSize: 50}}))
	b.Put(map[string]string{"/a": strings.Repeat("a", 49), "/b": strings.Repeat("b", 49)})
	before := b.Tree()
	const noSpace = "Error: There is no space left for %s: the project's quota is 100 bytes for all files together. " +
		"Delete what is no longer needed."
	const noFiles = "Error: There is no space left for %s: the project's quota is 3 files and directories. Delete " +
		"what is no longer needed."
	do(b,
		step{object{"command": "append", "path": "/a", "file_text": "xx"}, "Error: The file /a would be too large: " +
			"it would have 51 bytes, and the project's quota is 50 bytes for a file. Split it up.", failed},
		step{object{"command": "create", "path": "/c", "file_text": "xxx"}, fmt.Sprintf(noSpace, "/c"), failed},
		step{object{"command": "create", "path": "/d/e/c", "file_text": "x"}, fmt.Sprintf(noFiles, "/d/e/c"), failed},
		step{object{"command": "mkdir", "path": "/d/e"}, fmt.Sprintf(noFiles, "/d/e"), failed},
		step{object{"command": "rename", "old_path": "/a", "new_path": "/d/e/a"}, fmt.Sprintf(noFiles, "/d/e/a"),
			failed},
		step{object{"command": "copy", "old_path": "/a", "new_path": "/c"}, fmt.Sprintf(noSpace, "/c"), failed},
		step{object{"command": "insert", "path": "/b", "insert_line": 0, "insert_text": "x"},
			"Error: The file /b would be too large: it would have 51 bytes, and the project's quota is 50 bytes for " +
				"a file. Split it up.", failed},
	)
	require.Equal(t, before, b.Tree())
}

func TestEditsAtTheSameTimeLoseNothing(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f": ""})
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() {
				for j := range 10 {
					line := fmt.Sprintf("%d %d", i, j)
					input := object{"command": "append", "path": "/f", "file_text": line + "\n"}
					if j%2 == 0 {
						input = object{"command": "insert", "path": "/f", "insert_line": 0, "insert_text": line}
					}
					result := b.Call(input)
					if result.IsError() {
						b.T.Error(result.Text())
					}
					// One of those who want to make it does.
					b.Call(object{"command": "create", "path": fmt.Sprint("/made/", j), "file_text": line})
				}
			})
		}
		calls.Wait()
		require.Equal(b.T, 80, strings.Count(b.Tree()["/f"], "\n"))
		for i := range 8 {
			for j := range 10 {
				require.Equal(b.T, 1, strings.Count("\n"+b.Tree()["/f"], fmt.Sprintf("\n%d %d\n", i, j)))
			}
		}
		require.Len(b.T, b.Tree(), 12)
	})
}

// TestLineEndsStay edits files whose lines end in other ways than models write them.
func TestLineEndsStay(t *testing.T) {
	replace := func(old, new string) object {
		return object{"command": "str_replace", "path": "/f", "old_str": old, "new_str": new}
	}
	insert := func(line int, text string) object {
		return object{"command": "insert", "path": "/f", "insert_line": line, "insert_text": text}
	}
	add := func(text string) object { return object{"command": "append", "path": "/f", "file_text": text} }
	for name, test := range map[string]struct {
		content string
		input   object
		want    string
	}{
		"two lines are replaced": {"alpha\r\nbeta\r\n", replace("alpha\nbeta", "ALPHA\nBETA"),
			"ALPHA\r\nBETA\r\n"},
		"and their end": {"alpha\r\nbeta\r\n", replace("alpha\nbeta\n", "one\n"), "one\r\n"},
		"with the right ends": {"alpha\r\nbeta\r\n", replace("alpha\r\nbeta", "ALPHA\r\nBETA"),
			"ALPHA\r\nBETA\r\n"},
		"with both ends":       {"a\r\nb\r\nc", replace("a\r\nb\nc", "A\nB\r\nC"), "A\r\nB\r\nC"},
		"one line becomes two": {"a\r\nb\r\n", replace("b", "b1\nb2"), "a\r\nb1\r\nb2\r\n"},
		"from the end of a line on": {"alpha\r\nbeta\r\n", replace("\nbeta", "\nBETA"),
			"alpha\r\nBETA\r\n"},
		"the end of a line goes": {"alpha\r\nbeta\r\n", replace("\nbeta", ""), "alpha\r\n"},
		"to a carriage return": {"alpha\r\nbeta\r\n", replace("alpha\r", "ALPHA"),
			"ALPHA\r\nbeta\r\n"},
		"to a carriage return that is in both": {"alpha\r\nbeta\r\n", replace("alpha\r", "one\ntwo\r"),
			"one\r\ntwo\r\nbeta\r\n"},
		"all of it":                         {"a\r\nb", replace("a\nb", "x\ny\nz"), "x\r\ny\r\nz"},
		"other ends are written on purpose": {"a\r\nb\r\n", replace("a\r\n", "a\n"), "a\nb\r\n"},
		"and the other way round":           {"a\nb\n", replace("a\nb\n", "a\r\nb\r\n"), "a\r\nb\r\n"},
		"what is the same":                  {"a\r\nb\r\n", replace("a\nb", "a\nb"), "a\r\nb\r\n"},
		"the usual ends in a usual file":    {"a\nb\nc\n", replace("a\r\nb", "x\r\ny"), "x\ny\nc\n"},
		"an insertion":                      {"a\r\nb\r\n", insert(1, "x\ny"), "a\r\nx\r\ny\r\nb\r\n"},
		"an insertion with an end":          {"a\r\nb\r\n", insert(0, "x\n"), "x\r\na\r\nb\r\n"},
		"an insertion with the right end":   {"a\r\nb\r\n", insert(2, "x\r\n"), "a\r\nb\r\nx\r\n"},
		"an insertion at an end without":    {"a\r\nb", insert(2, "x\ny"), "a\r\nb\r\nx\r\ny"},
		"a blank line":                      {"a\r\nb\r\n", insert(1, ""), "a\r\n\r\nb\r\n"},
		"an insertion into an empty file":   {"", insert(0, "x\r\ny"), "x\r\ny\r\n"},
		"an insertion into one line":        {"a", insert(1, "x\r\ny\r\n"), "a\r\nx\r\ny\r\n"},
		"an addition":                       {"a\r\nb\r\n", add("x\ny\n"), "a\r\nb\r\nx\r\ny\r\n"},
		"an addition to one line":           {"a", add("x\r\ny\n"), "ax\r\ny\n"},
		"mixed: exactly that": {"a\nb\r\na\r\nb\r\n", replace("a\nb", "x\ny"),
			"x\ny\r\na\r\nb\r\n"},
		"mixed: the lines around": {"a\r\nb\r\nc\nd\ne\nf\n", insert(1, "x"),
			"a\r\nx\r\nb\r\nc\nd\ne\nf\n"},
		"mixed: most lines": {"a\r\nb\r\nc\nd\ne\nf\n", insert(2, "x"),
			"a\r\nb\r\nx\nc\nd\ne\nf\n"},
		"mixed: nothing else changes":           {"a\nb\r\nc\nd\r\n", replace("b\nc", "B\nC"), "a\nB\r\nC\nd\r\n"},
		"carriage returns alone, a replacement": {"a\rb\rc\r", replace("a\nb", "x\ny\nz"), "x\ry\rz\rc\r"},
		"carriage returns alone, both":          {"a\rb\rc\r", replace("a\r\nb", "x\r\ny"), "x\ry\rc\r"},
		"carriage returns alone, as they are":   {"a\rb\rc\r", replace("a\rb", "x\ry"), "x\ry\rc\r"},
		"carriage returns alone, an insertion":  {"a\rb\r", insert(1, "x"), "a\rx\rb\r"},
		"carriage returns alone, an addition":   {"a\rb\r", add("x\n"), "a\rb\rx\r"},
		"a carriage return in a line":           {"a\rb\nc\n", replace("c", "x\ry\nz"), "a\rb\nx\ry\nz\n"},
		"a mark stays in front":                 {"\ufeffa\r\nb\r\n", insert(0, "x"), "\ufeffx\r\na\r\nb\r\n"},
		"a mark is no part of the first line":   {"\ufeffa\n", replace("a", "b"), "\ufeffb\n"},
		"even if it is given":                   {"\ufeffa\n", replace("\ufeffa", "\ufeffb"), "\ufeffb\n"},
		"UTF-16LE": {"\xff\xfea\x00\r\x00\n\x00b\x00", replace("a\nb", "€\n😀"),
			"\xff\xfe\xac\x20\r\x00\n\x00\x3d\xd8\x00\xde"},
		"UTF-16BE, an insertion": {"\xfe\xff\x00a\x00\n", insert(0, "é"),
			"\xfe\xff\x00\xe9\x00\n\x00a\x00\n"},
		"UTF-16LE without a mark, an addition": {"h\x00e\x00l\x00l\x00o\x00 \x00y\x00o\x00u\x00", add("!"),
			"h\x00e\x00l\x00l\x00o\x00 \x00y\x00o\x00u\x00!\x00"},
		"Latin-1": {"caf\xe9 menu\n", replace("menu", "ol\u00e9"), "caf\xe9 ol\xe9\n"},
		"Latin-1, what is found": {"caf\xe9 menu\r\nx", replace("caf\u00e9 menu\n", "th\u00e9\n"),
			"th\xe9\r\nx"},
		"Windows-1252": {"\x93caf\xe9\x94\n", replace("“café”", "€ “thé”"),
			"\x80 \x93th\xe9\x94\n"},
		"what cannot be written: a replacement":    {"caf\xe9 menu\n", replace("menu", "5 €"), ""},
		"what cannot be written: an insertion":     {"caf\xe9 menu\n", insert(1, "€"), ""},
		"what cannot be written: an addition":      {"caf\xe9 menu\n", add("€"), ""},
		"what cannot be written: a line before it": {"caf\xe9 menu\n", insert(0, "a\nb €"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tooltest.InMemory(t, nil))
			b.Put(map[string]string{"/f": test.content})
			result := b.Call(test.input)
			if test.want == "" {
				require.Equal(t, "Error: The character € (U+20AC) cannot be written to /f, which is Latin-1 text. "+
					"Leave it out, or make the file anew as UTF-8, with create and overwrite true.", result.Text())
				require.Equal(t, failed, result.Code)
				test.want = test.content
			} else {
				require.Empty(t, result.Code, result.Text())
			}
			require.Equal(t, map[string]string{"/f": test.want}, b.Tree())
		})
	}
}

// TestMissesAreExplained has one of what the tests of package textfile have.
func TestMissesAreExplained(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{"/f": "first\r\n\tsecond \r\nthird\r\n"})
	do(b,
		step{object{"command": "str_replace", "path": "/f", "old_str": "\tsecond\nthird"},
			"No replacement was performed, old_str `\tsecond\nthird` did not appear verbatim in /f. Apart from " +
				"blanks at the end of lines it is there: " +
				"line 2 has a space where old_str has a line break.", failed},
		step{object{"command": "str_replace", "path": "/f", "old_str": "     3\tthird\n"},
			"No replacement was performed, old_str `     3\tthird\n` did not appear verbatim in /f. Without the line " +
				"numbers that view shows, " +
				"which are not in the file, it is there from line 3 on.", failed},
	)
}
