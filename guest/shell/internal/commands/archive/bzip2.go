package archive

import (
	"container/heap"
	"io"
)

// bzip2Writer compresses to the format of bzip2: each block is sorted by what follows its bytes, moved to the front,
// and written in Huffman's code. Blocks are small, so that sorting them takes little memory, and all symbols of a block
// have one table of codes, where bzip2 has up to six: the result is some percent larger than bzip2's.
type bzip2Writer struct {
	w     io.Writer
	block []byte // in which runs are shortened
	most  int    // how long a block can be

	last     byte // and how often it has come in a row
	run      int
	check    uint32 // of the block
	combined uint32 // of all blocks

	out   []byte // with bits that do not fill a byte yet
	bits  uint64
	count uint
	err   error
}

const (
	bzip2Levels = 3  // of 100 000 bytes a block
	bzip2Group  = 50 // symbols that have one table
)

func newBzip2Writer(w io.Writer, level int) *bzip2Writer {
	if level <= 0 || level > bzip2Levels {
		level = bzip2Levels
	}
	z := &bzip2Writer{w: w, most: level*100_000 - 20, check: ^uint32(0)}
	z.put('B', 8)
	z.put('Z', 8)
	z.put('h', 8)
	z.put(uint64('0'+level), 8)
	return z
}

// put writes the low bits of a number.
func (z *bzip2Writer) put(value uint64, bits uint) {
	z.bits = z.bits<<bits | value&(1<<bits-1)
	for z.count += bits; z.count >= 8; z.count -= 8 {
		z.out = append(z.out, byte(z.bits>>(z.count-8)))
	}
}

func (z *bzip2Writer) Write(data []byte) (int, error) {
	for _, c := range data {
		if z.run > 0 && (c != z.last || z.run == 255) {
			z.endRun()
		}
		z.last = c
		z.run++
		z.check = z.check<<8 ^ bzip2Table[byte(z.check>>24)^c]
	}
	return len(data), z.err
}

// endRun adds a run of one byte to the block: four of it, and how many more there are.
func (z *bzip2Writer) endRun() {
	for range min(z.run, 4) {
		z.block = append(z.block, z.last)
	}
	if z.run >= 4 {
		z.block = append(z.block, byte(z.run-4))
	}
	z.run = 0
	if len(z.block) >= z.most {
		z.endBlock()
	}
}

func (z *bzip2Writer) Close() error {
	if z.run > 0 {
		z.endRun()
	}
	z.endBlock()
	z.put(0x177245385090, 48)
	z.put(uint64(z.combined), 32)
	z.put(0, (8-z.count%8)%8)
	z.flush()
	return z.err
}

func (z *bzip2Writer) flush() {
	if z.err == nil {
		_, z.err = z.w.Write(z.out)
	}
	z.out = z.out[:0]
}

// endBlock writes the block.
func (z *bzip2Writer) endBlock() {
	if len(z.block) == 0 {
		return
	}
	check := ^z.check
	z.combined = (z.combined<<1 | z.combined>>31) ^ check
	sorted, origin := rotated(z.block)
	var used [256]bool
	for _, c := range sorted {
		used[c] = true
	}
	symbols, size := moved(sorted, used)
	z.put(0x314159265359, 48)
	z.put(uint64(check), 32)
	z.put(0, 1)
	z.put(uint64(origin), 24)
	var ranges uint64
	for i := range 16 {
		for j := range 16 {
			if used[16*i+j] {
				ranges |= 1 << (15 - i)
			}
		}
	}
	z.put(ranges, 16)
	for i := range 16 {
		if ranges>>(15-i)&1 == 0 {
			continue
		}
		var chars uint64
		for j := range 16 {
			if used[16*i+j] {
				chars |= 1 << (15 - j)
			}
		}
		z.put(chars, 16)
	}
	z.put(2, 3) // tables: there must be two
	groups := (len(symbols) + bzip2Group - 1) / bzip2Group
	z.put(uint64(groups), 15)
	for range groups {
		z.put(0, 1)
	}
	lengths := codeLengths(symbols, size)
	for range 2 {
		at := lengths[0]
		z.put(uint64(at), 5)
		for _, length := range lengths {
			for ; at < length; at++ {
				z.put(0b10, 2)
			}
			for ; at > length; at-- {
				z.put(0b11, 2)
			}
			z.put(0, 1)
		}
	}
	codes := codesOf(lengths)
	for _, s := range symbols {
		z.put(uint64(codes[s]), uint(lengths[s]))
	}
	z.flush()
	z.block, z.check = z.block[:0], ^uint32(0)
}

// rotated sorts all rotations of a text. It returns the last byte of each, and which of them is the text.
func rotated(text []byte) (last []byte, origin int) {
	n := len(text)
	order, class := make([]int32, n), make([]int32, n)
	next, other := make([]int32, n), make([]int32, n)
	count := make([]int32, max(n, 256)+1)
	for _, c := range text {
		count[int(c)+1]++
	}
	for i := 1; i <= 256; i++ {
		count[i] += count[i-1]
	}
	for i, c := range text {
		class[i] = count[c]
	}
	place := append([]int32(nil), count[:257]...)
	for i, c := range text {
		order[place[c]] = int32(i)
		place[c]++
	}
	// The rotations are sorted by their first bytes. Each round sorts them by twice as many.
	for length := 1; length < n; length *= 2 {
		for i, at := range order {
			if at -= int32(length); at < 0 {
				at += int32(n)
			}
			next[i] = at
		}
		for _, c := range class {
			count[c] = c // a class is where it begins
		}
		for _, at := range next {
			order[count[class[at]]] = at
			count[class[at]]++
		}
		distinct := true
		after := func(at int32) int32 { return class[(int(at)+length)%n] }
		other[order[0]] = 0
		for i := 1; i < n; i++ {
			a, b := order[i-1], order[i]
			if class[a] == class[b] && after(a) == after(b) {
				other[b] = other[a]
				distinct = false
			} else {
				other[b] = int32(i)
			}
		}
		class, other = other, class
		if distinct {
			break
		}
	}
	last = make([]byte, n)
	for i, at := range order {
		if at == 0 {
			origin = i
			at = int32(n)
		}
		last[i] = text[at-1]
	}
	return last, origin
}

// moved replaces each byte by how many different ones have come since it came last, and runs of none by their length
// in digits 1 and 2, which are the symbols 0 and 1. The last symbol is the end; size is how many symbols there are.
func moved(text []byte, used [256]bool) (symbols []uint16, size int) {
	var list []byte
	for c := range used {
		if used[c] {
			list = append(list, byte(c))
		}
	}
	zeros := 0
	end := func() {
		for ; zeros > 0; zeros = (zeros - 1) / 2 {
			symbols = append(symbols, uint16((zeros-1)%2))
		}
	}
	for _, c := range text {
		at := 0
		for list[at] != c {
			at++
		}
		if at == 0 {
			zeros++
			continue
		}
		end()
		symbols = append(symbols, uint16(at+1))
		copy(list[1:at+1], list[:at])
		list[0] = c
	}
	end()
	return append(symbols, uint16(len(list)+1)), len(list) + 2
}

// codeLengths returns how long Huffman's code of each symbol is, at most 17.
func codeLengths(symbols []uint16, size int) []int {
	weights := make([]int, size)
	for _, s := range symbols {
		weights[s]++
	}
	lengths := make([]int, size)
	for divisor := 1; ; divisor *= 2 {
		var tree codeTree
		parents := make([]int, 2*size)
		for s, weight := range weights {
			tree = append(tree, [2]int{max(1, weight/divisor), s})
		}
		heap.Init(&tree)
		node := size
		for ; len(tree) > 1; node++ {
			a, b := heap.Pop(&tree).([2]int), heap.Pop(&tree).([2]int)
			parents[a[1]], parents[b[1]] = node, node
			heap.Push(&tree, [2]int{a[0] + b[0], node})
		}
		longest := 0
		for s := range lengths {
			lengths[s] = 0
			for at := s; at != node-1; at = parents[at] {
				lengths[s]++
			}
			longest = max(longest, lengths[s])
		}
		if longest <= 17 {
			return lengths
		}
	}
}

// codeTree is a heap of nodes: their weights and numbers.
type codeTree [][2]int

func (t codeTree) Len() int { return len(t) }
func (t codeTree) Less(i, j int) bool {
	return t[i][0] < t[j][0] || t[i][0] == t[j][0] && t[i][1] < t[j][1]
}
func (t codeTree) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *codeTree) Push(x any)   { *t = append(*t, x.([2]int)) }
func (t *codeTree) Pop() any {
	old := *t
	*t = old[:len(old)-1]
	return old[len(old)-1]
}

// codesOf returns the codes that have these lengths, in order.
func codesOf(lengths []int) []uint32 {
	codes := make([]uint32, len(lengths))
	code := uint32(0)
	for length := 1; length <= 17; length++ {
		for s, l := range lengths {
			if l == length {
				codes[s] = code
				code++
			}
		}
		code <<= 1
	}
	return codes
}

// bzip2Table is that of the checksum: the usual polynomial, with the highest bit first.
var bzip2Table = func() (table [256]uint32) {
	for i := range table {
		c := uint32(i) << 24
		for range 8 {
			if c>>31 == 1 {
				c = c<<1 ^ 0x04c11db7
			} else {
				c <<= 1
			}
		}
		table[i] = c
	}
	return table
}()
