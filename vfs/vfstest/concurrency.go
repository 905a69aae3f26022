package vfstest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var concurrencyRules = []rule{
	{"many write files of their own", func(t *testing.T, files afero.Fs) {
		together(t, func(i int) error {
			dir := fmt.Sprint("dir", i%3)
			if err := files.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			for round := range 4 {
				name, content := fmt.Sprintf("%s/file%d", dir, i), fmt.Sprintf("%d in round %d", i, round)
				if err := afero.WriteFile(files, name, []byte(content), 0o644); err != nil {
					return err
				}
				got, err := afero.ReadFile(files, name)
				if err != nil || string(got) != content {
					return fmt.Errorf("%s has %q: %w", name, got, err)
				}
			}
			return nil
		})
		for i := range 10 {
			require.Equal(t, fmt.Sprintf("%d in round 3", i), read(t, files, fmt.Sprintf("dir%d/file%d", i%3, i)))
		}
		require.Len(t, tree(t, files), 13)
	}},
	{"many replace a file, and readers only see whole contents", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", pattern(0))
		whileReading(t, files, func() {
			together(t, func(i int) error {
				for range 3 {
					if err := afero.WriteFile(files, "file", []byte(pattern(i)), 0o644); err != nil {
						return err
					}
				}
				return nil
			})
		})
		require.Equal(t, []string{"file"}, list(t, files, "/"))
	}},
	{"many rename files over one, and readers only see whole contents", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", pattern(0))
		whileReading(t, files, func() {
			together(t, func(i int) error {
				own := fmt.Sprint("own", i)
				for range 3 {
					if err := afero.WriteFile(files, own, []byte(pattern(i)), 0o644); err != nil {
						return err
					}
					if err := files.Rename(own, "file"); err != nil {
						return err
					}
				}
				return nil
			})
		})
		require.Equal(t, []string{"file"}, list(t, files, "/"))
	}},
	{"many append, and nothing is lost", func(t *testing.T, files afero.Fs) {
		const lines = 20
		together(t, func(i int) error {
			f, err := files.OpenFile("log", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
			if err != nil {
				return err
			}
			for line := range lines {
				if _, err := fmt.Fprintf(f, "line %d of %d\n", line, i); err != nil {
					return err
				}
			}
			return f.Close()
		})
		requireLines(t, files, lines)
	}},
	{"many write by one handle, and nothing is lost", func(t *testing.T, files afero.Fs) {
		const lines = 20
		for _, flag := range []int{os.O_CREATE, os.O_CREATE | os.O_TRUNC, os.O_CREATE | os.O_APPEND} {
			f := openFile(t, files, "log", os.O_RDWR|flag)
			together(t, func(i int) error {
				for line := range lines {
					if _, err := f.WriteString(fmt.Sprintf("line %d of %d\n", line, i)); err != nil {
						return err
					}
					if _, err := f.ReadAt(make([]byte, 4), 0); err != nil {
						return err
					}
				}
				return nil
			})
			closeNow(t, f)
			requireLines(t, files, lines)
			require.NoError(t, files.Remove("log"))
		}
	}},
	{"many make the same directories", func(t *testing.T, files afero.Fs) {
		together(t, func(int) error { return files.MkdirAll("a/b/c/d", 0o755) })
		require.Len(t, tree(t, files), 4)
	}},
	{"of many that make a file or directory, one succeeds", func(t *testing.T, files afero.Fs) {
		exactlyOne(t, func(int) error {
			return opened(files.OpenFile("file", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
		}, fs.ErrExist)
		exactlyOne(t, func(int) error { return files.Mkdir("dir", 0o755) }, fs.ErrExist)
	}},
	{"of many that rename or remove a file, one succeeds", func(t *testing.T, files afero.Fs) {
		put(t, files, "file", "content")
		exactlyOne(t, func(i int) error { return files.Rename("file", fmt.Sprint("new", i)) }, fs.ErrNotExist)
		name := list(t, files, "/")
		require.Len(t, name, 1)
		exactlyOne(t, func(int) error { return files.Remove(name[0]) }, fs.ErrNotExist)
		require.Empty(t, list(t, files, "/"))
	}},
	{"of many that make names which differ in case, one succeeds", func(t *testing.T, files afero.Fs) {
		const name = "abcdefghij"
		variant := func(i int) string { return name[:i] + strings.ToUpper(name[i:i+1]) + name[i+1:] }
		for what, attempt := range map[string]func(i int) error{
			"replacing": func(i int) error { return afero.WriteFile(files, variant(i), []byte(variant(i)), 0o644) },
			"exclusive": func(i int) error {
				return opened(files.OpenFile(variant(i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
			},
			"directory": func(i int) error { return files.Mkdir(variant(i), 0o755) },
		} {
			t.Run(what, func(t *testing.T) {
				exactlyOne(t, attempt, fs.ErrExist)
				require.Len(t, list(t, files, "/"), 1)
				require.NoError(t, files.RemoveAll(list(t, files, "/")[0]))
			})
		}
	}},
	{"files can be written while their directory is renamed", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "a")
		written := make([]int, 10)
		together(t, func(i int) error {
			name := fmt.Sprint("file", i)
			for round := range 4 {
				if i == 0 {
					if err := errors.Join(files.Rename("a", "b"), files.Rename("b", "a")); err != nil {
						return err
					}
					continue
				}
				// Where the directory has just been, there is none.
				switch err := afero.WriteFile(files, "a/"+name, []byte(fmt.Sprint(round)), 0o644); {
				case err == nil:
					written[i] = round + 1
				case !errors.Is(err, fs.ErrNotExist):
					return err
				}
			}
			return nil
		})
		want := map[string]string{"/a": "/"}
		for i, rounds := range written {
			if rounds > 0 {
				want[fmt.Sprint("/a/file", i)] = fmt.Sprint(rounds - 1)
			}
		}
		require.Equal(t, want, tree(t, files))
	}},
	{"a handle can be closed while others use it", func(t *testing.T, files afero.Fs) {
		for i, flag := range []int{os.O_CREATE, os.O_CREATE | os.O_TRUNC} {
			name := fmt.Sprint("file", i)
			f := openFile(t, files, name, os.O_RDWR|flag)
			writeTo(t, f, "xx")
			together(t, func(i int) (err error) {
				for err == nil {
					switch i % 5 {
					case 0:
						err = f.Close()
					case 1:
						_, err = f.WriteAt([]byte("yy"), 0)
					case 2:
						_, err = f.ReadAt(make([]byte, 2), 0)
					case 3:
						_, err = f.Stat()
					case 4:
						err = f.Sync()
					}
				}
				if !errors.Is(err, fs.ErrClosed) {
					return err
				}
				return nil
			})
			require.Contains(t, []string{"xx", "yy"}, read(t, files, name))
		}
	}},
	{"a tree can be made, listed and removed at once", func(t *testing.T, files afero.Fs) {
		together(t, func(i int) error {
			for range 4 {
				var err error
				switch i % 4 {
				case 0:
					err = files.MkdirAll("tree/a/b", 0o755)
				case 1:
					err = opened(files.OpenFile("tree/a/file", os.O_RDWR|os.O_CREATE, 0o644))
				case 2:
					err = files.RemoveAll("tree")
				case 3:
					_, err = afero.ReadDir(files, "tree/a")
				}
				// What is not there has just been removed.
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			return nil
		})
		require.NoError(t, files.RemoveAll("tree"))
		require.Empty(t, tree(t, files))
	}},
}

// pattern is a content that shows whether it is whole. Each has another length.
func pattern(i int) string { return strings.Repeat(string(rune('a'+i)), 3000*(i+1)) }

// whileReading reads "file" all the time until do is finished, and checks that it has one of the patterns.
func whileReading(t *testing.T, files afero.Fs, do func()) {
	t.Helper()
	var whole []string
	for i := range 10 {
		whole = append(whole, pattern(i))
	}
	var stop atomic.Bool
	done := make(chan error, 2)
	for range cap(done) {
		go func() {
			for {
				content, err := afero.ReadFile(files, "file")
				if err == nil && !slices.Contains(whole, string(content)) {
					err = fmt.Errorf("a reader has found a part of a file: %d bytes", len(content))
				}
				if err != nil || stop.Load() {
					done <- err
					return
				}
			}
		}()
	}
	func() {
		defer stop.Store(true) // even if do has failed
		do()
	}()
	for range cap(done) {
		require.NoError(t, <-done)
	}
	require.Contains(t, whole, read(t, files, "file"))
}

// requireLines checks that "log" has all lines of ten writers, whole and each one's in order.
func requireLines(t *testing.T, files afero.Fs, lines int) {
	t.Helper()
	next := map[int]int{}
	for text := range strings.Lines(read(t, files, "log")) {
		var line, writer int
		_, err := fmt.Sscanf(text, "line %d of %d\n", &line, &writer)
		require.NoError(t, err, "%q", text)
		require.Equal(t, next[writer], line)
		next[writer]++
	}
	require.Len(t, next, 10)
	for _, n := range next {
		require.Equal(t, lines, n)
	}
}

// exactlyOne checks that one of ten attempts succeeds, and that the others fail as they should.
func exactlyOne(t *testing.T, attempt func(i int) error, otherwise error) {
	t.Helper()
	var succeeded atomic.Int64
	together(t, func(i int) error {
		switch err := attempt(i); {
		case err == nil:
			succeeded.Add(1)
		case !errors.Is(err, otherwise) && !(otherwise == fs.ErrNotExist && errors.Is(err, syscall.ESTALE)):
			return err
		}
		return nil
	})
	require.Equal(t, int64(1), succeeded.Load())
}
