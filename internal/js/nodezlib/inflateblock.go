package nodezlib

// storedSize begins a block that is not compressed.
func (d *inflater) storedSize() error {
	d.hold >>= d.bits % 8
	d.bits -= d.bits % 8
	size, err := d.take(32)
	if err != nil {
		return err
	}
	if size&0xffff != size>>16^0xffff {
		return corrupt("invalid stored block lengths")
	}
	d.stored = size & 0xffff
	d.giveBack()
	d.hold, d.bits = 0, 0
	return nil
}

// copyStored copies a block that is not compressed.
func (d *inflater) copyStored() error {
	for d.stored > 0 {
		if err := d.makeRoom(); err != nil {
			return err
		}
		n := copy(d.buffer[d.end:2*window], d.data[d.at:min(d.at+d.stored, len(d.data))])
		if n == 0 {
			return errEnd
		}
		d.end += n
		d.at += n
		d.stored -= n
	}
	d.blockDone()
	return nil
}

// order is the order in which lengths of the code for lengths come.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codes reads the codes of a block.
func (d *inflater) codes() error {
	counts, err := d.take(14)
	if err != nil {
		return err
	}
	literals, distances, lengths := counts&31+257, counts>>5&31+1, counts>>10+4
	if literals > 286 || distances > 30 {
		return corrupt("too many length or distance symbols")
	}
	var short [19]uint8
	for _, symbol := range order[:lengths] {
		n, err := d.take(3)
		if err != nil {
			return err
		}
		short[symbol] = uint8(n)
	}
	if !d.literals.build(short[:], false) {
		return corrupt("invalid code lengths set")
	}
	all := &d.lengths
	for i := 0; i < literals+distances; {
		symbol, err := d.symbol(&d.literals, "invalid code lengths set")
		if err != nil {
			return err
		}
		if symbol < 16 {
			all[i] = uint8(symbol)
			i++
			continue
		}
		var length uint8
		var times int
		switch symbol {
		case 16:
			if i == 0 {
				return corrupt("invalid bit length repeat")
			}
			length = all[i-1]
			times, err = d.take(2)
			times += 3
		case 17:
			times, err = d.take(3)
			times += 3
		default:
			times, err = d.take(7)
			times += 11
		}
		if err != nil {
			return err
		}
		if i+times > literals+distances {
			return corrupt("invalid bit length repeat")
		}
		for range times {
			all[i] = length
			i++
		}
	}
	if all[256] == 0 {
		return corrupt("invalid code -- missing end-of-block")
	}
	d.literalCodes, d.distanceCodes = literals, distances
	return d.buildCodes()
}

// buildCodes makes the codes of the lengths.
func (d *inflater) buildCodes() error {
	literals, all := d.literalCodes, d.literalCodes+d.distanceCodes
	switch {
	case !d.literals.build(d.lengths[:literals], true):
		return corrupt("invalid literal/lengths set")
	case !d.distances.build(d.lengths[literals:all], true):
		return corrupt("invalid distances set")
	}
	return nil
}

// What symbols of lengths and distances begin with, and how many bits they add.
var (
	lengthBase = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27,
		31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits   = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129,
		193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
		4097, 6145, 8193, 12289, 16385, 24577}
	distanceBits = [30]uint8{
		0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
	}
)

// longestStep is more bytes than one step of compressed reads.
const longestStep = 16

// compressed reads a block in a code.
func (d *inflater) compressed(literals, distances *huffman) error {
	for {
		if d.end >= 2*window { // there is room for one copy more
			if err := d.makeRoom(); err != nil {
				return err
			}
		}
		if len(d.data)-d.at >= longestStep {
			if done, err := d.symbols(literals, distances); done || err != nil {
				return err
			}
			continue
		}
		at, hold, bits := d.at, d.hold, d.bits
		done, err := d.symbols(literals, distances)
		if err == error(errEnd) {
			d.at, d.hold, d.bits = at, hold, bits
		}
		if done || err != nil {
			return err
		}
	}
}

// symbols reads one symbol of a block, with what belongs to it. It is true at the end of the block.
func (d *inflater) symbols(literals, distances *huffman) (done bool, err error) {
	symbol, err := d.symbol(literals, "invalid literal/length code")
	switch {
	case err != nil:
		return false, err
	case symbol < 256:
		d.buffer[d.end] = byte(symbol)
		d.end++
		return false, nil
	case symbol == 256:
		d.blockDone()
		return true, nil
	case symbol >= 257+len(lengthBase):
		return false, corrupt("invalid literal/length code")
	}
	more, err := d.take(uint(lengthBits[symbol-257]))
	if err != nil {
		return false, err
	}
	length := int(lengthBase[symbol-257]) + more
	if symbol, err = d.symbol(distances, "invalid distance code"); err != nil {
		return false, err
	}
	if symbol >= len(distanceBase) {
		return false, corrupt("invalid distance code")
	}
	if more, err = d.take(uint(distanceBits[symbol])); err != nil {
		return false, err
	}
	distance := int(distanceBase[symbol]) + more
	if distance > d.history+d.end-d.start || distance > window {
		return false, corrupt("invalid distance too far back")
	}
	from := d.end - distance
	if distance >= length {
		copy(d.buffer[d.end:d.end+length], d.buffer[from:])
	} else {
		for i := range length {
			d.buffer[d.end+i] = d.buffer[from+i]
		}
	}
	d.end += length
	return false, nil
}
