package local

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

type memoryPlace struct {
	watchers watchers // of projects

	mu       sync.Mutex
	projects map[string]*project.Core
	kinds    map[string]*memoryRecords
}

func (m *memoryPlace) open(id string, options vfs.Options, create bool) (*project.Project, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.projects[id]; c != nil {
		return c.Project(nil), nil
	}
	if !create {
		return nil, fs.ErrNotExist
	}
	ids := make([]string, 0, len(m.projects))
	for other := range m.projects {
		ids = append(ids, other)
	}
	if err := twinID(ids, id); err != nil {
		return nil, err
	}
	c := project.NewCore(newMemory(), options)
	c.InStore = true
	c.OnChanged = func() { m.watchers.tell(id) }
	m.projects[id] = c
	return c.Project(nil), nil
}

func (m *memoryPlace) list() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := make([]string, 0, len(m.projects))
	for id := range m.projects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

func (m *memoryPlace) remove(ctx context.Context, id string) error {
	m.mu.Lock()
	c := m.projects[id]
	delete(m.projects, id)
	m.mu.Unlock()
	if c == nil {
		return fs.ErrNotExist
	}
	defer m.watchers.tell(id)
	return c.Delete(ctx, func() error {
		infos, err := c.Backend.ReadDir("/")
		for _, info := range infos {
			err = errors.Join(err, c.Backend.RemoveAll("/"+info.Name()))
		}
		return err
	})
}

func (m *memoryPlace) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.projects)
	return nil
}

func (m *memoryPlace) watch(ctx context.Context, changed func(id string)) error {
	return m.watchers.watch(ctx, changed, nil)
}
