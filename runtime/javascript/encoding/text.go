package encoding

import (
	"bytes"
	"errors"

	"github.com/toolrun/toolrun/internal/js/webapi"
	"github.com/toolrun/toolrun/internal/text/utf8text"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A result of undefined means that the arguments are invalid; the JavaScript chooses the exception.

// Flags of decode.
const (
	decodeFatal   = 1
	decodeKeepBOM = 2
	decodeMore    = 4
)

func encode(c *host.Call) { c.ReturnEncoded(0) }

func encodeInto(c *host.Call) {
	read, written := c.EncodeInto(0, c.View(1))
	c.Return(map[string]int{"read": read, "written": written}, nil)
}

func name(c *host.Call) {
	if name, ok := webapi.EncodingName(c.Name(0)); ok {
		c.Return(name, nil)
	}
}

func decode(c *host.Call) {
	flags, memory := c.Number(1), c.View(2)
	d := webapi.Decoding{
		Encoding: c.Name(0), Work: c.Spend,
		Fatal: flags&decodeFatal != 0, KeepBOM: flags&decodeKeepBOM != 0, More: flags&decodeMore != 0,
	}
	var next []byte
	err := c.ReturnPieces(func(do func(piece string) error) (err error) {
		next, err = webapi.Decode(d, memory, do)
		return err
	})
	if !errors.Is(err, webapi.ErrEncoding) && !c.Fail(err) && d.More {
		c.Attachment = bytes.Clone(next) // a copy: next is the guest's own memory
	}
}

func decodeBase64(c *host.Call) {
	text, err := c.UTF8(0)
	if c.Fail(err) {
		return
	}
	data, err := webapi.DecodeBase64(text, c.Spend)
	if !errors.Is(err, webapi.ErrBase64) && !c.Fail(err) {
		c.ReturnText("latin1", data)
	}
}

func encodeBase64(c *host.Call) {
	text, err := c.UTF8(0)
	if c.Fail(err) {
		return
	}
	encoded, err := webapi.EncodeBase64(utf8text.View(text), c.Spend)
	if !errors.Is(err, webapi.ErrBase64) {
		c.Return(utf8text.View(encoded), err)
	}
}
