package registry

import "sync"

// maxMemo limits the values in a memo. Tools derive few different values from their options.
const maxMemo = 64

// A memo caches a value for each key. When it is full, it drops all values. The zero value is ready to use. It is safe
// for concurrent use.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]V
}

// get returns the cached value of a key, or makes it. Errors are not cached.
func (m *memo[K, V]) get(key K, make func() (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.made[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make() // two goroutines may both do this, which is harmless
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
