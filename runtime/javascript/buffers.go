package javascript

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// What Node's Buffer does with bytes and text. Unlike the functions for files, these take texts that are not in an
// encoding as far as they are, as Node does.

// bufferBytes returns the bytes of a text in an encoding.
func (in *instance) bufferBytes(ctx context.Context, args arguments) (quickjs.Value, error) {
	encoding, _, _ := args.text(firstWeb, maxName)
	if encoding == "utf8" {
		return in.webEncode(ctx, arguments{in, args.values[1:]})
	}
	units, wide, ok := in.vm.Units(args.value(firstWeb + 1))
	if !ok {
		return 0, failf("the argument must be a string")
	}
	if err := in.Spend(2 * len(units)); err != nil {
		return 0, err
	}
	if encoding == "utf16le" {
		if wide {
			return in.vm.NewArrayBuffer(ctx, units)
		}
		data := make([]byte, 2*len(units))
		for i, c := range units {
			data[2*i] = c
		}
		return in.vm.NewArrayBuffer(ctx, data)
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
		return in.vm.NewArrayBuffer(ctx, units)
	case "hex":
		return in.vm.NewArrayBuffer(ctx, looseHex(units))
	case "base64", "base64url":
		return in.vm.NewArrayBuffer(ctx, looseBase64(units))
	}
	return 0, failf("unknown encoding")
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
func (in *instance) bufferText(ctx context.Context, args arguments) (quickjs.Value, error) {
	encoding, _, _ := args.text(firstWeb, maxName)
	memory, ok := args.view(firstWeb + 1)
	if !ok {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	if encoding == "utf16le" {
		memory = memory[:len(memory)&^1]
	}
	return in.newText(ctx, encodedFile{encoding, memory})
}

// bufferSize returns how many bytes a text has in UTF-8.
func (in *instance) bufferSize(_ context.Context, args arguments) (quickjs.Value, error) {
	size, ok, err := in.vm.SizeUTF8(args.value(firstWeb))
	if !ok {
		return 0, failf("the argument must be a string")
	}
	return quickjs.Int(int32(size)), err
}

// twoViews returns the two parts of buffers that a function of two takes.
func (in *instance) twoViews(args arguments) (a, b []byte, err error) {
	a, ok1 := args.view(firstWeb)
	b, ok2 := args.view(firstWeb + 3)
	if !ok1 || !ok2 {
		return nil, nil, failf("the bytes must be ArrayBuffers or views of them")
	}
	return a, b, in.Spend(len(a) + len(b))
}

func (in *instance) bufferCompare(_ context.Context, args arguments) (quickjs.Value, error) {
	a, b, err := in.twoViews(args)
	return quickjs.Int(int32(bytes.Compare(a, b))), err
}

// bufferFind returns where the second part begins in the first, or -1.
func (in *instance) bufferFind(_ context.Context, args arguments) (quickjs.Value, error) {
	a, b, err := in.twoViews(args)
	return quickjs.Int(int32(bytes.Index(a, b))), err
}

func (in *instance) bufferFindLast(_ context.Context, args arguments) (quickjs.Value, error) {
	a, b, err := in.twoViews(args)
	return quickjs.Int(int32(bytes.LastIndex(a, b))), err
}
