package web_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/web"
)

// viewed has a picture in a project, which a call has viewed. It returns the call and the picture.
func (b *browser) viewed(t *testing.T, project string) (call, picture string) {
	var dot bytes.Buffer
	require.NoError(t, png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))))
	picture = dot.String()
	w := b.do("POST", q("/api/files/upload", "project", project, "path", "/dot.png"), &dot, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/octet-stream")
	})
	require.Equal(t, 200, w.Code, w.Body)
	var made struct{ Call string }
	b.post("/api/calls", m{"project": project, "tool": "filesystem",
		"input": m{"command": "view", "path": "/dot.png"}}, &made)
	await(b, project, made.Call)
	return made.Call, picture
}

// TestPicturesOfCalls shows the pictures of results, to those who may see the call.
func TestPicturesOfCalls(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	id, picture := b.viewed(t, "p")
	var call struct {
		Pictures int
		Result   string
	}
	b.get(q("/api/calls/one", "project", "p", "call", id), &call)
	require.Equal(t, 1, call.Pictures, call.Result)
	w := b.do("GET", q("/api/calls/picture", "project", "p", "call", id, "number", "1"), nil, nil)
	require.Equal(t, 200, w.Code)
	require.Equal(t, picture, w.Body.String())
	require.Equal(t, "image/png", w.Header().Get("Content-Type"))
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "sandbox")
	for _, number := range []string{"0", "2", "-1"} {
		b.fails(b.do("GET", q("/api/calls/picture", "project", "p", "call", id, "number", number), nil, nil), 404)
	}
	b.fails(b.do("GET", q("/api/calls/picture", "project", "p", "call", "none", "number", "1"), nil, nil), 404)
}
