package quickjs

import (
	"fmt"
	"math"
)

// A Value is a JavaScript value as the engine passes it around (JSValue): a tag in the upper half and a number or
// pointer in the lower one. It is valid only for its VM.
type Value uint64

// Tags of values that matter here. All others are numbers or of no use outside the engine.
const (
	tagString    = -7
	tagModule    = -3
	tagObject    = -1
	tagInt       = 0
	tagBool      = 1
	tagNull      = 2
	tagUndefined = 3
	tagException = 6
)

// Values that need no memory.
const (
	Undefined = Value(tagUndefined << 32)
	Null      = Value(tagNull << 32)
	True      = Value(tagBool<<32 | 1)
	// Exception is the result of a function that has thrown.
	Exception = Value(tagException << 32)
)

// Int returns the number n.
func Int(n int32) Value { return Value(tagInt<<32 | uint64(uint32(n))) }

// Bool returns the boolean b.
func Bool(b bool) Value {
	if b {
		return True
	}
	return Value(tagBool << 32)
}

func (v Value) tag() int32      { return int32(v >> 32) }
func (v Value) pointer() uint32 { return uint32(v) }

// Int returns v as a number, and whether it is an integer in the engine's short form.
func (v Value) Int() (int32, bool) { return int32(v), v.tag() == tagInt }

// IsString reports whether v is a string.
func (v Value) IsString() bool { return v.tag() == tagString }

// IsObject reports whether v is an object; functions and arrays are.
func (v Value) IsObject() bool { return v.tag() == tagObject }

func (v Value) String() string { return fmt.Sprintf("JSValue(%d, %#x)", v.tag(), v.pointer()) }

// Number returns the number f as a value that is not in the engine's short form.
func Number(f float64) Value {
	if f != f {
		return Value(notANumber)
	}
	return Value(math.Float64bits(f) - floatOffset)
}

const (
	floatOffset = 0x7ff8000a00000000 // JS_FLOAT64_TAG_ADDEND, as a difference
	notANumber  = 0xfffffff600000000 // JS_NAN
)
