package wasifs_test

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestOwnLocksOfDatabases are not seen, and those of others are.
func TestOwnLocksOfDatabases(t *testing.T) {
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	s := wasifs.New(project, 1<<20)
	for name, content := range map[string]string{"/empty": "", "/db": "SQLite format 3\x00 and so on", "/text": "hello",
		"/short": "SQL"} {
		require.NoError(t, afero.WriteFile(project, name, []byte(content), 0o644))
		require.Zero(t, s.Mkdir(name+".lock"))
		require.Zero(t, errnoOf(s.Stat(name+".lock")), "nothing is open")
		_, errno := s.Open(name, wasifs.O_RDWR)
		require.Zero(t, errno)
		want := wasifs.Errno(0)
		if name == "/empty" || name == "/db" {
			want = wasifs.ENOENT
		}
		require.Equal(t, want, errnoOf(s.Stat(name+".lock")), name)
		require.Equal(t, want, errnoOf(s.Lstat(name+".lock")), name)
		top, errno := s.Open("/", wasifs.O_RDONLY)
		require.Zero(t, errno)
		entries, errno := top.List()
		require.Zero(t, errno)
		listed := slices.ContainsFunc(entries, func(e wasifs.Entry) bool { return "/"+e.Name == name+".lock" })
		require.Equal(t, want == 0, listed, name)
		other := wasifs.New(project, 1<<20)
		require.Zero(t, errnoOf(other.Open(name, wasifs.O_RDWR)))
		require.Zero(t, errnoOf(other.Stat(name+".lock")), name)
		require.Equal(t, wasifs.EEXIST, other.Mkdir(name+".lock"))
		require.NoError(t, other.Close(true))
		require.Zero(t, errnoOf(other.Stat(name+".lock")), name)
	}
	require.NoError(t, s.Close(true))
}

// TestLocksEndWithTheirHolder makes directories that are locks of files, and closes everything.
func TestLocksEndWithTheirHolder(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(t *testing.T, s *wasifs.FS, files vfs.Project)
		kept bool
	}{
		"a lock": {func(t *testing.T, s *wasifs.FS, _ vfs.Project) {}, false},
		"a lock that was touched": {func(t *testing.T, s *wasifs.FS, _ vfs.Project) {
			require.Zero(t, s.Utimens("/db.lock", wasifs.OmitTime, time.Now().Add(time.Hour).UnixNano()))
		}, false},
		"a lock of a file that is closed": {func(t *testing.T, s *wasifs.FS, _ vfs.Project) {
			require.Zero(t, s.Rename("/db", "/elsewhere"))
		}, true},
		"a lock with something in it": {func(t *testing.T, s *wasifs.FS, _ vfs.Project) {
			require.Zero(t, s.Mkdir("/db.lock/inside"))
		}, true},
		"a lock of somebody else, made in its place": {func(t *testing.T, s *wasifs.FS, files vfs.Project) {
			require.NoError(t, files.Remove("/db.lock"))
			require.NoError(t, files.Mkdir("/db.lock", 0o755))
			require.NoError(t, files.Chtimes("/db.lock", time.Unix(5, 0), time.Unix(5, 0)))
		}, true},
		"a lock of somebody else, after its own": {func(t *testing.T, s *wasifs.FS, files vfs.Project) {
			require.Zero(t, s.Rmdir("/db.lock"))
			require.NoError(t, files.Mkdir("/db.lock", 0o755))
			require.Equal(t, wasifs.EEXIST, s.Mkdir("/db.lock"))
		}, true},
	} {
		for _, finish := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
				require.NoError(t, err)
				s := wasifs.New(project, 1<<20)
				_, errno := s.Open("/db", wasifs.O_RDWR|wasifs.O_CREAT)
				require.Zero(t, errno)
				require.Zero(t, s.Mkdir("/db.lock"))
				require.Zero(t, s.Mkdir("/other.lock"))
				test.do(t, s, project)
				require.NoError(t, s.Close(finish))
				_, err = project.Stat("/db.lock")
				if test.kept {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, fs.ErrNotExist)
				}
				_, err = project.Stat("/other.lock")
				require.NoError(t, err, "it is the lock of nothing")
			})
		}
	}
}
