package cli_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

const (
	modToken = "mod-1111111111111111111111111111"
	perToken = "per-2222222222222222222222222222"
	topToken = "top-3333333333333333333333333333"
	newToken = "new-4444444444444444444444444444"
)

// A tokenDoors is servers with the same tokens and data: of MCP with the page, and of the page alone.
type tokenDoors struct {
	*started // of MCP
	t        *testing.T
	data     string
	file     string
	bases    map[string]string // of the page, by names
}

// entry is the entry of a token for the project own.
func entry(token, more string) string {
	return fmt.Sprintf(`{"name": %q, "token": %q, "project": "own"%s}`, token[:3], token, more)
}

func openDoors(t *testing.T, args []string, entries ...string) *tokenDoors {
	d := &tokenDoors{t: t, data: t.TempDir(), file: filepath.Join(t.TempDir(), "tokens.json")}
	d.write(entries...)
	d.serve(args...)
	return d
}

// serve starts the servers, also once more.
func (d *tokenDoors) serve(args ...string) {
	d.started = serve(d.t, newHost(d.t, "TOOLRUN_DATA="+d.data), append([]string{"--http", "localhost:0", "--tokens",
		d.file, "--page"}, args...)...)
	d.bases = map[string]string{"beside MCP": d.At(""),
		"alone": startPage(d.t, d.data, append([]string{"--tokens", d.file}, args...)...)}
}

// write replaces the file of tokens.
func (d *tokenDoors) write(entries ...string) {
	require.NoError(d.t, os.WriteFile(d.file+".new", []byte(`{"tokens": [`+strings.Join(entries, ",")+`]}`), 0o600))
	require.NoError(d.t, os.Rename(d.file+".new", d.file))
}

// create has a token make a file over MCP.
func (d *tokenDoors) create(token, path string) error {
	session, err := d.Connect(d.t.Context(), token)
	if err != nil {
		return err
	}
	defer session.Close()
	_, err = toolruntest.Call(d.t.Context(), session, "memory", map[string]any{"command": "create", "path": path,
		"file_text": "x"})
	return err
}

// TestTokensOfDeletedProjects: a token is for the project of its name that there was first. While that is deleted, the
// token is told so at each door, and it is for no other project that somebody makes with the name.
func TestTokensOfDeletedProjects(t *testing.T) {
	entries := []string{entry(modToken, ""), entry(perToken, `, "role": "person"`),
		entry(topToken, `, "role": "operator"`)}
	d := openDoors(t, nil, entries...)
	require.NoError(t, d.create(modToken, "/memories/mine.txt"))
	opened, err := d.Connect(t.Context(), modToken)
	require.NoError(t, err)
	defer opened.Close()
	view := map[string]any{"command": "view", "path": "/memories"}

	// refused has each holder try at each door, when the project is deleted, and perhaps another one has its name.
	refused := func(d *tokenDoors, another bool) {
		t.Helper()
		for _, token := range []string{modToken, perToken, topToken} {
			require.ErrorContains(t, d.create(token, "/memories/theirs.txt"), "the project has been deleted")
		}
		for _, base := range d.bases {
			for _, token := range []string{modToken, perToken} {
				h := tokenHolder{t, base, token, "own"}
				for name, o := range described(h) {
					right := pageOperations[name]
					if right.ofAll || token == modToken && right.needs&^(service.Run|service.Read) != 0 ||
						right.needs&service.Operate != 0 {
						continue // which are refused: see TestRightsAtEachDoor
					}
					response, err := (&http.Client{Transport: toolruntest.Bearer{Token: token}}).Do(
						o.request(t, t.Context(), base, name, "own"))
					require.NoError(t, err)
					text, err := io.ReadAll(response.Body)
					require.NoError(t, errors.Join(err, response.Body.Close()))
					if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), `"field"`) {
						require.Equal(t, http.StatusNotFound, response.StatusCode, "%s: %s", name, text)
						require.Contains(t, string(text), "has been deleted, and this token is for no other one")
					}
				}
				status, text := h.do("GET", "/api/projects", nil)
				require.Equal(t, http.StatusOK, status)
				require.Contains(t, text, "has been deleted")
			}
			status, text := tokenHolder{t, base, topToken, "own"}.do("GET", "/api/files?project=own&path=/", nil)
			require.Equal(t, another, status == http.StatusOK, text)
		}
		_, err := os.Stat(filepath.Join(d.data, "projects", "own"))
		require.Equal(t, another, err == nil, "nobody has made it again")
		require.NoFileExists(t, filepath.Join(d.data, "projects", "own", "memories", "theirs.txt"))
	}
	command := func(args ...string) { mustRun(t, newHost(t, "TOOLRUN_DATA="+d.data), args...) }

	command("project", "delete", "own", "--yes")
	_, err = toolruntest.Call(t.Context(), opened, "memory", view)
	require.ErrorContains(t, err, "the project has been deleted")
	refused(d, false)
	command("project", "restore", "own")
	_, err = toolruntest.Call(t.Context(), opened, "memory", view)
	require.NoError(t, err, "it is the same project")
	require.NoError(t, d.create(perToken, "/memories/again.txt"))
	for _, base := range d.bases {
		status, text := tokenHolder{t, base, perToken, "own"}.do("GET", "/api/files?project=own&path=/memories", nil)
		require.Equal(t, http.StatusOK, status, text)
		require.Contains(t, text, "mine.txt")
	}

	command("project", "delete", "own", "--yes")
	status, text := tokenHolder{t, d.At(""), topToken, "own"}.do("POST", "/api/projects",
		map[string]any{"project": "own"})
	require.Equal(t, http.StatusOK, status, text)
	refused(d, true)
	again := *d
	again.serve()
	refused(&again, true)

	// What changes in the entry is not the project; another token is for the one that there is.
	d.write(entry(modToken, `, "limits": {"calls": 3}`), entry(newToken, ""))
	require.True(t, d.signals.send(syscall.SIGHUP))
	d.Await(t, "tokens have been read again")
	require.NoError(t, d.create(newToken, "/memories/new.txt"))
	require.ErrorContains(t, d.create(modToken, "/memories/theirs.txt"), "the project has been deleted")
	require.FileExists(t, filepath.Join(d.data, "projects", "own", "memories", "new.txt"))
}

// TestTokensThatEnd: what a token has going on ends with it, at each door, and so it is when its rights or limits are
// changed. Calls of it that wait stay for people to see.
func TestTokensThatEnd(t *testing.T) {
	const person, few = `, "role": "person"`, `, "limits": {"calls": 1}`
	const memory = `, "options": {"javascript": {"memory": 16}}`
	for name, c := range map[string]struct {
		after  []string
		status int // for the person who asks what waits
	}{
		"removed":        {nil, http.StatusUnauthorized},
		"another role":   {[]string{entry(modToken, `, "role": "person"`), entry(perToken, "")}, http.StatusForbidden},
		"another limit":  {[]string{entry(modToken, few), entry(perToken, few+person)}, http.StatusOK},
		"another option": {[]string{entry(modToken, memory), entry(perToken, memory+person)}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			m := meet(t)
			top := entry(topToken, `, "role": "operator"`)
			d := openDoors(t, []string{"--ask", "memory", "--allow", m.URL, "--timeout", "1h"}, entry(modToken, ""),
				entry(perToken, person), top)
			require.ErrorContains(t, d.create(modToken, "/memories/a.txt"), "The call has not been made yet")
			session, err := d.Connect(t.Context(), modToken)
			require.NoError(t, err)
			defer session.Close()
			ended := make(chan error, 1)
			go func() {
				_, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{"code": m.wait})
				ended <- err
			}()
			<-m.arrived
			var streams []io.Reader
			calls := map[string]string{}
			for name, base := range d.bases {
				h := tokenHolder{t, base, perToken, "own"}
				status, text := h.do("POST", "/api/calls", map[string]any{"project": "own", "tool": "javascript",
					"input": map[string]any{"code": m.wait}})
				require.Equal(t, http.StatusOK, status, text)
				<-m.arrived
				_, id, _ := strings.Cut(text, `"call":"`)
				calls[name], _, _ = strings.Cut(id, `"`)
				for _, path := range []string{"/api/events?project=own",
					"/api/calls/output?project=own&call=" + calls[name]} {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
					require.NoError(t, err)
					response, err := (&http.Client{Transport: toolruntest.Bearer{Token: perToken}}).Do(r)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, response.StatusCode)
					streams = append(streams, response.Body)
				}
			}

			listens, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL, strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{`+
					`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
					`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},`+
					`"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`))
			require.NoError(t, err)
			for name, value := range map[string]string{"Content-Type": "application/json",
				"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
				"Mcp-Method": "subscriptions/listen"} {
				listens.Header.Set(name, value)
			}
			listening, err := d.Client(modToken).Do(listens)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, listening.StatusCode)
			uploads := make(chan bool)
			for _, base := range d.bases {
				content, part := io.Pipe()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
					base+"/api/files/upload?project=own&path=/late.txt", content)
				require.NoError(t, err)
				r.Header.Set("Content-Type", "application/octet-stream")
				go func() {
					response, err := (&http.Client{Transport: toolruntest.Bearer{Token: perToken}}).Do(r)
					if err == nil {
						_ = response.Body.Close()
					}
					uploads <- err == nil && response.StatusCode == http.StatusOK
				}()
				_, err = io.WriteString(part, "it begins")
				require.NoError(t, err)
			}

			d.write(append(c.after, top)...)
			for range d.bases {
				require.False(t, <-uploads)
			}
			require.NoFileExists(t, filepath.Join(d.data, "projects", "own", "late.txt"))
			require.Error(t, <-ended)
			_, _ = io.ReadAll(listening.Body) // which ends
			for _, stream := range streams {
				_, err := io.ReadAll(stream)
				require.NoError(t, err)
			}
			for name, base := range d.bases {
				h := tokenHolder{t, base, topToken, "own"}
				h.ended(calls[name])
				_, text := h.do("GET", "/api/calls/one?project=own&call="+calls[name], nil)
				require.Contains(t, text, `"state":"ended"`)
				require.Contains(t, text, `"code":"canceled"`)
				_, text = h.do("GET", "/api/approvals?project=own", nil)
				require.Contains(t, text, "/memories/a.txt")
				status, _ := tokenHolder{t, base, perToken, "own"}.do("GET", "/api/approvals?project=own", nil)
				require.Equal(t, c.status, status)
			}
			_, err = session.ListTools(t.Context(), nil)
			require.Equal(t, c.after == nil, err != nil, "%v", err)
		})
	}
}

// TestLimitsAtEachDoor: the limits of a token hold for each role, over MCP and on the page, for calls and for files, in
// its project and in those that an operator reaches, and nobody raises them.
func TestLimitsAtEachDoor(t *testing.T) {
	const limits = `, "options": {"javascript": {"memory": 16}}, "limits": {"timeout": "%s", "fileSize": 1000,
		"bytes": 1500, "files": 4}, "role": "%s"`
	const clean = "for (const n of fs.readdirSync('/')) fs.rmSync('/' + n, {recursive: true}); "
	tokens := map[string]string{"model": modToken, "person": perToken, "operator": topToken}
	var entries []string
	for role, token := range tokens {
		entries = append(entries, entry(token, fmt.Sprintf(limits, "1h", role)),
			entry(token+"quick", fmt.Sprintf(limits, "100ms", role)))
	}
	d := openDoors(t, nil, entries...)
	exceeds := map[string]string{
		"const a = []; for (;;) a.push(new ArrayBuffer(1e6))":                "16 MiB",
		"fs.writeFileSync('/large', 'x'.repeat(1001))":                       "ENOSPC",
		"for (const n of [1, 2]) fs.writeFileSync('/' + n, 'x'.repeat(900))": "ENOSPC",
		"for (const n of [1, 2, 3, 4, 5]) fs.writeFileSync('/' + n, '')":     "ENOSPC",
	}
	for role, token := range tokens {
		t.Run("MCP "+role, func(t *testing.T) {
			session, err := d.Connect(t.Context(), token)
			require.NoError(t, err)
			defer session.Close()
			for code, want := range exceeds {
				_, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{"code": clean + code})
				require.ErrorContains(t, err, want)
			}
			quick, err := d.Connect(t.Context(), token+"quick")
			require.NoError(t, err)
			defer quick.Close()
			_, err = toolruntest.Call(t.Context(), quick, "javascript", map[string]any{"code": "for (;;);"})
			require.ErrorContains(t, err, "100ms")
		})
		for name, base := range d.bases {
			t.Run(name+" "+role, func(t *testing.T) {
				for _, project := range []string{"own", "other"} {
					h := tokenHolder{t, base, token, project}
					if project == "other" && role != "operator" {
						continue
					}
					h.do("POST", "/api/projects", map[string]any{"project": project}) // unless it is there
					for code, want := range exceeds {
						got := h.call("javascript", map[string]any{"code": clean + code},
							map[string]any{"seconds": 3600})
						require.NotEmpty(t, got.Code, got.Result)
						require.Contains(t, got.Result, want)
					}
					require.Empty(t, h.call("javascript", map[string]any{"code": clean}, nil).Code)
					got := tokenHolder{t, base, token + "quick", project}.call("javascript",
						map[string]any{"code": "for (;;);"}, map[string]any{"seconds": 3600})
					require.Contains(t, got.Result, "100ms")
					for _, value := range []any{17, "64", 1e9} {
						status, text := h.do("POST", "/api/calls", map[string]any{"project": project,
							"tool": "javascript", "input": map[string]any{"code": "1"},
							"options": map[string]any{"memory": value}})
						require.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest}, status, text)
					}
					status, text := h.do("POST", "/api/settings", map[string]any{"project": project,
						"changes": map[string]any{"options": map[string]any{"add": []string{"javascript.memory=64"}}}})
					require.Equal(t, http.StatusForbidden, status, text)
					want := http.StatusUnprocessableEntity
					if role == "model" {
						want = http.StatusForbidden
					}
					status, text = h.do("POST", "/api/files/save", map[string]any{"project": project, "path": "/large",
						"text": strings.Repeat("x", 1001)})
					require.Equal(t, want, status, text)
					large := strings.NewReader(strings.Repeat("x", 1001))
					r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
						base+"/api/files/upload?path=/large&project="+project, large)
					require.NoError(t, err)
					r.Header.Set("Content-Type", "application/octet-stream")
					response, err := (&http.Client{Transport: toolruntest.Bearer{Token: token}}).Do(r)
					require.NoError(t, err)
					require.NoError(t, response.Body.Close())
					require.Equal(t, want, response.StatusCode)
				}
			})
		}
	}
}

// TestTokensAreReadUntilTheyCanBe: what keeps a server from reading the tokens for a moment, such as a store that
// fails, does not keep a removed token good for longer.
func TestTokensAreReadUntilTheyCanBe(t *testing.T) {
	d := &tokenDoors{t: t, data: t.TempDir(), file: filepath.Join(t.TempDir(), "tokens.json")}
	d.write(entry(modToken, ""))
	d.started = serve(t, newHost(t, "TOOLRUN_DATA="+d.data), "--http", "localhost:0", "--tokens", d.file)
	mustRun(t, newHost(t, "TOOLRUN_DATA="+d.data), "project", "--project", "broken", "set", "--enable", "javascript")
	settings := filepath.Join(d.data, "projects", "broken", ".toolrun", "settings.json")
	whole, err := os.ReadFile(settings)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(settings, []byte(`{`), 0o600))
	d.write(strings.Replace(entry(newToken, ""), `"own"`, `"broken"`, 1))
	d.Await(t, "the tokens cannot be read, and those before stay")
	require.NoError(t, d.create(modToken, "/memories/a.txt"))
	require.NoError(t, os.WriteFile(settings, whole, 0o600))
	d.Await(t, "tokens have been read again")
	require.ErrorContains(t, d.create(modToken, "/memories/b.txt"), "Unauthorized")
	require.NoError(t, d.create(newToken, "/memories/c.txt"))
}
