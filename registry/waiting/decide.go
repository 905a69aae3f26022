package waiting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolrun/toolrun/registry"
)

// Decide decides on calls that wait, by their ids, for whoever goes on with them. The first decision on a call counts,
// in whatever process it was made; the same one again changes nothing. The error is ErrNone, or an [*UndecidableError]
// if one of the calls does not wait, or somebody else has decided otherwise; nothing is decided then.
func (s *Store) Decide(ctx context.Context, token string, decisions map[string]registry.Decision) (*Entry, error) {
	return s.all().Decide(ctx, token, decisions)
}

// Decide is [Store.Decide] for calls of the scope. For all others, the error is ErrNone.
func (k *Keeper) Decide(ctx context.Context, token string, decisions map[string]registry.Decision) (*Entry, error) {
	var entry *Entry
	err := k.store.change(ctx, token, time.Time{}, func(r *record) error {
		if !k.has(r.Scope) {
			return ErrNone
		}
		entry = &r.Entry
		return r.decide(decisions)
	})
	if !errors.Is(err, ErrNone) {
		return entry, err
	}
	f, ended := k.store.result(ctx, token)
	if ended != nil || !k.has(f.Scope) || f.Decided == nil {
		return nil, err
	}
	return &Entry{Token: f.Token, Scope: f.Scope, Calls: f.Decided}, f.decide(decisions)
}

// An UndecidableError means that a call cannot be decided on.
type UndecidableError struct {
	// Call is its id, and Status where it stands; "" if there is no such call.
	Call   string
	Status registry.State
	// Decision is what was decided on it before, or nil if nothing was.
	Decision *registry.Decision
}

// Error says why, and what was decided.
func (e *UndecidableError) Error() string {
	switch {
	case e.Status == "":
		return fmt.Sprintf("no call %q waits there", e.Call)
	case e.Decision != nil:
		return fmt.Sprintf("the call %q was %s", e.Call, decided(e.Decision))
	}
	return fmt.Sprintf("the call %q does not wait any more: it is %s", e.Call, e.Status)
}

// decided says what was decided.
func decided(d *registry.Decision) string {
	var b strings.Builder
	b.WriteString("refused")
	if d.Approved {
		b.Reset()
		b.WriteString("approved")
		if d.Input != nil {
			b.WriteString(" with other arguments")
		}
	}
	if d.By != "" {
		b.WriteString(" by " + d.By)
	}
	if !d.Time.IsZero() {
		b.WriteString(" at " + d.Time.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if d.Reason != "" {
		b.WriteString(": " + d.Reason)
	}
	return b.String()
}

// decide notes decisions on calls that wait.
func (r *record) decide(decisions map[string]registry.Decision) error {
	for id, d := range decisions {
		c := r.find(id)
		if err := c.undecidable(id, d); err != nil {
			return err
		}
		if c.Decision == nil && (d.Approved || !d.Later) {
			c.decide(d)
		}
	}
	return nil
}

// decide compares decisions with those that were made before the call ended.
func (f *finished) decide(decisions map[string]registry.Decision) error {
	r := record{Entry: Entry{Calls: f.Decided}}
	for id, d := range decisions {
		if c := r.find(id); c != nil || f.Decided != nil {
			if err := c.undecidable(id, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// decided are the calls that somebody has decided on, with what is kept of them at the end.
func (r *record) decided() (calls []Call) {
	for _, c := range r.Calls {
		if c.Decision != nil {
			calls = append(calls, Call{ID: c.ID, Tool: c.Tool, Status: registry.Ended, Decision: c.Decision,
				Code: c.Code})
		}
	}
	return calls
}

// An endedError is ErrNone for a call that has ended, and says what was decided.
type endedError struct{ calls []Call }

func (e *endedError) Error() string {
	var b strings.Builder
	b.WriteString("no call waits with this token any more")
	for _, c := range e.calls {
		fmt.Fprintf(&b, "; the call %q was %s", c.ID, decided(c.Decision))
	}
	return b.String()
}

func (e *endedError) Unwrap() error { return ErrNone }

// undecidable returns why a decision on a call, which can be nil, would not count, or nil.
func (c *Call) undecidable(id string, d registry.Decision) error {
	switch {
	case c == nil:
		return &UndecidableError{Call: id}
	case c.Decision == nil && c.Status == registry.Waiting, c.Decision != nil && same(c.Decision, &d):
		return nil
	}
	return &UndecidableError{Call: id, Status: c.Status, Decision: c.Decision}
}

// same reports whether a second decision says nothing else than the first one.
func same(first, second *registry.Decision) bool {
	return first.Approved == second.Approved && (second.Approved || !second.Later) &&
		bytes.Equal(canonical(first.Input), canonical(second.Input)) &&
		(second.Reason == "" || second.Reason == first.Reason) && (!second.Always || first.Always)
}

func (c *Call) decide(d registry.Decision) {
	if d.Time.IsZero() {
		d.Time = time.Now().Round(0)
	}
	c.Decision, c.Problem = &d, ""
}
