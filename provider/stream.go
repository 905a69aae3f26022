package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// A Stream assembles the calls of a streamed response. It is not safe for concurrent use.
type Stream struct {
	api     tool.API
	dialect dialect
	pending pendingCalls
}

// NewStream returns a stream for one response. MCP does not stream calls: there, each event is a message.
func NewStream(api tool.API) (*Stream, error) {
	d, err := dialectOf(api)
	if err != nil {
		return nil, err
	}
	return &Stream{api: api, dialect: d}, nil
}

// Add reads the next event: the data of a server-sent event or, for Bedrock, the event as JSON, with or without its
// name around it. It ignores events that do not concern calls, [DONE] and empty events.
//
// It fails if the event is not JSON, if there are more than 1000 calls or more than 64 MiB of arguments, or with
// the provider's text if the event reports an error. The stream keeps what it had before.
func (s *Stream) Add(event []byte) error {
	event = bytes.TrimSpace(event)
	if len(event) == 0 {
		return nil
	}
	if string(event) == "[DONE]" {
		s.pending.ended = true
		return nil
	}
	if err := checkJSON(s.api, event); err != nil {
		return err
	}
	if err := s.dialect.event(event, &s.pending); err != nil {
		return fmt.Errorf("%s: %w", s.api, err)
	}
	return nil
}

// Calls returns the stream's calls, in order. Call it after the last event: if there is no event that ends the
// response, calls whose arguments are incomplete have an Err. Ids, errors and calls with an Err are as in [Calls], but
// each call of Calls returns the same ids.
func (s *Stream) Calls() ([]tool.Call, error) {
	calls, err := s.pending.calls()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.api, err)
	}
	if calls, err = s.pending.outcome(s.api, calls); err != nil {
		return nil, err
	}
	return answerable(s.api, s.dialect, calls)
}

// pendingCalls holds the calls of a stream so far.
type pendingCalls struct {
	ending
	list []*pendingCall
	by   map[string]*pendingCall // by the key that events use, such as an index
	byID map[string]*pendingCall // the first call with each id, if its first event had one
	size int                     // bytes kept in total
	// final, if not nil, is the list of all calls that the stream repeats at its end.
	final []tool.Call
}

// calls returns the calls so far. Those that are incomplete have an Err if the response has not ended.
func (p *pendingCalls) calls() ([]tool.Call, error) {
	if p.final != nil {
		return slices.Clone(p.final), nil
	}
	var list callList
	for i, call := range p.list {
		if call.leftOut || call.answered {
			continue
		}
		input, err := call.arguments()
		if err != nil {
			return nil, err
		}
		if call.needsID && call.id == "" && call.tool != "" {
			call.id = newID()
		}
		if err := list.add(call.id, call.tool, input); err != nil {
			return nil, err
		}
		added := &list.calls[len(list.calls)-1]
		added.Item = call.item
		last := i == len(p.list)-1 && !p.after
		if !p.ended && !call.done && (call.none() && last || len(input) > 0 && !json.Valid(input)) {
			added.Err = errEarly
		}
	}
	return list.calls, nil
}

// A pendingCall is a call that may still be incomplete.
type pendingCall struct {
	id, tool string
	item     string // as in tool.Call
	// input holds arguments that arrived at once. whole means that they did so after the call had begun.
	input json.RawMessage
	whole bool
	// pieces holds arguments that arrived in pieces, as JSON strings without the quotes. They are decoded together,
	// because a character may be split between two pieces.
	pieces []byte
	// end searches the pieces for the end of the object.
	end objectEnd
	// done means that an event has marked the call as complete.
	done bool
	// needsID means that the call gets an id if the stream has none.
	needsID bool
	// leftOut means that the call must not be made, or not yet, and answered that it has a result.
	leftOut, answered bool
}

// none reports whether no arguments have arrived. Some APIs begin each call with an empty object.
func (p *pendingCall) none() bool {
	return len(p.pieces) == 0 && (len(p.input) == 0 || !p.whole && string(p.input) == "{}")
}

func (p *pendingCall) arguments() (json.RawMessage, error) {
	if len(p.pieces) == 0 {
		return slices.Clone(p.input), nil
	}
	var text string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, p.pieces, []byte{'"'}), &text); err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

// complete reports whether the arguments so far are a complete object. Asking after each piece costs no more in total
// than asking once.
func (p *pendingCall) complete() bool {
	if len(p.pieces) == 0 {
		return first(p.input) == '{' && !p.none() // it is part of an event, so it is valid JSON
	}
	if !p.end.reached(p.pieces) {
		return false
	}
	if !p.end.checked {
		input, err := p.arguments()
		p.end.checked, p.end.wrong = true, err != nil || !json.Valid(input)
	}
	return !p.end.wrong
}

// repeated reports whether a piece is the whole call once more.
func (p *pendingCall) repeated(id, name string, piece json.RawMessage) bool {
	// Whatever is shorter cannot be all arguments, and would take long to compare again and again.
	const longestEscape = 6
	if id != "" && id != p.id || name != "" && name != p.tool || first(piece) != '"' ||
		len(piece)*longestEscape < len(p.pieces) ||
		len(p.pieces) == 0 || !p.complete() {
		return false
	}
	input, err := p.arguments()
	return err == nil && string(input) == textOf(piece)
}

// begin adds a call that later events will identify by key. It ends a call that had the same key.
func (p *pendingCalls) begin(key, id, tool string, input json.RawMessage) (*pendingCall, error) {
	if len(p.list) >= maxCalls {
		return nil, fmt.Errorf("there are more than %d calls", maxCalls)
	}
	if err := p.grow(len(key) + len(id) + len(tool) + len(input)); err != nil {
		return nil, err
	}
	call := &pendingCall{id: id, tool: tool, input: slices.Clone(input)}
	p.list = append(p.list, call)
	p.after = false
	p.identify(key, call)
	if p.byID[id] == nil {
		p.byID[id] = call
	}
	return call, nil
}

// skip notes that a key identifies something other than a call.
func (p *pendingCalls) skip(key string) error {
	p.after = true
	p.identify(key, nil)
	return p.grow(len(key))
}

// identify says what later events mean by a key.
func (p *pendingCalls) identify(key string, call *pendingCall) {
	if p.by == nil {
		p.by, p.byID = map[string]*pendingCall{}, map[string]*pendingCall{}
	}
	p.by[key] = call
}

// more appends a JSON string to the arguments of a call, which may be nil. Any other value except null replaces the
// arguments.
func (p *pendingCalls) more(call *pendingCall, piece json.RawMessage) error {
	if call == nil || len(piece) == 0 || string(piece) == "null" {
		return nil
	}
	if err := p.grow(len(piece)); err != nil {
		return err
	}
	if first(piece) == '"' {
		call.pieces = append(call.pieces, piece[1:len(piece)-1]...)
	} else {
		call.input, call.whole = slices.Clone(piece), true
	}
	return nil
}

var errStreamTooLong = errors.New("the calls have too many bytes")

func (p *pendingCalls) grow(n int) error {
	if n > maxBytes-p.size {
		return fmt.Errorf("%w: more than %d", errStreamTooLong, maxBytes)
	}
	p.size += n
	return nil
}

// fill completes calls that arrived without arguments with the arguments that arrived in pieces for the same id. If
// several calls share an id, each gets the arguments of a different one.
func (p *pendingCalls) fill(calls []tool.Call) {
	had := map[string][]*pendingCall{}
	for _, call := range p.list {
		if call.id != "" {
			had[call.id] = append(had[call.id], call)
		}
	}
	for i, c := range calls {
		if of := had[c.ID]; len(of) > 0 {
			if len(c.Input) == 0 {
				calls[i].Input, _ = of[0].arguments()
			}
			had[c.ID] = of[1:]
		}
	}
}

// last returns the call that has begun last, or nil.
func (p *pendingCalls) last() *pendingCall {
	if len(p.list) == 0 {
		return nil
	}
	return p.list[len(p.list)-1]
}

// receiver returns the call that a piece of arguments belongs to: call, which has the index of the piece, unless there
// is none or it is complete, and the last call is not. Some servers do not keep to their indexes.
func (p *pendingCalls) receiver(call *pendingCall, piece json.RawMessage) *pendingCall {
	last := p.last()
	if last == nil || last == call || last.done || call != nil && (isBlank(piece) || !call.complete()) ||
		last.complete() {
		return call
	}
	return last
}

// isBlank reports whether a piece of arguments is a string of white space, or nothing.
func isBlank(piece json.RawMessage) bool {
	return len(piece) == 0 || string(piece) == "null" || first(piece) == '"' && strings.TrimSpace(textOf(piece)) == ""
}

// finish replaces the calls by those that a stream repeats at its end in data, unless it has none there.
func (p *pendingCalls) finish(list callList, data []byte) error {
	if len(list.calls) > 0 {
		if err := p.grow(len(data)); err != nil {
			return err
		}
		p.final, p.after = list.calls, list.after
		p.fill(p.final)
	}
	p.merge(list.ending)
	return nil
}

// addAll adds the calls of a message that contains them whole.
func (p *pendingCalls) addAll(d dialect, message []byte) error {
	var list callList
	if err := d.calls(message, &list); err != nil {
		return err
	}
	for _, c := range list.calls {
		call, err := p.begin("", c.ID, c.Tool, c.Input)
		if err != nil {
			return err
		}
		call.done, call.item = true, c.Item
	}
	p.after = p.after || list.after
	p.merge(list.ending)
	return nil
}
