package jsregexp

import (
	"slices"
	"sync"
	"unicode"
)

// caseTable has the characters that are the same but for their case, by each of them, and all of these in order.
type caseTable struct {
	others map[rune][]rune
	all    []rune
}

var folding = sync.OnceValue(func() *caseTable { return newCaseTable(fold) })

// uppercase is what is compared without the flags u and v.
var uppercase = sync.OnceValue(func() *caseTable {
	return newCaseTable(func(c rune) rune {
		upper := unicode.ToUpper(c)
		if c > 0xffff || upper > 0xffff || c >= 0x80 && upper < 0x80 || longUpper(c) {
			return c
		}
		return upper
	})
})

// longUpper reports whether there is one character for an uppercase that is written with two.
func longUpper(c rune) bool {
	if c >= 0x1f80 && c <= 0x1faf {
		return true
	}
	switch c {
	case 0x1fb3, 0x1fbc, 0x1fc3, 0x1fcc, 0x1ff3, 0x1ffc:
		return true
	}
	return false
}

// fold returns the first of all characters that are the same but for their case.
func fold(c rune) rune {
	first := c
	for r := unicode.SimpleFold(c); r != c; r = unicode.SimpleFold(r) {
		first = min(first, r)
	}
	return first
}

func newCaseTable(canonical func(rune) rune) *caseTable {
	same := map[rune][]rune{}
	for _, table := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.S} {
		each(table, func(c rune) {
			if r := canonical(c); r != c {
				if same[r] == nil {
					same[r] = []rune{r}
				}
				same[r] = append(same[r], c)
			}
		})
	}
	t := &caseTable{others: map[rune][]rune{}}
	for _, members := range same {
		slices.Sort(members)
		for _, c := range members {
			t.others[c] = slices.DeleteFunc(slices.Clone(members), func(r rune) bool { return r == c })
			t.all = append(t.all, c)
		}
	}
	slices.Sort(t.all)
	return t
}

func each(table *unicode.RangeTable, do func(rune)) {
	for _, r := range table.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			do(c)
		}
	}
	for _, r := range table.R32 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			do(c)
		}
	}
}

func cases(unicodeMode bool) *caseTable {
	if unicodeMode {
		return folding()
	}
	return uppercase()
}

// equivalents returns the characters that are the same as c but for their case.
func equivalents(c rune, unicodeMode bool) []rune { return cases(unicodeMode).others[c] }

// otherCases returns the characters outside a range that are the same as one in it but for their case, and how many it
// has looked at.
func otherCases(low, high rune, unicodeMode bool) (more []rune, work int) {
	t := cases(unicodeMode)
	i, _ := slices.BinarySearch(t.all, low)
	for ; i < len(t.all) && t.all[i] <= high; i++ {
		work++
		for _, c := range t.others[t.all[i]] {
			if c < low || c > high {
				more = append(more, c)
			}
		}
	}
	slices.Sort(more)
	return slices.Compact(more), work
}
