package runtime

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	mathrand "math/rand/v2"
	"time"
)

// A Source is where runs get what differs from one run to the next: the time, random numbers, and the order in which
// things happen that they wait for. The zero value is the machine.
//
// Runs with any other one do not start from images of libraries, which other runs have made.
type Source struct {
	// Seed determines the random numbers: runs with the same text get the same ones, in every process and on every
	// platform. Whoever knows it can tell them in advance: they are of no use for secrets. Empty means that the
	// numbers are the machine's.
	Seed string

	// Clock is the time at which each run begins. From there, the clock of the code moves by a microsecond whenever it
	// is read, and by the time that the code waits for a timer; waits take as long as they do with the machine's clock.
	// The zero time means the machine's clock.
	Clock time.Time

	// Tape, if not nil, records what a run gets, or plays it back. It belongs to one run, and not to those that the
	// run's own calls begin.
	Tape Tape
}

// A Tape records what one run gets from outside, or plays a recording back. One goroutine at a time calls its methods
// other than Answer, in an order that is the same whenever the run is. An error ends the run.
type Tape interface {
	// Number returns what live does, and records it. A tape that plays back returns what was recorded, and does not
	// call live. Errors of live are returned, and not recorded.
	Number(kind string, live func() (int64, error)) (int64, error)
	// Fill does the same for bytes: those that live puts into data.
	Fill(kind string, data []byte, live func(data []byte)) error
	// Answer returns what live does, and records it: what came of something that goes on beside the run, such as a
	// request, for the call of the code with a number ([CallOrder]). It is called by any goroutine, several at once.
	// about says what it is that the code wants. A tape that plays back does not call live.
	Answer(ctx context.Context, kind string, call int, about string, live func() []byte) ([]byte, error)
	// Replays reports whether the tape plays back. Then the run need not wait for anything.
	Replays() bool
}

// Kinds of what a [Tape] gets.
const (
	TapeClock  = "clock"  // nanoseconds since 1970
	TapeTicks  = "ticks"  // nanoseconds since the run began
	TapeRandom = "random" // bytes
	TapeWait   = "wait"   // the number of the call that has ended, or WaitTimeout or WaitWoken
	TapeCall   = "call "  // and the name of a function, which the code calls: 0
	TapePoll   = "poll"   // the number of a call that has ended, or WaitTimeout if none has
)

// What ends a wait, other than the end of a call.
const (
	WaitTimeout = -1 // the time that the code waits for is over
	WaitWoken   = -2 // something else: the code looks again
)

type sourceKey struct{}

// WithSource returns a context whose runs have a source. Tools that run code need not know of it.
func WithSource(ctx context.Context, s Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, s)
}

// takeSource returns the source of a run that begins with a context, and the context for what the run itself does.
func takeSource(ctx context.Context) (Source, context.Context) {
	s, _ := ctx.Value(sourceKey{}).(Source)
	if s.Tape != nil {
		others := s
		others.Tape = nil
		ctx = WithSource(ctx, others)
	}
	return s, ctx
}

// TapeOf returns the tape of the run of a call whose context ctx is, or is made from, and which of its run's calls it
// is. The tape is nil if there is none.
func TapeOf(ctx context.Context) (tape Tape, call int) {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c.run.source.Tape, c.order
	}
	return nil, 0
}

// Fixed reports whether the run has a [Source] other than the machine. It must not depend on what other runs have left.
func (r *Run) Fixed() bool {
	s := &r.source
	return s.Seed != "" || !s.Clock.IsZero() || s.Tape != nil
}

// Replays reports whether the run plays back a recording, and need not wait for anything.
func (r *Run) Replays() bool { return r.source.Tape != nil && r.source.Tape.Replays() }

// Choose returns which of several things has happened that the run waits for: what live returns, or what the run's tape
// says. kind is TapeWait or TapePoll. Call it on the goroutine of the run.
func (r *Run) Choose(kind string, live func() (int64, error)) (int64, error) {
	if tape := r.source.Tape; tape != nil {
		return tape.Number(kind, live)
	}
	return live()
}

// Calls tells the run's tape that the code calls a function. Call it on the goroutine of the run.
func (r *Run) Calls(name string) error {
	if tape := r.source.Tape; tape != nil {
		_, err := tape.Number(TapeCall+name, func() (int64, error) { return 0, nil })
		return err
	}
	return nil
}

// Waited tells the clock of [Source].Clock that the code has waited. Other clocks know it.
func (in *Instance) Waited(d time.Duration) { in.imagined += max(0, d) }

// now returns the time of a clock in nanoseconds.
func (in *Instance) now(clock uint32) int64 {
	tape := in.run.source.Tape
	if tape == nil {
		return in.liveTime(clock)
	}
	kind := TapeClock
	if clock == clockMonotonic {
		kind = TapeTicks
	}
	t, err := tape.Number(kind, func() (int64, error) { return in.liveTime(clock), nil })
	if err != nil {
		panic(&Stop{err})
	}
	return t
}

// liveTime is now without the tape.
func (in *Instance) liveTime(clock uint32) int64 {
	switch begin := in.run.source.Clock; {
	case in.program.guest.NoClock:
		return in.noTime(clock, noEpoch)
	case !begin.IsZero():
		return in.noTime(clock, begin.UnixNano())
	case clock == clockMonotonic:
		// It begins with the run, so that it tells nothing of the host. Programs in Go take zero for a broken clock.
		return max(1, int64(in.elapsed()))
	case in.makesSameImage():
		return noEpoch
	}
	return time.Now().UnixNano()
}

// makesSameImage reports whether the first image is being made, and [Guest].SameImage set.
func (in *Instance) makesSameImage() bool { return in.program.guest.SameImage && in.image == nil }

// Random fills data with the random numbers of the run. If it fails, whatever the run asks its tape for next fails as
// well.
func (in *Instance) Random(data []byte) error {
	if tape := in.run.source.Tape; tape != nil {
		return tape.Fill(TapeRandom, data, in.liveRandom)
	}
	in.liveRandom(data)
	return nil
}

// RandomSeed returns a random number for a generator of the guest's own.
func (in *Instance) RandomSeed() uint64 {
	var seed [8]byte
	_ = in.Random(seed[:]) // see there
	return binary.LittleEndian.Uint64(seed[:])
}

func (in *Instance) liveRandom(data []byte) {
	seed := in.run.source.Seed
	known := in.program.guest.NoRandom || in.makesSameImage()
	if seed == "" && !known {
		rand.Read(data) // never fails
		return
	}
	if in.random == nil {
		var key [32]byte
		if !known {
			key = sha256.Sum256([]byte(seed))
		}
		in.random = mathrand.NewChaCha8(key)
	}
	_, _ = in.random.Read(data) // never fails
}
