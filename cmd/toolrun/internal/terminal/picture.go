package terminal

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// ShowsPictures reports whether Picture can show a picture of a type on the terminal that the environment describes.
func ShowsPictures(getenv func(string) string, mime string) bool {
	return isKitty(getenv) && mime == "image/png" || isITerm(getenv) && mime != "image/svg+xml"
}

func isKitty(getenv func(string) string) bool {
	return getenv("KITTY_WINDOW_ID") != "" || getenv("TERM") == "xterm-kitty" || getenv("TERM") == "xterm-ghostty"
}

func isITerm(getenv func(string) string) bool {
	program := getenv("TERM_PROGRAM")
	return program == "iTerm.app" || program == "WezTerm"
}

// Picture shows a picture, if ShowsPictures. Only its base64 reaches the terminal, so it cannot control that.
//
// https://sw.kovidgoyal.net/kitty/graphics-protocol/ and https://iterm2.com/documentation-images.html
func Picture(w io.Writer, getenv func(string) string, data []byte) error {
	text := base64.StdEncoding.EncodeToString(data)
	if !isKitty(getenv) {
		_, err := fmt.Fprintf(w, "\x1b]1337;File=inline=1;size=%d:%s\a\n", len(data), text)
		return err
	}
	const most = 4096 // of a part
	var b strings.Builder
	for head := "a=T,f=100,"; ; head = "" {
		n := min(most, len(text))
		more := 0
		if n < len(text) {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", head, more, text[:n])
		if text = text[n:]; text == "" {
			break
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
