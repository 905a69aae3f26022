package nodezlib

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
)

func (d *inflater) zlibHeader(dictionary []byte) error {
	rest := d.data[d.at:]
	if len(rest) < 2 {
		return errEnd
	}
	switch {
	case (int(rest[0])<<8|int(rest[1]))%31 != 0:
		return corrupt("incorrect header check")
	case rest[0]&15 != 8:
		return corrupt("unknown compression method")
	case rest[0]>>4 > 7:
		return corrupt("invalid window size")
	}
	d.at += 2
	if rest[1]&0x20 == 0 {
		return nil
	}
	if len(rest) < 6 {
		return errEnd
	}
	d.at += 4
	if dictionary == nil {
		return &Error{"Z_NEED_DICT", "Missing dictionary"}
	}
	if err := d.work(len(dictionary)); err != nil {
		return err
	}
	if adler32.Checksum(dictionary) != binary.BigEndian.Uint32(rest[2:]) {
		return &Error{"Z_NEED_DICT", "Bad dictionary"}
	}
	return d.preset(dictionary)
}

// preset makes a dictionary what copies may reach.
func (d *inflater) preset(dictionary []byte) error {
	if err := d.work(len(dictionary)); err != nil {
		return err
	}
	if len(dictionary) > window {
		dictionary = dictionary[len(dictionary)-window:]
	}
	d.end = copy(d.buffer[:], dictionary)
	d.start, d.history = d.end, d.end
	return nil
}

func (d *inflater) gzipHeader() error {
	begin := d.at
	byteOf := func() (byte, error) {
		if d.at == len(d.data) {
			return 0, errEnd
		}
		d.at++
		return d.data[d.at-1], nil
	}
	var head [10]byte
	for i := range head {
		var err error
		if head[i], err = byteOf(); err != nil {
			return err
		}
		switch {
		case i == 1 && (head[0] != 0x1f || head[1] != 0x8b):
			return corrupt("incorrect header check")
		case i == 3 && head[2] != 8:
			return corrupt("unknown compression method")
		case i == 3 && head[3]&0xe0 != 0:
			return corrupt("unknown header flags set")
		}
	}
	flags := head[3]
	if flags&4 != 0 { // extra fields
		low, err := byteOf()
		if err != nil {
			return err
		}
		high, err := byteOf()
		if err != nil {
			return err
		}
		size := int(low) | int(high)<<8
		if size > len(d.data)-d.at {
			return errEnd
		}
		d.at += size
	}
	for _, flag := range []byte{8, 16} { // a name and a comment
		for flags&flag != 0 {
			c, err := byteOf()
			if err != nil {
				return err
			}
			if c == 0 {
				break
			}
		}
	}
	if err := d.work(d.at - begin); err != nil {
		return err
	}
	if flags&2 != 0 {
		sum := uint16(crc32.ChecksumIEEE(d.data[begin:d.at]))
		if len(d.data)-d.at < 2 {
			return errEnd
		}
		if binary.LittleEndian.Uint16(d.data[d.at:]) != sum {
			return corrupt("header crc mismatch")
		}
		d.at += 2
	}
	return nil
}
