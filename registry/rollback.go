package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// rollbackTime limits how long undoing what a call has changed may take.
const rollbackTime = 10 * time.Second

// errNoRollback is for calls that count on being undone where nothing can be.
var errNoRollback = tool.Errorf("The call was not made: nothing could be undone if it failed, " +
	"because the project keeps no history. " +
	"Tell the user to switch off the option rollback, or to keep a history.")

// unusedID returns an id for a call that is to be undone if it fails: the given one, unless the history has changes of
// it, which must stay. Providers may begin to count anew with each conversation.
func unusedID(ctx context.Context, files afero.Fs, id string) string {
	history, ok := vfs.HistoryOf(files)
	if !ok {
		return id
	}
	if _, err := history.CheckUndo(ctx, id); errors.Is(err, vfs.ErrNotKept) {
		return id
	}
	return id + "-" + strings.ToLower(rand.Text()[:8])
}

// rollBack undoes what a call that has failed and ended has changed, and the calls that it made, and tells the model.
func (c *running) rollBack(ctx context.Context, files afero.Fs, id string, result tool.Result) tool.Result {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	undone, left, err := c.undoAll(ctx, files, id)
	note := "Note: all changes that the call made to files were undone."
	switch {
	case err == nil && len(left) > 0:
		note = "Note: all changes that the call made to files were undone, except for " + strings.Join(left, ", ") +
			": what was there before has been purged from the history."
	case err != nil:
		note = "Note: the changes that the call made to files could not be undone, and stay: " + err.Error()
		result.Err = errors.Join(result.Err, err)
	case !undone:
		return result
	}
	result.Content = append(slices.Clone(result.Content), tool.Part{Text: note})
	return result
}

// undoAll undoes a call and those that it made, the latest first, all of them or none. left is what could not be
// brought back.
func (c *running) undoAll(ctx context.Context, files afero.Fs, id string) (undone bool, left []string, err error) {
	err = vfs.Exclusively(ctx, files, func(files afero.Fs) error {
		history, ok := vfs.HistoryOf(files)
		if !ok {
			return errors.ErrUnsupported
		}
		ids := []string{id}
		if c.inner.count() > 0 {
			changes, err := history.Changes(ctx, "/")
			if err != nil {
				return err
			}
			ids = nil
			for _, change := range changes {
				if own := change.Call == id || strings.HasPrefix(change.Call, c.key+".") ||
					strings.HasPrefix(change.Call, id+"."); own && !slices.Contains(ids, change.Call) {
					ids = append(ids, change.Call)
				}
			}
			if !slices.Contains(ids, id) { // it may have changed what lists do not show
				ids = append(ids, id)
			}
		}
		undone, left, err = undoCalls(ctx, history, ids)
		return err
	})
	return undone, left, err
}

// undoCalls undoes calls in this order, or none of them.
func undoCalls(ctx context.Context, history vfs.History, ids []string) (undone bool, left []string, err error) {
	var done []string
	for _, id := range ids {
		changes, err := history.Undo(ctx, id)
		switch {
		case errors.Is(err, vfs.ErrNotKept): // it has changed nothing
			continue
		case err == nil:
			done, left = append(done, id), append(left, vfs.NotBroughtBack(changes)...)
			continue
		}
		for _, id := range slices.Backward(done) {
			if _, redoErr := history.Redo(ctx, id); redoErr != nil {
				return true, left, errors.Join(err, redoErr)
			}
		}
		return false, nil, err
	}
	return len(done) > 0, left, nil
}

// count returns how many calls have been made.
func (in *inner) count() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.made
}
