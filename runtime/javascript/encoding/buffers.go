package encoding

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// What Node's Buffer does with bytes and text. Unlike the functions for files, these take texts that are not in an
// encoding as far as they are, as Node does.

// bufferBytes returns the bytes of a text in an encoding.
func bufferBytes(c *host.Call) {
	encoding := c.Name(0)
	if encoding == "utf8" {
		c.ReturnEncoded(1)
		return
	}
	units, wide := c.Units(1)
	if c.Spend(2*len(units)) != nil {
		return
	}
	if encoding == "utf16le" {
		if !wide {
			data := make([]byte, 2*len(units))
			for i, c := range units {
				data[2*i] = c
			}
			units = data
		}
		c.Return(units, nil)
		return
	}
	if wide { // every other encoding has one byte for a unit, or none
		narrow := make([]byte, len(units)/2)
		for i := range narrow {
			narrow[i] = units[2*i]
			if units[2*i+1] != 0 && encoding != "latin1" && encoding != "ascii" {
				narrow[i] = 0xff // in no alphabet
			}
		}
		units = narrow
	}
	switch encoding {
	case "latin1", "ascii":
	case "hex":
		units = looseHex(units)
	case "base64", "base64url":
		units = looseBase64(units)
	default:
		c.Fail(host.Errorf("unknown encoding"))
	}
	c.Return(units, nil)
}

// looseHex decodes a text up to the first two characters that are not a byte.
func looseHex(text []byte) []byte {
	data := make([]byte, len(text)/2)
	n, _ := hex.Decode(data, text[:len(text)&^1])
	return data[:n]
}

// looseBase64 decodes both alphabets up to the padding, and skips all other characters.
func looseBase64(text []byte) []byte {
	usual := base64.RawStdEncoding
	if bytes.HasSuffix(text, []byte("=")) {
		usual = base64.StdEncoding
	}
	if data, err := usual.AppendDecode(nil, text); err == nil {
		return data
	}
	plain := make([]byte, 0, len(text))
	if end := bytes.IndexByte(text, '='); end >= 0 {
		text = text[:end]
	}
	for _, c := range text {
		switch {
		case c == '-':
			c = '+'
		case c == '_':
			c = '/'
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
		default:
			continue
		}
		plain = append(plain, c)
	}
	if len(plain)%4 == 1 { // not enough for a byte
		plain = plain[:len(plain)-1]
	}
	data, _ := base64.RawStdEncoding.AppendDecode(nil, plain)
	return data
}

// bufferText returns the text of bytes in an encoding.
func bufferText(c *host.Call) {
	encoding, memory := c.Name(0), c.View(1)
	if encoding == "utf16le" {
		memory = memory[:len(memory)&^1]
	}
	c.ReturnText(encoding, memory)
}

// bufferSize returns how many bytes a text has in UTF-8.
func bufferSize(c *host.Call) { c.Return(c.SizeUTF8(0), nil) }

// views returns the two parts of buffers that a function of two takes. They are empty if the call has failed.
func views(c *host.Call) (a, b []byte) {
	a, b = c.View(0), c.View(3)
	if c.Spend(len(a)+len(b)) != nil {
		return nil, nil
	}
	return a, b
}

func bufferCompare(c *host.Call) { c.Return(bytes.Compare(views(c)), nil) }

// bufferFind returns where the second part begins in the first, or -1.
func bufferFind(c *host.Call) { c.Return(bytes.Index(views(c)), nil) }

func bufferFindLast(c *host.Call) { c.Return(bytes.LastIndex(views(c)), nil) }
