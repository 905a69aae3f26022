package mcpserver

//lint:file-ignore SA1019 The newest version of the protocol discourages logs, but still has them, and those before do.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handlers that share records continue each other's sessions. A session's record has what clients have told in the
// session and not since: a handler that gets a request of a session that it does not have takes it over from there.
// Several handlers can have one session at a time; the record tells each what the client has told the others.

// A sharedSession is the record of a session.
type sharedSession struct {
	// Identity is that of the session's server.
	Identity string `json:"identity"`
	// State is what the SDK knows of the session.
	State sdk.ServerSessionState `json:"state"`
	// Subscriptions are the URIs of files that the client wants to be told of.
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Canceled are the ids of requests that the client has canceled last.
	Canceled []json.RawMessage `json:"canceled,omitempty"`
}

// hasCanceled reports whether a request is among those that were canceled.
func (s *sharedSession) hasCanceled(id json.RawMessage) bool {
	return slices.ContainsFunc(s.Canceled, func(other json.RawMessage) bool { return bytes.Equal(other, id) })
}

// maxCanceled is how many canceled requests a session's record has. Those that read it do so within seconds.
const maxCanceled = 16

// shareKey is for the handler whose sessions are shared, in the context of a session.
type shareKey struct{}

// errNotOurs means that a session is that of another server.
var errNotOurs = errors.New("the session is that of another server")

// changeShared changes the record of a session, if there is one and it belongs to the server.
func (h *Handler) changeShared(ctx context.Context, id, identity string, edit func(s *sharedSession)) error {
	return h.options.Shared.Change(ctx, id, h.options.SessionTimeout, func(data []byte) ([]byte, error) {
		s, err := decodeShared(data, identity)
		if err != nil {
			return nil, err
		}
		edit(s)
		return json.Marshal(s)
	})
}

// decodeShared decodes the record of a session of a server.
func decodeShared(data []byte, identity string) (*sharedSession, error) {
	if data == nil {
		return nil, errNoSession
	}
	var s sharedSession
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the record of a session: %w", err)
	}
	if s.Identity != identity || s.State.InitializeParams == nil {
		return nil, errNotOurs
	}
	return &s, nil
}

// note tells a session's record what a client has told the server, which has accepted it. It is called before the
// client gets its answer.
func (h *Handler) note(ctx context.Context, s *Server, request sdk.Request, result sdk.Result) error {
	session, ok := request.GetSession().(*sdk.ServerSession)
	if !ok || session.ID() == "" || s.options.Identity == "" {
		return nil
	}
	if params, ok := request.GetParams().(*sdk.InitializeParams); ok {
		result, ok := result.(*sdk.InitializeResult)
		if !ok {
			return nil
		}
		data, err := json.Marshal(&sharedSession{Identity: s.options.Identity, State: sdk.ServerSessionState{
			InitializeParams: params, NegotiatedProtocolVersion: result.ProtocolVersion}})
		if err != nil {
			return err
		}
		return h.options.Shared.Change(ctx, session.ID(), h.options.SessionTimeout,
			func([]byte) ([]byte, error) { return data, nil })
	}
	edit := edition(request.GetParams())
	if edit == nil {
		return nil
	}
	h.mu.Lock()
	live := h.live[session.ID()]
	h.mu.Unlock()
	if live != nil {
		live.mu.Lock()
		known := live.known
		live.mu.Unlock()
		if !edit(&known) { // another handler has told this one
			return nil
		}
	}
	err := h.changeShared(ctx, session.ID(), s.options.Identity, func(s *sharedSession) { edit(s) })
	if err == nil && live != nil { // so that it is not done again when the record has changed
		live.mu.Lock()
		edit(&live.known)
		live.mu.Unlock()
	}
	return err
}

// edition returns what a message of a client changes in the record of its session, or nil. It reports whether there is
// anything to change, and does not change the lists that it gets.
func edition(params sdk.Params) func(s *sharedSession) bool {
	switch params := params.(type) {
	case *sdk.InitializedParams:
		return func(s *sharedSession) bool {
			s.State.InitializedParams = params
			return true
		}
	case *sdk.SetLoggingLevelParams:
		return func(s *sharedSession) bool {
			changed := s.State.LogLevel != params.Level
			s.State.LogLevel = params.Level
			return changed
		}
	case *sdk.SubscribeParams:
		return func(s *sharedSession) bool {
			if slices.Contains(s.Subscriptions, params.URI) {
				return false
			}
			s.Subscriptions = append(slices.Clone(s.Subscriptions), params.URI)
			return true
		}
	case *sdk.UnsubscribeParams:
		return func(s *sharedSession) bool {
			if !slices.Contains(s.Subscriptions, params.URI) {
				return false
			}
			s.Subscriptions = slices.DeleteFunc(slices.Clone(s.Subscriptions),
				func(uri string) bool { return uri == params.URI })
			return true
		}
	case *sdk.CancelledParams:
		return func(s *sharedSession) bool {
			id, err := json.Marshal(params.RequestID)
			if err != nil || len(id) > maxID || s.hasCanceled(id) {
				return false
			}
			s.Canceled = append(slices.Clone(s.Canceled), id)
			s.Canceled = s.Canceled[max(0, len(s.Canceled)-maxCanceled):]
			return true
		}
	}
	return nil
}
