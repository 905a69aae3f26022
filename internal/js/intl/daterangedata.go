package intl

import (
	"slices"
	"strings"
)

// The largest field in which the ends of a range differ.
const (
	diffEra = iota
	diffYear
	diffMonth
	diffDay
	diffHalf // of the day
	diffHour
	diffMinute
	diffSecond
	diffFraction
	diffNone
)

// diffLetters are the letters of CLDR's interval patterns for the fields in which ends can differ.
var diffLetters = map[string]int{
	"G": diffEra, "y": diffYear, "M": diffMonth, "d": diffDay, "a": diffHalf, "B": diffHalf,
	"h": diffHour, "H": diffHour,
	"m": diffMinute,
}

// rangeData has a calendar's interval patterns by skeleton and by the field that differs.
type rangeData struct {
	skeletons []string // sorted
	widths    []map[byte]int
	patterns  map[string]*[diffSecond]string
}

func newRangeData(c *calendarData) *rangeData {
	r := &rangeData{patterns: map[string]*[diffSecond]string{}}
	for i := 0; i+1 < len(c.intervals); i += 2 {
		skeleton, letter, _ := strings.Cut(c.intervals[i], "/")
		diff, ok := diffLetters[letter]
		if !ok {
			continue
		}
		p := r.patterns[skeleton]
		if p == nil {
			p = new([diffSecond]string)
			r.patterns[skeleton] = p
			r.skeletons = append(r.skeletons, skeleton)
		}
		p[diff] = c.intervals[i+1]
	}
	slices.Sort(r.skeletons)
	for _, skeleton := range r.skeletons {
		r.widths = append(r.widths, letterWidths(skeleton))
	}
	return r
}

// letterWidths counts the letters of a skeleton.
func letterWidths(skeleton string) map[byte]int {
	widths := map[byte]int{}
	for i := range len(skeleton) {
		widths[skeleton[i]]++
	}
	return widths
}

// How the fields of two skeletons compare.
const (
	sameSkeleton     = 0
	otherWidths      = 1
	otherLetters     = 2 // letters that the data does not have, such as z for v
	otherFields      = -1
	fieldDistance    = 0x1000
	numericDistance  = 0x100
	startOfRange     = "startRange"
	endOfRange       = "endRange"
	sharedInRange    = "shared"
	shortestDateOnly = "yMd"
)

// best returns the skeleton of the data that is nearest to another one, and how they compare.
func (r *rangeData) best(skeleton string) (string, int) {
	replaced := strings.ContainsAny(skeleton, "zkKab")
	if replaced {
		skeleton = strings.NewReplacer("z", "v", "k", "H", "K", "h", "a", "", "b", "").Replace(skeleton)
	}
	mine := letterWidths(skeleton)
	best, least, result := "", int(^uint(0)>>1), otherFields
	for i, candidate := range r.skeletons {
		its := r.widths[i]
		distance, comparison := 0, otherWidths
		for char := byte('A'); char <= 'z'; char++ {
			a, b := mine[char], its[char]
			switch {
			case a == b:
			case a == 0 || b == 0:
				comparison = otherFields
				distance += fieldDistance
			case char == 'M' && (a <= 2) != (b <= 2):
				distance += numericDistance
			default:
				distance += max(a-b, b-a)
			}
		}
		if distance < least {
			best, least, result = candidate, distance, comparison
		}
		if distance == 0 {
			result = sameSkeleton
			break
		}
	}
	if replaced && result != otherFields {
		result = otherLetters
	}
	return best, result
}
