package fsys_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// What is large is kept in a file, which goes away.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	s := &fsys.Spool{Memory: 1 << 20}
	var want []byte
	for i := range 5 {
		part := bytes.Repeat([]byte{byte(i)}, 1<<20/3+i)
		n, err := s.Write(part)
		require.NoError(t, err)
		require.Equal(t, len(part), n)
		want = append(want, part...)
		got, err := io.ReadAll(io.NewSectionReader(s, 7, s.Size()-7))
		require.NoError(t, err)
		require.True(t, bytes.Equal(want[7:], got))
		_, inMemory := s.InMemory()
		require.Equal(t, len(want) <= 1<<20, inMemory)
	}
	s.Close()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
