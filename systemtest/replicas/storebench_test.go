//go:build systemtest

package replicas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// BenchmarkCallOnFiles is a call of the tool javascript that reads two files of 4 KiB and writes one, by where the
// files are. All stores write through to the disk.
func BenchmarkCallOnFiles(b *testing.B) {
	for name, data := range map[string]func(b *testing.B) string{
		"directory": func(b *testing.B) string { return b.TempDir() },
		"database":  func(b *testing.B) string { return pgtest.StartFor(b, "fsync=on").Base(0) },
	} {
		b.Run(name, func(b *testing.B) {
			session := openSession(b, open(b, toolrun.Options{DataDir: data(b)}), "notes", nil)
			for _, name := range []string{"/one", "/two"} {
				content := bytes.Repeat([]byte(name[1:]+" abc de\n"), 400)
				require.NoError(b, vfs.WriteFile(b.Context(), session.Project(), name, content))
			}
			call := func(i int) {
				input, err := json.Marshal(map[string]string{"code": fmt.Sprintf(`
					const one = await fs.readFile('/one', 'utf8'), two = await fs.readFile('/two', 'utf8');
					await fs.writeFile('/three', one.slice(0, 2000) + two.slice(0, 2000) + %d);`, i)})
				require.NoError(b, err)
				results, err := session.DispatchAll(b.Context(), []tool.Call{
					{ID: fmt.Sprint("call ", i), Tool: "javascript", Input: input},
				})
				require.NoError(b, err)
				require.False(b, results[0].IsError(), results[0].Text())
			}
			call(-1)
			b.ResetTimer()
			for i := range b.N {
				call(i)
			}
		})
	}
}
