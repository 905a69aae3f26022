package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolrun/toolrun/registry"
)

// A Stream assembles the calls of a streamed response. It is not safe for concurrent use.
type Stream struct {
	api     registry.API
	dialect dialect
	pending pendingCalls
}

// NewStream returns a stream for one response. MCP does not stream calls: there, each event is a message.
func NewStream(api registry.API) (*Stream, error) {
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
	if len(event) == 0 || string(event) == "[DONE]" {
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

// Calls returns the stream's calls, in order. Call it after the last event: incomplete arguments are not valid
// JSON, and are returned as they are. A call without an id is an error as in [Calls].
func (s *Stream) Calls() ([]registry.Call, error) {
	if s.pending.final != nil {
		return answerable(s.api, s.dialect, slices.Clone(s.pending.final))
	}
	var list callList
	for _, p := range s.pending.list {
		input, err := p.arguments()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.api, err)
		}
		if err := list.add(p.id, p.tool, input); err != nil {
			return nil, fmt.Errorf("%s: %w", s.api, err)
		}
	}
	return answerable(s.api, s.dialect, list.calls)
}

// pendingCalls holds the calls of a stream so far.
type pendingCalls struct {
	list []*pendingCall
	by   map[string]*pendingCall // by the key that events use, such as an index
	byID map[string]*pendingCall // the first call with each id, if its first event had one
	size int                     // bytes kept in total
	// final, if not nil, is the list of all calls that the stream repeats at its end.
	final []registry.Call
}

// A pendingCall is a call that may still be incomplete.
type pendingCall struct {
	id, tool string
	// input holds arguments that arrived at once.
	input json.RawMessage
	// pieces holds arguments that arrived in pieces, as JSON strings without the quotes. They are decoded together,
	// because a character may be split between two pieces.
	pieces []byte
	// end searches the pieces for the end of the object.
	end objectEnd
	// done means that an event has marked the call as complete.
	done bool
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
		return first(p.input) == '{' // it is part of an event, so it is valid JSON
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
	if p.by == nil {
		p.by, p.byID = map[string]*pendingCall{}, map[string]*pendingCall{}
	}
	p.by[key] = call
	if p.byID[id] == nil {
		p.byID[id] = call
	}
	return call, nil
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
		call.input = slices.Clone(piece)
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
func (p *pendingCalls) fill(calls []registry.Call) {
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

// addAll adds the calls of a message that contains them whole.
func (p *pendingCalls) addAll(d dialect, message []byte) error {
	var list callList
	if err := d.calls(message, &list); err != nil {
		return err
	}
	for _, c := range list.calls {
		if _, err := p.begin("", c.ID, c.Tool, c.Input); err != nil {
			return err
		}
	}
	return nil
}
