package language

import (
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

// TranslateRegexp serves [quickjs.RegexpArgc]. Its arguments are a pattern and its flags.
func TranslateRegexp(c *host.Call) {
	pattern, number := c.Value(0), c.Number(1)
	flags := uint32(number)
	switch {
	case pattern == quickjs.Undefined && flags == quickjs.RegexpDone:
		c.Translated = host.Translation{}
		return
	case pattern == quickjs.Undefined && c.Translated.Duplicates:
		c.ReturnValue(quickjs.True, nil)
		return
	case pattern == quickjs.Undefined, pattern == c.Translated.Pattern:
		return
	}
	text, cut, ok := c.Prefix(0, maxRegexp)
	if !ok {
		return
	}
	sets := flags&regexpSets != 0
	if cut > 0 || hasLoneSurrogates(c.VM, pattern) {
		if sets {
			raise(c, "with the flag v, it must not be longer than 1 MiB, "+
				"and characters that are half a pair must be escaped")
		}
		return
	}
	if c.Spend(regexpWork*len(text)) != nil {
		return
	}
	var result jsregexp.Result
	err, stopped := host.OnText(c.Run(), len(text), func() (err error) {
		result, err = jsregexp.Translate(text, jsregexp.Flags{
			IgnoreCase: flags&regexpIgnoreCase != 0, Multiline: flags&regexpMultiline != 0,
			DotAll:  flags&regexpDotAll != 0,
			Unicode: flags&(regexpUnicode|regexpSets) != 0, Sets: sets,
		})
		return err
	})
	if c.Fail(stopped) {
		return
	}
	if syntax, ok := errors.AsType[*jsregexp.SyntaxError](err); ok {
		raise(c, fmt.Sprintf("/%.200s/: %s", text, syntax.Reason))
		return
	}
	if !result.Changed {
		return
	}
	v, err := c.VM.NewString(c.Context(), result.Pattern)
	c.Translated = host.Translation{Pattern: v, Duplicates: result.Duplicates}
	c.ReturnValue(v, err)
}

// raise makes a syntax error the engine's exception.
func raise(c *host.Call, reason string) {
	c.ReturnValue(c.Raise(c.Context(), &host.Failure{
		Name: "SyntaxError", Message: "Invalid regular expression: " + reason,
	}), nil)
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
