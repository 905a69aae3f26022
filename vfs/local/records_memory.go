package local

import (
	"bytes"
	"context"
	"io/fs"
	"sync"
	"time"
)

// memoryRecords are the records of one kind in memory.
type memoryRecords struct {
	watchers watchers
	busy     chan struct{} // holds a value while somebody has the lock

	mu  sync.Mutex
	all map[string]memoryRecord
}

type memoryRecord struct {
	data  []byte
	until time.Time
}

func (r memoryRecord) over(now time.Time) bool { return !r.until.IsZero() && !now.Before(r.until) }

func (m *memoryPlace) records(kind string) recordPlace {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kinds == nil {
		m.kinds = map[string]*memoryRecords{}
	}
	if m.kinds[kind] == nil {
		m.kinds[kind] = &memoryRecords{busy: make(chan struct{}, 1), all: map[string]memoryRecord{}}
	}
	return m.kinds[kind]
}

func (m *memoryPlace) recordKinds() (kinds []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for kind := range m.kinds {
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func (m *memoryRecords) until(name string) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.all[name]; ok && !r.over(time.Now()) {
		return r.until, nil
	}
	return time.Time{}, fs.ErrNotExist
}

func (m *memoryRecords) names() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	names := make([]string, 0, len(m.all))
	for name := range m.all {
		names = append(names, name)
	}
	return names, nil
}

// sweep removes what nobody can see any more. The mutex is held.
func (m *memoryRecords) sweep() {
	now := time.Now()
	for name, r := range m.all {
		if r.over(now) {
			delete(m.all, name)
		}
	}
}

func (m *memoryRecords) get(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.all[name]
	if !ok || r.over(time.Now()) {
		return nil, fs.ErrNotExist
	}
	return bytes.Clone(r.data), nil
}

func (m *memoryRecords) lock(ctx context.Context, name string) (lockedRecord, error) {
	select {
	case m.busy <- struct{}{}:
		return lockedInMemory{m, name}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type lockedInMemory struct {
	records *memoryRecords
	name    string
}

func (l lockedInMemory) get() ([]byte, error) { return l.records.get(l.name) }

func (l lockedInMemory) put(data []byte, until time.Time) error {
	m := l.records
	m.mu.Lock()
	if data == nil {
		delete(m.all, l.name)
	} else {
		m.sweep()
		m.all[l.name] = memoryRecord{append([]byte{}, data...), until}
	}
	m.mu.Unlock()
	m.watchers.tell(l.name)
	return nil
}

func (l lockedInMemory) unlock() { <-l.records.busy }

func (m *memoryRecords) watch(ctx context.Context, changed func(name string)) error {
	return m.watchers.watch(ctx, changed, nil)
}
