package local

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// faulty is a backend on a host that fails.
type faulty struct {
	project.Backend
	// fail returns the error of an operation, or nil.
	fail func(op, name string) error
}

func (f *faulty) failing(op, name string) error {
	if f.fail == nil {
		return nil
	}
	return f.fail(op, name)
}

func (f *faulty) Sync(dir string) error {
	return errors.Join(f.failing("sync", dir), f.Backend.Sync(dir))
}

func (f *faulty) Lstat(name string) (fs.FileInfo, error) {
	if err := f.failing("lstat", name); err != nil {
		return nil, err
	}
	return f.Backend.Lstat(name)
}

func (f *faulty) Open(name string, flag int, perm fs.FileMode) (project.Node, error) {
	if err := f.failing("open", name); err != nil {
		return nil, err
	}
	return f.Backend.Open(name, flag, perm)
}

func (f *faulty) Rename(old, name string) error {
	if err := f.failing("rename", name); err != nil {
		return err
	}
	return f.Backend.Rename(old, name)
}

func (f *faulty) WriteState(buf []byte) error {
	if err := f.failing("state", ""); err != nil {
		return err
	}
	return f.Backend.WriteState(buf)
}

func (f *faulty) RemoveAll(name string) error {
	if err := f.failing("removeAll", name); err != nil {
		return err
	}
	return f.Backend.RemoveAll(name)
}

// TestFailuresOfTheHost lets one operation after the other fail, once each, in a sequence of changes. Whatever fails,
// nothing panics, nothing is lost, and the history stays good for undoing.
func TestFailuresOfTheHost(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, op := range []string{"sync", "lstat", "open", "rename", "removeAll"} {
		t.Run(op, func(t *testing.T) {
			for failing := 1; ; failing++ {
				h := &faulty{Backend: newMemory()}
				p := projectOn(h, nil)
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/d/keep", []byte("kept")))
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/f", []byte("old")))
				count := 0
				h.fail = func(what, _ string) error {
					if what == op {
						if count++; count == failing {
							return broken
						}
					}
					return nil
				}
				writeErr := afero.WriteFile(p.WithCall("write"), "/f", []byte("new"), 0o644)
				removeErr := p.WithCall("remove").RemoveAll("/d")
				h.fail = nil
				reached := count >= failing

				content, err := afero.ReadFile(p, "/f")
				require.NoError(t, err)
				require.Contains(t, []string{"old", "new"}, string(content))
				if writeErr == nil {
					require.Equal(t, "new", string(content))
				}
				if _, err := p.Stat("/d/keep"); removeErr == nil || err != nil {
					require.ErrorIs(t, err, fs.ErrNotExist)
					_, err := p.Undo(t.Context(), "remove")
					require.NoError(t, err, "what is removed can be had back, failing %d", failing)
				}
				content, err = afero.ReadFile(p, "/d/keep")
				require.NoError(t, err)
				require.Equal(t, "kept", string(content))

				// Somebody else finds everything in order.
				p = projectOn(h, nil)
				usage, err := p.Usage(t.Context())
				require.NoError(t, err)
				size, err := p.Core.SizeOf("/")
				require.NoError(t, err)
				require.Equal(t, []int64{size.Bytes, size.Files - 1}, []int64{usage.Bytes, usage.Files})
				if !reached {
					require.NoError(t, errors.Join(writeErr, removeErr))
					return
				}
			}
		})
	}
}

func TestOpenFilesAreLimited(t *testing.T) {
	p, err := NewMemoryStore(&vfs.Options{OpenFiles: 10}).Open(t.Context(), "project")
	require.NoError(t, err)
	call := p.WithCall("call")
	for i := range 10 {
		switch i % 3 {
		case 0:
			f, err := call.Create("/f")
			require.NoError(t, err)
			_, err = f.WriteString("never closed")
			require.NoError(t, err)
		case 1:
			_, err = call.Open("/")
		default:
			_, err = call.OpenFile("/g", os.O_CREATE|os.O_RDWR, 0o600)
		}
		require.NoError(t, err)
	}
	_, err = p.Open("/")
	require.ErrorIs(t, err, syscall.EMFILE)
	_, err = p.Create("/h")
	require.ErrorIs(t, err, syscall.EMFILE)

	call.EndCall()
	require.Zero(t, coreOf(p).Handles)
	require.Zero(t, coreOf(p).Staged.Load())
	_, err = p.Stat("/f")
	require.ErrorIs(t, err, fs.ErrNotExist, "what was being written is dropped")
	require.NoError(t, afero.WriteFile(p, "/h", nil, 0o600))
	require.ErrorIs(t, errOf(p.Open(strings.Repeat("./", 40_000))), syscall.ENAMETOOLONG)
}

func errOf(_ afero.File, err error) error { return err }

// failingNode is an open file that cannot be written to any more.
type failingNode struct {
	project.Node
	err error
}

func (n *failingNode) WriteAt(b []byte, offset int64) (int, error) {
	if n.err != nil {
		return 0, n.err
	}
	return n.Node.WriteAt(b, offset)
}

func TestAWriteThatFailsInPlaceLeavesTheHistoryGood(t *testing.T) {
	p, err := NewMemoryStore(nil).Open(t.Context(), "project")
	require.NoError(t, err)
	require.NoError(t, vfs.WriteFile(t.Context(), p, "/f", []byte("before")))
	opened, err := p.WithCall("call").OpenFile("/f", os.O_RDWR, 0)
	require.NoError(t, err)
	f := opened.(*project.File)
	failing := &failingNode{f.Node, errors.New("the disk is broken")}
	f.Node = failing
	_, err = f.WriteAt([]byte("X"), 0)
	require.ErrorIs(t, err, failing.err)
	changes, err := p.Changes(t.Context(), "/f")
	require.NoError(t, err)
	require.Len(t, changes, 1, "nothing has happened")

	failing.err = nil
	require.NoError(t, vfs.WriteFile(t.Context(), p, "/other", nil)) // gets the number that has become free
	_, err = f.WriteAt([]byte("after"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = p.Undo(t.Context(), "call")
	require.NoError(t, err)
	content, err := afero.ReadFile(p, "/f")
	require.NoError(t, err)
	require.Equal(t, "before", string(content))
}

// A process dies when a call has changed a file once more, and before the history says what the file has become: that
// is still the work of the call, which can be undone.
func TestTheSecondWriteOfACallIsTheLast(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, p vfs.Project, h *faulty){
		"anew": func(t *testing.T, p vfs.Project, h *faulty) {
			dead := false
			h.fail = func(op, name string) error {
				if dead {
					return errors.New("the process is dead")
				}
				dead = op == "rename" && name == "/f"
				return nil
			}
			require.Error(t, afero.WriteFile(p, "/f", []byte("the third"), 0o644))
			require.True(t, dead)
			h.fail = nil
		},
		"in place": func(t *testing.T, p vfs.Project, _ *faulty) {
			for range 2 {
				f, err := p.OpenFile("/f", os.O_WRONLY|os.O_APPEND, 0)
				require.NoError(t, err)
				_, err = f.Write([]byte(" more"))
				require.NoError(t, err)
				t.Cleanup(func() { _ = f.Close() }) // which is too late
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &faulty{Backend: newMemory()}
			p := projectOn(h, nil)
			require.NoError(t, vfs.WriteFile(t.Context(), p, "/f", []byte("first")))
			own := p.WithCall("call")
			f, err := own.OpenFile("/f", os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.Write([]byte(" second"))
			require.NoError(t, errors.Join(err, f.Close()))
			write(t, own, h)
			next := projectOn(h, nil)
			content, err := afero.ReadFile(next, "/f")
			require.NoError(t, err)
			require.NotEqual(t, "first second", string(content))
			_, err = next.Undo(t.Context(), "call")
			require.NoError(t, err)
			content, err = afero.ReadFile(next, "/f")
			require.NoError(t, err)
			require.Equal(t, "first", string(content))
		})
	}
}

// A host that fails while the history is read anew after a kill ends nothing of the history.
func TestFailuresOfTheHostLoseNoHistory(t *testing.T) {
	backend := newMemory()
	p := projectOn(backend, nil)
	for _, text := range []string{"one", "two", "three"} {
		require.NoError(t, vfs.WriteFile(t.Context(), p.WithCall(text), "/f", []byte(text)))
	}
	before, err := p.Changes(t.Context(), "/f")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, backend.WriteState(nil)) // nothing is known any more

	broken := errors.New("the disk is broken")
	failing := 0
	for reached := true; reached; {
		failing++
		count := 0
		h := &faulty{Backend: backend, fail: func(op, _ string) error {
			if op == "lstat" {
				if count++; count == failing {
					return broken
				}
			}
			return nil
		}}
		again := projectOn(h, nil)
		_ = vfs.WriteFile(t.Context(), again.WithCall("four"), "/g", []byte("four"))
		reached = count >= failing
		h.fail = nil
		after, err := again.Changes(t.Context(), "/f")
		require.NoError(t, err)
		require.Equal(t, before, after, "failure %d", failing)
		require.NoError(t, again.Close())
		require.NoError(t, backend.WriteState(nil))
	}
	require.Greater(t, failing, 3)
}
