package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/service"
)

// TestEachSettingHasAFlag: the command, shells and the documentation have all settings of a project. The page's form
// and the description of the API have tests with the page.
func TestEachSettingHasAFlag(t *testing.T) {
	host := newHost(t)
	docs, err := os.ReadFile("../../../../docs/command.md")
	require.NoError(t, err)
	help := mustRun(t, host, "project", "set", "--help")
	flags := 0
	for _, setting := range service.AllSettings() {
		require.NotEmpty(t, setting.Title, setting.Name)
		require.True(t, strings.HasSuffix(setting.About, "."), setting.Name)
		require.Contains(t, string(docs), "\n| `"+setting.Name+"` |")
		for _, flag := range setting.Flags() {
			flags++
			require.Contains(t, help, "--"+flag.Name+" ")
			require.Contains(t, string(docs), "`--"+flag.Name+" ", "docs/command.md")
			for _, word := range setting.Words() {
				offered := mustRun(t, host, "__complete", "project", "set", "--"+flag.Name, word[:1])
				require.Contains(t, strings.Split(offered, "\n"), word)
			}
		}
	}
	require.Equal(t, 9, flags)
	require.Len(t, service.AllSettings(), 7)
}
