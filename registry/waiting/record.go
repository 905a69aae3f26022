package waiting

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// record is what is kept of an entry.
type record struct {
	Entry
	// Kept is the number of the record TOKEN-Kept with the state of the code; 0 if there is none. CallsMade is how many
	// calls the code had made then.
	CallsMade int
	Kept      int `json:"State"`
	// Segment counts how often the code has gone on, and Dirty says that it may have changed files since its state,
	// under the id history.
	Segment int
	Dirty   bool
	// Owner goes on with the call until Lease; "" is nobody.
	Owner string
	Lease time.Time
	// Original is that of [registry.Suspension].
	Original json.RawMessage `json:",omitempty"`
	// Always are tools whose calls need not be asked for again, with who said so.
	Always map[string]string `json:",omitempty"`
}

// find returns the call with an id, or nil.
func (r *record) find(id string) *Call {
	for i := range r.Calls {
		if r.Calls[i].ID == id {
			return &r.Calls[i]
		}
	}
	return nil
}

// open returns the call with a number that the code has not been answered, or nil.
func (r *record) open(number int) *Call {
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Number == number && c.Status != registry.Ended {
			return c
		}
	}
	return nil
}

// becomeCode notes that the call, which waited itself, has begun, and that its code waits now.
func (r *record) becomeCode() {
	if c := r.open(0); c != nil {
		if !bytes.Equal(canonical(c.Input), canonical(r.Call.Input)) {
			r.Original, r.Call.Input = r.Call.Input, c.Input
		}
		c.done()
	}
	r.Code = true
}

// history is the id under which the code changes files now.
func (r *record) history() string { return fmt.Sprintf("%s+%d", r.Call.ID, r.Segment) }

// Owns reports whether changes with this id in the project's history are those of the call, or of calls that it has
// made.
func (r *Entry) Owns(id string) bool {
	return id == r.Call.ID || strings.HasPrefix(id, r.Call.ID+".") || strings.HasPrefix(id, r.Call.ID+"+")
}

func newToken() string { return "run-" + strings.ToLower(rand.Text()[:20]) }

// key derives a key from the store's secret for one purpose, and for what the parts say and nothing else.
func (s *Store) key(ctx context.Context, parts ...string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secret == nil {
		secret, err := vfs.SealKey(ctx, s.store)
		if err != nil {
			return nil, err
		}
		s.secret = secret
	}
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("toolrun runs 1\n"))
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		mac.Write(size[:])
		mac.Write([]byte(part))
	}
	return mac.Sum(nil), nil
}

// stateKey is the key with which the tool seals its state. It is good for one call, which the record of the token has.
func (s *Store) stateKey(ctx context.Context, token, scope, tool string) ([]byte, error) {
	return s.key(ctx, "tool", token, scope, tool)
}

// canonical is an input as records have it.
func canonical(input json.RawMessage) []byte {
	if data, err := json.Marshal(input); err == nil {
		return data
	}
	return input
}

// seal puts a code before data that is only good for a record of this kind and name.
func (s *Store) seal(ctx context.Context, kind, name string, data []byte) ([]byte, error) {
	key, err := s.key(ctx, "record", kind, name)
	if err != nil {
		return nil, err
	}
	return append(code(key, data), data...), nil
}

func (s *Store) unseal(ctx context.Context, kind, name string, sealed []byte) ([]byte, error) {
	key, err := s.key(ctx, "record", kind, name)
	if err != nil {
		return nil, err
	}
	if len(sealed) < sha256.Size || !hmac.Equal(code(key, sealed[sha256.Size:]), sealed[:sha256.Size]) {
		return nil, fmt.Errorf("%s: %w", name, ErrForged)
	}
	return sealed[sha256.Size:], nil
}

func code(key, data []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return mac.Sum(nil)
}

func (s *Store) read(ctx context.Context, token string, sealed []byte) (*record, error) {
	data, err := s.unseal(ctx, "runs", token, sealed)
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", token, err)
	}
	return r, nil
}

func (s *Store) get(ctx context.Context, token string) (*record, error) {
	if vfs.CheckID(token) != nil {
		return nil, ErrNone
	}
	sealed, err := s.entries.Get(ctx, token)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	return s.read(ctx, token, sealed)
}

// change changes an entry in one step. It is kept until the same time, which is looked up if it is not given.
func (s *Store) change(ctx context.Context, token string, until time.Time, change func(*record) error) error {
	if until.IsZero() {
		r, err := s.get(ctx, token)
		if err != nil {
			return err
		}
		until = r.Until
	}
	keep := time.Until(until)
	if keep <= 0 {
		return ErrNone
	}
	return s.entries.Change(ctx, token, keep, func(sealed []byte) ([]byte, error) {
		if sealed == nil {
			return nil, ErrNone
		}
		r, err := s.read(ctx, token, sealed)
		if err != nil {
			return nil, err
		}
		if err := change(r); err != nil {
			return nil, err
		}
		return s.encode(ctx, r)
	})
}

func (s *Store) encode(ctx context.Context, r *record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return s.seal(ctx, "runs", r.Token, data)
}

func stateName(token string, n int) string { return fmt.Sprintf("%s-%d", token, n) }

// putState keeps the nth state of an entry.
func (s *Store) putState(ctx context.Context, token string, n int, until time.Time, state []byte) error {
	name := stateName(token, n)
	sealed, err := s.seal(ctx, "run-states", name, state)
	if err != nil {
		return err
	}
	return s.states.Change(ctx, name, max(time.Until(until), time.Millisecond), func([]byte) ([]byte, error) {
		return sealed, nil
	})
}

func (s *Store) getState(ctx context.Context, token string, n int) ([]byte, error) {
	name := stateName(token, n)
	sealed, err := s.states.Get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("the state of the code is missing: %w", err)
	}
	return s.unseal(ctx, "run-states", name, sealed)
}

// dropState removes a state that is not needed any more. What remains of it is gone when its time is over.
func (s *Store) dropState(ctx context.Context, token string, n int) {
	if n > 0 {
		_ = s.states.Change(ctx, stateName(token, n), 0, func([]byte) ([]byte, error) { return nil, nil })
	}
}

// listed is an entry in the list of its scope, by which the same call is recognised.
type listed struct {
	Token  string
	Digest []byte // of the call
	Until  time.Time
	Made   time.Time
	Bytes  int64 // what it keeps; 0 of those of an older version
	// Client is who makes the call, and whose limits it counts for.
	Client string `json:",omitempty"`
}

func (s *Store) listName(ctx context.Context, scope string) (string, error) {
	key, err := s.key(ctx, "list", scope)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", key[:16]), nil
}

// digest identifies a call of a client.
func (s *Store) digest(ctx context.Context, call tool.Call, env *registry.Env) ([]byte, error) {
	return s.key(ctx, "call", env.Chat, env.Client, call.Tool, string(call.Input))
}

// waiting is list, and makes no secret for a store in which nothing waits.
func (s *Store) waiting(ctx context.Context, scope string) ([]listed, error) {
	s.mu.Lock()
	asked := s.secret != nil
	s.mu.Unlock()
	if !asked {
		if some, err := s.lists.List(ctx, "", 1); err != nil || len(some) == 0 {
			return nil, err
		}
	}
	return s.list(ctx, scope)
}

// list returns the entries of a scope.
func (s *Store) list(ctx context.Context, scope string) ([]listed, error) {
	name, err := s.listName(ctx, scope)
	if err != nil {
		return nil, err
	}
	sealed, err := s.lists.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.readList(ctx, name, sealed)
}

func (s *Store) readList(ctx context.Context, name string, sealed []byte) (list []listed, err error) {
	data, err := s.unseal(ctx, "run-lists", name, sealed)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(data, &list)
	return slices.DeleteFunc(list, func(l listed) bool { return !time.Now().Before(l.Until) }), err
}

// changeList changes the list of a scope in one step.
func (s *Store) changeList(ctx context.Context, scope string, change func([]listed) ([]listed, error)) error {
	name, err := s.listName(ctx, scope)
	if err != nil {
		return err
	}
	return s.lists.Change(ctx, name, s.o.Keep, func(sealed []byte) ([]byte, error) {
		var list []listed
		var err error
		if sealed != nil {
			if list, err = s.readList(ctx, name, sealed); err != nil {
				return nil, err
			}
		}
		if list, err = change(list); err != nil || len(list) == 0 {
			return nil, err
		}
		data, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		return s.seal(ctx, "run-lists", name, data)
	})
}
