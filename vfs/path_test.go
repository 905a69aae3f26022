package vfs_test

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/toolrun/toolrun/vfs"
)

func TestClean(t *testing.T) {
	for given, want := range map[string]string{
		"":                                  "/",
		"/":                                 "/",
		"//":                                "/",
		".":                                 "/",
		"..":                                "/",
		"a":                                 "/a",
		"/a/b":                              "/a/b",
		"a//b///c/":                         "/a/b/c",
		"./a/./b/.":                         "/a/b",
		"a/../b":                            "/b",
		"a/b/../../..":                      "/",
		"../../etc/passwd":                  "/etc/passwd",
		"/a/../../../b":                     "/b",
		"...":                               "/...",
		".a/..b":                            "/.a/..b",
		"a b/é€😀":                           "/a b/é€😀",
		"e\u0301/s\u0323\u0307":             "/\u00e9/\u1e69",
		".toolrun2/toolrun":                 "/.toolrun2/toolrun",
		"x/.toolrun/../y":                   "/x/y",
		strings.Repeat("x/../", 5000) + "y": "/y",
		strings.Repeat("é", 127):            "/" + strings.Repeat("é", 127),
	} {
		got, err := vfs.Clean(given)
		require.NoError(t, err, given)
		require.Equal(t, want, got, given)
	}
}

func TestCleanRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		path  string
		errno syscall.Errno
	}{
		"a NUL":                      {"a\x00b", syscall.EINVAL},
		"a newline":                  {"a\nb", syscall.EINVAL},
		"a delete":                   {"a\x7f", syscall.EINVAL},
		"a C1 control":               {"a\u0085", syscall.EINVAL},
		"a backslash":                {`..\secret`, syscall.EINVAL},
		"invalid UTF-8":              {"a\xff", syscall.EINVAL},
		"a surrogate":                {"\xed\xa0\x80", syscall.EINVAL},
		"a long name":                {strings.Repeat("x", 256), syscall.ENAMETOOLONG},
		"a long name in runes":       {strings.Repeat("é", 128), syscall.ENAMETOOLONG},
		"a long path":                {strings.Repeat(strings.Repeat("x", 200)+"/", 30), syscall.ENAMETOOLONG},
		"toolrun's own":              {"/.toolrun/state", syscall.EINVAL},
		"toolrun's own, below":       {"a/.ToolRun", syscall.EINVAL},
		"toolrun's own, with a dot":  {"/.toolrun./state", syscall.EINVAL},
		"toolrun's own, as a stream": {"/.toolrun::$DATA", syscall.EINVAL},
		"toolrun's own, short":       {"/TOOLRU~1/state", syscall.EINVAL},
		"a deep path":                {strings.Repeat("x/", 65), syscall.ENAMETOOLONG},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := vfs.Clean(test.path)
			var pe *vfs.InvalidPathError
			require.ErrorAs(t, err, &pe)
			require.Equal(t, test.path, pe.Path)
			require.ErrorIs(t, err, fs.ErrInvalid)
			require.ErrorIs(t, err, test.errno)
		})
	}
}

// FuzzClean compares with a slow and obvious implementation.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "/", "a/b", "../x", "a//b/./c/..", "\\", "\x00", "\xff", "é/€", "e\u0301/\u1e69",
		".TOOLRUN/x", "a/.toolrun", ".toolrun. ", "toolru~1", ".tool:run", strings.Repeat("a/", 70),
		strings.Repeat("b", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := vfs.Clean(name)
		want := path.Clean("/" + norm.NFC.String(name))
		valid := utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool {
			return c == '\\' || unicode.IsControl(c)
		})
		names := strings.FieldsFunc(want, func(c rune) bool { return c == '/' })
		valid = valid && len(names) <= vfs.MaxDepth && len(want) <= vfs.MaxPath
		for _, n := range names {
			valid = valid && len(n) <= vfs.MaxName && !strings.EqualFold(n, ".toolrun")
			stem, _, _ := strings.Cut(strings.ToLower(n), ":")
			stem = strings.TrimRight(stem, ". ")
			valid = valid && stem != ".toolrun" &&
				!regexp.MustCompile(`^to(olru|[0-9a-f]{4})~[0-9]+$`).MatchString(stem)
			if runtime.GOOS == "windows" {
				valid = valid && filepath.IsLocal(n) && !strings.ContainsAny(n, `<>:"|?*`) &&
					strings.TrimRight(n, ". ") == n
			}
		}
		if !valid {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
		again, err := vfs.Clean(got)
		require.NoError(t, err)
		require.Equal(t, got, again, "cleaning twice changes nothing")
	})
}

// TestFoldCases: letters that differ in case only are the same, in all scripts.
func TestFoldCases(t *testing.T) {
	for c := rune(1); c <= unicode.MaxRune; c++ {
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			require.Equal(t, vfs.Fold(string(c)), vfs.Fold(string(other)), "%q and %q", c, other)
		}
	}
}
