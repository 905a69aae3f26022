package cachedir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/cachedir"
)

// places are names in an entry. Some exist, and others do not.
var places = []string{"data", "CHECKSUMS", "compiler-1/code", "compiler-1", "compiler-1/more", "more", "a\nb",
	"more/data", "."}

// FuzzDamage damages an entry several times. Of each three bytes, the first chooses the damage, the second the place,
// and the third the position; content is the text of new files. Afterwards the entry must be intact, or missing and
// possible to remake.
func FuzzDamage(f *testing.F) {
	f.Add([]byte{}, "")
	for how := range byte(6) {
		for place := range byte(len(places)) {
			f.Add([]byte{how, place, 1, how, place + 1, 2}, "some data")
		}
	}
	f.Add([]byte{0, 1, 0}, strings.Repeat("0", 64)+"  data\n")
	f.Fuzz(func(t *testing.T, steps []byte, content string) {
		if len(steps) > 30 || len(content) > 10_000 {
			return
		}
		dir, k := t.TempDir(), key("damaged")
		entry := keep(t, dir, k)
		for ; len(steps) >= 3; steps = steps[3:] {
			damage(entry, steps[0], places[int(steps[1])%len(places)], int(steps[2]), content)
		}
		e, err := cachedir.Open(dir, "engine", k)
		if err != nil { // a file lies in place of the entry's directory
			return
		}
		if e.Found() && !intact(t, e) {
			require.NoError(t, e.Close())
			e, err = cachedir.Open(dir, "engine", k)
			require.NoError(t, err)
			require.False(t, e.Found())
		}
		if e.Found() {
			data, err := e.Read("data")
			require.NoError(t, err)
			require.Equal(t, "some data", string(data))
			_, err = e.Read("more")
			require.ErrorIs(t, err, os.ErrNotExist)
			data, err = os.ReadFile(filepath.Join(e.Dir(), filepath.FromSlash(code)))
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("native code ", 1000), string(data))
		} else {
			fill(t, e)
			require.NoError(t, e.Publish())
		}
		require.NoError(t, e.Close())
		require.True(t, found(t, dir, k))
	})
}

// damage damages an entry once, if possible.
func damage(entry string, how byte, place string, at int, content string) {
	name := filepath.Join(entry, place)
	switch how % 6 {
	case 0:
		_ = os.WriteFile(name, []byte(content), 0o600)
	case 1:
		if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
			data[at*len(data)/256] ^= 1 << (at % 8)
			_ = os.WriteFile(name, data, 0o600)
		}
	case 2:
		if info, err := os.Stat(name); err == nil {
			_ = os.Truncate(name, info.Size()*int64(at)/256)
		}
	case 3:
		_ = os.RemoveAll(name)
	case 4:
		_ = os.Rename(name, filepath.Join(entry, places[at%len(places)]))
	case 5:
		_ = os.Mkdir(name, 0o700)
	}
}
