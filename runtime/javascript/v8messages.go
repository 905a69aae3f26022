package javascript

import (
	"regexp"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// The engine words many messages in another way than V8. Code tests messages, with patterns written for V8, so errors
// that the engine throws get V8's words as far as the engine tells enough.

// wordsOfV8 are messages that stand for themselves.
var wordsOfV8 = map[string]string{
	"BigInt are forbidden in JSON.stringify": "Do not know how to serialize a BigInt",
	"BigInt division by zero":                "Division by zero",
	"BigInt negative exponent":               "Exponent must be non-negative",
	"BigInt operands are forbidden for >>>":  "BigInts have no unsigned right shift, use >> instead",
	"Date value is NaN":                      "Invalid time value",
	"bad normalization form":                 "The normalization form should be one of NFC, NFD, NFKC, NFKD.",
	"bigint argument with unary +":           "Cannot convert a BigInt value to a number",
	"cannot convert BigInt to number":        "Cannot mix BigInt and other types, use explicit conversions",
	"cannot convert NaN or Infinity to BigInt": "The number cannot be converted " +
		"to a BigInt because it is not an integer",
	"cannot convert bigint to number": "Cannot convert a BigInt value to a number",
	"cannot convert symbol to number": "Cannot convert a Symbol value to a number",
	"cannot convert symbol to string": "Cannot convert a Symbol value to a string",
	"cannot convert to BigInt":        "Cannot convert the value to a BigInt",
	"cannot convert to BigInt: not an integer": "The number cannot be converted " +
		"to a BigInt because it is not an integer",
	"cannot invoke a running generator": "Generator is already running",
	"circular prototype chain":          "Cyclic __proto__ value",
	"circular reference":                "Converting circular structure to JSON",
	"could not delete property":         "Cannot delete property",
	"empty array":                       "Reduce of empty array with no initial value",
	"expecting hex digit":               "URI malformed",
	"expecting surrogate pair":          "URI malformed",
	"malformed UTF-8":                   "URI malformed",
	"invalid 'in' operand": "Cannot use 'in' operator " +
		"to search for a key in a value that is no object",
	"invalid 'instanceof' right operand":             "Right-hand side of 'instanceof' is not callable",
	"invalid array length":                           "Invalid array length",
	"invalid array buffer length":                    "Array buffer allocation failed",
	"invalid brand on object":                        "Receiver must be an instance of the class",
	"invalid code point":                             "Invalid code point",
	"invalid regular expression flags":               "Invalid flags supplied to RegExp constructor",
	"invalid repeat count":                           "Invalid count value",
	"invalid string length":                          "Invalid string length",
	"invalid target":                                 "WeakRef: invalid target",
	"invalid value used as WeakMap key":              "Invalid value used as weak map key",
	"invalid value used as WeakSet key":              "Invalid value used in weak set",
	"iterator must return an object":                 "Iterator result is not an object",
	"must be called with new":                        "Constructor requires 'new'",
	"no setter for property":                         "Cannot set property which has only a getter",
	"null or undefined are forbidden":                "called on null or undefined",
	"object is not extensible":                       "Cannot add property, object is not extensible",
	"object prototype may only be an Object or null": "Object prototype may only be an Object or null",
	"out of bound":                                   "Offset is outside the bounds of the DataView",
	"parent class must be constructor":               "Class extends value is not a constructor or null",
	"property is not configurable":                   "Cannot redefine property",
	"regexp must have the 'g' flag":                  "called with a non-global RegExp argument",
	"regexp not supported":                           "First argument must not be a regular expression",
	"revoked proxy":                                  "Cannot perform an operation on a proxy that has been revoked",
	"this is not initialized": "Must call super constructor " +
		"in derived class before accessing 'this' or returning from derived constructor",
	"toPrimitive":                "Cannot convert object to primitive value",
	"unexpected data at the end": "Unexpected non-whitespace character after JSON",
}

// wordsOfPatterns are V8's for messages about the pattern of a regular expression.
var wordsOfPatterns = map[string]string{
	"duplicate group name":                          "Duplicate capture group name",
	"expecting ')'":                                 "Unterminated group",
	"extraneous characters at the end":              "Unmatched ')'",
	"group name not defined":                        "Invalid named capture referenced",
	"invalid class range":                           "Range out of order in character class",
	"invalid escape sequence in regular expression": "Invalid escape",
	"invalid group":                                 "Invalid group",
	"invalid group name":                            "Invalid capture group name",
	"invalid repetition count":                      "numbers out of order in {} quantifier",
	"nothing to repeat":                             "Nothing to repeat",
	"unexpected end":                                "Unterminated character class",
}

var (
	readOf        = lazyregexp.New(`^cannot (read|set) property '(.*)' of (undefined|null)$`)
	readOnly      = lazyregexp.New(`^'(.*)' is read-only$`)
	uninitialized = lazyregexp.New(`^(\S+) is not initialized$`)
	privateField  = lazyregexp.New(`^private class field '(#.*)' does not exist$`)
	unexpected    = lazyregexp.New(`^unexpected token: '(.*)'$`)
	expectedClass = lazyregexp.New(`^(\w+) object expected$`)
	callableOnly  = "class constructors must be invoked with 'new'"
)

// inV8 returns a message of the engine in the words of V8, or "". caller is the native function that has thrown, or "".
func inV8(name, message, caller string) string {
	switch name {
	case "TypeError":
		if m := matched(readOf, "cannot ", message); m != nil {
			switch {
			case m[2] == "Symbol.iterator":
				return m[3] + " is not iterable (cannot read property Symbol(Symbol.iterator))"
			case m[1] == "set":
				return "Cannot set properties of " + m[3] + " (setting '" + m[2] + "')"
			}
			return "Cannot read properties of " + m[3] + " (reading '" + m[2] + "')"
		}
		if m := matched(privateField, "private ", message); m != nil {
			return "Cannot read private member " + m[1] + " from an object whose class did not declare it"
		}
		if caller != "" && strings.HasSuffix(message, " expected") {
			if m := expectedClass().FindStringSubmatch(message); m != nil {
				return "Method " + m[1] + ".prototype." + caller + " called on incompatible receiver"
			}
		}
		switch {
		case message == "value is not iterable":
			return "object is not iterable (cannot read property Symbol(Symbol.iterator))"
		case message == callableOnly:
			return "Class constructor cannot be invoked without 'new'"
		case message == "not a constructor" && caller != "":
			return caller + " is not a constructor"
		case message == "not a function" && caller == "sort":
			return "The comparison function must be either a function or undefined"
		case message == "not a function" && caller == "Promise":
			return "Promise resolver is not a function"
		case message == "not a function" && caller != "":
			return "the argument of " + caller + " is not a function"
		case message == "not an object" && (strings.HasSuffix(caller, "Map") || caller == "fromEntries"):
			return "Iterator value is not an entry object"
		case message == "not an object" && caller != "":
			return caller + " called on non-object"
		case message == "cannot convert BigInt to number" && caller != "":
			return "Cannot convert a BigInt value to a number"
		}
	case "RangeError":
		if message == "invalid number of digits" {
			switch caller {
			case "toPrecision":
				return "toPrecision() argument must be between 1 and 100"
			case "toExponential":
				return "toExponential() argument must be between 0 and 100"
			}
			return caller + "() digits argument must be between 0 and 100"
		}
	case "ReferenceError":
		if m := uninitialized().FindStringSubmatch(message); m != nil && m[1] != "this" {
			return "Cannot access '" + m[1] + "' before initialization"
		}
	case "SyntaxError":
		if caller == "RegExp" || caller == "compile" {
			if words := wordsOfPatterns[message]; words != "" {
				return "Invalid regular expression: " + words
			}
		}
		if m := matched(unexpected, "unexpected ", message); m != nil && caller == "parse" {
			return invalidJSON(m[1])
		}
		if caller != "parse" && wordsOfV8[message] == "" {
			return ""
		}
	}
	return wordsOfV8[message]
}

// matched returns the parts of a message that a pattern finds. The pattern's matches begin with a prefix: errors are
// made in loops, where it tells most messages apart faster.
func matched(pattern func() *regexp.Regexp, prefix, message string) []string {
	if !strings.HasPrefix(message, prefix) {
		return nil
	}
	return pattern().FindStringSubmatch(message)
}

// invalidJSON is V8's message for a text with a word or character that JSON does not have.
func invalidJSON(token string) string {
	switch token {
	case "undefined", "NaN", "Infinity":
		return `"` + token + `" is not valid JSON`
	case "object":
		return `"[object Object]" is not valid JSON`
	case "":
		return "Unexpected end of JSON input"
	}
	at := 0
	for _, word := range []string{"true", "false", "null"} { // what it could have been
		n := 0
		for n < min(len(word), len(token)) && word[n] == token[n] {
			n++
		}
		at = max(at, n)
	}
	if at == len(token) {
		return "Unexpected end of JSON input"
	}
	for at > 0 && token[at]&0xc0 == 0x80 {
		at--
	}
	c := []rune(token[at:])[0]
	return "Unexpected token '" + string(c) + `', "` + token + `"... is not valid JSON`
}
