package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/toolrun/toolrun/internal/text/filediff"
	"github.com/toolrun/toolrun/vfs"
)

type HistoryRequest struct {
	Project string `json:"project"`
	Path    string `json:"path,omitempty" jsonschema:"a file or folder; the default is everything"`
	Call    string `json:"call,omitempty" jsonschema:"changes of this call only"`
	Before  int64  `json:"before,omitempty" jsonschema:"changes with smaller numbers only"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many at most; the default is 200"`
	Removed bool   `json:"removed,omitempty" jsonschema:"only what has been removed and can be restored"`
}

type ChangeInfo struct {
	ID      int64     `json:"id"`
	Time    time.Time `json:"time"`
	Call    string    `json:"call,omitempty"`
	Op      string    `json:"op" jsonschema:"create, write, mkdir, remove, rename, undone or purged"`
	Path    string    `json:"path,omitempty"`
	To      string    `json:"to,omitempty" jsonschema:"the new name"`
	Kept    bool      `json:"kept,omitempty" jsonschema:"the version before can be had"`
	Lost    bool      `json:"lost,omitempty" jsonschema:"the version before was too large to keep"`
	Special bool      `json:"special,omitempty" jsonschema:"it was a link or a special file"`
	Undoes  string    `json:"undoes,omitempty"`
	Redoes  string    `json:"redoes,omitempty"`
	Purged  int64     `json:"purged,omitempty" jsonschema:"the change that purged the version before, or a part of it"`
	By      string    `json:"by,omitempty" jsonschema:"who has purged"`
}

func newChangeInfo(c vfs.Change) ChangeInfo {
	return ChangeInfo{c.ID, c.Time, c.Call, string(c.Op), c.Path, c.To, c.Kept, c.Lost, c.Special, c.Undoes, c.Redoes,
		c.Purged, c.By}
}

type HistoryAnswer struct {
	Changes []ChangeInfo `json:"changes"`
	More    bool         `json:"more"`
}

// ListHistory lists changes of a file or of all in a folder, the latest first.
func (s *Service) ListHistory(ctx context.Context, in HistoryRequest) (HistoryAnswer, error) {
	return within(ctx, s, Read|Write, in.Project, "", func(p vfs.Project) (HistoryAnswer, error) {
		out := HistoryAnswer{Changes: []ChangeInfo{}}
		name, err := vfs.Clean(in.Path)
		if err != nil {
			return out, err
		}
		list := p.Changes
		if in.Removed {
			list = func(ctx context.Context, name string) ([]vfs.Change, error) { return vfs.Removed(ctx, p, name) }
		}
		var changes []vfs.Change // the oldest first
		if name == "/" && !in.Removed && s.access.Files == nil {
			changes, err = s.changes(ctx, in.Project, p)
		} else if changes, err = list(ctx, name); err == nil {
			slices.Reverse(changes)
		}
		if err != nil {
			return out, err
		}
		limit := s.part(in.Limit, 200, 2000)
		for _, c := range slices.Backward(changes) {
			if in.Before > 0 && c.ID >= in.Before || in.Call != "" && c.Call != in.Call {
				continue
			}
			if len(out.Changes) == limit {
				out.More = true
				break
			}
			out.Changes = append(out.Changes, newChangeInfo(c))
		}
		return out, nil
	})
}

type ChangeRequest struct {
	Project string `json:"project"`
	Change  int64  `json:"change"`
}

type DiffAnswer struct {
	Path string `json:"path"`
	Op   string `json:"op,omitempty"`
	Diff string `json:"diff" jsonschema:"a unified diff; empty if nothing differs"`
	Note string `json:"note,omitempty" jsonschema:"why there is no diff"`
}

// Diff returns what one change did to a file, as a unified diff.
func (s *Service) Diff(ctx context.Context, in ChangeRequest) (DiffAnswer, error) {
	return within(ctx, s, Read|Write, in.Project, "", func(p vfs.Project) (DiffAnswer, error) {
		changes, err := s.changes(ctx, in.Project, p)
		if err != nil {
			return DiffAnswer{}, err
		}
		i := slices.IndexFunc(changes, func(c vfs.Change) bool { return c.ID == in.Change })
		if i < 0 {
			return DiffAnswer{}, vfs.ErrNotKept
		}
		c := changes[i]
		d, err := filediff.OfChange(ctx, p, c, changes[i+1:], filediff.Limits{})
		return DiffAnswer{c.Path, string(c.Op), d.Diff, d.Note}, err
	})
}

type CompareRequest struct {
	Project string `json:"project"`
	Path    string `json:"path" jsonschema:"the file, which need not exist any more"`
	Change  int64  `json:"change,omitempty" jsonschema:"what it was before this change; the default is the last one"`
	Until   int64  `json:"until,omitempty" jsonschema:"what it was before this change; the default is what it is now"`
}

// CompareFile returns how a file has changed since before a change, or until before another one. The diff names both.
func (s *Service) CompareFile(ctx context.Context, in CompareRequest) (DiffAnswer, error) {
	return within(ctx, s, Read|Write, in.Project, "", func(p vfs.Project) (DiffAnswer, error) {
		name, err := vfs.Clean(in.Path)
		out := DiffAnswer{Path: name}
		if err != nil {
			return out, err
		}
		changes, err := p.Changes(ctx, name)
		if err != nil {
			return out, err
		}
		limits := s.diffLimits()
		before := func(id int64) (filediff.Version, error) {
			for _, c := range changes { // the latest first
				if c.ID == id || id == 0 && (c.Kept || c.Op == vfs.OpCreate) {
					return filediff.VersionBefore(ctx, p, c, limits)
				}
			}
			none := &Error{Code: "not_kept", Message: "the history has no earlier version of it"}
			if id != 0 {
				none.Message = fmt.Sprintf("no change %d in the history", id)
			}
			return filediff.Version{}, none
		}
		from, err := before(in.Change)
		if err != nil {
			return out, err
		}
		var to filediff.Version
		if in.Until != 0 {
			to, err = before(in.Until)
		} else if to, err = filediff.VersionNow(p, name, limits); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		out.Diff = from.Unified(to, limits)
		return out, err
	})
}

// diffLimits are those of what is compared.
func (s *Service) diffLimits() filediff.Limits {
	if s.access.Files != nil {
		return filediff.Unlimited
	}
	return filediff.Limits{}
}

type RevertRequest struct {
	Project string `json:"project"`
	Change  int64  `json:"change"`
	To      string `json:"to,omitempty" jsonschema:"put it here instead"`
	Path    string `json:"path,omitempty" jsonschema:"of what it deleted, only this, if nothing is in its place"`
}

type RevertAnswer struct {
	Did string `json:"did" jsonschema:"what was done, in words"`
}

// RevertChange takes back one change, whatever came after it.
func (s *Service) RevertChange(ctx context.Context, in RevertRequest) (RevertAnswer, error) {
	return within(ctx, s, Write, in.Project, "page-restore", func(p vfs.Project) (RevertAnswer, error) {
		if in.Path != "" && in.To != "" {
			return RevertAnswer{}, Bad("path", "a part can only go where it was")
		}
		if in.Path != "" {
			did, err := vfs.RevertPart(ctx, p, in.Change, in.Path)
			return RevertAnswer{did}, err
		}
		did, err := vfs.Revert(ctx, p, in.Change, in.To)
		return RevertAnswer{did}, err
	})
}

type UndoRequest struct {
	Project string `json:"project"`
	Call    string `json:"call,omitempty" jsonschema:"the call, or # and the number of a change"`
	Last    bool   `json:"last,omitempty" jsonschema:"without a call: the last one, whoever made it"`
}

type CanUndoAnswer struct {
	Possible bool     `json:"possible"`
	Reasons  []string `json:"reasons,omitempty" jsonschema:"why not"`
	Undone   bool     `json:"undone" jsonschema:"it has been undone, and can be redone"`
}

// CheckUndo returns whether all that a call changed can be taken back, and why not.
func (s *Service) CheckUndo(ctx context.Context, in UndoRequest) (CanUndoAnswer, error) {
	return within(ctx, s, Write, in.Project, "", func(p vfs.Project) (CanUndoAnswer, error) {
		if in.Call == "" && !in.Last {
			return CanUndoAnswer{}, Bad("call", "which call?")
		}
		_, err := p.CheckUndo(ctx, in.Call)
		if err == nil {
			return CanUndoAnswer{Possible: true}, nil
		}
		out := CanUndoAnswer{}
		_, redo := p.CheckRedo(ctx, in.Call)
		out.Undone = redo == nil
		undo, blocked := errors.AsType[*vfs.UndoError](err)
		switch {
		case blocked:
			out.Reasons = undo.Reasons
		case errors.Is(err, vfs.ErrNotKept):
			out.Reasons = []string{"it changed nothing that the history still has"}
		default:
			return out, err
		}
		return out, nil
	})
}

type UndoAnswer struct {
	Changes []ChangeInfo `json:"changes" jsonschema:"what was taken back"`
}

// UndoCall takes back all that a call changed.
func (s *Service) UndoCall(ctx context.Context, in UndoRequest) (UndoAnswer, error) {
	return s.turn(ctx, in, "undo", vfs.Project.Undo)
}

// RedoCall does again what was undone.
func (s *Service) RedoCall(ctx context.Context, in UndoRequest) (UndoAnswer, error) {
	return s.turn(ctx, in, "redo", vfs.Project.Redo)
}

// turn undoes or redoes a call.
func (s *Service) turn(ctx context.Context, in UndoRequest, verb string,
	do func(p vfs.Project, ctx context.Context, call string) ([]vfs.Change, error)) (UndoAnswer, error) {
	if err := s.may(Write, in.Project); err != nil {
		return UndoAnswer{}, err
	}
	if in.Call == "" && !in.Last { // the latest one may be another than what the page shows
		return UndoAnswer{}, Bad("call", "which call?")
	}
	return within(ctx, s, Write, in.Project, "page-"+verb, func(p vfs.Project) (UndoAnswer, error) {
		out := UndoAnswer{Changes: []ChangeInfo{}}
		changes, err := do(p, ctx, in.Call)
		if in.Call == "" && errors.Is(err, vfs.ErrNotKept) {
			none := &Error{Code: "not_kept", Message: "nothing to " + verb}
			if verb == "undo" && vfs.Unmounted(p) != p {
				none.Message += " in the project itself; give the CALL to undo it in a mounted one"
			}
			return out, none
		}
		for _, c := range changes {
			out.Changes = append(out.Changes, newChangeInfo(c))
		}
		return out, err
	})
}
