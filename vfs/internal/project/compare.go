package project

import (
	"bytes"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
)

// A pair is what two directories have under one name; nil is nothing.
type pair struct {
	name      string
	then, now fs.FileInfo
}

// pairs matches what two directories contain, both sorted by name, in the order of names.
func pairs(then, now []fs.FileInfo) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for len(then)+len(now) > 0 {
			var p pair
			if len(now) == 0 || len(then) > 0 && then[0].Name() <= now[0].Name() {
				p.name, p.then, then = then[0].Name(), then[0], then[1:]
			} else {
				p.name = now[0].Name()
			}
			if len(now) > 0 && p.name == now[0].Name() {
				p.now, now = now[0], now[1:]
			}
			if !yield(p) {
				return
			}
		}
	}
}

// SameContent reports whether two files, both of this size, have the same content.
func SameContent(a Backend, name string, b Backend, otherName string, size int64) (bool, error) {
	x, err := a.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := b.Open(otherName, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer y.Close()
	left, right := io.NewSectionReader(x, 0, math.MaxInt64), io.NewSectionReader(y, 0, math.MaxInt64)
	part := min(max(size, 0), 256<<10) + 1
	buf, other := make([]byte, part), make([]byte, part)
	for {
		n, err1 := io.ReadFull(left, buf)
		m, err2 := io.ReadFull(right, other)
		if !bytes.Equal(buf[:n], other[:m]) {
			return false, nil
		}
		for _, err := range []error{err1, err2} {
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return false, err
			}
		}
		if err1 != nil || err2 != nil {
			return true, nil
		}
	}
}
