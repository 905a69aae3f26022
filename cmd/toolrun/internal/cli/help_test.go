package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// helpTexts returns what each command says of itself, by its name.
func helpTexts(t *testing.T) map[string]string {
	return toolruntest.HelpTexts(func(args ...string) string { return mustRun(t, newHost(t), args...) })
}

// TestHelp: all texts fit a terminal of 80 columns, and all commands of our own have examples.
func TestHelp(t *testing.T) {
	for name, help := range helpTexts(t) {
		require.Regexp(t, `^[A-Z]`, help, name)
		if strings.HasPrefix(name, "completion") || name == "help" { // which are cobra's
			continue
		}
		for line := range strings.Lines(help) {
			require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 80, "%s: %s", name, line)
		}
		if name != "" { // which has commands alone
			require.NotEmpty(t, toolruntest.Section(help, "Examples"), "%s has no example", name)
		}
	}
}

// TestEachCommandHasJSON goes through all commands that print something.
func TestEachCommandHasJSON(t *testing.T) {
	for name, help := range helpTexts(t) {
		switch {
		case name == "" || name == "help" || strings.HasPrefix(name, "completion"): // that is for shells
		case name == "mcp", name == "serve": // speak JSON-RPC and HTTP
		default:
			require.Contains(t, help, "--json ", name)
		}
	}
}
