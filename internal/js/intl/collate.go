package intl

import (
	"errors"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// collatorOptions are those of Intl.Collator, resolved.
type collatorOptions struct {
	data      string // the locale of the data
	collation string // the collation, as -u-co- names it: empty for the usual one
	search    bool
	level     string // sensitivity: base, accent, case, variant
	shifted   bool   // punctuation is ignored
	numeric   bool
	caseFirst string // upper, lower; other values mean neither
}

// A Collator compares texts. It is immutable.
type Collator struct {
	table     *collationTable
	secondary bool // accents count
	cases     bool // case counts, though accents do not
	tertiary  bool
	shifted   bool
	numeric   bool
	caseFirst int // 1 upper, 2 lower
}

// collationTypes are the names of the data for values of -u-co- that have other ones.
var collationTypes = map[string]string{"phonebk": "phonebook", "trad": "traditional"}

func collationType(value string) string {
	if name := collationTypes[value]; name != "" {
		return name
	}
	return value
}

// hasCollation reports whether a locale of the data has a collation of its own by a value of -u-co-.
func hasCollation(data, value string) bool {
	switch value {
	case "", "standard", "search":
		return false
	case "pinyin":
		return languageOf(data) == "zh"
	}
	return rulesName(data, collationType(value)) != ""
}

// punctuationIgnored reports whether a locale ignores punctuation if nothing else is asked for.
func punctuationIgnored(data string) bool { return languageOf(data) == "th" }

// upperFirst reports whether a locale sorts upper case first if nothing else is asked for.
func upperFirst(data string) bool {
	language := languageOf(data)
	return language == "da" || language == "mt"
}

// newCollator returns the collator for options.
func newCollator(o collatorOptions) *Collator {
	kind := collationType(o.collation)
	if kind == "pinyin" && !strings.HasPrefix(o.data, "zh-Hant") {
		kind = ""
	}
	if o.search {
		kind = "search"
	}
	c := &Collator{
		table:     collationFor(o.data, kind),
		secondary: o.level == "accent" || o.level == "variant",
		cases:     o.level == "case", tertiary: o.level == "variant",
		shifted: o.shifted, numeric: o.numeric,
	}
	switch o.caseFirst {
	case "upper":
		c.caseFirst = 1
	case "lower":
		c.caseFirst = 2
	}
	return c
}

// errLongText is the error for texts that would take too much memory to compare.
var errLongText = errors.New("the texts are too long to be compared")

const (
	// maxElements is how many elements a text can have: some have more than one for a character. Each has 16 bytes.
	maxElements = 2 << 20
	// maxElementsText is the length of texts that may have no more, in bytes.
	maxElementsText = 4 * maxElements
)

// Compare returns whether a text sorts before (-1), with (0) or after (1) another one. The error is errLongText; lines
// at the beginning that both have in common do not count.
func (c *Collator) Compare(a, b string) (int, error) {
	if a == b {
		return 0, nil
	}
	if len(a) > maxKeptElements && !c.table.backwards {
		n := commonLines(a, b)
		a, b = a[n:], b[n:]
	}
	return c.compareElements(a, b)
}

// commonLines returns how many bytes are the same at the beginning of two texts, up to the end of a line, which no
// rule looks across.
func commonLines(a, b string) int {
	end := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '\n' {
			end = i
		}
	}
	return end
}

// simple appends the elements of a text of simple characters only; it is false for others.
func (c *Collator) simple(out []collationElement, text string) ([]collationElement, bool) {
	t := c.table
	if len(text) > maxElements {
		return out, false
	}
	for i := range len(text) {
		ch := text[i]
		if ch >= utf8.RuneSelf || t.ascii[ch].complex || c.numeric && ch >= '0' && ch <= '9' {
			return out, false
		}
		out = append(out, t.ascii[ch].collationElement)
	}
	return out, true
}

// weight returns what an element weighs at a level: 0 for what does not count. Level 4 is the case.
func (c *Collator) weight(e *collationElement, level int) uint32 {
	if c.shifted && e.primary != 0 && e.primary <= c.table.root.lastVariable {
		return 0
	}
	switch level {
	case 1:
		return e.primary
	case 2:
		return e.secondary
	case 4:
		if e.primary == 0 {
			return 0
		}
		if c.caseFirst == 1 {
			return 3 - uint32(e.upper)
		}
		return 1 + uint32(e.upper)
	}
	if c.caseFirst == 0 || e.tertiary == 0 {
		return e.tertiary
	}
	rank := uint32(e.upper)
	if c.caseFirst == 1 {
		rank = 2 - rank
	}
	if e.primary == 0 {
		rank = 3
	}
	return (rank+1)<<24 | e.tertiary
}

// collationBuffers are the elements of two texts.
type collationBuffers struct{ a, b []collationElement }

var collationPool = sync.Pool{New: func() any { return new(collationBuffers) }}

// maxKeptElements is how long a buffer may be that is kept for other comparisons.
const maxKeptElements = 4096

func (c *Collator) compareElements(a, b string) (int, error) {
	if max(len(a), len(b)) > maxElementsText {
		return 0, errLongText
	}
	buffers := collationPool.Get().(*collationBuffers)
	defer buffers.release()
	var ok, ok2 bool
	if buffers.a, ok = c.simple(buffers.a[:0], a); ok {
		buffers.b, ok2 = c.simple(buffers.b[:0], b)
	}
	if !ok || !ok2 {
		if buffers.a, ok = c.elements(buffers.a[:0], a); ok {
			buffers.b, ok = c.elements(buffers.b[:0], b)
		}
		if !ok {
			return 0, errLongText
		}
	}
	x, y := buffers.a, buffers.b
	for _, level := range c.levels() {
		backwards := level == 2 && c.table.backwards
		if backwards {
			slices.Reverse(x)
			slices.Reverse(y)
		}
		if r := c.compareLevel(x, y, level); r != 0 {
			return r, nil
		}
		if backwards {
			slices.Reverse(x)
			slices.Reverse(y)
		}
	}
	return 0, nil
}

// release keeps the buffers for other comparisons, unless they have become long.
func (b *collationBuffers) release() {
	if cap(b.a)+cap(b.b) <= maxKeptElements {
		collationPool.Put(b)
	}
}

var collationLevels = [8][]int{{1}, {1, 2}, {1, 4}, {1, 2, 4}, {1, 3}, {1, 2, 3}, {1, 4, 3}, {1, 2, 4, 3}}

// levels returns the levels that count, in order. Level 4 is the case.
func (c *Collator) levels() []int {
	i := 0
	if c.secondary {
		i++
	}
	if c.cases {
		i += 2
	}
	if c.tertiary {
		i += 4
	}
	return collationLevels[i]
}

// AppendKey appends a key of a text: the bytes of two keys compare as their texts do. Of a long text, it may be that of
// its beginning.
func (c *Collator) AppendKey(key []byte, text string) []byte {
	buffers := collationPool.Get().(*collationBuffers)
	defer buffers.release()
	var ok bool
	if buffers.a, ok = c.simple(buffers.a[:0], text); !ok {
		buffers.a, _ = c.elements(buffers.a[:0], text)
	}
	x := buffers.a
	for _, level := range c.levels() {
		if level == 2 && c.table.backwards {
			slices.Reverse(x)
		}
		for i := range x {
			if w := c.weight(&x[i], level); w != 0 {
				key = appendWeight(key, w)
			}
		}
		key = append(key, 0) // below every weight
		if level == 2 && c.table.backwards {
			slices.Reverse(x)
		}
	}
	return key
}

// appendWeight appends a weight other than 0: below manyBytes one byte, else the number of bytes that follow, which
// begins at manyBytes, and these.
func appendWeight(key []byte, weight uint32) []byte {
	const manyBytes = 0xf0
	if weight < manyBytes {
		return append(key, byte(weight))
	}
	n := (bits.Len32(weight) + 7) / 8
	key = append(key, manyBytes+byte(n))
	for i := n - 1; i >= 0; i-- {
		key = append(key, byte(weight>>(8*i)))
	}
	return key
}

func (c *Collator) compareLevel(a, b []collationElement, level int) int {
	i, j := 0, 0
	for {
		var x, y uint32
		for x == 0 && i < len(a) {
			x = c.weight(&a[i], level)
			i++
		}
		for y == 0 && j < len(b) {
			y = c.weight(&b[j], level)
			j++
		}
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
		if x == 0 {
			return 0
		}
	}
}

// elements appends the elements of a text. It is false if there are more than maxElements.
func (c *Collator) elements(out []collationElement, text string) ([]collationElement, bool) {
	runes := []rune(text)
	if !norm.NFD.IsNormalString(text) {
		runes = []rune(norm.NFD.String(text))
	}
	t := c.table
	start := len(out)
	for i := 0; i < len(runes) && len(out) <= maxElements; {
		r := runes[i]
		if c.numeric && unicode.Is(unicode.Nd, r) {
			n := i
			for n < len(runes) && unicode.Is(unicode.Nd, runes[n]) {
				n++
			}
			out = t.number(out, runes[i:n])
			i = n
			continue
		}
		elements, n := t.lookup(runes, i)
		for _, e := range elements {
			out = append(out, t.moved(e))
		}
		i += n
	}
	complete := len(out) <= maxElements
	if c.shifted {
		out = dropIgnored(out, start, t.root.lastVariable)
	}
	return out, complete
}

// dropIgnored removes the elements that follow a variable one and have no primary weight.
func dropIgnored(list []collationElement, start int, lastVariable uint32) []collationElement {
	kept := list[:start]
	after := false
	for _, e := range list[start:] {
		variable := e.primary != 0 && e.primary <= lastVariable
		if variable || e.primary == 0 && after {
			after = true
			continue
		}
		after = false
		kept = append(kept, e)
	}
	return kept
}

// lookup returns the elements for the characters from i, and how many characters these are.
func (t *collationTable) lookup(runes []rune, i int) ([]collationElement, int) {
	r := runes[i]
	list, ok := t.contractions[r]
	if !ok {
		list = t.root.contractions[r]
	}
	if len(list) > 0 && !t.suppress[r] {
		for _, c := range list {
			n := len(c.suffix)
			if i+1+n <= len(runes) && slices.Equal(c.suffix, runes[i+1:i+1+n]) && t.follows(runes, i, c.prefix) {
				if n := skipMarks(runes, i, c.suffix, list); n > 0 {
					return t.lookup(runes, i)
				}
				return c.elements, 1 + n
			}
		}
		if n := skipMarks(runes, i, nil, list); n > 0 {
			return t.lookup(runes, i)
		}
	}
	if elements, ok := t.singles[r]; ok {
		return elements, 1
	}
	if elements := t.root.single(r); elements != nil {
		return elements, 1
	}
	return []collationElement{implicit(r)}, 1
}

// follows reports whether a prefix, which may be empty, is before the character i.
func (t *collationTable) follows(runes []rune, i int, prefix []rune) bool {
	return len(prefix) <= i && slices.Equal(prefix, runes[i-len(prefix):i])
}

// maxMarks is how many combining marks after a character are looked at, so that texts of nothing else take no longer.
const maxMarks = 32

// skipMarks looks for a longer contraction that other combining marks interrupt. If there is one, it moves the mark to
// where the contraction needs it, and returns 1.
func skipMarks(runes []rune, i int, suffix []rune, list []contraction) int {
	at := i + 1 + len(suffix)
	if at >= len(runes) || runes[at] < 0x300 {
		return 0
	}
	last := class(runes[at])
	if last == 0 {
		return 0
	}
	for j := at + 1; j < min(len(runes), at+maxMarks); j++ {
		ccc := class(runes[j])
		if ccc == 0 {
			return 0
		}
		if ccc == last {
			continue // blocked
		}
		last = ccc
		for _, c := range list {
			n := len(suffix)
			if len(c.prefix) == 0 && len(c.suffix) == n+1 && c.suffix[n] == runes[j] &&
				slices.Equal(c.suffix[:n], suffix) {
				mark := runes[j]
				copy(runes[at+1:j+1], runes[at:j])
				runes[at] = mark
				return 1
			}
		}
	}
	return 0
}

// class returns the canonical combining class of a character.
func class(r rune) uint8 {
	if r < 0x300 {
		return 0
	}
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	return norm.NFD.Properties(b[:n]).CCC()
}

// maxDigits is how many digits one element's number can count.
const maxDigits = 254

// number appends the elements of a number, so that numbers are in the order of their values.
func (t *collationTable) number(out []collationElement, digits []rune) []collationElement {
	first := 0
	for first < len(digits)-1 && digitValue(digits[first]) == 0 {
		first++
	}
	digits = digits[first:]
	put := func(value int) {
		primary := t.root.digitNine + 1 + uint32(value)
		out = append(out, collationElement{primary: primary, secondary: commonSecondary, tertiary: commonTertiary})
	}
	for len(digits) > 0 {
		n := min(len(digits), maxDigits)
		put(n)
		for _, r := range digits[:n] {
			put(maxDigits + 1 + digitValue(r))
		}
		digits = digits[n:]
	}
	return out
}

// digitValue returns the value of a decimal digit.
func digitValue(r rune) int {
	if r >= '0' && r <= '9' {
		return int(r - '0')
	}
	// Digits stand in tens; the first of them is the first that is a digit.
	for _, table := range unicode.Nd.R16 {
		if r >= rune(table.Lo) && r <= rune(table.Hi) {
			return int(r-rune(table.Lo)) % 10
		}
	}
	for _, table := range unicode.Nd.R32 {
		if r >= rune(table.Lo) && r <= rune(table.Hi) {
			return int(r-rune(table.Lo)) % 10
		}
	}
	return 0
}
