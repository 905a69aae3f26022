package filediff_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/filediff"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestCompare(t *testing.T) {
	for name, test := range map[string]struct{ before, after, diff, note string }{
		"nothing":           {"a\n", "a\n", "", ""},
		"a line":            {"a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", ""},
		"a new file":        {"", "a\n", "@@ -0,0 +1,1 @@\n+a\n", ""},
		"UTF-16":            {"\xff\xfeh\x00i\x00\n\x00", "ho\n", "@@ -1,1 +1,1 @@\n-hi\n+ho\n", ""},
		"Latin-1":           {"caf\xe9 one\n", "caf\xe9 two\n", "@@ -1,1 +1,1 @@\n-café one\n+café two\n", ""},
		"damaged":           {"\xe4\xb8\xe4\xb8\xad\n", "\xe4\xb8\n", "@@ -1,1 +1,1 @@\n-\ufffd中\n+\ufffd\n", ""},
		"another encoding":  {"\xff\xfeh\x00i\x00", "hi", "", filediff.NoteSame},
		"returns":           {"a\rb\r", "a\nb\n", "", filediff.NoteSame},
		"binary":            {"\x00", "a", "", filediff.NoteBinary},
		"many lines":        {strings.Repeat("a\n", 60_000), strings.Repeat("b\n", 60_000), "", filediff.NoteLarge},
		"a large diff":      {strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20), "", filediff.NoteLarge},
		"large content":     {strings.Repeat("a", 2<<20) + "a", "a", "", filediff.NoteLarge},
		"large but limited": {strings.Repeat("a\n", 40_000), "", "", filediff.NoteLarge},
	} {
		t.Run(name, func(t *testing.T) {
			limits := filediff.Limits{}
			if name == "large but limited" {
				limits.Lines = 30_000
			}
			d := filediff.Compare([]byte(test.before), []byte(test.after), limits)
			require.Equal(t, filediff.Difference{Diff: test.diff, Note: test.note}, d)
			require.Equal(t, test.diff+test.note == "", d.None())
		})
	}
	large := filediff.Compare([]byte(strings.Repeat("a\n", 60_000)), []byte(strings.Repeat("b\n", 60_000)),
		filediff.Unlimited)
	require.Len(t, strings.Split(large.Diff, "\n"), 120_002)
}

func TestUnified(t *testing.T) {
	for want, d := range map[string]filediff.Difference{
		"":                                    {},
		"--- x\n+++ y\n@@ -1,1 +0,0 @@\n-a\n": {Diff: "@@ -1,1 +0,0 @@\n-a\n"},
		"Binary files x and y differ\n":       {Note: filediff.NoteBinary},
		"x and y: too large to compare\n":     {Note: filediff.NoteLarge},
	} {
		require.Equal(t, want, d.Unified("x", "y"))
	}
}

// TestOfChange compares what each change did, whatever came after it.
func TestOfChange(t *testing.T) {
	p, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	write := func(name, content string) {
		require.NoError(t, vfs.WriteFile(t.Context(), p, name, []byte(content)))
	}
	write("/a", "one\n")
	write("/a", "two\n")
	require.NoError(t, p.Mkdir("/d", 0o755))
	require.NoError(t, p.Rename("/a", "/d/b"))
	write("/d/b", "three\n")
	write("/d/large", strings.Repeat("x", 50))
	require.NoError(t, p.RemoveAll("/d"))
	write("/last", "here\n")

	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	var got []string
	for i, c := range changes { // the latest first
		later := slices.Clone(changes[:i])
		slices.Reverse(later)
		d, err := filediff.OfChange(t.Context(), p, c, later, filediff.Limits{})
		require.NoError(t, err)
		_, lines, _ := strings.Cut(d.Diff, "@@\n")
		got = append(got, string(c.Op)+" "+c.Path+": "+d.Note+strings.ReplaceAll(lines, "\n", "|"))
	}
	require.Equal(t, []string{
		"create /last: +here|",
		"remove /d: a folder with all that it contained",
		"create /d/large: it was deleted with its folder",
		"write /d/b: it was deleted with its folder",
		"rename /a: the content stayed the same",
		"mkdir /d: an empty folder",
		"write /a: -one|+two|",
		"create /a: +one|",
	}, got)

	for name, want := range map[string]string{
		"/": filediff.NoteFolder, "/none": filediff.NoteGone, "/last": filediff.NoteLarge,
	} {
		_, err := filediff.Now(p, name, filediff.Limits{Bytes: 4})
		d, err := filediff.NoteOf(err)
		require.NoError(t, err)
		require.Equal(t, want, d.Note)
	}
	_, err = filediff.NoteOf(io.ErrUnexpectedEOF)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
