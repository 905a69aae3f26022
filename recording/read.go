package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/toolrun/toolrun/tool"
)

// A FormatError says why something is not a recording that can be played back.
type FormatError struct {
	// Line is the line where that shows, from 1.
	Line   int
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("recording: line %d: %s", e.Line, e.Reason)
}

// A Recording is a recording that has been read. It is immutable and safe for concurrent use.
type Recording struct {
	header Header
	events []event
	calls  []answered // in the order in which they began
	result *outcome   // nil for a conversation
	// answers are those of requests.
	answers map[answerKey]tapedAnswer
}

// event is something that the run got from outside.
type event struct {
	line
	number int // of the line
	bytes  []byte
}

// answered is a call of a tool and its answer, which is nil if the run was over before.
type answered struct {
	of          int
	tool, input string
	result      *outcome
}

// Read reads a recording. What it holds is checked, but not believed: playing it back affects nothing. The error is a
// [*FormatError] or that of the reader. Nil options mean the defaults.
func Read(from io.Reader, options *Options) (*Recording, error) {
	most := options.bytes()
	// One byte more than there may be tells that there is more.
	in := bufio.NewReaderSize(io.LimitReader(from, most+1), 64<<10)
	r := &Recording{answers: map[answerKey]tapedAnswer{}}
	open := map[int]int{} // calls without an answer, by their numbers
	bytesOf := map[int][]byte{}
	var size int64
	for n := 1; ; n++ {
		fail := func(reason string, args ...any) error { return &FormatError{n, fmt.Sprintf(reason, args...)} }
		text, err := readLine(in)
		size += int64(len(text))
		switch {
		case size > most:
			return nil, fail("the recording has more than %d bytes", most)
		case errors.Is(err, bufio.ErrTooLong):
			return nil, fail("it is longer than %d bytes", maxLine)
		case err != nil && err != io.EOF:
			return nil, err
		case err == io.EOF && n == 1 && len(text) == 0:
			return nil, fail("the file is empty")
		case err == io.EOF:
			if n == 1 {
				return nil, fail("this is not a recording")
			}
			return nil, fail("the recording is not complete: its end is missing")
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			if n == 1 {
				return nil, fail("this is not a recording")
			}
			return nil, fail("damaged: %v", err)
		}
		if n == 1 {
			switch {
			case l.Kind != kindHeader:
				return nil, fail("this is not a recording")
			case l.Version != version:
				return nil, fail("version %d of the format; this program reads version %d", l.Version, version)
			case l.Header == nil:
				return nil, fail("damaged: there is no header")
			}
			r.header = *l.Header
			continue
		}
		switch l.Kind {
		case kindHeader:
			return nil, fail("damaged: a second header")
		case kindCut:
			return nil, fail("%v", ErrTooLarge)
		case kindEnd:
			if l.Lines != n {
				return nil, fail("the recording is not complete: it had %d lines", l.Lines)
			}
			if _, err := in.ReadByte(); err != io.EOF {
				return nil, fail("there is more after the end of the recording")
			}
			if r.header.Tool != "" && r.result == nil {
				return nil, fail("the recording is not complete: the result is missing")
			}
			return r, nil
		case kindCall:
			open[l.Number] = len(r.calls)
			r.calls = append(r.calls, answered{of: l.Of, tool: l.Tool, input: l.Input})
		case kindAnswer:
			at, ok := open[l.Number]
			if !ok || l.Result == nil {
				return nil, fail("damaged: an answer without a call")
			}
			delete(open, l.Number)
			r.calls[at].result = l.Result
		case kindAsk:
			key := answerKey{l.Tool, l.Of}
			if _, twice := r.answers[key]; twice {
				return nil, fail("damaged: two requests by one call")
			}
			r.answers[key] = tapedAnswer{about: l.About, line: n}
		case kindAnswered:
			key := answerKey{l.Tool, l.Of}
			asked, ok := r.answers[key]
			if !ok || asked.answer != nil || l.Value == nil {
				return nil, fail("damaged: an answer without a request")
			}
			asked.answer = l.Value
			r.answers[key] = asked
		case kindResult:
			if l.Result == nil || r.result != nil {
				return nil, fail("damaged: not the result")
			}
			r.result = l.Result
		case "":
			return nil, fail("damaged: it does not say what it is")
		default:
			e := event{line: l, number: n, bytes: l.Data}
			if l.Text != nil {
				e.bytes = []byte(*l.Text)
			}
			if l.As != 0 {
				known, ok := bytesOf[l.As]
				if !ok {
					return nil, fail("damaged: line %d has no data for it", l.As)
				}
				e.bytes = known
			}
			if e.bytes != nil {
				bytesOf[n] = e.bytes
			}
			e.Text, e.Data = nil, nil
			r.events = append(r.events, e)
		}
	}
}

// readLine reads a line, without its newline. It is bufio.ErrTooLong if it is longer than maxLine, and io.EOF with
// what there is if it has no newline.
func readLine(in *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		piece, err := in.ReadSlice('\n')
		if len(whole)+len(piece) > maxLine+1 {
			return nil, bufio.ErrTooLong
		}
		whole = append(whole, piece...)
		if err != bufio.ErrBufferFull {
			return bytes.TrimSuffix(whole, []byte("\n")), err
		}
	}
}

// Header returns what was recorded.
func (r *Recording) Header() Header { return r.header }

// Call returns the call that was recorded.
func (r *Recording) Call() tool.Call {
	return tool.Call{ID: r.header.ID, Tool: r.header.Tool, Input: json.RawMessage(r.header.Input)}
}

// Result returns the result of the call.
func (r *Recording) Result() tool.Result {
	if r.result == nil {
		return tool.Result{}
	}
	result := r.result.result()
	result.CallID, result.Tool = r.header.ID, r.header.Tool
	return result
}

// Stopped reports whether the call was stopped, by its time limit or its host. How far it had come by then depends on
// the machine, so its result cannot be compared.
func (r *Recording) Stopped() bool {
	return r.result != nil && (r.result.Code == tool.CodeTimeout || r.result.Code == tool.CodeCanceled)
}
