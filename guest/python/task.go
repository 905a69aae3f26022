package python

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// A Step is what a call of [VM.Run] does of a run.
type Step byte

// Most runs have one step. Those whose code begins with imports of modules that can be kept have two. Code that waits
// may be left, and has one more each time that it goes on.
const (
	StepAll     Step = 0   // the whole run
	StepCheck   Step = 'c' // nothing but compiling the code
	StepImports Step = 'm' // it imports the modules; [OpImported] says that it has, and [OpEnd] that the run is over
	StepAfter   Step = 'a' // what is left after StepImports, in the same sandbox or in a copy of it
	StepNext    Step = 'n' // the whole run, in the sandbox of a session in which others have run
	StepResume  Step = 'r' // what is left after [OpSuspended], in the same sandbox or in a copy of it
)

// A Task is what the boot code gets to know of a run. None of its texts has a NUL, but for the code.
type Task struct {
	Step Step
	// Code is the code, or in StepImports the modules: see [EncodeImports].
	Code string
	Name string // of the file, in tracebacks
	Args []string
	// Functions are the names of the functions of the host, with a dot if they are attributes of an object. In a
	// session, those of earlier runs come first, and their numbers stay.
	Functions []string
	// Libraries are folders of packages, in the place of /lib/python; none means that one.
	Libraries []string
	Seed      uint64 // of the module random
	Room      int    // the largest size of the result's text, in characters, and of its data, in bytes
	Input     bool   // whether there is standard input
	// Expression means that the code is an expression and nothing else.
	Expression bool
	// Session means that others may run in the sandbox after this one.
	Session bool
}

// Encode returns the answer to [OpBegin].
func (t *Task) Encode() ([]byte, error) {
	args, err := list(t.Args)
	if err != nil {
		return nil, err
	}
	functions, err := list(t.Functions)
	if err != nil {
		return nil, err
	}
	libraries, err := list(t.Libraries)
	if err != nil {
		return nil, err
	}
	how := ""
	if t.Step != StepAll {
		how = string(t.Step)
	}
	if t.Input {
		how += "i"
	}
	if t.Expression {
		how += "e"
	}
	if t.Session {
		how += "s"
	}
	data := make([]byte, 0, 64+len(args)+len(functions)+len(t.Name)+len(t.Code))
	const full = 1 << 63 // so that the seed takes as much work in each run
	return fmt.Appendf(data, "%x\x00%d\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s", t.Seed|full,
		t.Room, how, args, functions, libraries, t.Name, t.Code), nil
}

// list encodes names, or nothing if there are none.
func list(names []string) ([]byte, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return json.Marshal(names)
}

// A Call is a call of a function of the host.
type Call struct {
	Function int // the index of its name in [Task].Functions
	Args     []any
	Kwargs   map[string]any
}

// ParseCall parses the payload of an [OpCall]. Numbers are of the type json.Number.
func ParseCall(payload []byte) (c Call, err error) {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	err = decoder.Decode(&[]any{&c.Function, &c.Args, &c.Kwargs})
	return c, err
}

// CanLeave is the first byte of an [OpStart] if the boot code can leave the code while that waits for the call.
const CanLeave = 'l'

// A Wait is the payload of an [OpWait].
type Wait struct {
	Seconds  float64 // how long; without end if they are negative
	CanLeave bool    // the answer may be [Leave]
}

// ParseWait parses the payload of an [OpWait].
func ParseWait(payload []byte) (w Wait, ok bool) {
	if len(payload) != 9 {
		return w, false
	}
	return Wait{math.Float64frombits(binary.LittleEndian.Uint64(payload)), payload[8] != 0}, true
}

// ParseDuplicate parses the payload of an [OpDuplicate]: an open file, and the number that is to stand for it, too, or
// a negative one for the lowest that is free. The answer is the number, or [DuplicateError] and that of an error.
func ParseDuplicate(payload []byte) (fd, to int32, ok bool) {
	if len(payload) != 8 {
		return 0, 0, false
	}
	return int32(binary.LittleEndian.Uint32(payload)), int32(binary.LittleEndian.Uint32(payload[4:])), true
}

// DuplicateError is more than all numbers of files.
const DuplicateError = 1000

// A Key is a key that is to be derived from a password, by PBKDF2 or by scrypt.
type Key struct {
	Hash           string // of PBKDF2; "" means scrypt
	N, R, P        uint64 // the parameters of scrypt; N is the number of iterations of PBKDF2
	Memory         uint64 // how many bytes scrypt may need
	Size           uint64 // of the key, in bytes
	Password, Salt []byte // in the instance's memory
}

// ParseKey parses the payload of an [OpKey]. The answer is [KeyFollows] and the key, or [KeyNoMemory], or nothing if
// there is no such hash or the parameters are invalid.
func ParseKey(payload []byte) (k Key, ok bool) {
	name, rest, ok := bytes.Cut(payload, []byte{0})
	if !ok || len(rest) < 48 {
		return k, false
	}
	k.Hash = string(name)
	var passwordSize uint64
	for i, number := range []*uint64{&k.N, &k.R, &k.P, &k.Memory, &k.Size, &passwordSize} {
		*number = binary.LittleEndian.Uint64(rest[8*i:])
	}
	rest = rest[48:]
	if passwordSize > uint64(len(rest)) {
		return k, false
	}
	k.Password, k.Salt = rest[:passwordSize], rest[passwordSize:]
	return k, true
}

// What an answer to [OpKey] begins with.
const (
	KeyFollows  = 'K'
	KeyNoMemory = 'M'
)

// An Answer is what a call of a function of the host is answered with, in JSON.
type Answer struct {
	Value any `json:"value,omitempty"`
	// Error is the class of the exception to be raised, or "".
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Code    string `json:"code"`
}

// Leave is the answer to [OpWait] that makes the boot code leave the code that waits. It then sends [OpSuspended].
const Leave = "S"

// Ended returns the answer to [OpWait] if a call has ended with an encoded [Answer]. It is nothing if none has.
func Ended(number int, answer []byte) []byte {
	return append(fmt.Appendf(nil, "[%d,", number), append(answer, ']')...)
}

// A Report is how a run has ended, in the words of the boot code. All of it may be a lie.
type Report struct {
	Ended     bool    // the boot code has done all that it does
	Suspended bool    // the code waits, and can go on
	Imported  bool    // it has imported the modules, and can go on
	Unseeded  bool    // and they have not used the module random
	Text      *string // of the result; nil if there is none
	Cut       int     // how many bytes of it were left out
	Data      []byte  // the result as JSON; nil if it is not data
	Exit      *int    // the status, if the code has ended the run
	Exception *Exception
}

// An Exception is one that the code has not caught.
type Exception struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Text    string `json:"text"` // the traceback, whole
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Syntax  bool   `json:"syntax"`
	Memory  bool   `json:"memory"`
}

// Add adds what a request says of the end of the run. What is malformed is left out.
func (r *Report) Add(op byte, payload []byte) {
	switch op {
	case OpText:
		if len(payload) >= 4 {
			text := string(payload[4:])
			r.Text, r.Cut = &text, int(binary.LittleEndian.Uint32(payload))
		}
	case OpData:
		r.Data = append([]byte{}, payload...)
	case OpExit:
		if len(payload) == 4 {
			status := int(int32(binary.LittleEndian.Uint32(payload)))
			r.Exit = &status
		}
	case OpException:
		var e Exception
		if json.Unmarshal(payload, &e) == nil {
			r.Exception = &e
		}
	case OpEnd:
		r.Ended = true
	case OpImported:
		r.Ended, r.Imported, r.Unseeded = true, true, len(payload) > 0
	case OpSuspended:
		r.Ended, r.Suspended = true, true
	}
}
