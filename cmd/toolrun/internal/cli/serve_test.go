package cli_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// startPage starts toolrun serve and returns what it prints first.
func startPage(t *testing.T, data string, args ...string) (link string) {
	cmd := command(append([]string{"serve", "localhost:0"}, args...)...)
	cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		require.NoError(t, cmd.Wait())
	})
	link, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(link)
}

func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	link := startPage(t, t.TempDir())
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar}
	get := func(address string) (int, string) {
		response, err := client.Get(address)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	u, err := url.Parse(link)
	require.NoError(t, err)
	base := "http://" + u.Host
	status, _ := get(base + "/api/projects")
	require.Equal(t, 401, status)
	status, _ = get(link)
	require.Equal(t, 200, status)
	status, body := get(base + "/api/projects")
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"projects": []}`, body)
	status, body = get(base + "/")
	require.Equal(t, 200, status)
	require.Contains(t, body, "Projects")
	for path, want := range map[string]int{"/healthz": 200, "/mcp": 404, "/metrics": 404} {
		status, _ = get(base + path)
		require.Equal(t, want, status, path)
	}
	status, _ = (get(link))
	require.Equal(t, 200, status) // going back leads to the page
	jar, err = cookiejar.New(nil)
	require.NoError(t, err)
	client = &http.Client{Jar: jar}
	status, _ = get(link)
	require.Equal(t, 403, status)
}

func TestServeWithTokens(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [{"name": "ci", "token": "secret-secret-secret-secret", "project": "ci"}]}`), 0o600))
	base := startPage(t, t.TempDir(), "--tokens", file)
	require.NotContains(t, base, "key=")
	for token, want := range map[string]int{"": 401, "guessed": 401, "secret-secret-secret-secret": 200} {
		r, err := http.NewRequest("GET", base+"/api/projects", nil)
		require.NoError(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode)
		if want == 200 {
			require.Contains(t, string(body), `"name":"ci"`)
		}
	}
	// An address for others needs tokens.
	cmd := command("serve", "0.0.0.0:0")
	output, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "other machines can reach")
}
