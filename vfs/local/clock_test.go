package local_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestTimesThatCannotBe gives files times that no clock has had.
func TestTimesThatCannotBe(t *testing.T) {
	for _, year := range []int{-2000, 0, 1, 1969, 2200, 2300, 9999, 10_000, 20_000} {
		project, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
		require.NoError(t, err)
		then := time.Date(year, 1, 2, 3, 4, 5, 6, time.UTC)
		require.NoError(t, afero.WriteFile(project, "/f", []byte("first"), 0o644))
		require.NoError(t, project.Chtimes("/f", then, then), year)
		info, err := project.Stat("/f")
		require.NoError(t, err)
		require.True(t, info.ModTime().Equal(then), year)
		f, err := project.OpenFile("/f", os.O_WRONLY, 0)
		require.NoError(t, err)
		require.NoError(t, project.Chtimes("/f", then, then), year)
		_, err = f.WriteString("place")
		require.NoError(t, err)
		require.NoError(t, f.Close())

		require.NoError(t, project.Chtimes("/f", then, then), year)
		require.NoError(t, afero.WriteFile(project, "/f", []byte("second"), 0o644))
		_, err = project.Undo(context.Background(), "")
		require.NoError(t, err, year)
		content, err := afero.ReadFile(project, "/f")
		require.NoError(t, err)
		require.Equal(t, "place", string(content))
		require.NoError(t, project.Rename("/f", "/g"))
		require.NoError(t, vfs.Copy(context.Background(), project, "/g", "/h"))
		for _, format := range []archive.Format{archive.Zip, archive.Tar, archive.TarGzip} {
			var data bytes.Buffer
			require.NoError(t, archive.Export(context.Background(), project, &data, format), "%d %s", year, format)
			other, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
			require.NoError(t, err)
			_, err = archive.Import(context.Background(), other, &data, format)
			require.NoError(t, err, "%d %s", year, format)
		}
	}
}

// TestAHistoryOfAnotherTime opens projects whose history was written when the clock said something else.
func TestAHistoryOfAnotherTime(t *testing.T) {
	times := regexp.MustCompile(`"time":"[^"]*"`)
	for when, kept := range map[string]bool{
		"9999-12-31T23:59:59Z": true, "2200-01-01T00:00:00Z": true,
		"0001-01-01T00:00:01Z": false, "1970-01-01T00:00:00Z": false,
	} {
		t.Run(when, func(t *testing.T) {
			dir := t.TempDir()
			options := &vfs.Options{NoSync: true, History: vfs.HistoryOptions{Bytes: 100 << 10}}
			project := openIn(t, dir, options)
			require.NoError(t, afero.WriteFile(project, "/f", []byte("zero"), 0o644))
			require.NoError(t, afero.WriteFile(project, "/f", []byte("first"), 0o644))
			require.NoError(t, project.Close())
			pages, err := filepath.Glob(filepath.Join(dir, "p", ".toolrun", "history", "*"))
			require.NoError(t, err)
			changed := 0
			for _, page := range pages {
				text, err := os.ReadFile(page)
				require.NoError(t, err)
				after := times.ReplaceAll(text, []byte(`"time":"`+when+`"`))
				if !bytes.Equal(after, text) {
					changed++
				}
				require.NoError(t, os.WriteFile(page, after, 0o600))
			}
			require.Positive(t, changed)

			project = openIn(t, dir, options)
			defer project.Close()
			require.NoError(t, afero.WriteFile(project, "/g", []byte("now"), 0o644))
			changes, err := project.Changes(t.Context(), "/")
			require.NoError(t, err)
			if kept {
				require.Len(t, changes, 3)
				require.NoError(t, project.Restore(context.Background(), changes[1].ID, ""))
				content, err := afero.ReadFile(project, "/f")
				require.NoError(t, err)
				require.Equal(t, "zero", string(content))
			} else {
				require.Len(t, changes, 1, "it is too old")
			}
			for range 60 { // what is ahead of the clock goes when there is no more room
				require.NoError(t, afero.WriteFile(project, "/h", bytes.Repeat([]byte("h"), 1000), 0o644))
			}
			usage, err := project.Usage(t.Context())
			require.NoError(t, err)
			require.LessOrEqual(t, usage.HistoryBytes, int64(100<<10))
			requireExactUsage(t, project)
			changes, err = project.Changes(t.Context(), "/")
			require.NoError(t, err)
			require.WithinDuration(t, time.Now(), changes[len(changes)-1].Time, time.Hour)
		})
	}
}
