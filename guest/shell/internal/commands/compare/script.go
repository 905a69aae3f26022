package compare

import "math"

// A change is where two files differ: lines of the first that are replaced by lines of the second. Lines count from 0.
type change struct {
	at, other         int // where the lines are in the first file, and in the second
	deleted, inserted int
	ignored           bool // it is only of lines that do not matter
}

// changes returns how two files differ, which are lists of lines that are the same if their numbers are.
//
// It finds what GNU diff finds: Myers' algorithm from both ends, without the lines that certainly or probably have no
// counterpart, and then each run of changes moved to where it joins others, or else to the end of where it could be.
func changes(a, b []int, minimal bool) []change {
	// Changed lines have marks, with one more at each end.
	marks := [2][]bool{make([]bool, len(a)+2), make([]bool, len(b)+2)}
	files := [2][]int{a, b}
	s := &search{cost: math.MaxInt}
	discarded := [2][]discard{confusing(a, b), confusing(b, a)}
	for f, lines := range files {
		for i, line := range lines {
			if !minimal && discarded[f][i] != keep {
				marks[f][i+1] = true
				continue
			}
			s.lines[f] = append(s.lines[f], line)
			s.places[f] = append(s.places[f], i+1)
		}
	}
	s.marks = marks
	diagonals := len(s.lines[0]) + len(s.lines[1]) + 3
	s.forward, s.backward = make([]int, diagonals), make([]int, diagonals)
	s.zero = len(s.lines[1]) + 1
	if !minimal {
		cost := 1
		for n := diagonals; n > 0; n >>= 2 {
			cost <<= 1
		}
		s.cost = max(4096, cost)
	}
	s.compare(0, len(s.lines[0]), 0, len(s.lines[1]), minimal)
	shift(a, marks[0], marks[1])
	shift(b, marks[1], marks[0])
	return collect(marks)
}

// collect makes changes of marks.
func collect(marks [2][]bool) []change {
	var all []change
	for i, j := 1, 1; i < len(marks[0]) && j < len(marks[1]); i, j = i+1, j+1 {
		c := change{at: i - 1, other: j - 1}
		for ; marks[0][i]; i++ {
			c.deleted++
		}
		for ; marks[1][j]; j++ {
			c.inserted++
		}
		if c.deleted+c.inserted > 0 {
			all = append(all, c)
		}
	}
	return all
}

// A discard says whether a line is left out of the search.
type discard byte

const (
	keep     discard = iota
	unique           // it is not in the other file
	frequent         // it is in the other file so often that it is left out if it is among those that are
)

// confusing says which lines to leave out.
func confusing(lines, other []int) []discard {
	counts := map[int]int{}
	for _, line := range other {
		counts[line]++
	}
	many := 5
	for n := len(lines) / 64 >> 2; n > 0; n >>= 2 {
		many *= 2
	}
	d := make([]discard, len(lines))
	for i, line := range lines {
		if n := counts[line]; n == 0 {
			d[i] = unique
		} else if n > many {
			d[i] = frequent
		}
	}
	for i := 0; i < len(d); i++ {
		if d[i] != unique {
			d[i] = keep
			continue
		}
		end := i
		for end < len(d) && d[end] != keep {
			end++
		}
		last := end
		for d[last-1] == frequent {
			last--
			d[last] = keep
		}
		thin(d[i:last])
		i = last - 1
	}
	return d
}

// thin keeps lines of a run, which begins and ends with unique ones, that are frequent but too many, or near its ends.
func thin(run []discard) {
	count := 0
	for _, d := range run {
		if d == frequent {
			count++
		}
	}
	if count*4 > len(run) {
		for i := range run {
			if run[i] == frequent {
				run[i] = keep
			}
		}
		return
	}
	most := 1
	for n := len(run) >> 2 >> 2; n > 0; n >>= 2 {
		most <<= 1
	}
	for i := 0; i < len(run); {
		end := i
		for end < len(run) && run[end] == frequent {
			end++
		}
		if end-i > most {
			for j := i; j < end; j++ {
				run[j] = keep
			}
		}
		i = end + 1
	}
	edge := func(at func(i int) *discard) {
		consecutive := 0
		for i := range run {
			switch d := at(i); {
			case i >= 8 && *d == unique:
				return
			case *d == unique:
				consecutive++
			default:
				*d, consecutive = keep, 0
			}
			if consecutive == 3 {
				return
			}
		}
	}
	edge(func(i int) *discard { return &run[i] })
	edge(func(i int) *discard { return &run[len(run)-1-i] })
}

// A search looks for the changes between two lists of lines.
type search struct {
	lines, places     [2][]int
	marks             [2][]bool
	forward, backward []int // how far the search has come on each diagonal, from zero on
	zero              int
	cost              int // after how many steps it takes what it has
}

// compare marks the changes between lines from x to xEnd and from y to yEnd.
func (s *search) compare(x, xEnd, y, yEnd int, minimal bool) {
	a, b := s.lines[0], s.lines[1]
	for {
		for x < xEnd && y < yEnd && a[x] == b[y] {
			x, y = x+1, y+1
		}
		for x < xEnd && y < yEnd && a[xEnd-1] == b[yEnd-1] {
			xEnd, yEnd = xEnd-1, yEnd-1
		}
		if x == xEnd || y == yEnd {
			for ; x < xEnd; x++ {
				s.marks[0][s.places[0][x]] = true
			}
			for ; y < yEnd; y++ {
				s.marks[1][s.places[1][y]] = true
			}
			return
		}
		xMiddle, yMiddle, low, high := s.middle(x, xEnd, y, yEnd, minimal)
		s.compare(x, xMiddle, y, yMiddle, low)
		x, y, minimal = xMiddle, yMiddle, high
	}
}

// middle finds a point that a shortest path of changes goes through, or nearly so, and says of which parts to find the
// shortest paths.
func (s *search) middle(xBegin, xEnd, yBegin, yEnd int, minimal bool) (x, y int, low, high bool) {
	a, b := s.lines[0], s.lines[1]
	forward := func(d int) *int { return &s.forward[s.zero+d] }
	backward := func(d int) *int { return &s.backward[s.zero+d] }
	least, most := xBegin-yEnd, xEnd-yBegin
	fMiddle, bMiddle := xBegin-yBegin, xEnd-yEnd
	fLeast, fMost, bLeast, bMost := fMiddle, fMiddle, bMiddle, bMiddle
	odd := (fMiddle-bMiddle)&1 != 0
	*forward(fMiddle), *backward(bMiddle) = xBegin, xEnd
	for steps := 1; ; steps++ {
		if fLeast > least {
			fLeast--
			*forward(fLeast - 1) = -1
		} else {
			fLeast++
		}
		if fMost < most {
			fMost++
			*forward(fMost + 1) = -1
		} else {
			fMost--
		}
		for d := fMost; d >= fLeast; d -= 2 {
			x = max(*forward(d - 1)+1, *forward(d + 1))
			for y = x - d; x < xEnd && y < yEnd && a[x] == b[y]; x, y = x+1, y+1 {
			}
			*forward(d) = x
			if odd && bLeast <= d && d <= bMost && *backward(d) <= x {
				return x, y, true, true
			}
		}
		if bLeast > least {
			bLeast--
			*backward(bLeast - 1) = math.MaxInt
		} else {
			bLeast++
		}
		if bMost < most {
			bMost++
			*backward(bMost + 1) = math.MaxInt
		} else {
			bMost--
		}
		for d := bMost; d >= bLeast; d -= 2 {
			x = min(*backward(d - 1), *backward(d + 1)-1)
			for y = x - d; x > xBegin && y > yBegin && a[x-1] == b[y-1]; x, y = x-1, y-1 {
			}
			*backward(d) = x
			if !odd && fLeast <= d && d <= fMost && x <= *forward(d) {
				return x, y, true, true
			}
		}
		if minimal || steps < s.cost {
			continue
		}
		// It takes too long: go on from the point that is farthest from its end.
		fBest, fX := -1, 0
		for d := fMost; d >= fLeast; d -= 2 {
			x := min(*forward(d), xEnd)
			if x-d > yEnd {
				x = yEnd + d
			}
			if sum := 2*x - d; sum > fBest {
				fBest, fX = sum, x
			}
		}
		bBest, bX := math.MaxInt, 0
		for d := bMost; d >= bLeast; d -= 2 {
			x := max(*backward(d), xBegin)
			if x-d < yBegin {
				x = yBegin + d
			}
			if sum := 2*x - d; sum < bBest {
				bBest, bX = sum, x
			}
		}
		if xEnd+yEnd-bBest < fBest-(xBegin+yBegin) {
			return fX, fBest - fX, true, false
		}
		return bX, bBest - bX, false, true
	}
}

// shift moves each run of changed lines of a file, as far as the lines around it are the same: to join it with other
// runs, or else forward, but not beyond the last place where there is a change in the other file, too.
func shift(lines []int, changed, other []bool) {
	same := func(i, j int) bool { return lines[i-1] == lines[j-1] }
	end := len(lines) + 1
	for i, j := 1, 1; ; {
		// j is the line of the other file that belongs to line i.
		for i < end && !changed[i] {
			for other[j] {
				j++
			}
			i, j = i+1, j+1
		}
		if i == end {
			return
		}
		start := i
		for changed[i] {
			i++
		}
		for other[j] {
			j++
		}
		matching := end
		for length := -1; length != i-start; {
			length = i - start
			for start > 1 && same(start-1, i-1) {
				start, i = start-1, i-1
				changed[start], changed[i] = true, false
				for changed[start-1] {
					start--
				}
				for j--; other[j]; j-- {
				}
			}
			matching = end
			if other[j-1] {
				matching = i
			}
			for i != end && same(start, i) {
				changed[start], changed[i] = false, true
				start, i = start+1, i+1
				for changed[i] {
					i++
				}
				for j++; other[j]; j++ {
					matching = i
				}
			}
		}
		for matching < i {
			start, i = start-1, i-1
			changed[start], changed[i] = true, false
			for j--; other[j]; j-- {
			}
		}
	}
}
