package cli

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTokensAreReadWhenTheFileChanges: no signal is needed, and a file that stays as it is is not read again.
func TestTokensAreReadWhenTheFileChanges(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		fresh := filepath.Join(dir, "fresh")
		require.NoError(t, os.WriteFile(fresh, []byte(text), 0o600))
		require.NoError(t, os.Rename(fresh, filepath.Join(dir, "tokens.json")))
	}
	const token = `{"tokens": [{"name": "a", "token": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "project": "a"}]}`
	write(token)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := &tokenFile{host: &Host{Dir: dir}, name: "tokens.json", logger: slog.New(slog.DiscardHandler)}
		read := func() error { _, err := f.read(); return err }
		require.NoError(t, read())
		var again atomic.Int64
		f.watch(ctx, func() error { again.Add(1); return read() })
		for i, text := range []string{token + " ", "{", token} {
			time.Sleep(5 * time.Second)
			synctest.Wait()
			require.EqualValues(t, i, again.Load())
			write(text)
			time.Sleep(1100 * time.Millisecond)
			synctest.Wait()
			require.EqualValues(t, i+1, again.Load())
		}
		require.NoError(t, os.Remove(filepath.Join(dir, "tokens.json")))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 4, again.Load(), "once, until it is there again")
	})
}
