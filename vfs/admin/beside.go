package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A shelf is the discarded projects of a store: how many there are of each id and time.
type shelf map[vfs.Discarded]int

func shelfOf(ctx context.Context, store vfs.Store) (all []vfs.Discarded, counts shelf, err error) {
	found, err := store.Discarded(ctx)
	counts = shelf{}
	for _, d := range found {
		d = vfs.Discarded{ID: d.ID, Time: d.Time.UTC()}
		all = append(all, d)
		counts[d]++
	}
	return all, counts, err
}

// migrateDiscarded copies discarded projects.
func migrateDiscarded(ctx context.Context, from, to vfs.Store, report func(Result)) error {
	all, _, err := shelfOf(ctx, from)
	if err != nil || len(all) == 0 {
		return err
	}
	_, there, err := shelfOf(ctx, to)
	if err != nil {
		return err
	}
	seen := shelf{}
	for _, d := range all {
		copied, err := migrateOne(ctx, from, to, d, seen[d], there[d])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		seen[d]++
		report(Result{ID: d.ID, Discarded: d.Time, Copied: copied, Err: err})
	}
	return nil
}

// migrateOne copies a discarded project, of which there are so many with the same id and time in the other store: the
// n-th, which may be any of them there.
func migrateOne(ctx context.Context, source, target vfs.Store, d vfs.Discarded,
	n, there int) (copied bool, err error) {
	openFrom := func(store vfs.Store, n int) (*project.Project, func(), error) {
		return open(ctx, func(ctx context.Context, _ string) (vfs.Project, error) {
			return store.OpenDiscarded(ctx, d, n)
		}, d.ID)
	}
	original, closeOriginal, err := openFrom(source, n)
	if errors.Is(err, fs.ErrNotExist) { // its time is over
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closeOriginal()
	for i := range there {
		other, closeOther, err := openFrom(target, i)
		if err != nil {
			return false, err
		}
		err = same(ctx, original, other)
		closeOther()
		if !errors.Is(err, ErrDifferent) {
			return false, err
		}
	}
	if n < there {
		return false, ErrDifferent
	}
	return true, target.AddDiscarded(ctx, d, func(p vfs.Project) error {
		own, ok := p.(*project.Project)
		if !ok {
			return fmt.Errorf("its store is none of this module: %w", errors.ErrUnsupported)
		}
		if err := project.Transfer(ctx, original, own); err != nil {
			return err
		}
		return same(ctx, original, own)
	})
}

// migrateRecords copies records, but for those by which copying itself knows how far it has come.
func migrateRecords(ctx context.Context, from, to vfs.Store, report func(Result)) error {
	for r, err := range from.AllRecords(ctx) {
		if err != nil {
			return err
		}
		if r.Kind == begun {
			continue
		}
		copied, err := migrateRecord(ctx, from.Records(r.Kind), to.Records(r.Kind), r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report(Result{ID: r.Name, Record: r.Kind, Copied: copied, Err: err})
	}
	return nil
}

func migrateRecord(ctx context.Context, source, target vfs.Records, r vfs.RecordInfo) (copied bool, err error) {
	data, err := source.Get(ctx, r.Name)
	if errors.Is(err, fs.ErrNotExist) { // its time is over
		return false, nil
	}
	if err != nil {
		return false, err
	}
	keep := time.Duration(0)
	if !r.Until.IsZero() {
		if keep = time.Until(r.Until); keep <= 0 {
			return false, nil
		}
	}
	there, err := target.Get(ctx, r.Name)
	switch {
	case err == nil && bytes.Equal(there, data):
		return false, nil
	case err == nil:
		return false, ErrDifferent
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	err = target.Change(ctx, r.Name, keep, func(there []byte) ([]byte, error) {
		if there != nil && !bytes.Equal(there, data) {
			return nil, ErrDifferent
		}
		return data, nil
	})
	return err == nil, err
}

// checkBeside reads discarded projects and records.
func checkBeside(ctx context.Context, store vfs.Store, report func(id, problem string)) error {
	all, _, err := shelfOf(ctx, store)
	if err != nil {
		return err
	}
	seen := shelf{}
	for _, d := range all {
		p, err := store.OpenDiscarded(ctx, d, seen[d])
		seen[d]++
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := checkOne(ctx, p, err, fmt.Sprintf("%s, deleted %s", d.ID, d.Time.Format(time.RFC3339)),
			report); err != nil {
			return err
		}
	}
	for r, err := range store.AllRecords(ctx) {
		if err == nil {
			_, err = store.Records(r.Kind).Get(ctx, r.Name)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			report("", fmt.Sprintf("record %s of %s: %s", r.Name, r.Kind, err))
		}
	}
	return nil
}
