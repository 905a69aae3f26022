package filesystem_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

// mebibyte is a text of 1 MiB, in lines of 64 bytes, with one in the middle that is like no other.
func mebibyte() string {
	lines := strings.Repeat(strings.Repeat("x", 63)+"\n", 1<<20/64)
	return lines[:1<<19] + strings.Repeat("y", 63) + "\n" + lines[1<<19+64:]
}

// benchmark makes a call again and again.
func benchmark(b *testing.B, size int, files vfs.Project, inputs ...string) {
	b.Helper()
	t := filesystem.New()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		call := tool.Call{Tool: "filesystem", Input: json.RawMessage(inputs[i%len(inputs)])}
		if _, err := t.Execute(context.Background(), call, tool.Env{Files: files}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkView1MiB(b *testing.B) {
	files := tooltest.InMemory(b, nil)
	require.NoError(b, afero.WriteFile(files, "/f", []byte(mebibyte()), 0o644))
	benchmark(b, 1<<20, files, `{"command":"view","path":"/f"}`)
}

// BenchmarkViewLines1MiB shows a few lines of a file.
func BenchmarkViewLines1MiB(b *testing.B) {
	files := tooltest.InMemory(b, nil)
	require.NoError(b, afero.WriteFile(files, "/f", []byte(mebibyte()), 0o644))
	benchmark(b, 1<<20, files, `{"command":"view","path":"/f","view_range":[8000,8010]}`)
}

func BenchmarkStrReplace1MiB(b *testing.B) {
	files := tooltest.InMemory(b, &vfs.Options{History: vfs.HistoryOptions{Off: true}})
	require.NoError(b, afero.WriteFile(files, "/f", []byte(mebibyte()), 0o644))
	y, z := strings.Repeat("y", 63), strings.Repeat("z", 63)
	const input = `{"command":"str_replace","path":"/f","old_str":%q,"new_str":%q}`
	benchmark(b, 1<<20, files, fmt.Sprintf(input, y, z), fmt.Sprintf(input, z, y))
}

func BenchmarkViewBinary1MiB(b *testing.B) {
	files := tooltest.InMemory(b, nil)
	require.NoError(b, afero.WriteFile(files, "/f", make([]byte, 1<<20), 0o644))
	benchmark(b, 1<<20, files, `{"command":"view","path":"/f"}`)
}

func BenchmarkViewDirectory(b *testing.B) {
	files := tooltest.InMemory(b, nil)
	for i := range 1000 {
		require.NoError(b, vfs.WriteFile(context.Background(), files, fmt.Sprintf("/%d/%d.txt", i/100, i), []byte("x")))
	}
	benchmark(b, 0, files, `{"command":"view","path":"/"}`)
}
