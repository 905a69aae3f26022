package cli_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pythontest"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestPyPackages adds a package from an index, uses it, and removes it.
func TestPyPackages(t *testing.T) {
	file := os.Getenv(pythontest.Variable)
	if file == "" {
		t.Skip(pythontest.Variable + " does not name a build of CPython")
	}
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	for name, text := range map[string]string{"demo.py": "x = 6 * 7",
		"demo-1.0.dist-info/METADATA": "Name: demo\nVersion: 1.0\n"} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	host := newHost(t, pythontest.Variable+"="+file)
	host.Transport = transport(func(r *http.Request) (*http.Response, error) {
		answer := func(status int, body []byte) (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
		}
		switch r.URL.String() {
		case "https://pypi.org/simple/demo/":
			return answer(http.StatusOK, fmt.Appendf(nil, `{"files": [{"filename": "demo-1.0-py3-none-any.whl", "url":`+
				` "https://files.example/demo.whl", "hashes": {"sha256": "%x"}}]}`, sha256.Sum256(wheel.Bytes())))
		case "https://pypi.org/simple/native/":
			return answer(http.StatusOK, []byte(
				`{"files": [{"filename": "native-1.0-cp311-cp311-manylinux1_x86_64.whl"}]}`))
		case "https://files.example/demo.whl":
			return answer(http.StatusOK, wheel.Bytes())
		}
		return answer(http.StatusNotFound, nil)
	})
	require.Equal(t, "demo  1.0\n", mustRun(t, host, "py", "add", "Demo>=1"))
	require.Equal(t, "42\n", mustRun(t, host, "py", "-c", "import demo; print(demo.x)"))
	require.Regexp(t, `(?m)^demo +1\.0$`, mustRun(t, host, "py", "list"))
	require.Contains(t, mustRun(t, host, "py", "list", "--json"), `"name":"demo"`)
	_, errs, status := run(t, host, "py", "add", "nothing")
	require.Equal(t, 2, status)
	require.Contains(t, errs, "nothing: there is no such package")
	_, errs, status = run(t, host, "py", "add", "native")
	require.Equal(t, 2, status)
	require.Regexp(t, "native code only.*(contrib/python makes has some|Python itself has numpy)", errs)
	require.Equal(t, "removed demo  1.0\n", mustRun(t, host, "py", "remove", "demo"))
	_, errs, _ = run(t, host, "py", "-c", "import demo")
	require.Contains(t, errs, "No module named 'demo'")
	mustRun(t, host, "files", "undo")
	require.Equal(t, "42\n", mustRun(t, host, "py", "-c", "import demo; print(demo.x)"))
	// Words behind code are for the code.
	require.Equal(t, "['list', 'x']\n", mustRun(t, host, "py", "-c", "import sys; print(sys.argv[1:])", "list", "x"))
	require.Contains(t, mustRun(t, host, "py", "--help"), "Available Commands:")
}
