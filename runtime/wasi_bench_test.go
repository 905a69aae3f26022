package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// BenchmarkWASI makes single calls on the files of a project in memory.
func BenchmarkWASI(b *testing.B) {
	program := loadCaller(b)
	project := newProject(b, nil)
	writeFile(b, project, "/file", "content")
	g := begin(b, program, sandbox.RunOptions{Files: project, Limits: sandbox.Limits{Time: sandbox.Unlimited}})
	fd := g.open("file", 0, readWrite)
	list, n := g.vector(bytesAt, 4096)
	at, length := g.put(textAt, "file")
	for _, bench := range []struct {
		name string
		do   func() error
	}{
		{"seek", func() error { _, err := g.try("fd_seek", fd, 0, 0, result); return err }},
		{"read", func() error { _, err := g.try("fd_pread", fd, list, n, 0, result); return err }},
		{"write", func() error { _, err := g.try("fd_pwrite", fd, list, n, 0, result); return err }},
		{"stat", func() error { _, err := g.try("path_filestat_get", root, 0, at, length, result); return err }},
		{"open and close", func() error {
			if _, err := g.try("path_open", root, 0, at, length, 0, reading, 0, 0, result); err != nil {
				return err
			}
			_, err := g.try("fd_close", uint64(g.u32(result)))
			return err
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, bench.do())
			}
		})
	}
}
