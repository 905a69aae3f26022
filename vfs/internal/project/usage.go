package project

import (
	"context"
	"errors"
	"io/fs"

	"github.com/toolrun/toolrun/vfs"
)

// Usage implements [vfs.Project]. It reads what the last change has left, and counts if that may be wrong: because a
// process died in the middle of a change, because there has been none yet, or because the directory is one in which
// others make changes as well.
func (p *Project) Usage(ctx context.Context) (vfs.Usage, error) {
	if err := ctx.Err(); err != nil {
		return vfs.Usage{}, err
	}
	if p.Over() {
		return vfs.Usage{}, fs.ErrClosed
	}
	c := p.Core
	s, known := p.peek()
	switch {
	case c.IsDeleted():
		return vfs.Usage{}, vfs.ErrDeleted
	case known && (!s.Dirty || p.holds()) && (c.InStore || c.Counted.Load()):
		checkpoints, err := p.view().checkpointBytes()
		return c.withQuota(vfs.Usage{
			Bytes: s.Bytes, Files: s.Files, HistoryBytes: s.Kept, CheckpointBytes: checkpoints,
		}), err
	}
	usage, err := c.count(s)
	if err == nil {
		usage.CheckpointBytes, err = c.checkpointBytes()
	}
	return c.withQuota(usage), err
}

// withQuota adds what the project may hold, given what it holds.
func (c *Core) withQuota(usage vfs.Usage) vfs.Usage {
	usage.Quota = c.options.Quota
	switch {
	case !usage.Quota.Growth:
	case c.based.Load():
		usage.Quota.Bytes = sum(usage.Quota.Bytes, c.base.bytes.Load())
		usage.Quota.Files = sum(usage.Quota.Files, c.base.files.Load())
	default: // what is there before the first change
		usage.Quota.Bytes = sum(usage.Quota.Bytes, usage.Bytes)
		usage.Quota.Files = sum(usage.Quota.Files, usage.Files)
	}
	return usage
}

// holds reports whether this is what Exclusively hands out, and the lock is still held.
func (p *Project) holds() bool {
	if p.scope == nil {
		return false
	}
	p.scope.mu.Lock()
	defer p.scope.mu.Unlock()
	return p.scope.active
}

// count finds out what the project holds without changing anything, given what is known of it. Without the lock that is
// right if nobody changes the project meanwhile.
func (c *Core) count(s State) (vfs.Usage, error) {
	bytes, files, err := c.sizeOfAll()
	if err != nil {
		return vfs.Usage{}, err
	}
	all, err := c.changes(s.Oldest)
	if err != nil {
		return vfs.Usage{}, err
	}
	usage := vfs.Usage{Bytes: bytes, Files: files, HistoryBytes: int64(len(all)) * entryCost}
	infos, err := c.Backend.ReadDir(historyDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return vfs.Usage{}, err
	}
	for _, info := range infos {
		number, isKept := numberOf(info.Name(), keptSuffix)
		if !isKept || number < s.Oldest {
			continue
		}
		kept, err := c.SizeOf(KeptFile(number))
		if errors.Is(err, fs.ErrNotExist) { // dropped meanwhile
			continue
		}
		if err != nil {
			return vfs.Usage{}, err
		}
		usage.HistoryBytes += kept.cost()
	}
	return usage, nil
}
