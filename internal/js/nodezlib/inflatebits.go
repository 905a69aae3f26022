package nodezlib

import (
	"hash/crc32"
)

// fill reads bits, as many as there is room for.
func (d *inflater) fill() {
	for d.bits <= 56 && d.at < len(d.data) {
		d.hold |= uint64(d.data[d.at]) << d.bits
		d.at++
		d.bits += 8
	}
}

// take reads n bits.
func (d *inflater) take(n uint) (int, error) {
	if d.bits < n {
		if d.fill(); d.bits < n {
			return 0, errEnd
		}
	}
	v := int(d.hold & (1<<n - 1))
	d.hold >>= n
	d.bits -= n
	return v, nil
}

// symbol reads one. A code that does not exist has the message.
func (d *inflater) symbol(h *huffman, message string) (int, error) {
	if d.bits < maxCode {
		d.fill()
	}
	symbol, n := h.decode(d.hold)
	switch {
	case n > d.bits:
		return 0, errEnd
	case n == 0 && d.bits < maxCode && d.at == len(d.data) && h.count[1] == 0 && !h.empty():
		return 0, errEnd
	case n == 0:
		return 0, corrupt(message)
	}
	d.hold >>= n
	d.bits -= n
	return symbol, nil
}

// flush writes what is ready, and keeps the window.
func (d *inflater) flush() error {
	if ready := d.buffer[d.start:d.end]; len(ready) > 0 {
		if err := d.work(3 * len(ready)); err != nil {
			return err
		}
		switch d.format {
		case Gzip, One:
			d.crc = crc32.Update(d.crc, crc32.IEEETable, ready)
			d.length += uint32(len(ready))
		case Zlib:
			d.crc = updateAdler(d.crc, ready)
		}
		if _, err := d.out.Write(ready); err != nil {
			return err
		}
	}
	d.history = min(window, d.history+d.end-d.start)
	copy(d.buffer[:], d.buffer[d.end-d.history:d.end])
	d.start, d.end = d.history, d.history
	return nil
}

// updateAdler is adler32.Checksum for data that follows other data.
func updateAdler(sum uint32, data []byte) uint32 {
	a, b := sum&0xffff, sum>>16
	for len(data) > 0 {
		part := data[:min(len(data), 5552)] // for which the sums do not overflow
		data = data[len(part):]
		for _, c := range part {
			a += uint32(c)
			b += a
		}
		a %= 65521
		b %= 65521
	}
	return b<<16 | a
}

// makeRoom writes what is ready if there may be no room for a copy more.
func (d *inflater) makeRoom() error {
	if d.end < 2*window {
		return nil
	}
	if err := d.flush(); err != nil {
		return err
	}
	if d.out.Len() >= d.most {
		return errPause
	}
	return nil
}
