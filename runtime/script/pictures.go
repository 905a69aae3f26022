package script

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/media"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// Show keeps a picture that code has shown, and returns what readers of the output get in its place. A type other than
// image/png, image/jpeg, image/gif, image/webp and image/svg+xml is no picture, nor is what cannot be read as its type.
func Show(output *sandbox.Output, p sandbox.Picture) string {
	name := strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(p.MIME, "image/"), "+xml"))
	pixels, number := "", 0
	switch {
	case len(p.Data) > sandbox.MaxPictured:
	case p.MIME == "image/svg+xml":
		if !utf8.Valid(p.Data) || !bytes.Contains(p.Data, []byte("<svg")) {
			return "[a picture was left out: it is no SVG in UTF-8]"
		}
		number = output.Show(p)
	default:
		size, isCarried := media.Size(p.Data, p.MIME)
		if !isCarried {
			return "[a picture was left out: it is no PNG, JPEG, GIF or WebP, or is larger than models can see. " +
				"Make it smaller, or save it to a file]"
		}
		if size.X > 0 {
			pixels = fmt.Sprintf(", %d by %d pixels", size.X, size.Y)
		}
		number = output.Show(p)
	}
	if number == 0 {
		return fmt.Sprintf("[a picture was left out: there can be %d, of %d MiB together. "+
			"Show fewer or smaller ones, or save them to files]", sandbox.MaxPictures, sandbox.MaxPictured>>20)
	}
	return fmt.Sprintf("[picture %d: %s%s]", number, name, pixels)
}
