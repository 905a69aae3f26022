package javascript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/utf8text"
	"github.com/toolrun/toolrun/internal/webapi"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// The parts of the web platform's globals that are plain computing. The prelude has the classes around them.

// webFunctions are the functions by name, with their arguments and results. A result of undefined means that the
// arguments are invalid; the prelude chooses the exception.
var webFunctions = map[string]func(in *instance, ctx context.Context, args arguments) (quickjs.Value, error){
	"encode":     (*instance).webEncode,     // text: its bytes in UTF-8
	"encodeInto": (*instance).webEncodeInto, // text, buffer, offset, length: {read, written}
	"encoding":   (*instance).webEncoding,   // label: the encoding's name
	// label, flags, buffer, offset, length: the text; with decodeMore, the bytes to put before the next ones are an
	// attachment
	"decode":       (*instance).webDecode,
	"atob":         (*instance).webDecodeBase64, // text: text
	"btoa":         (*instance).webEncodeBase64, // text: text
	"url.parse":    (*instance).webParseURL,     // text, base or undefined: the URL's parts
	"url.set":      (*instance).webSetURL,       // text, part, value: the URL's parts
	"query.parse":  (*instance).webParseQuery,   // text: {list}, names and values by turns
	"query.format": (*instance).webFormatQuery,  // names and values in one text, their lengths: text

	"atomics.sleep": (*instance).sleep,      // milliseconds as text: nothing, after that time
	"caller":        (*instance).callerText, // nothing: text, or undefined
	// whether the limit is meant: the bytes of memory that the run has, or may have
	"memory": (*instance).memory,

	"buffer.bytes":    (*instance).bufferBytes,    // encoding, text: bytes
	"buffer.text":     (*instance).bufferText,     // encoding, buffer, offset, length: text
	"buffer.size":     (*instance).bufferSize,     // text: its length in UTF-8
	"buffer.compare":  (*instance).bufferCompare,  // buffer, offset, length, and the same of another: -1, 0 or 1
	"buffer.find":     (*instance).bufferFind,     // buffer, offset, length, and the same of another: where it begins
	"buffer.findLast": (*instance).bufferFindLast, // the same: where it begins last

	"crypto.hashes": (*instance).cryptoHashes, // nothing: {list} of names
	"crypto.begin":  (*instance).cryptoBegin,  // name of a hash: its state, with its sizes in front (see cryptoBegin)
	"crypto.update": (*instance).cryptoUpdate, // state, buffer, offset, length: nothing; the state changes
	"crypto.sum":    (*instance).cryptoSum,    // state, size: bytes
	"crypto.pbkdf2": (*instance).cryptoPBKDF2, // hash, password, salt, iterations, size: bytes
	"crypto.scrypt": (*instance).cryptoScrypt, // password, salt, [N, r, p, maxmem] as text, size: bytes
	"crypto.cipher": (*instance).cryptoCipher, // mode, 1 to decrypt, key, initialization vector: a state
	"crypto.add":    (*instance).cryptoAdd,    // state, buffer, offset, length: nothing; the state changes
	// state, buffer, offset, length, 1 with padding: bytes; the state changes
	"crypto.convert": (*instance).cryptoConvert,
	"crypto.final":   (*instance).cryptoFinal, // state, 1 with padding: bytes
	"crypto.tag":     (*instance).cryptoTag,   // state: bytes

	"crypto.wrap": (*instance).cryptoWrap, // 1 to decrypt, key, initial value of 8 bytes or 4, data: bytes

	"pair.generate": (*instance).pairGenerate, // kind, bits of RSA's modulus: a private key
	// pkcs8, spki or the kind of a point, buffer: {kind, bits, exponent}; the key is an attachment
	"pair.read":    (*instance).pairRead,
	"pair.fromJWK": (*instance).pairFromJWK, // JSON: as pair.read
	"pair.toJWK":   (*instance).pairToJWK,   // private or public, key: the members
	// what to do, {name, hash, salt} as JSON, buffers: bytes (see pairOperations)
	"pair.do": (*instance).pairDo,

	// format, buffer, offset, length, level, dictionary or undefined: bytes
	"zlib.deflate": (*instance).zlibDeflate,
	// format, buffer, offset, length, limit, dictionary or undefined: bytes
	"zlib.inflate": (*instance).zlibInflate,
	"zlib.crc32":   (*instance).zlibCRC32, // buffer, offset, length, sum: sum, as signed numbers
	"zlib.begin":   (*instance).zlibBegin, // format, or undefined to compress: the state of a stream
	// state, buffer, offset, length, `format level flush`, dictionary or undefined: bytes; the state changes
	"zlib.deflatePart": (*instance).zlibDeflatePart,
	// state, buffer, offset, length, when to pause (negative at the end), dictionary or undefined: bytes; the state
	// changes
	"zlib.inflatePart": (*instance).zlibInflatePart,
	// buffer, offset, length, numbers as text (quality, window, 1 to leave it open, flushes): bytes
	"zlib.brotli": (*instance).zlibBrotli,
	// buffer, offset, length, limit, 1 to take a part, 4 bytes for how many were used: bytes
	"zlib.unbrotli": (*instance).zlibUnbrotli,
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

func (in *instance) web(ctx context.Context, args arguments) (quickjs.Value, error) {
	name, _, _ := args.text(1, maxName)
	if f := webFunctions[name]; f != nil {
		return f(in, ctx, args)
	}
	return 0, failf("unknown function of the web platform")
}

// webArgument reads a text argument. A text longer than limit is refused.
func (in *instance) webArgument(args arguments, i, limit int) (string, error) {
	text, cut, ok := args.text(firstWeb+i, limit)
	if !ok {
		return "", failf("the argument must be a string")
	}
	if cut > 0 {
		return "", &failure{name: "RangeError", message: fmt.Sprintf("the text is longer than %d MiB", limit>>20)}
	}
	return text, nil
}

// maxQuery is how many bytes the names and values of a query may have together.
const maxQuery = 4 << 20

// webObject hands an object to the guest.
func (in *instance) webObject(ctx context.Context, value any) (quickjs.Value, error) {
	text, err := jsontree.Marshal(value)
	if err != nil {
		return 0, err
	}
	return in.vm.ParseJSON(ctx, string(text))
}

func (in *instance) webEncode(ctx context.Context, args arguments) (quickjs.Value, error) {
	buffer, ok, err := in.vm.Encode(ctx, args.value(firstWeb))
	if !ok {
		return 0, failf("the argument must be a string")
	}
	return buffer, err
}

func (in *instance) webEncodeInto(ctx context.Context, args arguments) (quickjs.Value, error) {
	memory, ok := args.view(firstWeb + 1)
	if !ok {
		return 0, failf("the destination must be a Uint8Array")
	}
	read, written, ok := in.vm.EncodeInto(args.value(firstWeb), memory)
	if !ok {
		return 0, failf("the argument must be a string")
	}
	return in.webObject(ctx, map[string]int{"read": read, "written": written})
}

func (in *instance) webEncoding(ctx context.Context, args arguments) (quickjs.Value, error) {
	label, cut, _ := args.text(firstWeb, maxName)
	name, ok := webapi.EncodingName(label)
	if !ok || cut > 0 {
		return quickjs.Undefined, nil
	}
	return in.vm.NewString(ctx, name)
}

func (in *instance) webDecode(ctx context.Context, args arguments) (quickjs.Value, error) {
	label, _, _ := args.text(firstWeb, maxName)
	flags, _ := args.int(firstWeb + 1)
	memory, ok := args.view(firstWeb + 2)
	if !ok {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	d := webapi.Decoding{
		Encoding: label, Work: in.Spend,
		Fatal: flags&decodeFatal != 0, KeepBOM: flags&decodeKeepBOM != 0, More: flags&decodeMore != 0,
	}
	var next []byte
	v, err := in.vm.NewText(ctx, func(do func(piece string) error) (err error) {
		next, err = webapi.Decode(d, memory, do)
		return err
	})
	switch {
	case errors.Is(err, webapi.ErrEncoding):
		return quickjs.Undefined, nil
	case err != nil:
		return 0, err
	case d.More:
		in.run.attachment = bytes.Clone(next) // a copy: next is the guest's own memory
	}
	return v, nil
}

func (in *instance) webDecodeBase64(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, cut, ok := in.vm.UTF8(args.value(firstWeb), in.memoryLimit())
	if !ok || cut > 0 {
		return 0, noText(ok)
	}
	data, err := webapi.DecodeBase64(text, in.Spend)
	if errors.Is(err, webapi.ErrBase64) {
		return quickjs.Undefined, nil
	}
	if err != nil {
		return 0, err
	}
	return in.newLatin1(ctx, data)
}

func (in *instance) webEncodeBase64(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, cut, ok := args.text(firstWeb, in.memoryLimit())
	if !ok || cut > 0 {
		return 0, noText(ok)
	}
	encoded, err := webapi.EncodeBase64(text, in.Spend)
	if errors.Is(err, webapi.ErrBase64) {
		return quickjs.Undefined, nil
	}
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, utf8text.View(encoded))
}

// noText returns the error for an argument that is not a string, or is too long.
func noText(isString bool) error {
	if isString {
		return quickjs.ErrNoMemory
	}
	return failf("the argument must be a string")
}

func (in *instance) webParseURL(ctx context.Context, args arguments) (quickjs.Value, error) {
	input, err := in.webArgument(args, 0, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	var base *string
	work := urlWork(input)
	if args.value(firstWeb+1) != quickjs.Undefined {
		text, err := in.webArgument(args, 1, webapi.MaxURL)
		if err != nil {
			return 0, err
		}
		base = &text
		work = urlWork(input, text)
	}
	return in.webURL(ctx, work, func() (*webapi.URL, error) { return webapi.ParseURL(input, base) })
}

func (in *instance) webSetURL(ctx context.Context, args arguments) (quickjs.Value, error) {
	href, err := in.webArgument(args, 0, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	part, _, _ := args.text(firstWeb+1, maxName)
	value, err := in.webArgument(args, 2, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	return in.webURL(ctx, urlWork(href, value), func() (*webapi.URL, error) { return webapi.SetURL(href, part, value) })
}

// urlWork returns how many bytes of work it takes to parse texts as URLs. The parser's time grows with the square of
// the part before the query, which is short, and linearly with the rest.
func urlWork(texts ...string) int {
	head, size := 0, 0
	for _, text := range texts {
		n := strings.IndexAny(text, "?#")
		if n < 0 {
			n = len(text)
		}
		head += min(n, webapi.MaxURLHead)
		size += len(text)
	}
	return head*head + 8*size
}

// webURL hands a URL to the guest: undefined if it is invalid. The parser, a dependency, runs on a goroutine that
// the run may abandon. Its input is so short that it ends soon by itself.
func (in *instance) webURL(ctx context.Context, work int, f func() (*webapi.URL, error)) (quickjs.Value, error) {
	if err := in.Spend(work); err != nil {
		return 0, err
	}
	u, err := sandbox.Await(in.run.Run, f)
	switch {
	case errors.Is(err, webapi.ErrInvalidURL):
		return quickjs.Undefined, nil
	case errors.Is(err, webapi.ErrLongURL):
		return 0, &failure{name: "RangeError", message: err.Error()}
	case err != nil:
		return 0, err
	}
	return in.webObject(ctx, u)
}

func (in *instance) webParseQuery(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, err := in.webArgument(args, 0, webapi.MaxURL)
	if err != nil {
		return 0, err
	}
	json := append(make([]byte, 0, 4*len(text)+16), `{"list":[`...)
	err = webapi.ParseQuery(text, in.Spend, func(name, value string) error {
		if json[len(json)-1] != '[' {
			json = append(json, ',')
		}
		json = jsontree.AppendString(json, name)
		json = jsontree.AppendString(append(json, ','), value)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return in.vm.ParseJSON(ctx, utf8text.View(append(json, "]}"...)))
}

func (in *instance) webFormatQuery(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, err := in.webArgument(args, 0, maxQuery)
	if err != nil {
		return 0, err
	}
	lengths, err := in.webArgument(args, 1, maxQuery)
	if err != nil {
		return 0, err
	}
	query, err := webapi.FormatQuery(text, lengths, in.Spend)
	if errors.Is(err, webapi.ErrLengths) {
		return quickjs.Undefined, nil
	}
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, query)
}

// memoryUsed serves process.memoryUsage.
func (in *instance) memory(_ context.Context, args arguments) (quickjs.Value, error) {
	if limit, _ := args.int(2); limit != 0 {
		return quickjs.Number(float64(in.memoryLimit())), nil
	}
	return quickjs.Number(float64(in.MemorySize())), nil
}
