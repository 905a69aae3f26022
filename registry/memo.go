package registry

import "sync"

// maxMemo is how many values a memo keeps. What tools make of their options are few.
const maxMemo = 64

// A memo keeps what has been made for a key. It forgets everything when it is full. The zero value is ready, and safe
// for concurrent use.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]V
}

// get returns what has been made for the key before, or makes it. Errors are not kept.
func (m *memo[K, V]) get(key K, make func() (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.made[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make() // perhaps twice at once, which does no harm
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) >= maxMemo {
		m.made = map[K]V{}
	}
	m.made[key] = v
	return v, nil
}
