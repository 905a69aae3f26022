package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolrun/toolrun/internal/budget"
)

// errGone is what a call gets whose arguments are no longer there, because its client has gone.
var errGone = errors.New("the call has been given up")

// A load is what messages hold that have come together. It is let go when its transport and all calls have done so.
type load struct {
	holding budget.Holding
	users   atomic.Int32
}

func (l *load) use() { l.users.Add(1) }

func (l *load) letGo() {
	if l.users.Add(-1) == 0 {
		l.holding.Drop()
	}
}

// arguments are those of calls on their way through the SDK, which has only their keys.
type arguments struct {
	mu    sync.Mutex
	byKey map[string]passed
}

// passed is what a call has besides what the SDK gets: its arguments, their load, and its turn.
type passed struct {
	args json.RawMessage
	load *load
	turn *turn
}

// done ends the turn of a call, and lets its arguments go.
func (p *passed) done() {
	p.turn.leave()
	if p.load != nil {
		p.load.letGo()
	}
}

// put keeps the arguments of the calls in messages, and gives the calls their turns in the place of the message's.
func (a *arguments) put(list []message, l *load, place *turn) {
	calls := slices.DeleteFunc(slices.Clone(list), func(m message) bool { return m.key == "" })
	turns := place.become(len(calls))
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, m := range calls {
		if a.byKey == nil {
			a.byKey = map[string]passed{}
		}
		a.byKey[m.key] = passed{m.args, l, turns[i]}
	}
}

// take returns what belongs to the arguments that the SDK has. Its done is to be called when the call has ended.
func (a *arguments) take(given json.RawMessage) (passed, error) {
	key, isKey := bytes.CutPrefix(given, []byte(`{"toolrun":"`))
	key, ends := bytes.CutSuffix(key, []byte(`"}`))
	if !isKey || !ends || len(key) != keyLength {
		return passed{args: given}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ok := a.byKey[string(key)]
	if !ok {
		return passed{}, errGone
	}
	delete(a.byKey, string(key))
	p.load.use()
	return p, nil
}

// forget drops what nobody has taken.
func (a *arguments) forget(keys ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range keys {
		if p, ok := a.byKey[key]; ok {
			p.turn.leave()
			delete(a.byKey, key)
		}
	}
}
