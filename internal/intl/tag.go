package intl

import (
	"slices"
	"strings"
)

// maxTag is the longest language tag that is looked at, in bytes.
const maxTag = 512

// A Tag is a Unicode BCP 47 locale identifier, taken apart. Its parts have the canonical case.
type Tag struct {
	Language, Script, Region string
	Variants                 []string

	// Attributes and Keywords are those of the Unicode extension (-u-). A keyword without a value means true.
	Attributes []string
	Keywords   []Keyword

	transform  string   // what follows -t-
	extensions []string // the others, each with its singleton, and the private use part last
	unicode    bool     // whether there is a -u-
}

// A Keyword is a key of the Unicode extension and its value.
type Keyword struct{ Key, Value string }

// ParseTag takes a language tag apart, and reports whether it is one. The result is canonical but for aliases.
func ParseTag(text string) (*Tag, bool) {
	if len(text) > maxTag {
		return nil, false
	}
	for i := range len(text) {
		if c := text[i]; !isAlnum(c) && c != '-' {
			return nil, false
		}
	}
	parts := strings.Split(strings.ToLower(text), "-")
	t := &Tag{}
	rest, ok := t.parseLanguage(parts)
	if !ok {
		return nil, false
	}
	seen := map[string]bool{}
	for len(rest) > 0 {
		singleton := rest[0]
		if len(singleton) != 1 || seen[singleton] {
			return nil, false
		}
		seen[singleton] = true
		end := 1
		for end < len(rest) && (singleton == "x" || len(rest[end]) > 1) {
			if n := len(rest[end]); n == 0 || n > 8 {
				return nil, false
			}
			end++
		}
		body := rest[1:end]
		if len(body) == 0 {
			return nil, false
		}
		switch singleton {
		case "u":
			ok = t.parseUnicode(body)
		case "t":
			t.transform, ok = parseTransform(body)
		default:
			t.extensions = append(t.extensions, strings.Join(rest[:end], "-"))
		}
		if !ok {
			return nil, false
		}
		rest = rest[end:]
	}
	slices.SortStableFunc(t.extensions, func(a, b string) int {
		return extensionOrder(a) - extensionOrder(b)
	})
	return t, true
}

// extensionOrder puts the private use part after all others.
func extensionOrder(extension string) int {
	if extension[0] == 'x' {
		return 1000
	}
	return int(extension[0])
}

// parseLanguage reads language, script, region and variants, and returns what follows them.
func (t *Tag) parseLanguage(parts []string) (rest []string, ok bool) {
	if n := len(parts[0]); n < 2 || n == 4 || n > 8 || !isAlpha(parts[0]) {
		return nil, false
	}
	t.Language, parts = parts[0], parts[1:]
	if len(parts) > 0 && len(parts[0]) == 4 && isAlpha(parts[0]) {
		t.Script, parts = strings.ToUpper(parts[0][:1])+parts[0][1:], parts[1:]
	}
	if len(parts) > 0 && (len(parts[0]) == 2 && isAlpha(parts[0]) || len(parts[0]) == 3 && isDigits(parts[0])) {
		t.Region, parts = strings.ToUpper(parts[0]), parts[1:]
	}
	for len(parts) > 0 && isVariant(parts[0]) {
		if slices.Contains(t.Variants, parts[0]) {
			return nil, false
		}
		t.Variants, parts = append(t.Variants, parts[0]), parts[1:]
	}
	slices.Sort(t.Variants)
	return parts, true
}

// parseUnicode reads attributes and keywords. The first of several keywords with one key counts.
func (t *Tag) parseUnicode(parts []string) bool {
	t.unicode = true
	for len(parts) > 0 && len(parts[0]) > 2 {
		if !slices.Contains(t.Attributes, parts[0]) {
			t.Attributes = append(t.Attributes, parts[0])
		}
		parts = parts[1:]
	}
	slices.Sort(t.Attributes)
	for len(parts) > 0 {
		key := parts[0]
		if len(key) != 2 || !isAlpha(key[1:]) {
			return false
		}
		end := 1
		for end < len(parts) && len(parts[end]) > 2 {
			end++
		}
		if _, ok := t.Keyword(key); !ok {
			t.Keywords = append(t.Keywords, Keyword{key, canonicalType(key, strings.Join(parts[1:end], "-"))})
		}
		parts = parts[end:]
	}
	slices.SortFunc(t.Keywords, func(a, b Keyword) int { return strings.Compare(a.Key, b.Key) })
	return true
}

// parseTransform reads what follows -t-: a language and fields.
func parseTransform(parts []string) (string, bool) {
	var out []string
	if n := len(parts[0]); isAlpha(parts[0]) && n != 4 && (n > 2 || n == 2) {
		source := &Tag{}
		rest, ok := source.parseLanguage(parts)
		if !ok {
			return "", false
		}
		source.replaceAliases()
		out, parts = append(out, strings.ToLower(source.String())), rest
	}
	var fields []string
	for len(parts) > 0 {
		if key := parts[0]; len(key) != 2 || !isAlpha(key[:1]) || !isDigits(key[1:]) {
			return "", false
		}
		end := 1
		for end < len(parts) && len(parts[end]) > 2 {
			end++
		}
		if end == 1 {
			return "", false
		}
		fields, parts = append(fields, strings.Join(parts[:end], "-")), parts[end:]
	}
	slices.Sort(fields)
	for i := range fields[:max(0, len(fields)-1)] {
		if fields[i][:2] == fields[i+1][:2] {
			return "", false
		}
	}
	return strings.Join(append(out, fields...), "-"), true
}

// Keyword returns the value of a key of the Unicode extension, and whether it is there.
func (t *Tag) Keyword(key string) (value string, ok bool) {
	for _, k := range t.Keywords {
		if k.Key == key {
			return k.Value, true
		}
	}
	return "", false
}

// SetKeyword sets the value of a key of the Unicode extension.
func (t *Tag) SetKeyword(key, value string) {
	t.RemoveKeyword(key)
	t.unicode = true
	t.Keywords = append(t.Keywords, Keyword{key, canonicalType(key, value)})
	slices.SortFunc(t.Keywords, func(a, b Keyword) int { return strings.Compare(a.Key, b.Key) })
}

// RemoveKeyword removes a key of the Unicode extension.
func (t *Tag) RemoveKeyword(key string) {
	t.Keywords = slices.DeleteFunc(slices.Clone(t.Keywords), func(k Keyword) bool { return k.Key == key })
}

// Base returns the tag without extensions: language, script, region and variants.
func (t *Tag) Base() string {
	parts := []string{t.Language}
	if t.Script != "" {
		parts = append(parts, t.Script)
	}
	if t.Region != "" {
		parts = append(parts, t.Region)
	}
	return strings.Join(append(parts, t.Variants...), "-")
}

// String returns the whole tag.
func (t *Tag) String() string {
	var extensions []string
	if unicode := t.unicodeExtension(); unicode != "" {
		extensions = append(extensions, unicode)
	}
	if t.transform != "" {
		extensions = append(extensions, "t-"+t.transform)
	}
	extensions = append(extensions, t.extensions...)
	slices.SortStableFunc(extensions, func(a, b string) int { return extensionOrder(a) - extensionOrder(b) })
	return strings.Join(append([]string{t.Base()}, extensions...), "-")
}

func (t *Tag) unicodeExtension() string {
	if len(t.Attributes) == 0 && len(t.Keywords) == 0 {
		return ""
	}
	parts := append([]string{"u"}, t.Attributes...)
	for _, k := range t.Keywords {
		parts = append(parts, k.Key)
		if k.Value != "" {
			parts = append(parts, k.Value)
		}
	}
	return strings.Join(parts, "-")
}

// CanonicalTag returns the canonical form of a language tag, and whether it is one.
func CanonicalTag(text string) (string, bool) {
	t, ok := ParseTag(text)
	if !ok {
		return "", false
	}
	t.replaceAliases()
	return t.String(), true
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isAlpha(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isVariant(s string) bool {
	return len(s) >= 5 && len(s) <= 8 || len(s) == 4 && isDigits(s[:1])
}

// isType reports whether a text is a type of the Unicode extension: parts of three to eight letters and digits.
func isType(text string) bool {
	if len(text) > maxTag {
		return false
	}
	for part := range strings.SplitSeq(text, "-") {
		if len(part) < 3 || len(part) > 8 {
			return false
		}
		for i := range len(part) {
			if !isAlnum(part[i]) {
				return false
			}
		}
	}
	return true
}
