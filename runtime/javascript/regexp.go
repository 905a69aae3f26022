package javascript

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/jsregexp"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// maxRegexp is the longest pattern that is translated, in bytes, and regexpWork how many bytes of work one is.
const (
	maxRegexp  = 1 << 20
	regexpWork = 16
)

// Flags of the engine's regular expressions.
const (
	regexpIgnoreCase = 1 << 1
	regexpMultiline  = 1 << 2
	regexpDotAll     = 1 << 3
	regexpUnicode    = 1 << 4
	regexpSets       = 1 << 8
)

// A translation is a pattern that the engine is compiling instead of another one.
type translation struct {
	pattern    quickjs.Value
	duplicates bool // of names are all right
}

// translateRegexp serves [quickjs.RegexpArgc].
func (in *instance) translateRegexp(ctx context.Context, pattern quickjs.Value, flags uint32) quickjs.Value {
	if in.vm == nil || in.vm.Leaf() {
		return quickjs.Undefined
	}
	switch {
	case pattern == quickjs.Undefined && flags == quickjs.RegexpDone:
		in.translated = translation{}
		return quickjs.Undefined
	case pattern == quickjs.Undefined && in.translated.duplicates:
		return quickjs.True
	case pattern == quickjs.Undefined, pattern == in.translated.pattern:
		return quickjs.Undefined
	}
	text, cut, ok := in.vm.String(pattern, maxRegexp)
	if !ok {
		return quickjs.Undefined
	}
	sets := flags&regexpSets != 0
	if cut > 0 || hasLoneSurrogates(in.vm, pattern) {
		if !sets {
			return quickjs.Undefined
		}
		return in.raise(ctx, &host.Failure{Name: "SyntaxError", Message: "Invalid regular expression: " +
			"with the flag v, it must not be longer than 1 MiB, and characters that are half a pair must be escaped"})
	}
	if err := in.Spend(regexpWork * len(text)); err != nil {
		panic(err)
	}
	var result jsregexp.Result
	err, stopped := host.OnText(in.run.Run, len(text), func() (err error) {
		result, err = jsregexp.Translate(text, jsregexp.Flags{
			IgnoreCase: flags&regexpIgnoreCase != 0, Multiline: flags&regexpMultiline != 0,
			DotAll:  flags&regexpDotAll != 0,
			Unicode: flags&(regexpUnicode|regexpSets) != 0, Sets: sets,
		})
		return err
	})
	if stopped != nil {
		panic(stopped)
	}
	if syntax, ok := errors.AsType[*jsregexp.SyntaxError](err); ok {
		return in.raise(ctx, &host.Failure{
			Name: "SyntaxError", Message: fmt.Sprintf("Invalid regular expression: /%.200s/: %s", text, syntax.Reason),
		})
	}
	if !result.Changed {
		return quickjs.Undefined
	}
	v, err := in.vm.NewString(ctx, result.Pattern)
	if err != nil {
		return in.raise(ctx, err)
	}
	in.translated = translation{v, result.Duplicates}
	return v
}

// hasLoneSurrogates reports whether a string has a code unit that is half a character.
func hasLoneSurrogates(vm *quickjs.VM, text quickjs.Value) bool {
	units, wide, _ := vm.Units(text)
	if !wide {
		return false
	}
	for i := 0; i+1 < len(units); i += 2 {
		unit := rune(binary.LittleEndian.Uint16(units[i:]))
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if i+3 >= len(units) || utf16.DecodeRune(unit, rune(binary.LittleEndian.Uint16(units[i+2:]))) == 0xfffd {
			return true
		}
		i += 2
	}
	return false
}
