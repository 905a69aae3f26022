package terminal_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
)

func TestPicture(t *testing.T) {
	environment := func(name, value string) func(string) string {
		return func(asked string) string { return map[string]string{name: value}[asked] }
	}
	data := []byte(strings.Repeat("\x1b]0;title\a", 1000))
	for name, test := range map[string]struct {
		getenv func(string) string
		parts  *regexp.Regexp
		shows  map[string]bool
	}{
		"kitty": {environment("TERM", "xterm-kitty"),
			regexp.MustCompile(`\x1b_G(?:a=T,f=100,)?m=[01];([A-Za-z0-9+/=]*)\x1b\\`),
			map[string]bool{"image/png": true}},
		"iTerm": {environment("TERM_PROGRAM", "iTerm.app"),
			regexp.MustCompile(`\x1b\]1337;File=inline=1;size=10000:([A-Za-z0-9+/=]*)\a`),
			map[string]bool{"image/png": true, "image/jpeg": true}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mime := range []string{"image/png", "image/jpeg", "image/svg+xml"} {
				require.Equal(t, test.shows[mime], terminal.ShowsPictures(test.getenv, mime), mime)
			}
			var out strings.Builder
			require.NoError(t, terminal.Picture(&out, test.getenv, data))
			text := ""
			for _, part := range test.parts.FindAllStringSubmatch(out.String(), -1) {
				require.LessOrEqual(t, len(part[1]), 1<<14)
				text += part[1]
			}
			require.Equal(t, "\n", test.parts.ReplaceAllString(out.String(), ""), "nothing else reaches the terminal")
			got, err := base64.StdEncoding.DecodeString(text)
			require.NoError(t, err)
			require.Equal(t, data, got)
		})
	}
	require.False(t, terminal.ShowsPictures(environment("TERM", "xterm-256color"), "image/png"))
}
