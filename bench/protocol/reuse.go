package protocol

import "sync"

// Reuse keeps what an engine has compiled of libraries. It is safe for concurrent use.
type Reuse[T any] struct {
	mu   sync.Mutex
	uses map[string]int
	made map[string]T
}

// Get returns what make makes of a library, if it is not the library's first use: a library that is used once only is
// not worth it.
func (r *Reuse[T]) Get(library string, make func() (T, error)) (compiled T, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.uses == nil {
		r.uses, r.made = map[string]int{}, map[string]T{}
	}
	r.uses[library]++
	if r.uses[library] == 1 {
		return compiled, false, nil
	}
	compiled, ok = r.made[library]
	if !ok {
		if compiled, err = make(); err != nil {
			return compiled, false, err
		}
		r.made[library] = compiled
	}
	return compiled, true, nil
}
