package filesearch_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/filesearch"
)

func filesOf(t *testing.T, content map[string]string) afero.Fs {
	files := afero.NewMemMapFs()
	for name, text := range content {
		require.NoError(t, afero.WriteFile(files, name, []byte(text), 0o644))
	}
	return files
}

// lines are the matches as grep prints them.
func lines(r filesearch.Result) []string {
	out := []string{}
	for _, m := range r.Matches {
		out = append(out, fmt.Sprintf("%s:%d:%s", m.Path, m.Line, m.Text))
	}
	return out
}

func TestSearch(t *testing.T) {
	files := filesOf(t, map[string]string{
		"/a.txt": "one\ntwo a.c\r\nabc\n\nTWO", "/d/two.txt": "two\ntwo", "/.hidden/x": "two", "/node_modules/x": "two",
		"/u16": "\xff\xfet\x00w\x00o\x00", "/latin1": "two caf\xe9\n", "/mac": "one\rtwo\r",
		"/damaged": "\xe4\xb8 two \xe4\xb8\xad",
		"/bin":     "two\x00",
	})
	for name, test := range map[string]struct {
		options filesearch.Options
		paths   []string
		want    []string
	}{
		"an expression": {filesearch.Options{Pattern: "^a.c$"}, nil, []string{"/a.txt:3:abc"}},
		"a text":        {filesearch.Options{Pattern: "a.c", Plain: true}, nil, []string{"/a.txt:2:two a.c"}},
		"any case":      {filesearch.Options{Pattern: "^ABC$", IgnoreCase: true}, nil, []string{"/a.txt:3:abc"}},
		"an empty line": {filesearch.Options{Pattern: "^$"}, []string{"/a.txt"}, []string{"/a.txt:4:"}},
		"everything": {filesearch.Options{Pattern: "two"}, nil, []string{"/.hidden/x:1:two", "/a.txt:2:two a.c",
			"/d/two.txt:1:two", "/d/two.txt:2:two", "/damaged:1:\ufffd two 中", "/latin1:1:two café", "/mac:2:two",
			"/node_modules/x:1:two", "/u16:1:two"}},
		"what is visible, once a file": {filesearch.Options{Pattern: "two", Visible: true, Once: true}, nil, []string{
			"/a.txt:2:two a.c", "/d/two.txt:1:two", "/damaged:1:\ufffd two 中", "/latin1:1:two café", "/mac:2:two",
			"/u16:1:two"}},
		"what is asked for is visible": {filesearch.Options{Pattern: "two", Visible: true}, []string{"/.hidden"},
			[]string{"/.hidden/x:1:two"}},
		"names": {filesearch.Options{Pattern: "two.txt|^d$", Names: true}, nil, []string{"/d:0:", "/d/two.txt:0:"}},
		"parts": {filesearch.Options{Pattern: "a.c", Line: 4}, []string{"/a.txt"}, []string{"/a.txt:2:... a.c",
			"/a.txt:3:abc"}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.paths == nil {
				test.paths = []string{"/"}
			}
			r, err := filesearch.Search(t.Context(), files, test.paths, test.options)
			require.NoError(t, err)
			require.Equal(t, test.want, lines(r))
			require.False(t, r.More)
			if test.paths[0] == "/" {
				require.Equal(t, "/bin (binary)", r.NotSearched)
			}
		})
	}
	_, err := filesearch.Search(t.Context(), files, []string{"/none"}, filesearch.Options{Pattern: "x"})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestPatternsThatCannotBeSearchedFor(t *testing.T) {
	files := filesOf(t, nil)
	for _, pattern := range []string{"", "(", strings.Repeat("x", filesearch.MaxPattern+1),
		strings.Repeat("(a{100}){9}", 9), "((a{30}){30}){30}", "(" + strings.Repeat("x", 400) + "){1000}"} {
		_, err := filesearch.Search(t.Context(), files, []string{"/"}, filesearch.Options{Pattern: pattern})
		problem, ok := errors.AsType[*filesearch.PatternError](err)
		require.True(t, ok, pattern)
		require.NotEmpty(t, problem.Error())
	}
	_, err := filesearch.Search(t.Context(), files, nil, filesearch.Options{Pattern: `^(a|b)+\s*\d{4}-\pL{1,20}$`})
	require.NoError(t, err)
}

// TestSearchEnds has a limit of matches, of time, and a context that ends.
func TestSearchEnds(t *testing.T) {
	files := filesOf(t, map[string]string{"/a": strings.Repeat("x\n", 10), "/b": "x"})
	for limit, more := range map[int]bool{10: true, 11: false, 0: false} {
		r, err := filesearch.Search(t.Context(), files, []string{"/"}, filesearch.Options{Pattern: "x", Matches: limit})
		require.NoError(t, err)
		require.Equal(t, more, r.More, limit)
		require.Equal(t, min(r.Files, 2), r.Files)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := filesearch.Search(ctx, files, []string{"/"}, filesearch.Options{Pattern: "x", Time: time.Hour})
	require.ErrorIs(t, err, context.Canceled)
	synctest.Test(t, func(t *testing.T) {
		slow := &slowFs{Fs: files}
		r, err := filesearch.Search(t.Context(), slow, []string{"/a", "/b"},
			filesearch.Options{Pattern: "x", Time: time.Minute})
		require.NoError(t, err)
		require.True(t, r.More)
		require.Len(t, r.Matches, 10, "those of the first file")
	})
}

// A slowFs needs more than a minute to open a file.
type slowFs struct{ afero.Fs }

func (s *slowFs) Open(name string) (afero.File, error) {
	time.Sleep(time.Minute + time.Second)
	return s.Fs.Open(name)
}

// TestLongLines finds what lies where one part of a file ends and the next one begins.
func TestLongLines(t *testing.T) {
	files := afero.NewMemMapFs()
	for i, before := range []int{0, 1, 131_070, 131_071, 131_072, 131_075, 98_300, 262_140, 500_000} {
		for j, content := range []string{strings.Repeat("x", before) + "needle", "first\n" + strings.Repeat("x",
			before) + "needle" + strings.Repeat("y", 300_000) + "\nneedle",
			strings.Repeat("a\n", before/2) + "needle\r\n", strings.Repeat("needle ", before/100+1) + "\n\n"} {
			name := fmt.Sprintf("/%d-%d.txt", i, j)
			require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
			var want []int
			for n, line := range strings.Split(content, "\n") {
				if strings.Contains(line, "needle") {
					want = append(want, n+1)
				}
			}
			for _, whole := range []int{1, 200_000, 0} { // read in parts, and at once
				r, err := filesearch.Search(t.Context(), files, []string{name},
					filesearch.Options{Pattern: "needle", Line: 300, Whole: whole})
				require.NoError(t, err)
				var got []int
				for _, m := range r.Matches {
					require.Contains(t, m.Text, "needle")
					require.LessOrEqual(t, len(m.Text), 306)
					got = append(got, m.Line)
				}
				require.Equal(t, want, got, "%s in parts of %d", name, whole)
			}
		}
	}
}

// TestNotSearched has files that are not searched, and says why.
func TestNotSearched(t *testing.T) {
	dir := t.TempDir()
	files := afero.NewBasePathFs(afero.NewOsFs(), dir)
	write := func(name, text string) { require.NoError(t, afero.WriteFile(files, name, []byte(text), 0o644)) }
	write("/bin", "x\x00")
	write("/large", strings.Repeat("x", 1_200_000))
	write("/largebin", "\x00"+strings.Repeat("x", 1_200_000))
	write("/u16", "\xff\xfe"+strings.Repeat("x\x00", 600_000))
	o := filesearch.Options{Pattern: "x", Line: 1, Whole: 1 << 20}
	r, err := filesearch.Search(t.Context(), files, []string{"/"}, o)
	require.NoError(t, err)
	require.Equal(t, []string{"/large:1:x..."}, lines(r))
	require.Equal(t, "/bin (binary), /largebin (binary), /u16 (UTF-16, larger than 1 MiB)",
		r.NotSearched)
	require.NoError(t, files.Mkdir("/links", 0o755))
	if os.Symlink(dir+"/large", dir+"/links/link") == nil { // Windows may not allow it
		r, err = filesearch.Search(t.Context(), files, []string{"/links"}, o)
		require.NoError(t, err)
		require.Equal(t, "/links/link (a link or a special file)", r.NotSearched)
	}
	require.NoError(t, files.Mkdir("/pictures", 0o755))
	for i := range 30 {
		write(fmt.Sprintf("/pictures/%02d", i), "\x00")
	}
	r, err = filesearch.Search(t.Context(), files, []string{"/pictures"}, o)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(r.NotSearched, "/pictures/19 (binary) and 10 more"))

	odd := iotest.ErrTimeout
	for err, want := range map[error]error{fs.ErrPermission: nil, fs.ErrNotExist: nil, odd: odd} {
		r, got := filesearch.Search(t.Context(), &failingFs{files, err}, []string{"/"}, o)
		require.ErrorIs(t, got, want)
		if want == nil {
			require.True(t, strings.HasPrefix(r.NotSearched, "/bin (it cannot be read)"))
		}
	}
}

// A failingFs has files that cannot be opened.
type failingFs struct {
	afero.Fs
	err error
}

func (f *failingFs) Open(name string) (afero.File, error) {
	if info, err := f.Fs.Stat(name); err == nil && info.IsDir() {
		return f.Fs.Open(name)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
}
