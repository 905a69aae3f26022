package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
)

// errGone is what a call gets whose arguments are no longer there, because its client has gone.
var errGone = errors.New("the call has been given up")

// A load is what messages hold that have come together. It is let go when its transport and all calls have done so.
type load struct {
	holding holding
	users   atomic.Int32
}

func (l *load) use() { l.users.Add(1) }

func (l *load) letGo() {
	if l.users.Add(-1) == 0 {
		l.holding.drop()
	}
}

// arguments are those of calls on their way through the SDK, which has only their keys.
type arguments struct {
	mu    sync.Mutex
	byKey map[string]passed
}

type passed struct {
	args json.RawMessage
	load *load
}

// put keeps the arguments of messages.
func (a *arguments) put(list []message, l *load) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range list {
		if m.key != "" {
			if a.byKey == nil {
				a.byKey = map[string]passed{}
			}
			a.byKey[m.key] = passed{m.args, l}
		}
	}
}

// take returns the arguments that the SDK's stand for, and a function to be called when they are no longer used.
func (a *arguments) take(given json.RawMessage) (json.RawMessage, func(), error) {
	key, isKey := bytes.CutPrefix(given, []byte(`{"toolrun":"`))
	key, ends := bytes.CutSuffix(key, []byte(`"}`))
	if !isKey || !ends || len(key) != keyLength {
		return given, func() {}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ok := a.byKey[string(key)]
	if !ok {
		return nil, nil, errGone
	}
	delete(a.byKey, string(key))
	p.load.use()
	return p.args, p.load.letGo, nil
}

// forget drops what nobody has taken.
func (a *arguments) forget(keys ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range keys {
		delete(a.byKey, key)
	}
}
