package intl

import (
	"slices"
	"strings"
)

// maxTag is the longest language tag that is looked at, in bytes.
const maxTag = 512

// A localeTag is a Unicode BCP 47 locale identifier, taken apart. Its parts have the canonical case.
type localeTag struct {
	language, script, region string
	variants                 []string

	// attributes and keywords are those of the Unicode extension (-u-). A keyword without a value means true.
	attributes []string
	keywords   []keyword

	transform  string   // what follows -t-
	extensions []string // the others, each with its singleton, and the private use part last
	unicode    bool     // whether there is a -u-
}

// A keyword is a key of the Unicode extension and its value.
type keyword struct{ key, value string }

// parseTag takes a language tag apart, and reports whether it is one. The result is canonical but for aliases.
func parseTag(text string) (*localeTag, bool) {
	if len(text) > maxTag {
		return nil, false
	}
	for i := range len(text) {
		if c := text[i]; !isAlnum(c) && c != '-' {
			return nil, false
		}
	}
	parts := strings.Split(strings.ToLower(text), "-")
	t := &localeTag{}
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
func (t *localeTag) parseLanguage(parts []string) (rest []string, ok bool) {
	if n := len(parts[0]); n < 2 || n == 4 || n > 8 || !isAlpha(parts[0]) {
		return nil, false
	}
	t.language, parts = parts[0], parts[1:]
	if len(parts) > 0 && len(parts[0]) == 4 && isAlpha(parts[0]) {
		t.script, parts = strings.ToUpper(parts[0][:1])+parts[0][1:], parts[1:]
	}
	if len(parts) > 0 && (len(parts[0]) == 2 && isAlpha(parts[0]) || len(parts[0]) == 3 && isDigits(parts[0])) {
		t.region, parts = strings.ToUpper(parts[0]), parts[1:]
	}
	for len(parts) > 0 && isVariant(parts[0]) {
		if slices.Contains(t.variants, parts[0]) {
			return nil, false
		}
		t.variants, parts = append(t.variants, parts[0]), parts[1:]
	}
	slices.Sort(t.variants)
	return parts, true
}

// parseUnicode reads attributes and keywords. The first of several keywords with one key counts.
func (t *localeTag) parseUnicode(parts []string) bool {
	t.unicode = true
	for len(parts) > 0 && len(parts[0]) > 2 {
		if !slices.Contains(t.attributes, parts[0]) {
			t.attributes = append(t.attributes, parts[0])
		}
		parts = parts[1:]
	}
	slices.Sort(t.attributes)
	for len(parts) > 0 {
		key := parts[0]
		if len(key) != 2 || !isAlpha(key[1:]) {
			return false
		}
		end := 1
		for end < len(parts) && len(parts[end]) > 2 {
			end++
		}
		if _, ok := t.keyword(key); !ok {
			t.keywords = append(t.keywords, keyword{key, canonicalType(key, strings.Join(parts[1:end], "-"))})
		}
		parts = parts[end:]
	}
	slices.SortFunc(t.keywords, func(a, b keyword) int { return strings.Compare(a.key, b.key) })
	return true
}

// parseTransform reads what follows -t-: a language and fields.
func parseTransform(parts []string) (string, bool) {
	var out []string
	if n := len(parts[0]); isAlpha(parts[0]) && n != 4 && (n > 2 || n == 2) {
		source := &localeTag{}
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

// keyword returns the value of a key of the Unicode extension, and whether it is there.
func (t *localeTag) keyword(key string) (value string, ok bool) {
	for _, k := range t.keywords {
		if k.key == key {
			return k.value, true
		}
	}
	return "", false
}

// setKeyword sets the value of a key of the Unicode extension.
func (t *localeTag) setKeyword(key, value string) {
	t.removeKeyword(key)
	t.unicode = true
	t.keywords = append(t.keywords, keyword{key, canonicalType(key, value)})
	slices.SortFunc(t.keywords, func(a, b keyword) int { return strings.Compare(a.key, b.key) })
}

// removeKeyword removes a key of the Unicode extension.
func (t *localeTag) removeKeyword(key string) {
	t.keywords = slices.DeleteFunc(slices.Clone(t.keywords), func(k keyword) bool { return k.key == key })
}

// base returns the tag without extensions: language, script, region and variants.
func (t *localeTag) base() string {
	parts := []string{t.language}
	if t.script != "" {
		parts = append(parts, t.script)
	}
	if t.region != "" {
		parts = append(parts, t.region)
	}
	return strings.Join(append(parts, t.variants...), "-")
}

// String returns the whole tag.
func (t *localeTag) String() string {
	var extensions []string
	if unicode := t.unicodeExtension(); unicode != "" {
		extensions = append(extensions, unicode)
	}
	if t.transform != "" {
		extensions = append(extensions, "t-"+t.transform)
	}
	extensions = append(extensions, t.extensions...)
	slices.SortStableFunc(extensions, func(a, b string) int { return extensionOrder(a) - extensionOrder(b) })
	return strings.Join(append([]string{t.base()}, extensions...), "-")
}

func (t *localeTag) unicodeExtension() string {
	if len(t.attributes) == 0 && len(t.keywords) == 0 {
		return ""
	}
	parts := append([]string{"u"}, t.attributes...)
	for _, k := range t.keywords {
		parts = append(parts, k.key)
		if k.value != "" {
			parts = append(parts, k.value)
		}
	}
	return strings.Join(parts, "-")
}

// CanonicalTag returns the canonical form of a language tag, and whether it is one.
func CanonicalTag(text string) (string, bool) {
	t, ok := parseTag(text)
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
