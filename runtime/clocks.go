package runtime

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
)

// The clocks of WASI that there are. Those of processor time are not.
const (
	clockRealtime  = 0
	clockMonotonic = 1

	clockResolution = 1000 // nanoseconds
)

func clockResGet(_ context.Context, c wasiCall) errno {
	resolution := uint64(clockResolution)
	if number := c.u32(0); number > clockMonotonic {
		call := c.in.program.guest.Call
		if call == nil || number < FirstCall {
			return wasifs.EINVAL
		}
		resolution = call(c.in, number)
	}
	return c.put64(1, resolution)
}

func clockTimeGet(_ context.Context, c wasiCall) errno {
	c.in.timed = true
	if c.u32(0) > clockMonotonic {
		return wasifs.EINVAL
	}
	return c.put64(2, uint64(c.in.now(c.u32(0))))
}

// noEpoch is the time, in nanoseconds, at which every run of a guest without a clock begins, and that in which the same
// image is made: 1 January 2000, UTC.
const noEpoch = 946_684_800 * int64(time.Second)

// noTime is the time of a run that has no clock of the machine, and begins at epoch. Time moves on whenever it is read,
// so that programs that wait for it to do so go on.
func (in *Instance) noTime(clock uint32, epoch int64) int64 {
	if !in.started.IsZero() {
		in.imagined += time.Microsecond
	}
	if clock == clockMonotonic {
		return max(1, int64(in.imagined))
	}
	return epoch + int64(in.imagined)
}

// elapsed is the guest's monotonic clock. It stands still until a run begins, because everything before is shared
// by many runs.
func (in *Instance) elapsed() time.Duration {
	if in.started.IsZero() {
		return 0
	}
	return time.Since(in.started)
}

func randomGet(_ context.Context, c wasiCall) errno {
	c.in.impure = true
	data := c.memory(c.u32(0), c.u32(1))
	if data == nil {
		return wasifs.EFAULT
	}
	for part := range slices.Chunk(data, PieceSize) {
		c.spend(len(part))
		if err := c.in.Random(part); err != nil {
			panic(&Stop{err})
		}
	}
	return errnoSuccess
}

// Sizes of what poll_oneoff reads and writes, and the most subscriptions of one call.
const (
	subscriptionSize = 48
	eventSize        = 32
	maxSubscriptions = 1024
)

// Kinds of subscriptions and events.
const (
	pollClock = iota
	pollRead
	pollWrite
)

// A subscription is what a guest waits for.
type subscription struct {
	data  []byte        // 8 bytes that the guest recognises it by
	kind  byte          // of the event
	wait  time.Duration // of a clock; zero or less if it is due
	error errno
	bytes uint64 // that can be read
	ended bool   // nothing more can be read
}

// pollOneoff waits until at least one of several things has happened: a clock has reached a time, or a descriptor can
// be read or written. The latter is so at once, as files and streams of ours never block.
func pollOneoff(_ context.Context, c wasiCall) errno {
	n := c.u32(2)
	if n == 0 || n > maxSubscriptions {
		return wasifs.EINVAL
	}
	list, events, count := c.memory(c.u32(0), n*subscriptionSize), c.memory(c.u32(1), n*eventSize), c.out(3, 4)
	if list == nil || events == nil || count == nil {
		return wasifs.EFAULT
	}
	c.in.impure = true
	c.spend(len(list))
	var due, waiting []subscription
	for one := range slices.Chunk(slices.Clone(list), subscriptionSize) { // events may be written to the same place
		s, e := c.subscription(one)
		if e != errnoSuccess {
			return e
		}
		if s.wait <= 0 {
			due = append(due, s)
		} else {
			waiting = append(waiting, s)
		}
	}
	if len(due) == 0 {
		slices.SortStableFunc(waiting, func(a, b subscription) int { return int(min(1, max(-1, a.wait-b.wait))) })
		first := waiting[0].wait
		if err := c.in.run.wait(first); err != nil {
			panic(&Stop{err})
		}
		c.in.Waited(first)
		for _, s := range waiting {
			if s.wait <= first {
				due = append(due, s)
			}
		}
	}
	for i, s := range due {
		event := events[i*eventSize:][:eventSize]
		clear(event)
		copy(event, s.data)
		binary.LittleEndian.PutUint16(event[8:], uint16(s.error))
		event[10] = s.kind
		binary.LittleEndian.PutUint64(event[16:], s.bytes)
		if s.ended {
			event[24] = 1
		}
	}
	binary.LittleEndian.PutUint32(count, uint32(len(due)))
	return errnoSuccess
}

// subscription decodes a subscription, and finds out what is known of it at once.
func (c wasiCall) subscription(data []byte) (s subscription, e errno) {
	s = subscription{data: data[:8], kind: data[8]}
	clock := binary.LittleEndian.Uint32(data[16:]) // or a descriptor
	switch s.kind {
	case pollClock:
		const absolute = 1
		if clock > clockMonotonic {
			s.error = wasifs.EINVAL
			return s, errnoSuccess
		}
		until := int64(min(binary.LittleEndian.Uint64(data[24:]), maxWait))
		if binary.LittleEndian.Uint16(data[40:])&absolute != 0 {
			until -= c.in.now(clock)
		}
		s.wait = time.Duration(until)
	case pollRead, pollWrite:
		d, e := c.in.descriptors().get(clock)
		switch {
		case e != errnoSuccess:
			s.error = e
		case d.file == nil && s.kind == pollRead:
			s.bytes = uint64(len(c.in.run.stdin))
			s.ended = s.bytes == 0
		}
	default:
		return s, wasifs.EINVAL
	}
	return s, errnoSuccess
}

const maxWait = 1<<63 - 1
