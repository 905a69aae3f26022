package runtime

import "slices"

// A Stream keeps what a guest writes to a stream. It shares Limits.Output with the console, which leaves it a quarter
// at least. Read it after the run.
type Stream struct {
	// Data is what was written, any bytes.
	Data []byte
	// Cut is how many more bytes were written than the limit allows. They are left out at the end of Data, and counted
	// in the run's output as well.
	Cut int64
}

// write takes data, which can be as large as the guest's memory.
func (s *Stream) write(in *Instance, data []byte) error {
	o := &in.run.output
	for part := range slices.Chunk(data, PieceSize) {
		if err := in.Spend(len(part)); err != nil {
			return err
		}
		n := min(len(part), max(0, o.left))
		s.Data = append(s.Data, part[:n]...)
		o.left -= n
		o.reserved = max(0, o.reserved-n)
		s.Cut += int64(len(part) - n)
		o.truncated += int64(len(part) - n)
	}
	return nil
}

// lostEnd is how many bytes of the end of what was left out of the console are kept.
const lostEnd = 4 << 10

// lose keeps the end of data that the console has no room for.
func (o *Output) lose(data []byte) {
	if len(data) >= lostEnd {
		o.lost = append(o.lost[:0], data[len(data)-lostEnd:]...)
		return
	}
	if over := len(o.lost) + len(data) - lostEnd; over > 0 {
		o.lost = append(o.lost[:0], o.lost[over:]...)
	}
	o.lost = append(o.lost, data...)
}

// Lost returns the end, at most some kilobytes, of what a guest has written to its standard streams and the console had
// no room for. Programs that fail often say why at last. It can begin within a line or a character.
func (o *Output) Lost() []byte { return o.lost }
