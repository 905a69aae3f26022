package intl

import (
	"slices"
	"unicode"
)

// maxRuleText is the longest text of a rule that is looked at, in characters.
const maxRuleText = 16

// A weight is one level of an element while a tailoring is built: one of the root collation, or one that comes after
// such a weight.
type weight struct {
	base  uint32
	list  *weightList // of a tailored weight
	value uint32
}

// A weightList has the tailored weights after one of the root collation, in their order.
type weightList struct {
	base, space uint32
	weights     []*weight
}

// A cell is an element while a tailoring is built.
type cell struct {
	primary, secondary, tertiary *weight
	upper                        uint8
}

type listKey struct {
	primary, secondary *weight
	base               uint32
}

// builder applies the rules of a tailoring to the root collation.
type builder struct {
	root  *rootCollation
	roots [3]map[uint32]*weight
	lists map[listKey]*weightList
	texts map[string][]cell // tailored texts
	order []string
	marks map[string][]rune // prefixes of texts, by prefix and text
}

func newBuilder(root *rootCollation) *builder {
	b := &builder{root: root, lists: map[listKey]*weightList{}, texts: map[string][]cell{}, marks: map[string][]rune{}}
	for i := range b.roots {
		b.roots[i] = map[uint32]*weight{}
	}
	return b
}

// rootWeight returns the weight of the root collation with a value, which is the same for the same value.
func (b *builder) rootWeight(level int, value uint32) *weight {
	w := b.roots[level][value]
	if w == nil {
		w = &weight{base: value, value: value}
		b.roots[level][value] = w
	}
	return w
}

func (b *builder) cells(elements []collationElement) []cell {
	out := make([]cell, len(elements))
	for i, e := range elements {
		out[i] = cell{b.rootWeight(0, e.primary), b.rootWeight(1, e.secondary), b.rootWeight(2, e.tertiary), e.upper}
	}
	return out
}

// find returns the cells of a text.
func (b *builder) find(text []rune) []cell {
	var out []cell
next:
	for i := 0; i < len(text); {
		for n := min(len(text)-i, maxRuleText); n > 0; n-- {
			if cells, ok := b.texts[string(text[i:i+n])]; ok {
				out = append(out, cells...)
				i += n
				continue next
			}
		}
		for _, c := range b.root.contractions[text[i]] {
			if n := len(c.suffix); i+1+n <= len(text) && slices.Equal(c.suffix, text[i+1:i+1+n]) {
				out = append(out, b.cells(c.elements)...)
				i += 1 + n
				continue next
			}
		}
		elements := b.root.single(text[i])
		if elements == nil {
			elements = []collationElement{implicit(text[i])}
		}
		out = append(out, b.cells(elements)...)
		i++
	}
	return out
}

// strength returns the level at which a cell has its first weight.
func (c *cell) strength() int {
	switch {
	case c.primary.value != 0 || c.primary.list != nil:
		return 1
	case c.secondary.value != 0 || c.secondary.list != nil:
		return 2
	case c.tertiary.value != 0 || c.tertiary.list != nil:
		return 3
	}
	return 4
}

// list returns the tailored weights after a weight of the root collation, or before it.
func (b *builder) list(level int, c cell, base uint32, before bool) *weightList {
	key := listKey{base: base}
	space := uint32(primarySpace)
	switch level {
	case 1:
		if base >= implicitPrimary {
			space = implicitSpace
		} else if base == b.root.lastRegular {
			space = implicitPrimary - base
		}
	case 2:
		key.primary, space = c.primary, secondarySpace/2
	case 3:
		key.primary, key.secondary, space = c.primary, c.secondary, tertiarySpace/2
	}
	if before {
		key.base = base - space
	}
	l := b.lists[key]
	if l == nil {
		l = &weightList{base: key.base, space: space}
		b.lists[key] = l
	}
	return l
}

// level returns a pointer to a cell's weight at a level.
func (c *cell) level(n int) **weight {
	switch n {
	case 1:
		return &c.primary
	case 2:
		return &c.secondary
	}
	return &c.tertiary
}

// insert puts a weight into a list, at an index.
func (l *weightList) insert(i int) *weight {
	w := &weight{base: l.base, list: l}
	l.weights = slices.Insert(l.weights, i, w)
	return w
}

// after returns the cell that follows another one at a level, before all others that do.
func (b *builder) after(level int, c cell) cell {
	at := *c.level(level)
	l, i := at.list, 0
	switch {
	case l == nil:
		l = b.list(level, c, at.base, false)
	case len(l.weights) > 0:
		if i = len(l.weights); l.weights[i-1] != at { // the last one is the usual case, in lists of thousands
			i = slices.Index(l.weights, at) + 1
		}
	}
	return b.with(level, c, l.insert(i))
}

// with returns a cell with another weight at a level and common ones below.
func (b *builder) with(level int, c cell, w *weight) cell {
	*c.level(level) = w
	if level < 2 {
		c.secondary = b.rootWeight(1, commonSecondary)
	}
	if level < 3 {
		c.tertiary = b.rootWeight(2, commonTertiary)
	}
	return c
}

// before returns a cell such that what is inserted after it comes directly before another one.
func (b *builder) before(level int, c cell) cell {
	at := *c.level(level)
	if l := at.list; l != nil {
		if i := slices.Index(l.weights, at); i > 0 {
			return b.with(level, c, l.weights[i-1])
		}
		if level == 1 {
			return b.with(level, c, b.rootWeight(0, l.base))
		}
		return b.with(level, c, b.rootWeight(level-1, l.base))
	}
	if level == 1 {
		i, _ := slices.BinarySearch(b.root.primaries, at.base)
		if i == 0 {
			return c
		}
		previous := b.root.primaries[i-1]
		l := b.list(1, c, previous, false)
		if n := len(l.weights); n > 0 {
			return b.with(1, c, l.weights[n-1])
		}
		return b.with(1, c, b.rootWeight(0, previous))
	}
	l := b.list(level, c, at.base, true)
	if n := len(l.weights); n > 0 {
		return b.with(level, c, l.weights[n-1])
	}
	// A place before all of them: the weight itself is never used.
	return b.with(level, c, &weight{base: l.base, list: l, value: l.base})
}

// position returns the cell of a special position.
func (b *builder) position(name string) cell {
	p, s := uint32(0), uint32(commonSecondary)
	switch name {
	case "last regular", "last implicit", "last trailing":
		p = b.root.lastRegular
	case "first regular":
		i, _ := slices.BinarySearch(b.root.primaries, b.root.lastVariable+1)
		p = b.root.primaries[min(i, len(b.root.primaries)-1)]
	case "last variable":
		p = b.root.lastVariable
	case "first variable":
		p = b.root.primaries[0]
	case "last primary ignorable":
		s = b.root.lastIgnored
	default:
		s = 0
	}
	return cell{b.rootWeight(0, p), b.rootWeight(1, s), b.rootWeight(2, commonTertiary), 0}
}

// apply applies the rules in their order.
func (b *builder) apply(relations []tailoredText) {
	var cells []cell
	for _, r := range relations {
		if r.reset {
			switch {
			case r.special != "":
				cells = []cell{b.position(r.special)}
			default:
				cells = b.find(r.text)
			}
			if r.before > 0 && r.before < 4 && len(cells) > 0 {
				cells = trim(cells, r.before)
				cells[len(cells)-1] = b.before(r.before, cells[len(cells)-1])
			}
			continue
		}
		if len(cells) == 0 || len(r.text) == 0 || len(r.text) > maxRuleText {
			continue
		}
		if r.level < 4 {
			cells = trim(cells, r.level)
			last := &cells[len(cells)-1]
			*last = b.after(r.level, *last)
		}
		own := slices.Clone(cells)
		b.setCase(own, r.text)
		own = append(own, b.find(r.extension)...)
		b.put(r, own)
	}
}

// trim returns a copy of cells without those at the end that are weaker than a level.
func trim(cells []cell, level int) []cell {
	n := len(cells)
	for n > 1 && cells[n-1].strength() > level {
		n--
	}
	return slices.Clone(cells[:n])
}

// setCase gives cells the case of a text.
func (b *builder) setCase(cells []cell, text []rune) {
	upper, lower := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLetter(r):
			lower++
		}
	}
	c := uint8(0)
	switch {
	case upper > 0 && lower > 0:
		c = 1
	case upper > 0:
		c = 2
	}
	for i := range cells {
		if cells[i].strength() == 1 {
			cells[i].upper = c
		}
	}
}

// put keeps the cells of a rule's text.
func (b *builder) put(r tailoredText, cells []cell) {
	key := string(r.text)
	if len(r.prefix) > 0 {
		key = string(r.prefix) + "\x00" + key
		b.marks[key] = r.prefix
	}
	if _, ok := b.texts[key]; !ok {
		b.order = append(b.order, key)
	}
	b.texts[key] = cells
}

// finish gives the tailored weights their values.
func (b *builder) finish() {
	for _, l := range b.lists {
		for i, w := range l.weights {
			w.value = l.base + uint32(uint64(l.space)*uint64(i+1)/uint64(len(l.weights)+1))
		}
	}
}

func elementsOf(cells []cell) []collationElement {
	out := make([]collationElement, len(cells))
	for i, c := range cells {
		out[i] = collationElement{c.primary.value, c.secondary.value, c.tertiary.value, c.upper}
	}
	return out
}
