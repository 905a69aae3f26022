package runtime

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// A State is what a guest is between two calls into it, as data: what its memory and its globals have that those of the
// program's first image have not, its clock, and what its driver and its language know of it. A sandbox of the same
// program can go on from it at any time and in any process, and several can. It is immutable.
//
// Whoever can make up a state can do no more with it than code that runs in a sandbox: it is all in there. But code
// is told things by the host, such as which of its calls have been approved, and a state could claim that. So States
// are sealed, with a key that only the host has, when they leave the process.
type State struct {
	memory *linearmem.Delta
	header
	frames *frames // the same for a renewed state
}

// header is the part of an encoded state that is JSON.
type header struct {
	// Guest is the guest's name. Program is the digest of all that the state is a difference to.
	Guest, Program string
	// Toolrun is the version that made the state, for people; "" if it did not say so.
	Toolrun  string `json:",omitempty"`
	Made     time.Time
	Size     uint64   // of the memory
	Pages    []uint32 // their numbers
	Globals  []uint64
	Driver   json.RawMessage // of the driver
	Language []byte          // of whoever has called Suspend
	Elapsed  time.Duration   // by the guest's clock
	Imagined time.Duration
	// the state of the random numbers of a guest that gets none from the host; nil if it has used none
	Random    []byte
	Work      int64
	Remainder int

	// What the run has done.
	Spent     time.Duration
	Console   []Entry   `json:",omitempty"`
	Truncated int64     `json:",omitempty"`
	Pictures  []Picture `json:",omitempty"`
}

// Language returns what [Run.Suspend] was given.
func (s *State) Language() []byte { return s.header.Language }

// Bytes returns how many bytes of memory the state has.
func (s *State) Bytes() int64 { return int64(len(s.memory.Data)) }

// Fits reports whether a sandbox of so many bytes of memory can go on from the state.
func (s *State) Fits(memory int64) bool { return s.Size <= uint64(max(memory, 0)) }

// Renewed returns the state without what the run has used and printed, for another run to go on from.
func (s *State) Renewed() *State {
	renewed := *s
	renewed.Work, renewed.Remainder = 0, 0
	renewed.Spent, renewed.Console, renewed.Truncated, renewed.Pictures = 0, nil, 0, nil
	return &renewed
}

// A Variable is one of the variables that a state has, for people to read. Its texts are the code's: anything can be in
// there.
type Variable struct {
	Name string `json:"name"`
	// Value is a short text: a number or the beginning of a string as it is written, otherwise what it is, with its
	// size.
	Value string `json:"value"`
}

// MaxVariables is how many variables of a state are listed.
const MaxVariables = 1000

// A StateError means that a state cannot be used.
type StateError struct {
	// Reason is a clause, such as "it is the state of another engine".
	Reason string
}

func (e *StateError) Error() string { return "the state cannot be used: " + e.Reason }

// MaxState is the size in bytes of the largest sealed state unless another is given.
const MaxState = 16 << 20

// An encoded state is stateMagic, an HMAC-SHA256 of the rest by the host's key, and frames of zstd. One that decoders
// skip has the size of what the others are without compression: the size of the header in four bytes, little-endian,
// the header as JSON, and the pages.
const stateMagic = statePrefix + "1\n"

// statePrefix is how states of all versions begin.
const statePrefix = "toolrun state "

// maxHeader bounds the header, in bytes. A memory of a gigabyte has 262,144 pages.
const maxHeader = 8 << 20

var stateEncoder = func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithNoEntropyCompression(true))
	if err != nil {
		panic(err) // options are constant
	}
	return e
}()

// stateDecoder decodes no more than there is room for.
var stateDecoder = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(err) // options are constant
	}
	return d
}()

// Seal encodes a state, compressed, with a message authentication code by a key of at least 16 bytes. The error is a
// [*StateError] if that takes more than limit bytes; zero means [MaxState].
func (s *State) Seal(key []byte, limit int) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = MaxState
	}
	h := s.header
	h.Toolrun = ownversion.Get()
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	sealed := append(make([]byte, 0, len(head)/2+len(s.memory.Data)/3), stateMagic...)
	sealed = append(sealed, make([]byte, sha256.Size)...)
	sealed = appendSize(sealed, 4+len(head)+len(s.memory.Data))
	sealed = stateEncoder.EncodeAll(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...), sealed)
	sealed = s.appendPages(sealed)
	if len(sealed) > limit {
		return nil, &StateError{
			fmt.Sprintf("it takes %d bytes, and may take %d: keep less data in variables", len(sealed), limit),
		}
	}
	copy(sealed[len(stateMagic):], codeOf(key, sealed))
	return sealed, nil
}

func checkKey(key []byte) error {
	if len(key) < 16 {
		return errors.New("runtime: the key for states has less than 16 bytes")
	}
	return nil
}

// codeOf returns the code of a sealed state.
func codeOf(key, sealed []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(sealed[:len(stateMagic)])
	mac.Write(sealed[len(stateMagic)+sha256.Size:])
	return mac.Sum(nil)
}

// Reseal seals a sealed state with another key, without looking into it. The error is a [*StateError] if it was not
// sealed with the first one.
func Reseal(sealed, from, to []byte) ([]byte, error) {
	if err := errors.Join(checkKey(to), checkSeal(sealed, from)); err != nil {
		return nil, err
	}
	sealed = bytes.Clone(sealed)
	copy(sealed[len(stateMagic):], codeOf(to, sealed))
	return sealed, nil
}

// checkSeal checks that a state was sealed with a key.
func checkSeal(sealed, key []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if !bytes.HasPrefix(sealed, []byte(stateMagic)) || len(sealed) < len(stateMagic)+sha256.Size {
		if bytes.HasPrefix(sealed, []byte(statePrefix)) {
			return &StateError{"a newer version of toolrun made it than this one, which is " + ownversion.Get()}
		}
		return &StateError{"it is no state"}
	}
	if !hmac.Equal(codeOf(key, sealed), sealed[len(stateMagic):][:sha256.Size]) {
		return &StateError{"it was changed, or sealed with another key"}
	}
	return nil
}

// OpenState decodes a state that [State.Seal] has encoded with the same key. The error is a [*StateError] if it was
// changed since, or is none of this program, or would need more than memory bytes.
func (p *Program) OpenState(sealed, key []byte, memory int64) (*State, error) {
	if err := checkSeal(sealed, key); err != nil {
		return nil, err
	}
	return p.decodeState(sealed[len(stateMagic)+sha256.Size:], memory)
}

// decodeState decodes what is behind the seal.
func (p *Program) decodeState(frame []byte, memory int64) (*State, error) {
	damaged := &StateError{"it is damaged"}
	size := sizeOf(frame)
	if size-maxHeader-4 > memory {
		return nil, &StateError{fmt.Sprintf("it needs more memory than %s", formatBytes(memory))}
	}
	plain, err := stateDecoder.DecodeAll(frame, make([]byte, 0, size))
	if err != nil || len(plain) < 4 {
		return nil, damaged
	}
	length := int64(binary.LittleEndian.Uint32(plain))
	if length > maxHeader || length > int64(len(plain)-4) {
		return nil, damaged
	}
	s := &State{frames: &frames{}}
	if err := json.Unmarshal(plain[4:4+length], &s.header); err != nil {
		return nil, damaged
	}
	program, err := p.stateDigest()
	if err != nil {
		return nil, err
	}
	if s.Guest != p.guest.Name || s.Program != program {
		return nil, &StateError{
			fmt.Sprintf("it is of another version of the %s, or of toolrun, than the present one%s", p.guest.Name,
				ownversion.Difference(s.Toolrun)),
		}
	}
	s.memory = &linearmem.Delta{Size: s.Size, Pages: s.Pages, Data: plain[4+length:]}
	if s.Size > uint64(memory) {
		return nil, &StateError{
			fmt.Sprintf("it needs %s of memory, and may have %s", formatBytes(int64(s.Size)), formatBytes(memory)),
		}
	}
	if s.memory.Check(uint64(memory)) != nil || s.Size < p.base.memory.Size() ||
		len(s.Globals) != len(p.base.globals) ||
		s.Elapsed < 0 || s.Imagined < 0 || s.Spent < 0 || s.Truncated < 0 || s.Work < 0 ||
		s.Remainder < 0 || s.Remainder >= HostBytes {
		return nil, damaged
	}
	return s, nil
}

// stateDigest hashes everything that a state is a difference to: the module, what it imports, and the content of the
// first image, which is the same in each process.
func (p *Program) stateDigest() (string, error) {
	p.digesting.Lock()
	defer p.digesting.Unlock()
	if p.digest != "" {
		return p.digest, nil
	}
	memory, err := p.base.memory.Digest()
	if err != nil {
		return "", fmt.Errorf("runtime: %w", err)
	}
	state, err := json.Marshal(p.base.state)
	if err != nil {
		return "", fmt.Errorf("runtime: the guest's state: %w", err)
	}
	setup := p.guest.setup()
	h := sha256.New()
	for _, part := range [][]byte{p.guest.Digest[:], setup[:], memory[:]} {
		h.Write(part)
	}
	fmt.Fprintf(h, "%v\n%s", p.base.globals, state)
	p.digest = hex.EncodeToString(h.Sum(nil))
	return p.digest, nil
}
