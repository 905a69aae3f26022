package media

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func encoded(t *testing.T, mime string, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black})
	switch mime {
	case "image/png":
		require.NoError(t, png.Encode(&b, picture))
	case "image/jpeg":
		require.NoError(t, jpeg.Encode(&b, picture, nil))
	case "image/gif":
		require.NoError(t, gif.Encode(&b, picture, nil))
	}
	return b.String()
}

func TestIsCarried(t *testing.T) {
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif"} {
		small := encoded(t, mime, 2, 3)
		require.True(t, IsCarried([]byte(small), mime), mime)
		require.True(t, IsCarried([]byte(encoded(t, mime, maxPixels, 1)), mime), mime)
		require.False(t, IsCarried([]byte(encoded(t, mime, maxPixels+1, 1)), mime), mime)
		require.False(t, IsCarried([]byte(encoded(t, mime, 1, maxPixels+1)), mime), mime)
		require.False(t, IsCarried([]byte(small[:8]), mime), "%s that is cut off", mime)
		for _, other := range []string{"", "image/webp", "image/bmp", "image/PNG", "text/plain",
			map[bool]string{true: "image/gif", false: "image/png"}[mime == "image/png"]} {
			require.False(t, IsCarried([]byte(small), other), "%s as %s", mime, other)
		}
		full := small + strings.Repeat("\x00", maxBytes-len(small))
		require.True(t, IsCarried([]byte(full), mime), mime)
		require.False(t, IsCarried([]byte(full+"\x00"), mime), mime)
	}

	const webp = "RIFF\x11\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f\x00\x00\x00\x00"
	for name, test := range map[string]struct {
		content, mime string
		want          bool
	}{
		"a WebP":                           {webp, "image/webp", true},
		"a WebP with more behind it":       {webp + "more", "image/webp", true},
		"a WebP that is cut off":           {webp[:len(webp)-1], "image/webp", false},
		"the head of a WebP":               {webp[:20], "image/webp", false},
		"a WebP of an unknown kind":        {strings.Replace(webp, "VP8L", "VP9L", 1), "image/webp", false},
		"a WebP that is something else":    {strings.Replace(webp, "WEBP", "WAVE", 1), "image/webp", false},
		"a WebP without its first letters": {"RIFX" + webp[4:], "image/webp", false},
		"nothing":                          {"", "image/png", false},
		"an image without a width":         {"GIF89a\x00\x00\x01\x00\x00\x00\x00", "image/gif", false},
		"text":                             {"hello", "image/png", false},
	} {
		require.Equal(t, test.want, IsCarried([]byte(test.content), test.mime), name)
	}
}
