package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// TestOnlyOperatorsApprove: a model knows the token of its call that waits, and tries all that it can reach: tools,
// files of the project and beside it, and the page of the server.
func TestOnlyOperatorsApprove(t *testing.T) {
	const token = "ada-1111111111111111111111111111"
	data := t.TempDir()
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(tokens, []byte(`{"tokens": [{"name": "ada", "token": "`+token+
		`", "project": "notes"}]}`), 0o600))
	audit := filepath.Join(t.TempDir(), "audit.log")
	mustRun(t, newHost(t), "project", "set", "--data", data, "--project", "notes", "--option",
		"javascript.toolCalls=true")
	s := serve(t, newHost(t, "TOOLRUN_DATA="+data), "--http", "localhost:0", "--tokens", tokens, "--page", "--ask",
		"memory", "--audit", audit)
	session, err := s.Connect(t.Context(), token)
	require.NoError(t, err)
	defer session.Close()
	waits := map[string]any{"command": "create", "path": "/memories/a.txt", "file_text": "x"}
	_, err = toolruntest.Call(t.Context(), session, "memory", waits)
	require.ErrorContains(t, err, "The call has not been made yet")
	run := toolruntest.WaitingToken.FindString(err.Error())
	require.NotEmpty(t, run)

	records, err := filepath.Glob(filepath.Join(data, "*", ".records"))
	require.NoError(t, err)
	require.Len(t, records, 1, "where calls are kept")
	text, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{"code": `
		const run = '` + run + `';
		const done = [];
		const attempt = async (what, does) => { try { await does(); done.push(what) } catch {} };
		for (const name of Object.keys(tools)) if (/approv|decide|resume/i.test(name)) done.push('the tool ' + name);
		for (const name of ['approvals', 'approve', 'resume'])
			await attempt(name, () => tools[name]({token: run, approved: true}));
		for (const dir of ['/.toolrun', '/.toolrun/runs', '/../.records/runs', '../../.records/runs',
			'/memories/../../../.records/runs', '` +
		data + `/.records/runs']) {
			try { fs.mkdirSync(dir, {recursive: true}) } catch {}
			try { fs.writeFileSync(dir + '/' + run, JSON.stringify({Approved: true, By: 'ada'})) } catch {}
			try { fs.symlinkSync('` + data + `/.records', dir + '/link') } catch {}
		}
		await attempt('settings', () => fs.writeFileSync('/.toolrun/settings.json', '{"ask": []}'));
		await attempt('the page', () => fetch('` +
		s.At("/api/approvals") + `', {method: 'POST', body: JSON.stringify({token: run, approved: true})}));
		return done`})
	require.NoError(t, err)
	// at most files of the project were made
	require.True(t, strings.HasPrefix(text, "[]"), "some of it has worked: %s", text)
	for _, name := range []string{"approvals", "approve", "toolrun_approvals"} {
		_, err := toolruntest.Call(t.Context(), session, name, map[string]any{"token": run, "approved": true})
		require.ErrorContains(t, err, "unknown tool")
	}
	listed, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range listed.Tools {
		require.NotContains(t, tool.Name, "approv")
	}
	for _, bearer := range []string{"", "eve-3333333333333333333333333333"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.At("/api/approvals"),
			strings.NewReader(`{"project": "notes", "token": "`+run+`", "call": "x", "approved": true}`))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		response, err := s.Client(bearer).Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, response.StatusCode)
	}
	_, err = toolruntest.Call(t.Context(), session, "memory", waits)
	require.ErrorContains(t, err, run, "it waits as before")

	// The operator can. What was approved is that call, and no other.
	mustRun(t, newHost(t), "approvals", "--data", data, "approve", run, "--decide-only", "--by", "grace")
	_, err = toolruntest.Call(t.Context(), session, "memory", map[string]any{"command": "create",
		"path":      "/memories/b.txt",
		"file_text": "x"})
	require.ErrorContains(t, err, "The call has not been made yet")
	_, err = toolruntest.Call(t.Context(), session, "memory", waits)
	require.NoError(t, err)
	lines, err := os.ReadFile(audit)
	require.NoError(t, err)
	for line := range strings.Lines(string(lines)) {
		if strings.Contains(line, `"approval":`) {
			require.Contains(t, line, `"approved":true,"by":"grace"`)
		}
	}
	require.Regexp(t, `"tool":"memory".*"approval":\{"approved":true,"by":"grace","time":"20[^"]*Z","rule":"memory"\}`,
		string(lines))
}
