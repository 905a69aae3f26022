package intl

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"

	"github.com/toolrun/toolrun/internal/js/intl"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

const (
	// maxCompared is the longest text that is compared, segmented or converted, in bytes.
	maxCompared = 16 << 20

	// maxKeyed is the longest text that has a key, in bytes: scripts compare longer ones directly.
	maxKeyed = 1 << 10

	compareWork = 256 // charged for each comparison, beside the texts
	textWork    = 32  // charged for each byte of a text
	segmentWork = 64  // charged for each segment
)

// longText reads a text on which the host works, and charges it. It is empty if the call has failed.
func longText(c *host.Call, i, limit int) string {
	text := c.Text(i, limit)
	if c.Spend(textWork*len(text)) != nil {
		return ""
	}
	return text
}

// onText is [host.OnText]. It returns zero if the call has failed before.
func onText[T any](c *host.Call, size int, f func() T) (result T, err error) {
	if c.Fail(nil) {
		return result, nil
	}
	return host.OnText(c.Run(), size, f)
}

// collator returns the collator that an argument describes. It is nil if the call has failed.
func collator(c *host.Call, i int) *intl.Collator {
	options := c.Name(i)
	if options == "" {
		c.Fail(host.Errorf("the options are malformed"))
		return nil
	}
	if c.Spend(compareWork) != nil {
		return nil
	}
	collator, err := intl.CachedCollator(options)
	if malformed(c, err) {
		return nil
	}
	return collator
}

func compare(c *host.Call) {
	collator := collator(c, 0)
	a, b := longText(c, 1, maxCompared), longText(c, 2, maxCompared)
	var long error
	result, err := onText(c, len(a)+len(b), func() (result int) {
		result, long = collator.Compare(a, b)
		return result
	})
	if !c.Fail(err) {
		c.Return(result, rangeError(long))
	}
}

// room returns a part of the memory limit, so that keys take no memory that the script needs.
func room(c *host.Call) { c.Return(min(c.MemoryLimit()/4, math.MaxInt32), nil) }

func key(c *host.Call) {
	collator, text := collator(c, 0), longText(c, 1, maxKeyed)
	if collator != nil {
		c.ReturnText("latin1", collator.AppendKey(nil, text))
	}
}

// Bounds on the texts that are sorted in one call, and on their keys, in bytes. More are compared one by one.
const (
	maxOrdered = 4 << 20
	maxKeys    = 64 << 20

	orderWork = 16 // charged for each comparison while texts are sorted
)

// order sorts texts. The lengths, in code units, are those of the texts in order; in their place come the indexes of
// the texts in the order of the collation. All are 32 bits wide.
func order(c *host.Call) {
	collator := collator(c, 0)
	all, wide := c.Units(1)
	lengths := c.Bytes(2)
	size, count := len(all)+len(lengths), len(lengths)/4
	if len(lengths)%4 != 0 {
		c.Fail(host.Errorf("the texts are malformed"))
	}
	if size > maxOrdered || c.Spend(count*(compareWork+orderWork*bits.Len(uint(count)))) != nil {
		return
	}
	texts := make([]string, count)
	for i := range texts {
		n := uint64(binary.LittleEndian.Uint32(lengths[4*i:]))
		if wide {
			n *= 2
		}
		if n > uint64(len(all)) {
			c.Fail(host.Errorf("the texts are malformed"))
			return
		}
		if c.Spend(textWork*int(n)) != nil {
			return
		}
		if texts[i] = host.UnitsText(all[:n], wide); len(texts[i]) > maxKeyed {
			return
		}
		all = all[n:]
	}
	order, err := onText(c, size, func() []uint32 { return collator.Order(texts, maxKeys) })
	if c.Fail(err) || order == nil {
		return
	}
	for i, index := range order {
		binary.LittleEndian.PutUint32(lengths[4*i:], index)
	}
	c.Return(1, nil)
}

func convertCase(c *host.Call) {
	tag, convert := text(c, 0, maxOptions), intl.ToLower
	if !intl.OwnCases(tag) {
		return
	}
	if c.Name(1) == "upper" {
		convert = intl.ToUpper
	}
	text := longText(c, 2, maxCompared)
	c.Return(onText(c, len(text), func() string { return convert(tag, text) }))
}

func segments(c *host.Call) {
	locale, granularity, _ := strings.Cut(c.Name(0), " ")
	text, end := longText(c, 1, maxCompared), c.Name(2) != ""
	segments, err := onText(c, len(text), func() []intl.Segment {
		return intl.Segments(locale, granularity, text, end)
	})
	if c.Fail(err) || c.Spend(segmentWork*len(segments)) != nil {
		return
	}
	list := make([]int, len(segments))
	for i, s := range segments {
		list[i] = 2 * s.Units
		if s.WordLike {
			list[i]++
		}
	}
	c.Return(map[string][]int{"list": list}, nil)
}
