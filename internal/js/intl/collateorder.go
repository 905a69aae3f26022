package intl

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// An orderedKey is the key of one of several texts.
type orderedKey struct {
	head       uint64 // its first bytes, which tell most keys apart
	start, end uint32 // of the others, in what holds all keys
	index      uint32 // of the text
}

// Order returns the indexes of texts in their order; equal ones stay in theirs. It returns nil if their keys take more
// than limit bytes.
func (c *Collator) Order(texts []string, limit int) []uint32 {
	var all, key []byte
	keys := make([]orderedKey, len(texts))
	for i, text := range texts {
		key = c.AppendKey(key[:0], text)
		for len(key) < 8 {
			key = append(key, 0) // every key ends with zeros
		}
		keys[i] = orderedKey{binary.BigEndian.Uint64(key), uint32(len(all)), uint32(len(all) + len(key) - 8), uint32(i)}
		if all = append(all, key[8:]...); len(all) > limit {
			return nil
		}
	}
	slices.SortFunc(keys, func(a, b orderedKey) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		if r := bytes.Compare(all[a.start:a.end], all[b.start:b.end]); r != 0 {
			return r
		}
		return cmp.Compare(a.index, b.index)
	})
	order := make([]uint32, len(keys))
	for i, key := range keys {
		order[i] = key.index
	}
	return order
}
