package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/toolrun/toolrun/guest"
	"github.com/toolrun/toolrun/internal/plainjson"
	"github.com/toolrun/toolrun/internal/utf8text"
	"github.com/toolrun/toolrun/internal/webapi"
)

// The parts of the web platform's globals that are plain computing. The prelude has the classes around them.

// webFunctions are the functions by name. Their arguments follow the name, as the comments say. A result of undefined says
// that the arguments are not what the function is for; which exception that is, the prelude knows.
var webFunctions = map[string]func(in *instance, ctx context.Context, args arguments) (guest.Value, error){
	"encode":       (*instance).webEncode,       // text: its bytes in UTF-8
	"encodeInto":   (*instance).webEncodeInto,   // text, buffer, offset, length: {read, written}
	"encoding":     (*instance).webEncoding,     // label: the encoding's name
	"decode":       (*instance).webDecode,       // label, flags, buffer, offset, length: the text; with decodeMore what must go before the next bytes is an attachment
	"atob":         (*instance).webDecodeBase64, // text: text
	"btoa":         (*instance).webEncodeBase64, // text: text
	"url.parse":    (*instance).webParseURL,     // text, base or undefined: the URL's parts
	"url.set":      (*instance).webSetURL,       // text, part, value: the URL's parts
	"query.parse":  (*instance).webParseQuery,   // text: {list}, names and values by turns
	"query.format": (*instance).webFormatQuery,  // names and values in one text, their lengths: text
	"text":         (*instance).webText,         // encoding of a file, buffer, offset, length: text
	"digest":       (*instance).webDigest,       // algorithm, buffer, offset, length: bytes
}

// Flags of decode.
const (
	decodeFatal   = 1
	decodeKeepBOM = 2
	decodeMore    = 4
)

// firstWeb is the index of a function's first argument, after the operation and the name.
const firstWeb = 2

// maxName is the longest name or label that the host looks at, in bytes.
const maxName = 256

func (in *instance) web(ctx context.Context, args arguments) (guest.Value, error) {
	name, _, _ := args.text(1, maxName)
	if f := webFunctions[name]; f != nil {
		return f(in, ctx, args)
	}
	return 0, failf("unknown function of the web platform")
}

// webArgument reads a text argument. What is longer than limit is refused.
func (in *instance) webArgument(args arguments, i, limit int) (string, error) {
	text, cut, ok := args.text(firstWeb+i, limit)
	if !ok {
		return "", failf("the argument must be a string")
	}
	if cut > 0 {
		return "", &failure{name: "RangeError", message: fmt.Sprintf("the text is longer than %s", formatBytes(int64(limit)))}
	}
	return text, nil
}

// maxQuery is the most bytes that names and values of a query may have together.
const maxQuery = 4 << 20

// webLimit bounds texts that are as large as the script has memory for.
func (in *instance) webLimit() int { return int(in.run.options.Limits.Memory) }

// webObject hands an object to the guest.
func (in *instance) webObject(ctx context.Context, value any) (guest.Value, error) {
	text, err := plainjson.Marshal(value)
	if err != nil {
		return 0, err
	}
	return in.vm.ParseJSON(ctx, string(text))
}

// compute runs f, which must not touch the guest's memory, but not longer than the run lasts. If f panics, which a parser
// that others have written may do, the script gets an exception.
func compute[T any](in *instance, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	r, err := abandonable(in.run, func() (result, error) {
		value, err := f()
		return result{value, err}, nil
	})
	var s *stop
	switch {
	case errors.As(err, &s):
		return r.value, err
	case err != nil:
		return r.value, failf("this cannot be computed")
	case errors.Is(r.err, webapi.ErrLarge):
		return r.value, guest.ErrNoMemory
	}
	return r.value, r.err
}

func (in *instance) webEncode(ctx context.Context, args arguments) (guest.Value, error) {
	text, cut, ok := in.vm.UTF8(args.value(firstWeb), in.webLimit())
	if !ok {
		return 0, failf("the argument must be a string")
	}
	if cut > 0 {
		return 0, guest.ErrNoMemory
	}
	return in.vm.NewArrayBuffer(ctx, text)
}

func (in *instance) webEncodeInto(ctx context.Context, args arguments) (guest.Value, error) {
	memory, ok := args.view(firstWeb + 1)
	if !ok {
		return 0, failf("the destination must be a Uint8Array")
	}
	text, _, ok := in.vm.UTF8(args.value(firstWeb), len(memory))
	if !ok {
		return 0, failf("the argument must be a string")
	}
	read, _ := utf8text.Units(string(text))
	return in.webObject(ctx, map[string]int{"read": read, "written": copy(memory, text)})
}

func (in *instance) webEncoding(ctx context.Context, args arguments) (guest.Value, error) {
	label, cut, _ := args.text(firstWeb, maxName)
	name, ok := webapi.EncodingName(label)
	if !ok || cut > 0 {
		return guest.Undefined, nil
	}
	return in.vm.NewString(ctx, name)
}

func (in *instance) webDecode(ctx context.Context, args arguments) (guest.Value, error) {
	label, _, _ := args.text(firstWeb, maxName)
	flags, _ := args.int(firstWeb + 1)
	memory, ok := args.view(firstWeb + 2)
	if !ok {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	data := append([]byte(nil), memory...)
	d := webapi.Decoding{
		Encoding: label, Limit: in.webLimit(),
		Fatal: flags&decodeFatal != 0, KeepBOM: flags&decodeKeepBOM != 0, More: flags&decodeMore != 0,
	}
	type decoded struct {
		text string
		next []byte
	}
	result, err := compute(in, func() (r decoded, err error) {
		r.text, r.next, err = webapi.Decode(d, data)
		return r, err
	})
	switch {
	case errors.Is(err, webapi.ErrEncoding):
		return guest.Undefined, nil
	case err != nil:
		return 0, err
	case d.More:
		in.run.attachment = bytes.Clone(result.next) // and not all of data with it
	}
	return in.vm.NewString(ctx, result.text)
}

func (in *instance) webDecodeBase64(ctx context.Context, args arguments) (guest.Value, error) {
	text, err := in.webArgument(args, 0, in.webLimit())
	if err != nil {
		return 0, err
	}
	return in.webMaybe(ctx, func() (string, bool) {
		data, ok := webapi.DecodeBase64(text)
		return webapi.BytesAsText(data), ok
	})
}

func (in *instance) webEncodeBase64(ctx context.Context, args arguments) (guest.Value, error) {
	text, err := in.webArgument(args, 0, in.webLimit())
	if err != nil {
		return 0, err
	}
	return in.webMaybe(ctx, func() (string, bool) { return webapi.EncodeBase64(text) })
}

// webMaybe hands the text that f returns to the guest: undefined if there is none.
func (in *instance) webMaybe(ctx context.Context, f func() (text string, ok bool)) (guest.Value, error) {
	result, err := compute(in, func() (*string, error) {
		if text, ok := f(); ok {
			return &text, nil
		}
		return nil, nil
	})
	if err != nil {
		return 0, err
	}
	if result == nil {
		return guest.Undefined, nil
	}
	return in.vm.NewString(ctx, *result)
}

func (in *instance) webParseURL(ctx context.Context, args arguments) (guest.Value, error) {
	input, err := in.webArgument(args, 0, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	var base *string
	if args.value(firstWeb+1) != guest.Undefined {
		text, err := in.webArgument(args, 1, webapi.MaxURL)
		if err != nil {
			return 0, err
		}
		base = &text
	}
	return in.webURL(ctx, func() (*webapi.URL, error) { return webapi.ParseURL(input, base) })
}

func (in *instance) webSetURL(ctx context.Context, args arguments) (guest.Value, error) {
	href, err := in.webArgument(args, 0, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	part, _, _ := args.text(firstWeb+1, maxName)
	value, err := in.webArgument(args, 2, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	return in.webURL(ctx, func() (*webapi.URL, error) { return webapi.SetURL(href, part, value) })
}

// webURL hands a URL to the guest: undefined if it is none.
func (in *instance) webURL(ctx context.Context, f func() (*webapi.URL, error)) (guest.Value, error) {
	u, err := compute(in, f)
	switch {
	case errors.Is(err, webapi.ErrInvalidURL):
		return guest.Undefined, nil
	case errors.Is(err, webapi.ErrLongURL):
		return 0, &failure{name: "RangeError", message: err.Error()}
	case err != nil:
		return 0, err
	}
	return in.webObject(ctx, u)
}

func (in *instance) webParseQuery(ctx context.Context, args arguments) (guest.Value, error) {
	text, err := in.webArgument(args, 0, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	return in.webObject(ctx, map[string]any{"list": webapi.ParseQuery(text)})
}

func (in *instance) webFormatQuery(ctx context.Context, args arguments) (guest.Value, error) {
	text, err := in.webArgument(args, 0, maxQuery)
	if err != nil {
		return 0, err
	}
	lengths, err := in.webArgument(args, 1, maxQuery)
	if err != nil {
		return 0, err
	}
	return in.webMaybe(ctx, func() (string, bool) {
		list, ok := webapi.SplitText(text, lengths)
		return webapi.FormatQuery(list), ok
	})
}

func (in *instance) webDigest(ctx context.Context, args arguments) (guest.Value, error) {
	algorithm, _, _ := args.text(firstWeb, maxName)
	memory, ok := args.view(firstWeb + 1)
	if !ok {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	data := append([]byte(nil), memory...)
	sum, err := compute(in, func() ([]byte, error) {
		sum, _ := webapi.Digest(algorithm, data)
		return sum, nil
	})
	if err != nil {
		return 0, err
	}
	if sum == nil {
		return guest.Undefined, nil
	}
	return in.vm.NewArrayBuffer(ctx, sum)
}
