package javascript

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/intl"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// The functions behind Intl.Collator, Intl.Segmenter and the case conversions of locales
// (guest/quickjs/node/internal/intl).

func init() {
	for name, f := range map[string]func(in *instance, ctx context.Context, args arguments) (quickjs.Value, error){
		"intl.compare": (*instance).intlCompare, // options, two texts: -1, 0 or 1
		"intl.room":    (*instance).intlRoom,    // nothing: how many bytes of keys the script may keep
		// options, a text: a text, of characters up to U+00FF, that compares as it
		"intl.key": (*instance).intlKey,
		// options, texts in one, a buffer of their lengths: 1, with the order in the buffer; or undefined
		"intl.order":    (*instance).intlOrder,
		"intl.case":     (*instance).intlCase,     // tag, direction, text: text; undefined for most languages
		"intl.segments": (*instance).intlSegments, // options, text, whether it ends: {list} of 2*length, +1 for words
	} {
		webFunctions[name] = f
	}
}

const (
	// maxCompared is the longest text that is compared, segmented or converted, in bytes.
	maxCompared = 16 << 20

	// maxKeyed is the longest text that has a key, in bytes: scripts compare longer ones directly.
	maxKeyed = 1 << 10

	// directlyCompared is the longest text on which the host works without a goroutine of its own, which can be left
	// behind when the run ends.
	directlyCompared = 64 << 10

	compareWork = 256 // charged for each comparison, beside the texts
	textWork    = 32  // charged for each byte of a text
	segmentWork = 64  // charged for each segment
)

// intlLongText reads a text on which the host works, and charges it.
func (in *instance) intlLongText(args arguments, i, limit int) (string, error) {
	text, cut, ok := args.text(firstWeb+i, limit)
	if !ok {
		return "", failf("the argument must be a string")
	}
	if cut > 0 {
		return "", &failure{name: "RangeError", message: fmt.Sprintf("the text is longer than %d KiB", limit>>10)}
	}
	return text, in.Spend(textWork * len(text))
}

// onText runs f, on a goroutine of its own if the text is long.
func onText[T any](in *instance, size int, f func() T) (T, error) {
	if size <= directlyCompared {
		return f(), nil
	}
	return sandbox.Await(in.run.Run, func() (T, error) { return f(), nil })
}

func (in *instance) intlCompare(_ context.Context, args arguments) (quickjs.Value, error) {
	key, cut, ok := args.text(firstWeb, maxName)
	if !ok || cut > 0 {
		return 0, failf("the options are malformed")
	}
	if err := in.Spend(compareWork); err != nil {
		return 0, err
	}
	a, err := in.intlLongText(args, 1, maxCompared)
	if err != nil {
		return 0, err
	}
	b, err := in.intlLongText(args, 2, maxCompared)
	if err != nil {
		return 0, err
	}
	c, err := intl.CachedCollator(key)
	if err != nil {
		return 0, failf("%v", err)
	}
	var long error
	result, err := onText(in, len(a)+len(b), func() (result int) {
		result, long = c.Compare(a, b)
		return result
	})
	if err != nil {
		return 0, err
	}
	if long != nil {
		return 0, &failure{name: "RangeError", message: long.Error()}
	}
	return quickjs.Int(int32(result)), nil
}

// intlRoom returns a part of the memory limit, so that keys take no memory that the script needs.
func (in *instance) intlRoom(context.Context, arguments) (quickjs.Value, error) {
	return quickjs.Int(int32(min(in.memoryLimit()/4, math.MaxInt32))), nil
}

func (in *instance) intlKey(ctx context.Context, args arguments) (quickjs.Value, error) {
	options, cut, ok := args.text(firstWeb, maxName)
	if !ok || cut > 0 {
		return 0, failf("the options are malformed")
	}
	if err := in.Spend(compareWork); err != nil {
		return 0, err
	}
	text, err := in.intlLongText(args, 1, maxKeyed)
	if err != nil {
		return 0, err
	}
	c, err := intl.CachedCollator(options)
	if err != nil {
		return 0, failf("%v", err)
	}
	return in.newLatin1(ctx, c.AppendKey(nil, text))
}

// Bounds on the texts that are sorted in one call, and on their keys, in bytes. More are compared one by one.
const (
	maxOrdered = 4 << 20
	maxKeys    = 64 << 20

	orderWork = 16 // charged for each comparison while texts are sorted
)

// intlOrder sorts texts. The lengths, in code units, are those of the texts in order; in their place come the indexes
// of the texts in the order of the collation. All are 32 bits wide.
func (in *instance) intlOrder(_ context.Context, args arguments) (quickjs.Value, error) {
	options, cut, ok := args.text(firstWeb, maxName)
	if !ok || cut > 0 {
		return 0, failf("the options are malformed")
	}
	all, wide, ok := in.vm.Units(args.value(firstWeb + 1))
	lengths, ok2 := args.bytes(firstWeb + 2)
	if !ok || !ok2 || len(lengths)%4 != 0 {
		return 0, failf("the texts are malformed")
	}
	size, count := len(all)+len(lengths), len(lengths)/4
	if size > maxOrdered {
		return quickjs.Undefined, nil
	}
	if err := in.Spend(count * (compareWork + orderWork*bits.Len(uint(count)))); err != nil {
		return 0, err
	}
	c, err := intl.CachedCollator(options)
	if err != nil {
		return 0, failf("%v", err)
	}
	texts := make([]string, count)
	for i := range texts {
		n := uint64(binary.LittleEndian.Uint32(lengths[4*i:]))
		if wide {
			n *= 2
		}
		if n > uint64(len(all)) {
			return 0, failf("the texts are malformed")
		}
		if err := in.Spend(textWork * int(n)); err != nil {
			return 0, err
		}
		if texts[i] = quickjs.UnitsText(all[:n], wide); len(texts[i]) > maxKeyed {
			return quickjs.Undefined, nil
		}
		all = all[n:]
	}
	order, err := onText(in, size, func() []uint32 { return c.Order(texts, maxKeys) })
	if err != nil || order == nil {
		return quickjs.Undefined, err
	}
	for i, index := range order {
		binary.LittleEndian.PutUint32(lengths[4*i:], index)
	}
	return quickjs.Int(1), nil
}

func (in *instance) intlCase(ctx context.Context, args arguments) (quickjs.Value, error) {
	tag, err := in.intlText(args, 0, maxIntlOptions)
	if err != nil {
		return 0, err
	}
	direction, _, _ := args.text(firstWeb+1, maxName)
	if !intl.OwnCases(tag) {
		return quickjs.Undefined, nil
	}
	text, err := in.intlLongText(args, 2, maxCompared)
	if err != nil {
		return 0, err
	}
	convert := intl.ToLower
	if direction == "upper" {
		convert = intl.ToUpper
	}
	result, err := onText(in, len(text), func() string { return convert(tag, text) })
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, result)
}

func (in *instance) intlSegments(ctx context.Context, args arguments) (quickjs.Value, error) {
	key, cut, ok := args.text(firstWeb, maxName)
	if !ok || cut > 0 {
		return 0, failf("the options are malformed")
	}
	text, err := in.intlLongText(args, 1, maxCompared)
	if err != nil {
		return 0, err
	}
	end, _, _ := args.text(firstWeb+2, maxName)
	locale, granularity, _ := strings.Cut(key, " ")
	segments, err := onText(in, len(text), func() []intl.Segment {
		return intl.Segments(locale, granularity, text, end != "")
	})
	if err != nil {
		return 0, err
	}
	if err := in.Spend(segmentWork * len(segments)); err != nil {
		return 0, err
	}
	list := make([]int, len(segments))
	for i, s := range segments {
		list[i] = 2 * s.Units
		if s.WordLike {
			list[i]++
		}
	}
	return in.webObject(ctx, map[string][]int{"list": list})
}
