package python

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// A Task is what the boot code gets to know of a run. None of its texts has a NUL, but for the code.
type Task struct {
	Code string
	Name string // of the file, in tracebacks
	Args []string
	// Functions are the names of the functions of the host, with a dot if they are attributes of an object.
	Functions []string
	Seed      uint64 // of the module random
	Room      int    // the largest size of the result's text, in characters, and of its data, in bytes
	Input     bool   // whether there is standard input
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
	input := 0
	if t.Input {
		input = 1
	}
	data := make([]byte, 0, 64+len(args)+len(functions)+len(t.Name)+len(t.Code))
	const full = 1 << 63 // so that the seed takes as much work in each run
	return fmt.Appendf(data, "%x\x00%d\x00%d\x00%s\x00%s\x00%s\x00%s", t.Seed|full, t.Room, input, args, functions, t.Name, t.Code), nil
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

// An Answer is what a call of a function of the host is answered with, in JSON.
type Answer struct {
	Value any `json:"value,omitempty"`
	// Error is the class of the exception to be raised, or "".
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Code    string `json:"code"`
}

// A Report is how a run has ended, in the words of the boot code. All of it may be a lie.
type Report struct {
	Ended     bool    // the boot code has done all that it does
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
	}
}
