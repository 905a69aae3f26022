package cli

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/python"
)

// mirror answers requests with what it has by their URLs.
type mirror map[string]string

func (m mirror) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := m[r.URL.String()]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Request: r,
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestReleased downloads the file of a release, which must be the one that the program knows.
func TestReleased(t *testing.T) {
	const url = "https://github.com/toolrun/toolrun/releases/download/v1.2.3/toolrun-python-1.2.3.wasm"
	p := code.Package{Interpreter: "CPython", Release: python.Language.Package.Release,
		ReleaseSHA256: sha256Hex([]byte("the build"))}
	host := &Host{Transport: mirror{url: "the build"}}
	build, from, description, err := released(t.Context(), host, p, "v1.2.3")
	require.NoError(t, err)
	require.Equal(t, "the build", string(build))
	require.Equal(t, url, from)
	require.Equal(t, "CPython, of this release.", description)

	host.Transport = mirror{url: "another build"}
	_, _, _, err = released(t.Context(), host, p, "v1.2.3")
	require.ErrorContains(t, err, "this is not the toolrun-python-1.2.3.wasm of this release")
	_, _, _, err = released(t.Context(), host, p, "v1.2.4")
	require.ErrorContains(t, err, "Not Found: --from takes the file toolrun-python-1.2.4.wasm of this release, "+
		"and --slim gets a smaller build from npm")
}

// TestTheDocumentedBuild finds the SHA-256 of the build of releases in the documentation.
func TestTheDocumentedBuild(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/python.md")
	require.NoError(t, err)
	require.Contains(t, string(text), "`"+python.Language.Package.ReleaseSHA256+"`")
}
