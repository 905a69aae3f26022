package zlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/js/nodezlib"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// dictionary returns an argument that is a dictionary. Nil means that there is none.
func dictionary(c *host.Call, i int) []byte {
	if !c.Has(i) {
		return nil
	}
	if data := c.Bytes(i); data != nil {
		return data
	}
	return []byte{}
}

// finish returns an output, unless there is an error: that is one for the script if it is for its data. A limit is what
// the script wants at most: an output that does not fit into the guest's memory ends the run.
func finish(c *host.Call, out *nodezlib.Output, limit int, err error) {
	if known, ok := errors.AsType[*nodezlib.Error](err); ok {
		err = &host.Failure{Name: "Error", Message: known.Message, Code: known.Code}
	} else if errors.Is(err, nodezlib.ErrTooLong) {
		err = &host.Failure{Name: "RangeError", Message: err.Error(), Code: "ERR_BUFFER_TOO_LARGE"}
		if limit > c.MemoryLimit() {
			err = host.ErrNoMemory
		}
	} else if errors.Is(err, nodezlib.ErrState) {
		err = host.Errorf("%s", err)
	}
	if c.Fail(err) {
		return
	}
	c.ReturnFilled(out.Len(), func(memory []byte) error {
		for _, piece := range out.Pieces() {
			if err := c.Spend(len(piece)); err != nil {
				return err
			}
			memory = memory[copy(memory, piece):]
		}
		return nil
	})
}

func deflate(c *host.Call) {
	d := nodezlib.Deflation{
		Format: nodezlib.Format(c.Name(0)), Level: c.Number(4), Dictionary: dictionary(c, 5), Work: c.Spend,
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	finish(c, out, math.MaxInt32, d.Deflate(c.View(1), out))
}

// inflate fails with zlib's code, or with ERR_BUFFER_TOO_LARGE if the output is longer than the script wants it.
func inflate(c *host.Call) {
	limit := c.Number(4)
	format, partial := strings.CutSuffix(c.Name(0), " partial")
	out := nodezlib.NewOutput(min(limit, c.MemoryLimit()))
	i := nodezlib.Inflation{
		Format: nodezlib.Format(format), Dictionary: dictionary(c, 5), Partial: partial, Work: c.Spend,
	}
	_, err := i.Inflate(c.View(1), out)
	finish(c, out, limit, err)
}

// begin returns the state of a stream that has not begun.
func begin(c *host.Call) {
	if c.Has(0) {
		c.Return(nodezlib.Inflation{Format: nodezlib.Format(c.Name(0))}.Begin(), nil)
		return
	}
	c.Return(nodezlib.Deflation{}.Begin(), nil)
}

// deflatePart compresses the next part of a stream.
func deflatePart(c *host.Call) {
	var format string
	var level, flush int
	if _, err := fmt.Sscan(c.Name(4), &format, &level, &flush); err != nil {
		c.Fail(host.Errorf("the settings must be a format, a level and a flush"))
		return
	}
	d := nodezlib.Deflation{
		Format: nodezlib.Format(format), Level: level, Dictionary: dictionary(c, 5), Work: c.Spend,
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	finish(c, out, math.MaxInt32, d.Continue(c.Bytes(0), c.View(1), nodezlib.Flush(flush), out))
}

// maxPause is how long the output of one part of a stream may be, at which the part pauses, in bytes.
const maxPause = 1 << 20

// inflatePart decompresses the next part of a stream.
func inflatePart(c *host.Call) {
	most := c.Number(4)
	last := most < 0
	if last {
		most = -most
	}
	i := nodezlib.Inflation{Dictionary: dictionary(c, 5), Work: c.Spend}
	out := nodezlib.NewOutput(math.MaxInt32)
	finish(c, out, math.MaxInt32, i.Continue(c.Bytes(0), c.View(1), last, min(max(most, 1), maxPause), out))
}

// unbrotli decompresses, as inflate does.
func unbrotli(c *host.Call) {
	limit := c.Number(3)
	b := nodezlib.BrotliDecompression{Partial: c.Flag(4), Work: c.Spend}
	out := nodezlib.NewOutput(min(limit, c.MemoryLimit()))
	used, err := b.Decompress(c.View(0), out)
	if c.Has(5) {
		if result := c.Bytes(5); err == nil && len(result) == 4 {
			binary.LittleEndian.PutUint32(result, uint32(used))
		}
	}
	finish(c, out, limit, err)
}

// maxSettings is how long the list of a stream's flushes may be, in bytes.
const maxSettings = 1 << 20

// brotli compresses.
func brotli(c *host.Call) {
	var settings []int
	for word := range strings.FieldsSeq(c.Text(3, maxSettings)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			c.Fail(host.Errorf("the settings must be numbers"))
			return
		}
		settings = append(settings, n)
	}
	if len(settings) < 3 {
		c.Fail(host.Errorf("the settings must be a quality, a window and whether there will be more"))
		return
	}
	b := nodezlib.BrotliCompression{
		Quality: settings[0], Window: settings[1], Open: settings[2] == 1, Flushes: settings[3:], Work: c.Spend,
	}
	out := nodezlib.NewOutput(math.MaxInt32)
	finish(c, out, math.MaxInt32, b.Compress(c.View(0), out))
}

func crc32(c *host.Call) {
	sum, err := nodezlib.CRC32(uint32(int32(c.Number(3))), c.View(0), c.Spend)
	c.Return(int(int32(sum)), err)
}
