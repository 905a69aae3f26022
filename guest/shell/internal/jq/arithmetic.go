package jq

import (
	"encoding/base32"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxText bounds the texts that repeating makes.
const maxText = 1 << 28

func arithmetic(op string, a, b any) (any, error) {
	switch op {
	case "==":
		return Compare(a, b) == 0, nil
	case "!=":
		return Compare(a, b) != 0, nil
	case "<":
		return Compare(a, b) < 0, nil
	case "<=":
		return Compare(a, b) <= 0, nil
	case ">":
		return Compare(a, b) > 0, nil
	case ">=":
		return Compare(a, b) >= 0, nil
	}
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); ok {
			switch op {
			case "+":
				return x + y, nil
			case "-":
				return x - y, nil
			case "*":
				return x * y, nil
			case "/":
				if y == 0 {
					return nil, failf("%s and %s cannot be divided because the divisor is zero", describe(a),
						describe(b))
				}
				return x / y, nil
			case "%":
				return remainder(x, y)
			}
		}
	}
	switch op {
	case "+":
		if a == nil {
			return b, nil
		}
		if b == nil {
			return a, nil
		}
		switch x := a.(type) {
		case string:
			if y, ok := b.(string); ok {
				return x + y, nil
			}
		case []any:
			if y, ok := b.([]any); ok {
				if len(x) == 0 {
					return y, nil
				}
				return append(x[:len(x):len(x)], y...), nil
			}
		case *Object:
			if y, ok := b.(*Object); ok {
				sum := x.clone()
				for i, key := range y.keys {
					sum.Put(key, y.vals[i])
				}
				return sum, nil
			}
		}
		return nil, failf("%s and %s cannot be added", describe(a), describe(b))
	case "-":
		if x, ok := a.([]any); ok {
			if y, ok := b.([]any); ok {
				rest := []any{}
				for _, e := range x {
					if !slices.ContainsFunc(y, func(f any) bool { return Compare(e, f) == 0 }) {
						rest = append(rest, e)
					}
				}
				return rest, nil
			}
		}
		return nil, failf("%s and %s cannot be subtracted", describe(a), describe(b))
	case "*":
		s, isText := a.(string)
		n, isNumber := b.(float64)
		if !isText || !isNumber {
			if t, ok := b.(string); ok {
				if m, ok := a.(float64); ok {
					s, n, isText, isNumber = t, m, true, true
				}
			}
		}
		if isText && isNumber {
			if !(n > 0) {
				return nil, nil
			}
			if n > maxText {
				return nil, failf("Repeat string result too long")
			}
			count := int(math.Ceil(n))
			if len(s)*count > maxText {
				return nil, failf("Repeat string result too long")
			}
			return strings.Repeat(s, count), nil
		}
		if x, ok := a.(*Object); ok {
			if y, ok := b.(*Object); ok {
				return merge(x, y), nil
			}
		}
		return nil, failf("%s and %s cannot be multiplied", describe(a), describe(b))
	case "/":
		if x, ok := a.(string); ok {
			if y, ok := b.(string); ok {
				return splitText(x, y), nil
			}
		}
		return nil, failf("%s and %s cannot be divided", describe(a), describe(b))
	}
	return nil, failf("%s and %s cannot be divided", describe(a), describe(b))
}

func remainder(x, y float64) (any, error) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN(), nil
	}
	whole := func(f float64) int64 {
		if f >= math.MaxInt64 {
			return math.MaxInt64
		}
		if f <= math.MinInt64 {
			return math.MinInt64
		}
		return int64(f)
	}
	m := whole(y)
	if m == 0 {
		return nil, failf("%s and %s cannot be divided (remainder) because the divisor is zero", describe(x),
			describe(y))
	}
	if m < 0 {
		m = -max(m, -math.MaxInt64)
	}
	return float64(whole(x) % m), nil
}

func merge(a, b *Object) *Object {
	c := a.clone()
	for i, key := range b.keys {
		if y, ok := b.vals[i].(*Object); ok {
			if old, _ := c.Get(key); old != nil {
				if x, ok := old.(*Object); ok {
					c.Put(key, merge(x, y))
					continue
				}
			}
		}
		c.Put(key, b.vals[i])
	}
	return c
}

// formats are the formats by their names.
var formats = map[string]func(any) (string, error){
	"@text": func(v any) (string, error) { return text(v), nil },
	"@json": func(v any) (string, error) { return JSON(v), nil },
	"@csv": func(v any) (string, error) {
		return row(v, "csv", ",", func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` })
	},
	"@tsv": func(v any) (string, error) {
		return row(v, "tsv", "\t", strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace)
	},
	"@html": func(v any) (string, error) {
		return strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&apos;", `"`,
			"&quot;").Replace(text(v)), nil
	},
	"@uri": func(v any) (string, error) {
		var b strings.Builder
		for _, c := range []byte(text(v)) {
			if c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || strings.IndexByte("-_.!~*'()", c) >= 0 {
				b.WriteByte(c)
			} else {
				b.WriteString("%" + strings.ToUpper(string(hexDigits[c>>4])+string(hexDigits[c&15])))
			}
		}
		return b.String(), nil
	},
	"@sh": func(v any) (string, error) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		words := make([]string, len(list))
		for i, x := range list {
			switch x := x.(type) {
			case string:
				words[i] = "'" + strings.ReplaceAll(x, "'", `'\''`) + "'"
			case []any, *Object:
				return "", failf("%s can not be escaped for shell", describe(x))
			default:
				words[i] = JSON(x)
			}
		}
		return strings.Join(words, " "), nil
	},
	"@base64": func(v any) (string, error) { return base64.StdEncoding.EncodeToString([]byte(text(v))), nil },
	"@base64d": func(v any) (string, error) {
		s := text(v)
		data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
		if err != nil {
			return "", failf("%s is not valid base64 data", describe(s))
		}
		return strings.ToValidUTF8(string(data), "\uFFFD"), nil
	},
	"@base32": func(v any) (string, error) { return base32.StdEncoding.EncodeToString([]byte(text(v))), nil },
	"@base32d": func(v any) (string, error) {
		s := text(v)
		data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s, "="))
		if err != nil {
			return "", failf("%s is not valid base32 data", describe(s))
		}
		return strings.ToValidUTF8(string(data), "\uFFFD"), nil
	},
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return JSON(v)
}

func row(v any, name, separator string, quote func(string) string) (string, error) {
	list, ok := v.([]any)
	if !ok {
		return "", failf("%s cannot be %s-formatted, only array", describe(v), name)
	}
	fields := make([]string, len(list))
	for i, x := range list {
		switch x := x.(type) {
		case nil:
		case bool:
			fields[i] = strconv.FormatBool(x)
		case float64:
			fields[i] = formatNumber(x)
		case string:
			fields[i] = quote(x)
		default:
			return "", failf("%s is not valid in a csv row", describe(x))
		}
	}
	return strings.Join(fields, separator), nil
}
