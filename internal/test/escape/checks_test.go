package escape_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// TestChecksOfTheWorldFail changes what must not change, one thing at a time.
func TestChecksOfTheWorldFail(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *world) error
		want string
	}{
		"a file outside": {func(w *world) error {
			return os.WriteFile(filepath.Join(w.outside, "secret.txt"),
				[]byte("x"), 0o600)
		}, "secret.txt was"},
		"a file beside": {func(w *world) error {
			return os.WriteFile(filepath.Join(w.outside, "data", "new"), nil,
				0o600)
		}, "new was"},
		"a time outside": {func(w *world) error {
			return os.Chtimes(filepath.Join(w.outside, "shared.txt"), time.Unix(1, 0), time.Unix(1, 0))
		}, "shared.txt was"},
		"a permission outside": {func(w *world) error {
			return os.Chmod(filepath.Join(w.outside,
				"shared.txt"), 0o400)
		}, "shared.txt was"},
		"a file of another": {func(w *world) error {
			return os.Remove(filepath.Join(w.outside, "data",
				"other", "secret.txt"))
		}, "other"},
		"a file of its own": {func(w *world) error {
			return os.Remove(filepath.Join(w.dir, ".toolrun",
				"secret.js"))
		}, "secret.js was"},
		"a file that is protected": {func(w *world) error {
			return vfs.Append(t.Context(), w.project,
				"/memories/m.md", []byte("x"))
		}, "protected /memories/m.md was"},
		"a directory that is protected": {func(w *world) error { return w.project.Mkdir("/memories/e", 0o700) },
			"protected /memories/e was"},
		"a permission that is protected": {func(w *world) error { return w.project.Chmod("/memories/m.md", 0o600) },
			"protected /memories/m.md was"},
		"all that is protected": {func(w *world) error { return w.project.RemoveAll("/memories") },
			"protected /memories was"},
		"a secret in the project": {func(w *world) error {
			return afero.WriteFile(w.project, "/got",
				[]byte(secretOf("x")), 0o600)
		}, "a secret is in the project: /got"},
	} {
		t.Run(name, func(t *testing.T) {
			w := worlds["directory"](t)
			w.put(t, &attempt{settings: map[string]string{"keeps": "/memories"}})
			require.Empty(t, w.problems(t))
			require.NoError(t, c.do(w))
			require.Contains(t, strings.Join(w.problems(t), "\n"), c.want)
		})
	}
	t.Run("another project in memory", func(t *testing.T) {
		w := worlds["memory"](t)
		w.put(t, &attempt{})
		require.Empty(t, w.problems(t))
		require.NoError(t, w.other.Remove("/secret.txt"))
		require.Contains(t, strings.Join(w.problems(t), "\n"), "other /secret.txt was")
	})
}

func TestChecksOfResultsFail(t *testing.T) {
	tr := &trial{T: t, attempt: &attempt{}, world: worlds["directory"](t)}
	for _, text := range []string{
		secretOf("x"), "before " + mark + " after", hex.EncodeToString([]byte(mark)),
		strings.ToUpper(hex.EncodeToString([]byte(mark))),
		base64.StdEncoding.EncodeToString([]byte(mark)), base64.StdEncoding.EncodeToString([]byte("1" + mark)),
		base64.StdEncoding.EncodeToString([]byte("12" + mark + "3")),
		"panic: goroutine 1 [running]", "runtime error: index out of range", "wasm stack trace",
		"open " + tr.world.dir + "/x: denied",
	} {
		require.NotEmpty(t, tr.revealed(text), text)
	}
	require.Empty(t, tr.revealed("secret-"))
	// The environment does have a secret, and a result with other parts is looked at as well.
	require.True(t, tells(os.Getenv(variable)))
	_, _, everything := tr.everything(tool.Result{Content: []tool.Part{{Text: "x"},
		{Data: []byte(secretOf("part")), MIME: "image/png"}}})
	require.NotEmpty(t, tr.revealed(everything))
	_, _, everything = tr.everything(tool.Result{Data: json.RawMessage(`"` + secretOf("data") + `"`)})
	require.NotEmpty(t, tr.revealed(everything))
	_, _, everything = tr.everything(tool.Result{Status: secretOf("status")})
	require.NotEmpty(t, tr.revealed(everything))
}

func TestChecksOfCallsFail(t *testing.T) {
	require.Empty(t, miscounted(map[string]int{"echo": 1}, map[string]int{"echo": 1, "note": 5}))
	require.Equal(t, []string{"net has been called"}, miscounted(nil, map[string]int{"net": 1}))
	require.Equal(t, []string{"echo has been called 2 times, not 1"},
		miscounted(map[string]int{"echo": 1}, map[string]int{"echo": 2}))
	require.Equal(t, []string{"net has been called 2 times, not 1"},
		miscounted(map[string]int{"net": 1}, map[string]int{"net": 2}))
}

func TestTablesThatAreWrongAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"-- js --\n1\n":                          "comes before the first attempt",
		"-- attempt a --\n-- js --\n1\n":         "does not say what comes of it",
		"-- attempt a --\n":                      "it does nothing",
		"-- attempt a --\n-- want --\n":          "nothing has been done",
		"-- attempt a --\nenabel: x\n":           "is no setting",
		"-- attempt a --\n-- jz --\n":            "is not known",
		"-- attempt a --\n-- js --\n-- js --\n":  "what is before",
		"-- attempt --\n":                        "no name",
		"-- attempt a --\n-- each --\n\"\\z\"\n": "invalid syntax",
	} {
		require.ErrorContains(t, parse(text), want, text)
	}
}
