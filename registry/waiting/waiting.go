// Package waiting keeps calls that wait for a person's approval, with the code that makes them, and continues them
// later, in any process or on another machine.
//
//	calls, err := waiting.New(store, nil)
//	env.Waiting = calls.In("notes")
//	result := tools.Dispatch(ctx, call, env)                           // result.Pending has the token
//	_, err = calls.Decide(ctx, token, map[string]registry.Decision{id: {Approved: true, By: "ada"}})
//	result, err = calls.In("notes").Resume(ctx, tools, env, token)
//
// # What is kept
//
// A record of the store for each call: the call itself, the state of its code, the calls that the code has made, and
// those that wait for a decision. Records are sealed with a secret of the store ([vfs.SealKey]): one that was made or
// changed without it, or moved to another token, is refused. A waiting call takes no memory and no goroutine.
//
// # What is promised
//
// While it runs, a call belongs to one process, which renews its claim. Before each call that the code makes, the state
// of the code is stored and the call noted as begun; its answer is noted before the code gets it. If the process dies,
// the next one undoes the code's changes of files since the last state, continues from that state, and delivers the
// same answers. A call that was in progress is not repeated: the code gets the error [tool.CodeUnknownOutcome].
//
// # Experimental
//
// The root package and the command keep waiting calls with it. The Go API may change with any version; calls that
// wait stay readable.
package waiting

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Options configure [New]. The zero value has safe defaults.
type Options struct {
	// Keep is how long a call is kept that waits, and the result of one that has ended meanwhile. Zero means
	// a week.
	Keep time.Duration
	// Most is how many calls of one client of a project ([registry.Env]) can wait at the same time. Zero means
	// 100.
	Most int
	// Bytes is how many bytes the calls of one client of a project that wait can keep together: inputs, states of code,
	// and the results of those that have ended and whose callers have not fetched them. Zero means 64 MiB. They
	// keep less if the quota of the project's files leaves less: a call waits only if what its client's calls keep
	// would fit there, too. That does not hold for directories of the host.
	Bytes int64
	// Lease is how long a process that has died or lost the store keeps others from going on with its call. The clocks
	// of machines that share a store must not differ by as much. Zero means 30 seconds.
	Lease time.Duration
}

// Errors of [Store].
var (
	// ErrNone means that no call with this token waits: there was none, or its time is over.
	ErrNone = fmt.Errorf("no call waits with this token: %w", fs.ErrNotExist)
	// ErrBusy means that a process goes on with the call already.
	ErrBusy = errors.New("the call goes on already, perhaps in another process")
	// ErrForged means that a record was not made with the store's secret, or was changed.
	ErrForged = errors.New("what is kept of the call was changed, or is of another store")

	errLost   = errors.New("another process goes on with the call")
	errNoRoom = errors.New("there is no room for the state of the code")
)

// A Store has the calls of a store of projects that wait. It is safe for concurrent use, also by several processes.
type Store struct {
	store                    vfs.RecordStore
	entries, states, results vfs.Records
	lists                    vfs.Records
	o                        Options
	mu                       sync.Mutex
	secret                   []byte // once it has been read
}

// New returns the calls that wait in a store. The error is one of the options.
func New(store vfs.RecordStore, options *Options) (*Store, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Keep < 0 || o.Most < 0 || o.Bytes < 0 || o.Lease < 0 {
		return nil, errors.New("waiting: a limit is negative")
	}
	o = Options{cmp.Or(o.Keep, 7*24*time.Hour), cmp.Or(o.Most, 100), cmp.Or(o.Bytes, 64<<20),
		cmp.Or(o.Lease, 30*time.Second)}
	return &Store{
		store:   store,
		entries: store.Records("runs"),
		states:  store.Records("run-states"),
		results: store.Records("run-results"),
		lists:   store.Records("run-lists"),
		o:       o,
	}, nil
}

// An Entry is a call that waits.
type Entry struct {
	Token string `json:"token"`
	// Scope is what was given to [Store.In].
	Scope                 string `json:"place"`
	Project, Chat, Client string `json:",omitempty"`
	// Made is when it began to wait, Since when it did so the last time, and Until is how long it is kept.
	Made  time.Time `json:"made"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Call is the outermost call: that of the model. If it was approved with another input, it has that once its code
	// runs.
	Call tool.Call `json:"call"`
	// Code says that code waits. Calls are the one call itself, if that had to wait, and those that its code has made
	// since it first waited, and before them those it waited for then.
	Code  bool   `json:"code"`
	Calls []Call `json:"calls"`
	// Choice is what the call's selection had chosen.
	Choice Choice `json:"choice"`
	// State is [registry.Running] if a process goes on with the call now, and otherwise [registry.Waiting].
	State registry.State `json:"state,omitempty"`
}

// A Call is a call that waits, or did.
type Call struct {
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Input is the input. It is left out of calls that have been answered if it is large.
	Input json.RawMessage `json:"input,omitempty"`
	// Status is where the call stands: a state of the registry, Next or Answered.
	Status registry.State `json:"status"`
	// Rule is the rule that wants an approval, and Decision is what was decided, or nil.
	Rule     string             `json:"rule,omitempty"`
	Decision *registry.Decision `json:"decision,omitempty"`
	// Problem says why a decision could not be used.
	Problem string `json:"problem,omitempty"`
	// Code is how the call has ended, and Approval how it was approved.
	Code     tool.Code      `json:"code,omitempty"`
	Approval *tool.Approval `json:"approval,omitempty"`

	// Number is by which the code knows it. Answer is its result until the state of the code has it.
	Number int             `json:"number"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

// States of calls that only those have that are kept.
const (
	Next     registry.State = "next"     // nobody has looked yet whether it needs approval
	Answered registry.State = "answered" // it has ended, and the code has to be told
)

// Waiting returns the calls that need a decision and have none.
func (r *Entry) Waiting() (calls []Call) {
	for _, c := range r.Calls {
		if c.Status == registry.Waiting && c.Decision == nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// pending describes the entry to those who make the call.
func (r *Entry) pending() *tool.Pending {
	p := &tool.Pending{Token: r.Token, Until: r.Until, Code: r.Code, Tools: []string{}}
	seen := map[string]bool{}
	for _, c := range r.Calls {
		if c.Status == registry.Waiting && !seen[c.Tool] {
			seen[c.Tool] = true
			p.Tools = append(p.Tools, c.Tool)
		}
	}
	return p
}

// Get returns a call that waits. The error is ErrNone if there is none, and says what was decided if it has ended.
func (s *Store) Get(ctx context.Context, token string) (*Entry, error) {
	return s.all().Get(ctx, token)
}

// Get is [Store.Get] for calls of the scope. For all others, the error is ErrNone.
func (k *Keeper) Get(ctx context.Context, token string) (*Entry, error) {
	r, err := k.store.get(ctx, token)
	if errors.Is(err, ErrNone) {
		if f, ended := k.store.result(ctx, token); ended == nil && f.Decided != nil && k.has(f.Scope) {
			return nil, &endedError{f.Decided}
		}
	}
	if err != nil {
		return nil, err
	}
	if !k.has(r.Scope) {
		return nil, ErrNone
	}
	r.State = registry.Waiting
	if r.Owner != "" && time.Now().Before(r.Lease) {
		r.State = registry.Running
	}
	return &r.Entry, nil
}

// List returns tokens of calls that wait, as [vfs.Records].List does.
func (s *Store) List(ctx context.Context, after string, limit int) ([]string, error) {
	return s.entries.List(ctx, after, limit)
}

// All returns the calls that wait, by token. What is damaged is an error of its own, after which others follow.
func (s *Store) All(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		after := ""
		for {
			names, err := s.List(ctx, after, vfs.DefaultPage)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, name := range names {
				entry, err := s.Get(ctx, name)
				if errors.Is(err, fs.ErrNotExist) { // meanwhile
					continue
				}
				if !yield(entry, err) {
					return
				}
				after = name
			}
			if len(names) < vfs.DefaultPage {
				return
			}
		}
	}
}
