package service_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
)

// TestLayers: a directory's changes are kept apart, listed, applied and discarded, as with the command.
func TestLayers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, os.Mkdir(dir, 0o755))
	onHost := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(dir, name))
		return string(data)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600))
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	desk, err := service.New(runner, &service.Options{
		Dir: dir, DirOptions: toolrun.DirOptions{Layer: filepath.Join(t.TempDir(), "layer")},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
	s := desk.Open(&service.Access{Name: "ada", Role: service.Person})
	upload := func(name, text string) {
		_, err := s.Upload(t.Context(), service.UploadRequest{Project: "site", Path: name, Replace: true},
			strings.NewReader(text))
		require.NoError(t, err)
	}
	upload("/a.txt", "two\n")
	upload("/new/b.txt", "b\n")
	all := service.LayerRequest{Project: "site", Diffs: true}
	found, err := s.ListLayer(t.Context(), all)
	require.NoError(t, err)
	require.Equal(t, []service.LayerChange{
		{Path: "/a.txt", Op: "write", Diff: "--- /a.txt\n+++ /a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n"},
		{Path: "/new", Op: "mkdir", Diff: "mkdir /new\n"},
		{Path: "/new/b.txt", Op: "create", Diff: "--- /dev/null\n+++ /new/b.txt\n@@ -0,0 +1,1 @@\n+b\n"},
	}, found.Changes)
	require.Equal(t, "one\n", onHost("a.txt"))
	done, err := s.ApplyLayer(t.Context(), service.SettleRequest{Project: "site", Paths: []string{"/a.txt"}})
	require.NoError(t, err)
	require.Equal(t, []service.LayerChange{{Path: "/a.txt", Op: "write"}}, done.Changes)
	require.Equal(t, "two\n", onHost("a.txt"))
	upload("/a.txt", strings.Repeat("x\n", 2<<20))
	found, err = s.ListLayer(t.Context(), service.LayerRequest{Project: "site", Path: "/a.txt", Diffs: true})
	require.NoError(t, err)
	require.Equal(t, "/a.txt and /a.txt: too large to compare\n", found.Changes[0].Diff)
	done, err = s.DiscardLayer(t.Context(), service.SettleRequest{Project: "site"})
	require.NoError(t, err)
	require.Len(t, done.Changes, 3)
	found, err = s.ListLayer(t.Context(), all)
	require.NoError(t, err)
	require.Empty(t, found.Changes)
	require.Equal(t, "two\n", onHost("a.txt"))
	require.Empty(t, onHost("new/b.txt"))
}

// TestCompareFile compares versions of a file, also of one that is too large to compare.
func TestCompareFile(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	desk, err := service.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
	s := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p"})
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		_, err := s.Upload(t.Context(), service.UploadRequest{Project: "p", Path: "/a.txt", Replace: true},
			strings.NewReader(text))
		require.NoError(t, err)
	}
	for want, in := range map[string]service.CompareRequest{
		"-two\n+three\n": {},
		"-one\n+three\n": {Change: 2},
		"-one\n+two\n":   {Change: 2, Until: 3},
	} {
		in.Project, in.Path = "p", "a.txt"
		got, err := s.CompareFile(t.Context(), in)
		require.NoError(t, err)
		require.Contains(t, got.Diff, " @@\n"+want)
	}
	_, err = s.CompareFile(t.Context(), service.CompareRequest{Project: "p", Path: "/a.txt", Change: 77})
	require.Equal(t, "not_kept", service.Explain(err).Code)
	_, err = s.Upload(t.Context(), service.UploadRequest{Project: "p", Path: "/a.txt", Replace: true},
		strings.NewReader(strings.Repeat("x\n", 2<<20)))
	require.NoError(t, err)
	got, err := s.CompareFile(t.Context(), service.CompareRequest{Project: "p", Path: "/a.txt"})
	require.NoError(t, err)
	require.Equal(t, "/a.txt (before change 4) and /a.txt: too large to compare\n", got.Diff)
}
