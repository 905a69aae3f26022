// Package admin copies whole stores of projects, and checks them.
//
// # Experimental
//
// For programs that do what `toolrun store` does. The Go API may change with any version.
package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A Result says what became of one project, or record.
type Result struct {
	// ID is the project. If it is one that was discarded, Discarded is when.
	ID        string
	Discarded time.Time
	// Record is the kind of the record, if it is one, and ID its name.
	Record string
	// Copied means that it has been copied. Otherwise it was there already, and the same, or Err says what was wrong.
	Copied bool
	Err    error
}

// ErrDifferent means that the other store has a project of the id, or a record of the name, that is not the same.
var ErrDifferent = errors.New("the other store has another one of this name, or a copy that has been changed since")

// String returns what the result is about, for people.
func (r Result) String() string {
	switch {
	case r.Record != "":
		return fmt.Sprintf("record %s of %s", r.ID, r.Record)
	case !r.Discarded.IsZero():
		return fmt.Sprintf("project %s, deleted %s", r.ID, r.Discarded.UTC().Format(time.RFC3339))
	}
	return "project " + r.ID
}

// begun are records of projects that are being copied into a store, so that one that has been copied in part is not
// taken for one that somebody has changed.
const begun = "store-migration"

// Migrate copies everything from a store into another one, and compares the copy with the original: all projects, with
// their settings and their history; those that were discarded and can be recovered; and the records. It calls report
// after each of them. What fails does not keep it from the others; the error is one of theirs then. Nobody should
// change the stores meanwhile.
//
// It can be repeated, also after it was interrupted: what has been copied is compared only. What is in the other store
// and not the same is left alone ([ErrDifferent]).
func Migrate(ctx context.Context, from, to vfs.Store, report func(Result)) error {
	failed := error(nil)
	noted := func(r Result) {
		if r.Err != nil {
			failed = fmt.Errorf("%s: %w", r, r.Err)
		}
		report(r)
	}
	for id, err := range vfs.IDs(ctx, from) {
		if err != nil {
			return err
		}
		_ = MigrateProject(ctx, from, to, id, noted) // which has been noted
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := migrateDiscarded(ctx, from, to, noted); err != nil {
		return err
	}
	if err := migrateRecords(ctx, from, to, noted); err != nil {
		return err
	}
	return failed
}

// MigrateProject is [Migrate] for one project.
func MigrateProject(ctx context.Context, from, to vfs.Store, id string, report func(Result)) error {
	copied, err := migrate(ctx, from, to, id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	report(Result{ID: id, Copied: copied, Err: err})
	return err
}

func migrate(ctx context.Context, from, to vfs.Store, id string) (copied bool, err error) {
	source, closeSource, err := open(ctx, from.OpenExisting, id)
	if err != nil {
		return false, err
	}
	defer closeSource()
	mark := to.Records(begun)
	target, closeTarget, err := open(ctx, to.OpenExisting, id)
	switch {
	case err == nil:
		defer closeTarget()
		_, err := mark.Get(ctx, id)
		if errors.Is(err, fs.ErrNotExist) {
			return false, same(ctx, source, target)
		}
		if err != nil {
			return false, err
		}
		if err := to.Delete(ctx, id); err != nil {
			return false, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if err := mark.Change(ctx, id, 0, func([]byte) ([]byte, error) { return []byte("begun"), nil }); err != nil {
		return false, err
	}
	target, closeTarget, err = open(ctx, to.Open, id)
	if err != nil {
		return false, err
	}
	defer closeTarget()
	if err := project.Transfer(ctx, source, target); err != nil {
		return false, err
	}
	if err := same(ctx, source, target); err != nil {
		return false, err
	}
	return true, mark.Change(ctx, id, 0, func([]byte) ([]byte, error) { return nil, nil })
}

// open opens a project whose rules are those of this module.
func open(
	ctx context.Context, how func(ctx context.Context, id string) (vfs.Project, error), id string,
) (*project.Project, func(), error) {
	p, err := how(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	own, ok := p.(*project.Project)
	if !ok {
		return nil, nil, errors.Join(
			fmt.Errorf("its store is none of this module: %w", errors.ErrUnsupported), p.Close())
	}
	return own, func() { _ = p.Close() }, nil
}

// same checks that two projects are the same.
func same(ctx context.Context, source, target *project.Project) error {
	different, err := project.Difference(ctx, source, target)
	if err == nil && different != "" {
		err = fmt.Errorf("%w: they differ in %s", ErrDifferent, different)
	}
	return err
}

// Check looks for what is wrong in a store, and calls report with it: it reads all files and all that the histories
// have kept, those of discarded projects and the records as well, and counts what the projects hold. It changes
// nothing. Projects that others change meanwhile may seem wrong.
func Check(ctx context.Context, store vfs.Store, report func(id, problem string)) error {
	for id, err := range vfs.IDs(ctx, store) {
		if err != nil {
			return err
		}
		p, err := store.OpenExisting(ctx, id)
		if err := checkOne(ctx, p, err, id, report); err != nil {
			return err
		}
	}
	if err := checkBeside(ctx, store, report); err != nil {
		return err
	}
	if c, ok := store.(interface { // more closely than from outside
		Check(ctx context.Context, report func(id, problem string)) error
	}); ok {
		return c.Check(ctx, report)
	}
	return nil
}

// checkOne checks a project that has been opened, or not, and reports its problems under a name. It fails only if the
// context has ended.
func checkOne(ctx context.Context, p vfs.Project, err error, name string, report func(id, problem string)) error {
	if err == nil {
		err = errors.Join(checkProject(ctx, p, name, report), p.Close())
	}
	if err != nil && ctx.Err() == nil {
		report(name, err.Error())
	}
	return ctx.Err()
}

func checkProject(ctx context.Context, p vfs.Project, id string, report func(id, problem string)) error {
	var held vfs.Usage
	err := afero.Walk(p, "/", func(name string, info fs.FileInfo, err error) error {
		switch {
		case err != nil:
			report(id, err.Error())
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case name == "/":
			return nil
		}
		held.Files++
		if info.Mode().IsRegular() {
			held.Bytes += info.Size()
			f, err := p.Open(name)
			checkContent(f, err, info.Size(), func(problem string) { report(id, name+": "+problem) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := checkStates(ctx, p, id, &held, report); err != nil {
		return err
	}
	usage, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	if usage.Bytes != held.Bytes || usage.Files != held.Files {
		report(id, fmt.Sprintf("it is said to have %d bytes in %d files and directories, and has %d in %d",
			usage.Bytes, usage.Files, held.Bytes, held.Files))
	}
	if err := checkCheckpoints(ctx, p, func(problem string) { report(id, problem) }); err != nil {
		return err
	}
	changes, err := p.Changes(ctx, "/")
	if err != nil {
		return err
	}
	for _, e := range changes {
		if !e.Kept {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := p.OpenVersion(ctx, e.ID)
		if errors.Is(err, syscall.EISDIR) {
			continue
		}
		checkContent(f, err, -1, func(problem string) {
			report(id, fmt.Sprintf("what change %d has kept: %s", e.ID, problem))
		})
	}
	return nil
}

// checkStates reads the states of sessions, and adds them to what the project holds.
func checkStates(ctx context.Context, p vfs.Project, id string, held *vfs.Usage,
	report func(id, problem string)) error {
	all, err := p.ListStates(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		held.Files++
		held.Bytes += s.Size
		if _, _, err := p.ReadState(ctx, s.StateID); err != nil {
			report(id, fmt.Sprintf("%v: %v", s.StateID, err))
		}
	}
	return ctx.Err()
}

// checkCheckpoints looks whether each checkpoint has what it was created with.
func checkCheckpoints(ctx context.Context, p vfs.Project, report func(problem string)) error {
	all, err := p.Checkpoints(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		_, err := p.RestoreCheckpoint(ctx, k.Name, &vfs.RestoreOptions{DryRun: true})
		if err != nil && !errors.Is(err, syscall.EROFS) && !errors.Is(err, fs.ErrNotExist) {
			report(err.Error())
		}
	}
	return ctx.Err()
}

// checkContent reads a file, which should have a size unless that is negative.
func checkContent(f afero.File, err error, size int64, report func(problem string)) {
	if err != nil {
		report(err.Error())
		return
	}
	defer f.Close()
	n, err := io.Copy(io.Discard, f)
	switch {
	case err != nil:
		report(err.Error())
	case size >= 0 && n != size:
		report(fmt.Sprintf("it has %d bytes instead of %d", n, size))
	}
}
