package javascript_test

import (
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestLongPartsOfStrings hands out parts of strings, which the engine does not copy if they are long, in every way
// there is.
func TestLongPartsOfStrings(t *testing.T) {
	for name, digit := range map[string]string{"narrow": "0123456789", "with é": "é123456789", "wide": "€123456789",
		"with NUL": "\x00123456789"} {
		t.Run(name, func(t *testing.T) {
			whole := strings.Repeat(digit, 3000)
			want := string([]rune(whole)[7:25007])
			files := afero.NewMemMapFs()
			result := run(t, `
				const part = whole.slice(3, 26000).slice(4, 25004);
				await fs.writeFile('/part', part);
				console.log(part);
				if (echo(part) !== part || await fs.readFile('/part', 'utf8') !== part) throw new Error('changed');
				if (part !== whole.substring(7, 25007)) throw new Error('not the part');
				return part`, javascript.RunOptions{
				Files: files, Globals: map[string]any{"whole": whole},
				Functions: []javascript.Function{{Name: "echo", Call: echo}},
			})
			require.True(t, want == result.Text, "the result is another")
			require.True(t, want == result.Console[0].Text, "the console has another")
			written, err := afero.ReadFile(files, "/part")
			require.NoError(t, err)
			require.True(t, want == string(written), "the file has another")
		})
	}
}
