package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func version(t *testing.T, p vfs.Project, id int64) string {
	t.Helper()
	f, err := p.OpenVersion(t.Context(), id)
	require.NoError(t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(data)
}

func TestHistory(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
		write(t, p.WithCall("first"), "/d/f", "one")
		write(t, p.WithCall("second"), "/d/f", "two")
		third := p.WithCall("third")
		write(t, third, "/d/f", "three")
		write(t, third, "/d/f", "four") // the same call: the version in between is nobody's
		require.NoError(t, p.WithCall("fourth").Rename("/d/f", "/g"))
		require.NoError(t, p.WithCall("fifth").RemoveAll("/d"))

		changes, err := p.Changes(t.Context(), "/")
		require.NoError(t, err)
		var texts []string
		for _, c := range changes {
			texts = append(texts, fmt.Sprint(c.ID, c.Call, c.Op, c.Path, c.To, c.Kept))
			require.WithinDuration(t, time.Now(), c.Time, time.Minute)
		}
		require.Equal(t, []string{
			"6fifthremove/dtrue", "5fourthrename/d/f/gfalse", "4thirdwrite/d/ftrue", "3secondwrite/d/ftrue",
			"2firstcreate/d/ffalse",
			"1firstmkdir/dfalse",
		}, compact(texts))
		changes, err = p.Changes(t.Context(), "g")
		require.NoError(t, err)
		require.Len(t, changes, 4, "it follows the rename")

		require.Equal(t, "one", version(t, p, 3))
		require.Equal(t, "two", version(t, p, 4))
		_, err = p.OpenVersion(t.Context(), 2)
		require.ErrorIs(t, err, vfs.ErrNotKept)
		_, err = p.OpenVersion(t.Context(), 99)
		require.ErrorIs(t, err, vfs.ErrNotKept)
		_, err = p.OpenVersion(t.Context(), 6)
		require.ErrorIs(t, err, syscall.EISDIR)

		require.NoError(t, p.Restore(ctx, 4, ""))
		require.Equal(t, "two", read(t, p, "/g"), "where the file is now")
		require.NoError(t, p.Restore(ctx, 3, ""))
		require.Equal(t, "one", read(t, p, "/g"))
		require.NoError(t, p.Restore(ctx, 4, "/d/again/f"))
		require.Equal(t, "two", read(t, p, "/d/again/f"))
		require.ErrorIs(t, p.Restore(ctx, 6, ""), fs.ErrExist, "a directory is not replaced")
		require.Equal(t, "one", read(t, p, "/g"))
		require.ErrorIs(t, p.Restore(ctx, 5, ""), vfs.ErrNotKept)
	})
}

// compact takes the spaces out that Sprint puts between operands that are not strings.
func compact(texts []string) []string {
	for i, text := range texts {
		out := ""
		for _, c := range text {
			if c != ' ' {
				out += string(c)
			}
		}
		texts[i] = out
	}
	return texts
}

// TestUndo does all kinds of changes as one call, and undoes them.
func TestUndo(t *testing.T) {
	ctx := context.Background()
	for name, do := range map[string]func(t *testing.T, p vfs.Project){
		"creating": func(t *testing.T, p vfs.Project) { write(t, p, "/new/dir/file", "x") },
		"writing":  func(t *testing.T, p vfs.Project) { write(t, p, "/a", "other") },
		"writing twice": func(t *testing.T, p vfs.Project) {
			write(t, p, "/a", "other")
			write(t, p, "/a", "third")
		},
		"removing":           func(t *testing.T, p vfs.Project) { require.NoError(t, p.Remove("/a")) },
		"removing a tree":    func(t *testing.T, p vfs.Project) { require.NoError(t, p.RemoveAll("/d")) },
		"renaming":           func(t *testing.T, p vfs.Project) { require.NoError(t, p.Rename("/a", "/d/new")) },
		"renaming over":      func(t *testing.T, p vfs.Project) { require.NoError(t, p.Rename("/a", "/d/x")) },
		"renaming a tree":    func(t *testing.T, p vfs.Project) { require.NoError(t, p.Rename("/d", "/moved")) },
		"copying a tree":     func(t *testing.T, p vfs.Project) { require.NoError(t, vfs.Copy(ctx, p, "/d", "/copy")) },
		"an empty directory": func(t *testing.T, p vfs.Project) { require.NoError(t, p.Mkdir("/empty", 0o700)) },
		"removing an empty directory": func(t *testing.T, p vfs.Project) {
			require.NoError(t, p.Remove("/d/e"))
		},
		"writing in place": func(t *testing.T, p vfs.Project) {
			f, err := p.OpenFile("/a", os.O_RDWR, 0)
			require.NoError(t, err)
			_, err = f.WriteAt([]byte("XX"), 1)
			require.NoError(t, err)
			require.NoError(t, f.Truncate(3))
			require.NoError(t, f.Close())
		},
		"appending through a handle": func(t *testing.T, p vfs.Project) {
			for range 3 {
				f, err := p.OpenFile("/log", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
				require.NoError(t, err)
				_, err = f.WriteString("line\n")
				require.NoError(t, err)
				require.NoError(t, f.Close())
			}
		},
		"everything": func(t *testing.T, p vfs.Project) {
			write(t, p, "/a", "1")
			require.NoError(t, p.Rename("/a", "/b"))
			write(t, p, "/b", "2")
			write(t, p, "/a", "3")
			require.NoError(t, p.Rename("/d", "/a.d"))
			write(t, p, "/a.d/x", "4")
			require.NoError(t, p.RemoveAll("/a.d"))
			require.NoError(t, p.MkdirAll("/d/e", 0o700))
			write(t, p, "/d/x", "5")
			require.NoError(t, p.Remove("/b"))
			require.NoError(t, p.Rename("/a", "/d/x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
				write(t, p, "/a", "text of a")
				write(t, p, "/d/x", "text of x")
				write(t, p, "/d/y/z", "text of z")
				require.NoError(t, p.Mkdir("/d/e", 0o700))
				before := snapshot(t, p)
				bytes, files := usage(t, p)

				do(t, p.WithCall("call"))
				after := snapshot(t, p)
				require.NotEqual(t, before, after)
				undone, err := p.Undo(ctx, "")
				require.NoError(t, err)
				require.NotEmpty(t, undone)
				require.Equal(t, before, snapshot(t, p))
				gotBytes, gotFiles := usage(t, p)
				require.Equal(t, []int64{bytes, files}, []int64{gotBytes, gotFiles})

				_, err = p.Undo(ctx, "call")
				var undoErr *vfs.UndoError
				require.ErrorAs(t, err, &undoErr, "once is enough")
				// The calls before can be undone as well.
				for range 4 {
					_, err = p.Undo(ctx, "")
					require.NoError(t, err)
				}
			})
		})
	}
}

func TestUndoRefusesToDestroyNewerEdits(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		first, second func(t *testing.T, p vfs.Project)
		reason        string
	}{
		"the same file": {
			func(t *testing.T, p vfs.Project) { write(t, p, "/f", "1") },
			func(t *testing.T, p vfs.Project) { write(t, p, "/f", "2") },
			"/f has been changed since by second",
		},
		"a file that was renamed": {
			func(t *testing.T, p vfs.Project) { write(t, p, "/f", "1") },
			func(t *testing.T, p vfs.Project) { require.NoError(t, p.Rename("/f", "/g")) },
			"/f has been changed since by second",
		},
		"a file in a directory that was moved": {
			func(t *testing.T, p vfs.Project) { require.NoError(t, p.Rename("/d", "/e")) },
			func(t *testing.T, p vfs.Project) { write(t, p, "/e/x", "2") },
			"/e/x has been changed since by second",
		},
		"a directory that was removed": {
			func(t *testing.T, p vfs.Project) { write(t, p, "/d/x", "1") },
			func(t *testing.T, p vfs.Project) { require.NoError(t, p.RemoveAll("/d")) },
			"/d has been changed since by second",
		},
		"something where one was removed": {
			func(t *testing.T, p vfs.Project) { require.NoError(t, p.RemoveAll("/d")) },
			func(t *testing.T, p vfs.Project) { write(t, p, "/d", "a file now") },
			"/d has been changed since by second",
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
				write(t, p, "/f", "0")
				write(t, p, "/d/x", "0")
				write(t, p, "/other", "0")
				first := p.WithCall("first")
				write(t, first, "/other", "1")
				test.first(t, first)
				test.second(t, p.WithCall("second"))
				before := snapshot(t, p)
				_, err := p.Undo(ctx, "first")
				var undoErr *vfs.UndoError
				require.ErrorAs(t, err, &undoErr)
				require.Contains(t, undoErr.Reasons, test.reason)
				require.Equal(t, before, snapshot(t, p), "nothing is undone")
				// After the newer one is undone, it is possible.
				_, err = p.Undo(ctx, "second")
				require.NoError(t, err)
				_, err = p.Undo(ctx, "first")
				require.NoError(t, err)
				require.Equal(t, "0", read(t, p, "/other"))
			})
		})
	}
}

// TestConflictsNameTheCall: what a call has changed is not said to have been changed from outside, too.
func TestConflictsNameTheCall(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, p vfs.Project)
		reason string
	}{
		"a file": {func(t *testing.T, p vfs.Project) { write(t, p, "/d/f", "2") },
			"/d/f has been changed since by second"},
		"its removal": {func(t *testing.T, p vfs.Project) { require.NoError(t, p.Remove("/d/f")) },
			"/d/f has been changed since by second"},
		"a folder's name": {func(t *testing.T, p vfs.Project) { require.NoError(t, p.Rename("/d", "/e")) },
			"/d has been changed since by second"},
		"a folder's removal": {func(t *testing.T, p vfs.Project) { require.NoError(t, p.RemoveAll("/d")) },
			"/d has been changed since by second"},
	} {
		t.Run(name, func(t *testing.T) {
			forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
				write(t, p.WithCall("first"), "/d/f", "1")
				test.change(t, p.WithCall("second"))
				_, err := p.Undo(t.Context(), "first")
				require.EqualError(t, err, "cannot undo first: "+test.reason)
			})
		})
	}
}

func TestUndoNoticesEditsFromOutside(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	write(t, p.WithCall("call"), "/f", "by the call")
	write(t, p.WithCall("call"), "/d/g", "by the call")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("by the user"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "d", "mine"), []byte("by the user"), 0o600))
	_, err = p.Undo(ctx, "")
	require.ErrorContains(t, err, "/f has been changed since from outside")
	require.NoError(t, os.Remove(filepath.Join(dir, "f")))
	_, err = p.Undo(ctx, "")
	require.ErrorContains(t, err, "/f is no longer there")
	write(t, p, "/f", "by the call") // by another one
	_, err = p.Undo(ctx, "call")
	require.Error(t, err)
	require.NoError(t, p.Remove("/d/g"))
	_, err = p.Undo(ctx, "")
	require.NoError(t, err)
	_, err = p.Undo(ctx, "")
	require.NoError(t, err)
	require.Equal(t, "by the user", read(t, p, "/d/mine"))
}

func TestHistoryIsBounded(t *testing.T) {
	ctx := context.Background()
	const limit = 100 << 10
	forEachStore(t, &vfs.Options{History: vfs.HistoryOptions{Bytes: limit}}, func(t *testing.T, p vfs.Project) {
		for i := range 100 {
			write(t, p.WithCall(fmt.Sprint("call", i)), "/f", fmt.Sprint(i)+string(make([]byte, 10<<10)))
			u, err := p.Usage(t.Context())
			require.NoError(t, err)
			require.LessOrEqual(t, u.HistoryBytes, int64(limit))
		}
		changes, err := p.Changes(t.Context(), "/")
		require.NoError(t, err)
		require.Equal(t, []int64{100, 5}, []int64{changes[0].ID, int64(len(changes))})
		require.Contains(t, version(t, p, 97), "95")
		_, err = p.OpenVersion(t.Context(), 90)
		require.ErrorIs(t, err, vfs.ErrNotKept)

		// What is larger than all of it is not kept, and that is said.
		write(t, p, "/large", string(make([]byte, 2*limit)))
		require.NoError(t, p.WithCall("removal").Remove("/large"))
		changes, err = p.Changes(t.Context(), "/large")
		require.NoError(t, err)
		require.True(t, changes[0].Lost)
		_, err = p.Undo(ctx, "removal")
		require.ErrorContains(t, err, "/large was too large to keep")

		// A call whose first changes are gone cannot be undone.
		long := p.WithCall("long")
		for i := range 60 {
			require.NoError(t, long.Mkdir(fmt.Sprint("/", i), 0o700))
		}
		_, err = p.Undo(ctx, "long")
		require.ErrorContains(t, err, "no longer")
	})
}

func TestHistoryGrowsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := local.NewMemoryStore(&vfs.Options{History: vfs.HistoryOptions{Age: time.Hour}}).Open(t.Context(),
			"project")
		require.NoError(t, err)
		for i := range 4 {
			write(t, p, "/f", fmt.Sprint(i))
			time.Sleep(30 * time.Minute)
		}
		changes, err := p.Changes(t.Context(), "/")
		require.NoError(t, err)
		require.Len(t, changes, 3)
	})
}

func TestHistoryOff(t *testing.T) {
	forEachStore(t, &vfs.Options{History: vfs.HistoryOptions{Off: true}}, func(t *testing.T, p vfs.Project) {
		write(t, p, "/d/f", "1")
		write(t, p, "/d/f", "2")
		f, err := p.OpenFile("/d/f", os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = f.WriteString("3")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.NoError(t, p.RemoveAll("/d"))
		changes, err := p.Changes(t.Context(), "/")
		require.NoError(t, err)
		require.Empty(t, changes)
		u, err := p.Usage(t.Context())
		require.NoError(t, err)
		require.Zero(t, u.Bytes+u.Files+u.HistoryBytes)
		_, err = p.Undo(context.Background(), "")
		require.ErrorIs(t, err, vfs.ErrNotKept)
	})
}

func TestUndoSparesWhatOthersWroteMeanwhileThroughTheSameHandle(t *testing.T) {
	forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
		write(t, p, "/f", "0")
		add := func(call, text string) (more func(text string)) {
			f, err := p.WithCall(call).OpenFile("/f", os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			t.Cleanup(func() { _ = f.Close() })
			more = func(text string) {
				_, err := f.WriteString(text)
				require.NoError(t, err)
			}
			more(text)
			return more
		}
		a := add("A", "a")
		b := add("B", "b")
		a("a")
		_, err := p.Undo(context.Background(), "B")
		var undoErr *vfs.UndoError
		require.ErrorAs(t, err, &undoErr)
		require.Equal(t, "0aba", read(t, p, "/f"))
		b("b")
		require.Equal(t, "0abab", read(t, p, "/f"))
	})
}

// A call's own changes in a directory that it has restored are not in the way of undoing the call.
func TestCallsThatChangeWhatTheyHaveRestoredAreUndone(t *testing.T) {
	forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
		write(t, p, "/d/a", "a")
		write(t, p, "/other", "other")
		require.NoError(t, p.RemoveAll("/d"))
		all, err := p.Changes(t.Context(), "/d")
		require.NoError(t, err)
		before := snapshot(t, p)
		call := p.WithCall("call")
		require.NoError(t, call.Restore(t.Context(), all[0].ID, ""))
		write(t, call, "/d/a", "changed")
		require.NoError(t, call.Rename("/other", "/d/other"))
		_, err = p.Undo(t.Context(), "call")
		require.NoError(t, err)
		require.Equal(t, before, snapshot(t, p))
	})
}

// What somebody changes in a directory that was restored is in the way of removing it again.
func TestRestoredDirectoriesAreNotRemovedWithOthersChanges(t *testing.T) {
	changes := map[string]func(t *testing.T, dir string){
		"nothing": nil,
		"a change": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "b"), []byte("mine, longer"), 0o600))
		},
		"a new file": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "new"), []byte("mine"), 0o600))
		},
		"a new directory": func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(filepath.Join(dir, "mine"), 0o700))
		},
		"a file removed": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "sub", "b")))
		},
		"a file renamed": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "sub", "b"), filepath.Join(dir, "sub", "c")))
		},
	}
	redo := func(p vfs.Project) error { _, err := p.Redo(ctxOf(), ""); return err }
	undo := func(p vfs.Project) error { _, err := p.Undo(ctxOf(), ""); return err }
	ways := map[string]struct {
		prepare func(t *testing.T, p vfs.Project) // makes or restores d, which has sub with b, or its name at
		at      string
		back    func(p vfs.Project) error
	}{
		"redo": {func(t *testing.T, p vfs.Project) {
			require.NoError(t, p.WithCall("rm").RemoveAll("/d"))
			require.NoError(t, undo(p))
		}, "d", redo},
		"redo of more": {func(t *testing.T, p vfs.Project) {
			call := p.WithCall("more")
			write(t, call, "/d/sub/b", "changed")
			write(t, call, "/d/made", "made")
			require.NoError(t, call.Rename("/d", "/e"))
			write(t, call, "/e/sub/another", "made")
			require.NoError(t, call.RemoveAll("/e"))
			require.NoError(t, undo(p))
		}, "d", redo},
		"undo of a restore": {func(t *testing.T, p vfs.Project) {
			require.NoError(t, p.RemoveAll("/d"))
			all, err := p.Changes(t.Context(), "/d")
			require.NoError(t, err)
			require.NoError(t, p.Restore(t.Context(), all[0].ID, "/e"))
		}, "e", undo},
		"undo of a redo": {func(t *testing.T, p vfs.Project) {
			require.NoError(t, p.WithCall("rm").RemoveAll("/d"))
			all, err := p.Changes(t.Context(), "/d")
			require.NoError(t, err)
			require.NoError(t, p.Restore(t.Context(), all[0].ID, ""))
			require.NoError(t, undo(p))
			require.NoError(t, redo(p))
		}, "d", undo},
	}
	for way, w := range ways {
		for name, change := range changes {
			t.Run(way+" after "+name, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "d", "sub"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "d", "sub", "b"), []byte("b"), 0o600))
				p := openDir(t, dir, &vfs.Options{NoSync: true})
				w.prepare(t, p)
				if change == nil {
					require.NoError(t, w.back(p))
					_, err := p.Stat("/" + w.at)
					require.ErrorIs(t, err, fs.ErrNotExist)
					return
				}
				change(t, filepath.Join(dir, w.at))
				before := snapshot(t, p)
				err := w.back(p)
				var refused *vfs.UndoError
				require.ErrorAs(t, err, &refused)
				require.Contains(t, refused.Reasons, "/"+w.at+" has been changed since from outside")
				require.Equal(t, before, snapshot(t, p))
			})
		}
	}
}

func TestProcessesToComeFindTheHistoryAsItWas(t *testing.T) {
	options := &vfs.Options{NoSync: true}
	ctx := context.Background()
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for name, change := range map[string]func(project vfs.Project) error{
		"after something has been undone": func(project vfs.Project) error {
			err := project.Mkdir("/d", 0o755)
			_, undoErr := project.Undo(ctx, "")
			return errors.Join(err, undoErr)
		},
		// This is what unpacking an archive does, and what clocks do that are coarse.
		"after another content of the same size and time": func(project vfs.Project) error {
			err := afero.WriteFile(project, "/f", []byte("second"), 0o644)
			return errors.Join(err, project.Chtimes("/f", old, old))
		},
		"after another content in place of the same size and time": func(project vfs.Project) error {
			f, err := project.OpenFile("/f", os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("second")
			return errors.Join(err, f.Close(), project.Chtimes("/f", old, old))
		},
		"after restoring what is there": func(project vfs.Project) error {
			if err := afero.WriteFile(project, "/f", []byte("second"), 0o644); err != nil {
				return err
			}
			changes, err := project.Changes(t.Context(), "/f")
			return errors.Join(err, project.Restore(ctx, changes[0].ID, ""))
		},
		"after removing": func(project vfs.Project) error { return project.Remove("/f") },
		"after renaming": func(project vfs.Project) error { return project.Rename("/f", "/d") },
		"after copying":  func(project vfs.Project) error { return vfs.Copy(ctx, project, "/f", "/d") },
		"after making directories": func(project vfs.Project) error {
			return project.MkdirAll("/d/e", 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			project := openIn(t, dir, options)
			require.NoError(t, afero.WriteFile(project, "/f", []byte("zero"), 0o644))
			require.NoError(t, afero.WriteFile(project, "/f", []byte("first!"), 0o644))
			require.NoError(t, project.Chtimes("/f", old, old))
			require.NoError(t, change(project))
			before, err := project.Changes(t.Context(), "/")
			require.NoError(t, err)
			require.NoError(t, project.Close())

			project = openIn(t, dir, options)
			requireExactUsage(t, project)
			after, err := project.Changes(t.Context(), "/")
			require.NoError(t, err)
			require.Equal(t, before, after)
			for _, change := range after {
				if change.Kept {
					f, err := project.OpenVersion(t.Context(), change.ID)
					if errors.Is(err, syscall.EISDIR) {
						continue
					}
					require.NoError(t, err)
					require.NoError(t, f.Close())
				}
			}
			require.NoError(t, project.Close())
		})
	}
}
