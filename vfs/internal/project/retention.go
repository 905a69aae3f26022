package project

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// tiers say how many versions of a file are kept for how long: one in each period, or all.
var tiers = []struct{ age, every time.Duration }{
	{time.Hour, 0},
	{24 * time.Hour, time.Hour},
	{30 * 24 * time.Hour, 24 * time.Hour},
}

// thinPause is how long a process waits until it thins out a project's history again.
const thinPause = 10 * time.Minute

// thinIfDue thins out the history if the options or the settings say so, and if there may be something to do.
func (c *Core) thinIfDue() error {
	if c.keepAll || time.Since(c.oldestTime) <= tiers[0].age || time.Since(c.thinned) < thinPause {
		return nil
	}
	c.thinned = time.Now()
	tiered := c.options.History.Tiered
	if c.InStore { // the settings of other directories can be anybody's
		settings, err := c.readSettings()
		if err != nil {
			return err
		}
		if retention := parseRetention(settings); retention != "" {
			tiered = retention == vfs.RetentionTiered
		}
	}
	if !tiered {
		return nil
	}
	return c.thin()
}

// thin drops the versions of files that are not kept for their age. The changes stay in the history.
func (c *Core) thin() error {
	all, err := c.changes(c.State.Oldest)
	if err != nil {
		return err
	}
	now := time.Now()
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if !e.Kept || e.Op != vfs.OpWrite && e.Op != vfs.OpRename || e.Number == c.State.Next-1 {
			continue
		}
		every := time.Duration(-1) // it is too old
		for _, tier := range tiers {
			if now.Sub(e.Time) <= tier.age {
				every = tier.every
				break
			}
		}
		if every == 0 {
			continue
		}
		if every > 0 {
			if key := fmt.Sprint(every, e.Time.Truncate(every).Unix(), e.target()); !seen[key] {
				seen[key] = true
				continue
			}
		}
		size, err := c.SizeOf(KeptFile(e.Number))
		if err != nil {
			continue // it is gone
		}
		e.Kept, e.Thinned = false, true
		// In this order, so that nothing is promised that is gone.
		if err := c.describe(e); err != nil {
			return err
		}
		c.State.Kept = max(0, c.State.Kept-size.cost())
		c.cleanUp(KeptFile(e.Number))
	}
	return nil
}

// Compact implements [vfs.History].
func (p *Project) Compact(ctx context.Context) (freed int64, err error) {
	err = p.Change(ctx, func(c *Core) error {
		before := c.State.Kept
		if c.options.History.Off || c.State.Oldest == c.State.Next {
			return nil
		}
		if err := c.thin(); err != nil {
			return err
		}
		if err := c.makeRoom(0); err != nil {
			return err
		}
		freed = before - c.State.Kept
		return nil
	})
	return freed, err
}

// parseRetention returns the retention that a project's settings name, or "".
func parseRetention(settings []byte) string {
	var fields struct {
		Retention string `json:"retention"`
	}
	_ = json.Unmarshal(settings, &fields)
	if fields.Retention == vfs.RetentionAll || fields.Retention == vfs.RetentionTiered {
		return fields.Retention
	}
	return ""
}
