package code

import (
	"container/list"
	"sync"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// opened has the states that this process has opened or sealed last, so that the next call of a session need not open
// them again.
var opened = stateCache{room: 64 << 20, entries: map[stateTag]*list.Element{}}

// tagSize is how many bytes of a sealed state tell it apart: its head, which has the message authentication code.
const tagSize = 64

// A stateTag is a sealed state, and the key that it was sealed with. Only what has been found to be right under the key
// is in the cache, so whoever makes up something with the same tag gets the right state.
type stateTag struct {
	head [tagSize]byte
	key  string
}

// A stateCache has the states that were used last, up to so many bytes of memory.
type stateCache struct {
	mu      sync.Mutex
	room    int64
	used    list.List // of *cachedState, the latest first
	entries map[stateTag]*list.Element
}

type cachedState struct {
	tag   stateTag
	state *sandbox.State
}

func tagOf(sealed, key []byte) (tag stateTag, ok bool) {
	if len(sealed) < tagSize {
		return tag, false
	}
	return stateTag{[tagSize]byte(sealed), string(key)}, true
}

func (c *stateCache) get(sealed, key []byte) *sandbox.State {
	tag, ok := tagOf(sealed, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.entries[tag]
	if !ok || found == nil {
		return nil
	}
	c.used.MoveToFront(found)
	return found.Value.(*cachedState).state
}

func (c *stateCache) add(sealed, key []byte, state *sandbox.State) {
	tag, ok := tagOf(sealed, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok || c.entries[tag] != nil {
		return
	}
	c.entries[tag] = c.used.PushFront(&cachedState{tag, state})
	c.room -= state.Bytes()
	for c.room < 0 {
		last := c.used.Back()
		old := c.used.Remove(last).(*cachedState)
		delete(c.entries, old.tag)
		c.room += old.state.Bytes()
	}
}

// openCached opens a state, or returns it as it was opened before.
func openCached(sealed, key []byte, memory int64, interpreter Interpreter) (*sandbox.State, error) {
	if state := opened.get(sealed, key); state != nil && state.Fits(memory) {
		return state, nil
	}
	state, err := interpreter.OpenState(sealed, key, memory)
	if err == nil {
		opened.add(sealed, key, state)
	}
	return state, err
}
