package javascript

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/nodezlib"
)

// What node:zlib and the compression streams compute.

// dictionary returns an argument that is a dictionary. Nil means that there is none.
func (in *instance) dictionary(args arguments, i int) ([]byte, error) {
	if args.value(i) == quickjs.Undefined {
		return nil, nil
	}
	data, ok := args.bytes(i)
	if !ok {
		return nil, failf("the dictionary must be an ArrayBuffer")
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// zlibArguments returns what the functions for whole data take: a format, bytes, a number and a dictionary.
func (in *instance) zlibArguments(args arguments) (format string, data []byte, number int,
	dictionary []byte, err error) {
	format, _, _ = args.text(firstWeb, maxName)
	data, ok1 := args.view(firstWeb + 1)
	number, ok2 := args.int(firstWeb + 4)
	if !ok1 || !ok2 {
		return "", nil, 0, nil, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	dictionary, err = in.dictionary(args, firstWeb+5)
	return format, data, number, dictionary, err
}

// zlibError makes an error for the script of one for its data. A limit is what the script wants at most: an output that
// does not fit into the guest's memory ends the run.
func (in *instance) zlibError(err error, limit int) error {
	if known, ok := errors.AsType[*nodezlib.Error](err); ok {
		return &failure{name: "Error", message: known.Message, code: known.Code}
	}
	if errors.Is(err, nodezlib.ErrTooLong) {
		if limit > in.memoryLimit() {
			return quickjs.ErrNoMemory
		}
		return &failure{name: "RangeError", message: err.Error(), code: "ERR_BUFFER_TOO_LARGE"}
	}
	if errors.Is(err, nodezlib.ErrState) {
		return failf("%s", err)
	}
	return err
}

// newBytes hands an output to the guest.
func (in *instance) newBytes(ctx context.Context, out *nodezlib.Output) (quickjs.Value, error) {
	return in.vm.FillArrayBuffer(ctx, out.Len(), func(memory []byte) error {
		for _, piece := range out.Pieces() {
			if err := in.Spend(len(piece)); err != nil {
				return err
			}
			memory = memory[copy(memory, piece):]
		}
		return nil
	})
}

func (in *instance) zlibDeflate(ctx context.Context, args arguments) (quickjs.Value, error) {
	format, data, level, dictionary, err := in.zlibArguments(args)
	if err != nil {
		return 0, err
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	d := nodezlib.Deflation{Format: nodezlib.Format(format), Level: level, Dictionary: dictionary, Work: in.Spend}
	if err := d.Deflate(data, out); err != nil {
		return 0, err
	}
	return in.newBytes(ctx, out)
}

// zlibInflate fails with zlib's code, or with ERR_BUFFER_TOO_LARGE if the output is longer than the script wants it.
func (in *instance) zlibInflate(ctx context.Context, args arguments) (quickjs.Value, error) {
	format, data, limit, dictionary, err := in.zlibArguments(args)
	if err != nil {
		return 0, err
	}
	format, partial := strings.CutSuffix(format, " partial")
	out := nodezlib.NewOutput(min(limit, in.memoryLimit()))
	i := nodezlib.Inflation{Format: nodezlib.Format(format), Dictionary: dictionary, Partial: partial, Work: in.Spend}
	if _, err := i.Inflate(data, out); err != nil {
		return 0, in.zlibError(err, limit)
	}
	return in.newBytes(ctx, out)
}

// zlibBegin returns the state of a stream that has not begun.
func (in *instance) zlibBegin(ctx context.Context, args arguments) (quickjs.Value, error) {
	if format, _, ok := args.text(firstWeb, maxName); ok {
		return in.vm.NewArrayBuffer(ctx, nodezlib.Inflation{Format: nodezlib.Format(format)}.Begin())
	}
	return in.vm.NewArrayBuffer(ctx, nodezlib.Deflation{}.Begin())
}

// zlibDeflatePart compresses the next part of a stream.
func (in *instance) zlibDeflatePart(ctx context.Context, args arguments) (quickjs.Value, error) {
	state, data, err := in.stateAndData(args, 0)
	if err != nil {
		return 0, err
	}
	var format string
	var level, flush int
	settings, _, _ := args.text(firstWeb+4, maxName)
	if _, err := fmt.Sscan(settings, &format, &level, &flush); err != nil {
		return 0, failf("the settings must be a format, a level and a flush")
	}
	dictionary, err := in.dictionary(args, firstWeb+5)
	if err != nil {
		return 0, err
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	d := nodezlib.Deflation{Format: nodezlib.Format(format), Level: level, Dictionary: dictionary, Work: in.Spend}
	if err := d.Continue(state, data, nodezlib.Flush(flush), out); err != nil {
		return 0, in.zlibError(err, math.MaxInt32)
	}
	return in.newBytes(ctx, out)
}

// maxPause is how long the output of one part of a stream may be, at which the part pauses, in bytes.
const maxPause = 1 << 20

// zlibInflatePart decompresses the next part of a stream.
func (in *instance) zlibInflatePart(ctx context.Context, args arguments) (quickjs.Value, error) {
	state, data, err := in.stateAndData(args, 0)
	if err != nil {
		return 0, err
	}
	most, ok := args.int(firstWeb + 4)
	if !ok {
		return 0, failf("the length must be a number")
	}
	last := most < 0
	if last {
		most = -most
	}
	dictionary, err := in.dictionary(args, firstWeb+5)
	if err != nil {
		return 0, err
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	i := nodezlib.Inflation{Dictionary: dictionary, Work: in.Spend}
	if err := i.Continue(state, data, last, min(max(most, 1), maxPause), out); err != nil {
		return 0, in.zlibError(err, math.MaxInt32)
	}
	return in.newBytes(ctx, out)
}

// zlibUnbrotli decompresses, as zlibInflate does.
func (in *instance) zlibUnbrotli(ctx context.Context, args arguments) (quickjs.Value, error) {
	data, ok1 := args.view(firstWeb)
	limit, ok2 := args.int(firstWeb + 3)
	partial, ok3 := args.int(firstWeb + 4)
	if !ok1 || !ok2 || !ok3 {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	out := nodezlib.NewOutput(min(limit, in.memoryLimit()))
	b := nodezlib.BrotliDecompression{Partial: partial == 1, Work: in.Spend}
	used, err := b.Decompress(data, out)
	if err != nil {
		return 0, in.zlibError(err, limit)
	}
	if result, ok := args.bytes(firstWeb + 5); ok && len(result) == 4 {
		binary.LittleEndian.PutUint32(result, uint32(used))
	}
	return in.newBytes(ctx, out)
}

// maxSettings is how long the list of a stream's flushes may be, in bytes.
const maxSettings = 1 << 20

// zlibBrotli compresses.
func (in *instance) zlibBrotli(ctx context.Context, args arguments) (quickjs.Value, error) {
	data, ok1 := args.view(firstWeb)
	list, cut, ok2 := args.text(firstWeb+3, maxSettings)
	if !ok1 || !ok2 || cut > 0 {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	var settings []int
	for word := range strings.FieldsSeq(list) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return 0, failf("the settings must be numbers")
		}
		settings = append(settings, n)
	}
	if len(settings) < 3 {
		return 0, failf("the settings must be a quality, a window and whether there will be more")
	}
	b := nodezlib.BrotliCompression{
		Quality: settings[0], Window: settings[1], Open: settings[2] == 1, Flushes: settings[3:], Work: in.Spend,
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	if err := b.Compress(data, out); err != nil {
		return 0, in.zlibError(err, math.MaxInt32)
	}
	return in.newBytes(ctx, out)
}

func (in *instance) zlibCRC32(_ context.Context, args arguments) (quickjs.Value, error) {
	data, ok1 := args.view(firstWeb)
	sum, ok2 := args.int(firstWeb + 3)
	if !ok1 || !ok2 {
		return 0, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	next, err := nodezlib.CRC32(uint32(int32(sum)), data, in.Spend)
	return quickjs.Int(int32(next)), err
}
