package waiting

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// A Keeper is a [registry.Keeper] for the calls of one scope. It is safe for concurrent use.
type Keeper struct {
	store *Store
	scope string
	all   bool // it is for all scopes, to look at calls and to decide on them
}

var _ registry.Keeper = (*Keeper)(nil)

// In returns the Keeper of a scope: the project whose files the calls work on ([ProjectScope], [DirectoryScope]), or
// another name for them that is used for nothing else. A call goes on only in the scope in which it has begun.
func (s *Store) In(scope string) *Keeper { return &Keeper{store: s, scope: scope} }

func (s *Store) all() *Keeper { return &Keeper{store: s, all: true} }

// ProjectScope is the scope of a store's project, by its id.
func ProjectScope(id string) string { return "project " + id }

// DirectoryScope is the scope of a directory that is a project of its own, by its absolute path.
func DirectoryScope(dir string) string { return "directory " + dir }

// Scope is the scope whose calls it keeps.
func (k *Keeper) Scope() string { return k.scope }

func (k *Keeper) has(scope string) bool { return k.all || scope == k.scope }

// Prepare implements [registry.Keeper].
func (k *Keeper) Prepare(ctx context.Context, call tool.Call,
	_ registry.Env) (token string, key []byte, err error) {
	token = newToken()
	key, err = k.store.stateKey(ctx, token, k.scope, call.Tool)
	return token, key, err
}

// Keep implements [registry.Keeper].
func (k *Keeper) Keep(ctx context.Context, s *registry.Suspension, env registry.Env) (*tool.Pending, error) {
	now := time.Now().Round(0)
	r := &record{Entry: Entry{Token: s.Token, Scope: k.scope, Project: env.Project, Chat: env.Chat,
		Client: env.Client, Made: now, Since: now,
		Until: now.Add(k.store.o.Keep), Call: s.Call, Code: s.State != nil, Choice: choiceOf(&env.Selection)},
		Original: s.Original, CallsMade: s.Made}
	if r.Call.ID == "" {
		r.Call.ID = r.Token
	}
	r.wait(s.Waiting)
	made := s.Call
	if s.Original != nil {
		made.Input = s.Original
	}
	size := keptBytes(s)
	room, err := k.room(ctx, env.Files)
	if err != nil {
		return nil, err
	}
	err = vfs.ErrTooLarge
	if size <= room {
		if err := k.enlist(ctx, r, made, size, room, &env); err != nil {
			return nil, err
		}
		err = k.keep(ctx, r, s.State)
	}
	if errors.Is(err, vfs.ErrTooLarge) {
		err = tool.Errorf("The call needs the approval of a person, "+
			"and is too large to be kept until somebody decides: %w. "+
			"Pass less at a time, for example the names of files.", err)
	}
	if err != nil {
		return nil, err
	}
	return r.pending(), nil
}

func (k *Keeper) keep(ctx context.Context, r *record, state []byte) error {
	if state != nil {
		r.Kept = 1
		if err := k.store.putState(ctx, r.Token, r.Kept, r.Until, state); err != nil {
			return err
		}
	}
	sealed, err := k.store.encode(ctx, r)
	if err != nil {
		return err
	}
	return k.store.entries.Change(ctx, r.Token, time.Until(r.Until),
		func([]byte) ([]byte, error) { return sealed, nil })
}

// wait notes which calls the code waits for. What it has been told since is done.
func (r *record) wait(waiting []registry.Unanswered) {
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Status == Answered {
			c.done()
		}
	}
	for _, w := range waiting {
		c := r.open(w.Number)
		if c == nil {
			r.Calls = append(r.Calls, Call{ID: w.Call.ID, Number: w.Number})
			c = &r.Calls[len(r.Calls)-1]
		}
		c.Tool, c.Rule, c.Status = w.Call.Tool, w.Rule, Next
		if c.ID == "" {
			c.ID = r.Call.ID
		}
		if w.Asked {
			c.Status = registry.Waiting
		}
		if c.Decision != nil && !bytes.Equal(canonical(c.Input), canonical(w.Call.Input)) {
			c.Decision = nil // it was for another input
		}
		c.Input = w.Call.Input
	}
}

func (c *Call) done() {
	c.Status, c.Answer = registry.Ended, nil
	if len(c.Input) > maxDoneInput {
		c.Input = nil
	}
}

// maxDoneInput is how many bytes of the input of a call are kept when it has been answered.
const maxDoneInput = 2000

// room is how many bytes the waiting calls of one client can keep together: what the quota of the files leaves, so that
// calls that wait are no second quota.
func (k *Keeper) room(ctx context.Context, files afero.Fs) (int64, error) {
	project, ok := files.(vfs.Project)
	if !ok || strings.HasPrefix(k.scope, DirectoryScope("")) { // in which all files would be counted
		return k.store.o.Bytes, nil
	}
	usage, err := project.Usage(ctx)
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && usage.Quota.Bytes == vfs.Unlimited:
		return k.store.o.Bytes, nil
	case err != nil:
		return 0, err
	}
	return min(k.store.o.Bytes, usage.Quota.Bytes-usage.Bytes), nil
}

// enlist adds an entry to the list of its scope, if its client has room for it.
func (k *Keeper) enlist(ctx context.Context, r *record, call tool.Call, size, room int64, env *registry.Env) error {
	digest, err := k.store.digest(ctx, call, env)
	if err != nil {
		return err
	}
	gone := map[string]bool{} // what has ended, by the token, or was never kept
	for {
		full := false
		var there []listed
		err := k.store.changeList(ctx, k.scope, func(list []listed) ([]listed, error) {
			list = slices.DeleteFunc(list, func(l listed) bool { return gone[l.Token] })
			own := of(list, r.Client)
			if full = len(own) >= k.store.o.Most || allBytes(own)+size > room; full {
				there = own
				return list, nil
			}
			return append(list, listed{r.Token, digest, r.Until, r.Made, size, r.Client}), nil
		})
		if err != nil || !full {
			return err
		}
		some := false
		for _, l := range there {
			if _, err := k.store.entries.Get(ctx, l.Token); errors.Is(err, fs.ErrNotExist) {
				f, err := k.store.result(ctx, l.Token)
				gone[l.Token] = err == nil && f.Delivered || time.Since(l.Made) > keepingTime
				some = some || gone[l.Token]
			}
		}
		if !some && len(there) < k.store.o.Most {
			return tool.Errorf("The call needs the approval of a person, "+
				"and what the %d calls of this project that wait for one keep leaves no room for it. "+
				"Do without it, pass less at a time, or ask the user to decide on those first.", len(there))
		}
		if !some {
			return tool.Errorf("The call needs the approval of a person, "+
				"and %d calls of this project wait for one already, which is as many as may. "+
				"Do without it, or ask the user to decide on those first.", len(there))
		}
	}
}

// bytesUnit is in which steps the bytes of code are counted that waits again, so that a list is not written for each.
const bytesUnit = 64 << 10

// of are the entries of a client.
func of(list []listed, client string) []listed {
	return slices.DeleteFunc(slices.Clone(list), func(l listed) bool { return l.Client != client })
}

// keptBytes is what is kept of a call that waits.
func keptBytes(s *registry.Suspension) int64 {
	n := len(s.State) + len(canonical(s.Call.Input)) + len(canonical(s.Original))
	for _, w := range s.Waiting {
		n += len(canonical(w.Call.Input))
	}
	return int64(n)
}

func roundBytes(n int64) int64 { return (n/bytesUnit + 1) * bytesUnit }

func allBytes(list []listed) (n int64) {
	for _, l := range list {
		n += l.Bytes
	}
	return n
}

// resize notes what an entry keeps from now on. The error is [vfs.ErrTooLarge] if its client has no room for it.
func (k *Keeper) resize(ctx context.Context, token string, size, room int64) error {
	list, err := k.store.list(ctx, k.scope)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(l listed) bool { return l.Token == token })
	// what is little less is not worth a change
	if i < 0 || size <= list[i].Bytes && list[i].Bytes-size < 16*bytesUnit {
		return nil
	}
	return k.store.changeList(ctx, k.scope, func(list []listed) ([]listed, error) {
		i := slices.IndexFunc(list, func(l listed) bool { return l.Token == token })
		if i < 0 {
			return list, nil
		}
		before := list[i].Bytes
		if list[i].Bytes = size; size > before && allBytes(of(list, list[i].Client)) > room {
			return nil, vfs.ErrTooLarge
		}
		return list, nil
	})
}

// keepingTime is how long keeping an entry may take that is listed already.
const keepingTime = time.Minute

// delist removes an entry from the list of its scope.
func (k *Keeper) delist(ctx context.Context, token string) error {
	return k.store.changeList(ctx, k.scope, func(list []listed) ([]listed, error) {
		return slices.DeleteFunc(list, func(l listed) bool { return l.Token == token }), nil
	})
}

// All returns the calls of the scope that wait, the first one first. What is damaged is an error of its own, after
// which others follow.
func (k *Keeper) All(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		list, err := k.store.waiting(ctx, k.scope)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, l := range list {
			entry, err := k.store.Get(ctx, l.Token)
			if errors.Is(err, ErrNone) { // it has ended, or is not kept yet
				continue
			}
			if !yield(entry, err) {
				return
			}
		}
	}
}

// Forget removes the calls of the scope that wait, and the results of those that have ended, as its project is deleted:
// a new one with its name has none of them. A call that goes on makes no other call any more.
func (k *Keeper) Forget(ctx context.Context) error {
	s := k.store
	list, err := s.waiting(ctx, k.scope)
	if err != nil || len(list) == 0 {
		return err
	}
	none := func([]byte) ([]byte, error) { return nil, nil }
	for _, l := range list {
		if r, err := s.get(ctx, l.Token); err == nil {
			s.dropState(ctx, l.Token, r.Kept)
		}
		if err := errors.Join(s.entries.Change(ctx, l.Token, 0, none),
			s.results.Change(ctx, l.Token, 0, none)); err != nil {
			return err
		}
	}
	return s.changeList(ctx, k.scope, func(now []listed) ([]listed, error) {
		return slices.DeleteFunc(now, func(l listed) bool {
			return slices.ContainsFunc(list, func(gone listed) bool { return gone.Token == l.Token })
		}), nil
	})
}

// Again implements [registry.Keeper].
func (k *Keeper) Again(ctx context.Context, tools *registry.Registry, call tool.Call,
	env registry.Env) (tool.Result, bool) {
	result, ok, err := k.again(ctx, tools, call, env)
	if errors.Is(err, ErrNone) {
		return tool.Result{}, false
	}
	if err != nil {
		result, ok = tool.Failure(tool.CodeFailed,
			"Tool execution failed: the call waits for approval, and cannot go on: "+err.Error()), true
		result.Err = err
	}
	return result, ok
}

func (k *Keeper) again(ctx context.Context, tools *registry.Registry, call tool.Call,
	env registry.Env) (result tool.Result, ok bool, err error) {
	list, err := k.store.waiting(ctx, k.scope)
	if err != nil && len(env.Selection.Ask) == 0 && len(env.Selection.Settings.Ask) == 0 && env.Selection.AskIf == nil {
		return result, false, nil // calls of which none is asked for do not depend on a store of those that are
	}
	if err != nil || len(list) == 0 {
		return result, false, err
	}
	digest, err := k.store.digest(ctx, call, &env)
	if err != nil {
		return result, false, err
	}
	i := slices.IndexFunc(list, func(l listed) bool { return bytes.Equal(l.Digest, digest) })
	if i < 0 {
		return result, false, nil
	}
	token := list[i].Token
	f, err := k.store.result(ctx, token)
	if err == nil && f.Delivered {
		if err := k.delist(ctx, token); err != nil {
			return result, false, err
		}
		return k.again(ctx, tools, call, env)
	}
	if errors.Is(err, ErrNone) {
		result, err = k.asFarAsDecided(ctx, tools, call, env, token)
		if result.Pending != nil || err != nil && !errors.Is(err, ErrNone) {
			return result, err == nil, err
		}
		f, err = k.store.result(ctx, token) // it has ended, perhaps by another process meanwhile
	}
	if err != nil {
		return result, false, err
	}
	if err := k.delist(ctx, token); err != nil {
		return result, false, err
	}
	result = f.decoded
	result.Repeats, result.Approval = token, nil
	result.Content = slices.Insert(slices.Clone(result.Content), 0, tool.Part{Text: fmt.Sprintf(
		"[This is the result of the same call, which had to wait for approval: "+
			"%s, ended %s. To do it once more, call again.]", token,
		f.Time.UTC().Format("2006-01-02 15:04:05 UTC"))})
	return result, true, nil
}

// asFarAsDecided goes on with a call that is made again, if somebody has decided on it. The result is pending unless
// the call has ended. The error is ErrNone if it had ended already.
func (k *Keeper) asFarAsDecided(ctx context.Context, tools *registry.Registry, call tool.Call, env registry.Env,
	token string) (tool.Result, error) {
	r, err := k.store.get(ctx, token)
	if err != nil {
		return tool.Result{}, err
	}
	if env.Approve == nil && len(r.Waiting()) > 0 && !slices.ContainsFunc(r.Calls, func(c Call) bool {
		return c.Decision != nil && c.Status == registry.Waiting
	}) {
		return r.pending().Result(call), nil
	}
	result, err := k.goOn(ctx, tools, env, token, nil, false)
	if errors.Is(err, ErrBusy) {
		return r.pending().Result(call), nil
	}
	return result, err
}

// finished is the result of an entry that has ended.
type finished struct {
	Token  string
	Scope  string `json:"Place"`
	Time   time.Time
	Result json.RawMessage
	// Decided are the calls that somebody has decided on, with what was decided.
	Decided []Call `json:",omitempty"`
	// Delivered says that whoever makes the same call again has the result already. The list may still have the entry.
	Delivered bool

	decoded tool.Result
}

// result returns how an entry has ended.
func (s *Store) result(ctx context.Context, token string) (*finished, error) {
	if vfs.CheckID(token) != nil {
		return nil, ErrNone
	}
	sealed, err := s.results.Get(ctx, token)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	data, err := s.unseal(ctx, "run-results", token, sealed)
	if err != nil {
		return nil, err
	}
	f := &finished{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, err
	}
	f.decoded, err = tool.ReadResult(f.Result)
	return f, err
}

// putResult keeps the result of an entry, if there is room for it. What has been done is told even if it has used up
// the quota of the files; what waits next is refused then.
func (k *Keeper) putResult(ctx context.Context, f *finished) error {
	if !f.Delivered { // otherwise nothing waits any more
		if err := k.resize(ctx, f.Token, int64(len(f.Result)), k.store.o.Bytes); err != nil {
			return err
		}
	}
	return k.store.putResult(ctx, f)
}

func (s *Store) putResult(ctx context.Context, f *finished) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	sealed, err := s.seal(ctx, "run-results", f.Token, data)
	if err != nil {
		return err
	}
	return s.results.Change(ctx, f.Token, s.o.Keep, func(there []byte) ([]byte, error) {
		if there != nil { // nobody can have gone on since
			return there, nil
		}
		return sealed, nil
	})
}
