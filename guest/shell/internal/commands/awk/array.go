package awk

import (
	"slices"
	"strconv"
	"strings"
)

// A cell is a variable or an element: a scalar or an array.
type cell struct {
	v   value
	arr *array
	ref *cell  // the argument that a parameter which has not been used yet stands for
	seq uint32 // the order in which elements were made
}

// An array has elements by their subscripts.
type array struct {
	m    map[string]*cell
	next uint32
}

func newArray() *array { return &array{m: map[string]*cell{}} }

// at returns an element, and makes it if it is not there.
func (a *array) at(key string) *cell {
	c := a.m[key]
	if c == nil {
		c = &cell{seq: a.next}
		a.next++
		a.m[strings.Clone(key)] = c
	}
	return c
}

func (a *array) set(key string, v value) { a.at(key).v = v }

func (a *array) clear() { clear(a.m) }

// array returns the array of a cell. It panics if it is a scalar.
func (c *cell) array(name string) *array {
	if c.arr == nil {
		switch {
		case c.ref != nil:
			c.arr = c.ref.array(name)
		case c.v.kind != none:
			panic(fatal("attempt to use scalar `" + name + "' as an array"))
		default:
			c.arr = newArray()
		}
	}
	return c.arr
}

// scalar returns the cell of a variable, which must not be an array.
func (c *cell) scalar(name string) *cell {
	if c.isArray() {
		panic(fatal("attempt to use array `" + name + "' in a scalar context"))
	}
	return c
}

// isArray says whether a cell is known to be an array.
func (c *cell) isArray() bool {
	for c.arr == nil && c.ref != nil {
		c = c.ref
	}
	return c.arr != nil
}

// keys returns the subscripts in the order in which a loop goes through them. As in gawk, an array whose first
// subscript is a whole number has the others first, and then its numbers in ascending order. Other arrays are in the
// order in which their elements were made; gawk's is that of a hash table.
func (a *array) keys() []string {
	type entry struct {
		key string
		seq uint32
	}
	entries := make([]entry, 0, len(a.m))
	for key, c := range a.m {
		entries = append(entries, entry{key, c.seq})
	}
	slices.SortFunc(entries, func(a, b entry) int { return int(a.seq) - int(b.seq) })
	var words []string
	var numbers []int
	whole := len(entries) > 0 && isIndex(entries[0].key)
	for _, e := range entries {
		if whole && isIndex(e.key) {
			n, _ := strconv.Atoi(e.key)
			numbers = append(numbers, n)
		} else {
			words = append(words, e.key)
		}
	}
	list := words
	slices.Sort(numbers)
	for _, n := range numbers {
		list = append(list, strconv.Itoa(n))
	}
	return list
}

// isIndex says whether a subscript is a whole number that is not negative.
func isIndex(s string) bool {
	if s == "" || len(s) > 9 || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
