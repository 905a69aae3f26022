// Command program sorts, hashes, formats and computes, and prints a checksum of it all.
package main

import (
	"hash/crc32"
	"os"
	"slices"
	"strconv"
	"strings"
)

type tree struct {
	left, right *tree
	value       int
}

func (t *tree) insert(value int) *tree {
	if t == nil {
		return &tree{value: value}
	}
	if value < t.value {
		t.left = t.left.insert(value)
	} else {
		t.right = t.right.insert(value)
	}
	return t
}

func (t *tree) walk(visit func(int)) {
	if t != nil {
		t.left.walk(visit)
		visit(t.value)
		t.right.walk(visit)
	}
}

func main() {
	seed := uint32(1)
	random := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}

	var numbers []int
	counts := map[string]int{}
	var root *tree
	for range 3000 {
		n := random(1000)
		numbers = append(numbers, n)
		counts[strconv.Itoa(n%100)]++
		root = root.insert(n)
	}
	slices.Sort(numbers)

	var words []string
	for word, count := range counts {
		words = append(words, word+":"+strconv.Itoa(count))
	}
	slices.Sort(words)

	n := 0
	root.walk(func(value int) {
		if numbers[n] != value {
			panic("the tree is not sorted")
		}
		n++
	})

	results := make(chan float64)
	go func() {
		defer close(results)
		x := 2.0
		for range 100 {
			x = x/2 + 1/x
			results <- x
		}
	}()
	sum := 0.0
	for x := range results {
		sum += x
	}

	func() {
		defer func() { words = append(words, recover().(error).Error()) }()
		_ = numbers[n]
	}()
	words = append(words, strconv.FormatFloat(sum, 'g', -1, 64))
	text := strings.Join(words, "\n")
	os.Stdout.WriteString(strconv.Itoa(int(crc32.ChecksumIEEE([]byte(text)))) + " of\n" + text + "\n")
}
