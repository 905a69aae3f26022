package python_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// picture has a class whose values have a picture, and the picture.
func picture(t *testing.T, width, height int) (code string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return `
import base64
class P:
    def _repr_png_(self): return base64.b64decode('` + base64.StdEncoding.EncodeToString(b.Bytes()) + `')
`, b.Bytes()
}

func TestPictures(t *testing.T) {
	needPython(t)
	class, data := picture(t, 3, 2)
	text := base64.StdEncoding.EncodeToString(data)
	const first = "[picture 1: PNG, 3 by 2 pixels]"
	for name, test := range map[string]struct {
		code, text, console string
		pictures            int
	}{
		"a result":     {class + "P()", first, "", 1},
		"display":      {class + "print('a')\ndisplay(P(), 5, 'b')\nprint('c')", "", "a\n" + first + "\n5\n'b'\nc", 1},
		"with IPython": {class + "from IPython.display import display as d\nd(P())", "", first, 1},
		"a bundle": {"class P:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n" +
			"        return {'text/plain': 'P', 'image/png': '" + text + "'}, {}\nP()", first, "", 1},
		"an image of bytes": {"import base64\nfrom IPython.display import Image\nImage(data=base64.b64decode('" + text +
			"'))", first, "", 1},
		"SVG":      {"from IPython.display import SVG\nSVG('<svg/>')", "[picture 1: SVG]", "", 1},
		"a class":  {class + "P", "<class '__main__.P'>", "", 0},
		"HTML":     {"from IPython.display import HTML\nHTML('<b>x</b>')", "<b>x</b>", "", 0},
		"Markdown": {"from IPython.display import Markdown\ndisplay(Markdown('# x'))", "", "# x", 0},
		"no picture": {"class P:\n    def _repr_png_(self): return b'x'\nP()",
			"[a picture was left out: it is no", "", 0},
		"another type": {"class P:\n    def _repr_svg_(self): return 'x'\nP()",
			"[a picture was left out: it is no SVG", "", 0},
		"none after all": {"class P:\n    def _repr_png_(self): return None\n    def __repr__(self): return 'P'\nP()",
			"P", "", 0},
		"what fails": {"class P:\n    def _repr_png_(self): 1/0\n    def __repr__(self): return 'P'\nP()",
			"P", "", 0},
		"too many": {class + "for i in range(25): display(P())\n'end'", "'end'", first, sandbox.MaxPictures},
		"too large": {"class P:\n    def _repr_svg_(self): return '<svg>' + 'x' * (5 << 20)\nP()",
			"[a picture was left out: there can be 20, of 4 MiB together.", "", 0},
		"too large together": {"class P:\n    def _repr_svg_(self): return '<svg>' + 'x' * (1 << 20)\n" +
			"for i in range(9): display(P())", "",
			"[picture 1: SVG]\n[picture 2: SVG]\n[picture 3: SVG]\n[a picture", 3},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := interpreter.Run(t.Context(), test.code, &python.RunOptions{})
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(result.Text, test.text), result.Text)
			var console []string
			for _, e := range result.Console {
				console = append(console, e.Text)
			}
			require.True(t, strings.HasPrefix(strings.Join(console, "\n"), test.console), console)
			require.Len(t, result.Pictures, test.pictures)
			for _, p := range result.Pictures {
				if p.MIME == "image/png" {
					require.Equal(t, data, p.Data)
				}
			}
		})
	}
}

// TestPicturesStay shows that code that waits keeps what it has shown, and that the next run has nothing of it.
func TestPicturesStay(t *testing.T) {
	class, data := picture(t, 1, 1)
	first := suspended(t, class+"display(P())\nawait tools.ask('x')\nP()")
	want := sandbox.Picture{MIME: "image/png", Data: data}
	require.Equal(t, []sandbox.Picture{want}, first.Pictures)
	for range 2 {
		result, err := interpreter.Resume(t.Context(), first.State, asking(echo))
		require.NoError(t, err)
		require.Equal(t, []sandbox.Picture{want, want}, result.Pictures)
		require.Equal(t, "[picture 2: PNG, 1 by 1 pixels]", result.Text)
	}
	session := func(state *sandbox.State) *python.Result {
		result, err := interpreter.Run(t.Context(), class+"P()", &python.RunOptions{Session: true, State: state})
		require.NoError(t, err)
		require.Equal(t, []sandbox.Picture{want}, result.Pictures)
		return result
	}
	session(session(nil).State)
}
