package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCallsGoOnWithinTheirLimits: a token's call that waited, and that somebody with other limits has decided on, has
// the time, quota and tools of its own token.
func TestCallsGoOnWithinTheirLimits(t *testing.T) {
	const model, person = "mod-1111111111111111111111111111", "per-2222222222222222222222222222"
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [
		{"name": "mod", "token": "`+model+`", "project": "p", "tools": ["javascript"],
			"limits": {"timeout": "300ms", "fileSize": 1000, "calls": 1}},
		{"name": "per", "token": "`+person+`", "project": "p", "role": "person"}]}`), 0o600))
	for name, base := range map[string]string{
		"beside MCP": serve(t, newHost(t), "--http", "localhost:0", "--tokens", file, "--page", "--ask",
			"javascript").At(""),
		"alone": startPage(t, t.TempDir(), "--tokens", file, "--ask", "javascript"),
	} {
		t.Run(name, func(t *testing.T) {
			mod, per := tokenHolder{t, base, model, "p"}, tokenHolder{t, base, person, "p"}
			for code, want := range map[string]string{
				"for (;;);": "300ms",
				"fs.writeFileSync('/large', 'x'.repeat(2000))":                                        "ENOSPC",
				"for (let i = 0; i < 5; i++) fs.writeFileSync('/' + i, 'x'.repeat(900)); return 'ok'": "ok",
			} {
				input := map[string]any{"code": code}
				require.Equal(t, "pending", mod.call("javascript", input, nil).Code)
				var waiting struct {
					Approvals []struct {
						Token string
						Waits []struct{ Call string }
					}
				}
				_, text := per.do("GET", "/api/approvals?project=p", nil)
				require.NoError(t, json.Unmarshal([]byte(text), &waiting))
				require.Len(t, waiting.Approvals, 1, text)
				a := waiting.Approvals[0]
				status, text := per.do("POST", "/api/approvals", map[string]any{"project": "p", "token": a.Token,
					"call": a.Waits[0].Call, "approved": true})
				require.Equal(t, http.StatusOK, status, text)
				got := mod.call("javascript", input, nil)
				for got.Code == "pending" { // it goes on
					got = mod.call("javascript", input, nil)
				}
				require.Contains(t, got.Result, want)
			}
		})
	}
}
