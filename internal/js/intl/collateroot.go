package intl

import (
	"encoding/binary"
	"slices"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// A weight of a character at the three levels of collation; upper is its case. Weights of the root collation are
// spaced, so that tailorings fit in between.
type collationElement struct {
	primary, secondary, tertiary uint32
	upper                        uint8 // 0 lower case or none, 1 mixed, 2 upper
}

const (
	primarySpace   = 1 << 16
	secondarySpace = 1 << 12
	tertiarySpace  = 1 << 12

	commonSecondary = 0x20 * secondarySpace
	commonTertiary  = 0x02 * tertiarySpace

	// Characters without weights of their own, mostly Han, come last: in groups, and by their number.
	implicitPrimary = 1 << 31
	implicitSpace   = 64

	implicitMark = 0x20000 // in the data: added to a character that stands for its weight
)

// rootCollation is CLDR's root collation. It is immutable.
type rootCollation struct {
	pages        map[rune]*[256]uint32 // for r>>8: index of the first element <<8 | their number; 0 if there are none
	elements     []collationElement
	contractions map[rune][]contraction // by the first character, the longest first
	primaries    []uint32               // sorted
	lastVariable uint32
	lastRegular  uint32
	lastIgnored  uint32 // the highest secondary weight without a primary one
	digitZero    uint32 // primary weights of digits
	digitNine    uint32
}

// A contraction is a sequence of characters with weights of its own. If there is a prefix, it stands only after that.
type contraction struct {
	suffix   []rune // what follows the first character
	prefix   []rune
	elements []collationElement
}

var rootTable = sync.OnceValue(loadRootCollation)

func loadRootCollation() *rootCollation {
	data, err := files.ReadFile("data/collation.bin")
	if err != nil {
		panic("intl: " + err.Error())
	}
	d := varints(inflate(data))
	c := &rootCollation{pages: map[rune]*[256]uint32{}, contractions: map[rune][]contraction{}}
	last, primary := 0, 0
	for len(d) > 0 {
		text := make([]rune, d.unsigned())
		for i := range text {
			last += d.signed()
			text[i] = rune(last)
		}
		start := len(c.elements)
		for range d.unsigned() {
			primary += d.signed()
			secondary, tertiary := d.unsigned(), d.unsigned()
			e := collationElement{
				primary: uint32(primary) * primarySpace, secondary: uint32(secondary) * secondarySpace,
				tertiary: uint32(tertiary>>1) * tertiarySpace, upper: caseOf(tertiary >> 1),
			}
			if primary >= implicitMark {
				e.primary = implicit(rune(primary - implicitMark)).primary
			}
			if tertiary&1 != 0 {
				c.lastVariable = max(c.lastVariable, e.primary)
			}
			if primary == 0 {
				c.lastIgnored = max(c.lastIgnored, e.secondary)
			} else if primary < 0xfb00 { // the rest is for the end of everything
				c.primaries = append(c.primaries, e.primary)
			}
			c.elements = append(c.elements, e)
		}
		if len(text) > 1 {
			own := contraction{suffix: text[1:], elements: c.elements[start:len(c.elements):len(c.elements)]}
			c.contractions[text[0]] = append(c.contractions[text[0]], own)
			continue
		}
		page := c.pages[text[0]>>8]
		if page == nil {
			page = new([256]uint32)
			c.pages[text[0]>>8] = page
		}
		page[text[0]&0xff] = uint32(start)<<8 | uint32(len(c.elements)-start)
	}
	for _, list := range c.contractions {
		sortContractions(list)
	}
	slices.Sort(c.primaries)
	c.primaries = slices.Compact(c.primaries)
	c.lastRegular = c.primaries[len(c.primaries)-1]
	c.digitZero, c.digitNine = c.single('0')[0].primary, c.single('9')[0].primary
	return c
}

func sortContractions(list []contraction) {
	slices.SortStableFunc(list, func(a, b contraction) int {
		if n := len(b.suffix) - len(a.suffix); n != 0 {
			return n
		}
		return len(b.prefix) - len(a.prefix)
	})
}

// caseOf tells the case from a tertiary weight of the root collation.
func caseOf(tertiary int) uint8 {
	switch tertiary {
	case 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0e, 0x11, 0x12, 0x1d:
		return 2
	}
	return 0
}

// single returns the weights of one character: nil if it has none of its own.
func (c *rootCollation) single(r rune) []collationElement {
	page := c.pages[r>>8]
	if page == nil {
		return nil
	}
	at := page[r&0xff]
	n := at & 0xff
	if n == 0 {
		return nil
	}
	return c.elements[at>>8 : at>>8+n : at>>8+n]
}

// implicit returns the weight of a character that has none of its own.
func implicit(r rune) collationElement {
	group := uint32(2)
	switch {
	case r >= 0x4e00 && r <= 0x9fff, r >= 0xfa0e && r <= 0xfa29 && isCoreCompatibility(r):
		group = 0
	case r >= 0x3400 && r <= 0x4dbf, r >= 0x20000 && r <= 0x2a6df, r >= 0x2a700 && r <= 0x2ebe0,
		r >= 0x2ebf0 && r <= 0x2ee5d, r >= 0x30000 && r <= 0x33479:
		group = 1
	}
	return collationElement{
		primary:   implicitPrimary + (group*0x110000+uint32(r))*implicitSpace,
		secondary: commonSecondary, tertiary: commonTertiary,
	}
}

// isCoreCompatibility reports whether a character among the compatibility ideographs is a unified one.
func isCoreCompatibility(r rune) bool {
	return norm.NFD.IsNormalString(string(r))
}

// varints reads numbers from the data.
type varints string

func (d *varints) unsigned() int {
	value, n := binary.Uvarint([]byte((*d)[:min(len(*d), binary.MaxVarintLen64)]))
	*d = (*d)[max(n, 1):]
	return int(value)
}

func (d *varints) signed() int {
	value, n := binary.Varint([]byte((*d)[:min(len(*d), binary.MaxVarintLen64)]))
	*d = (*d)[max(n, 1):]
	return int(value)
}
