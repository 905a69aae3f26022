package web

import (
	"errors"
	"slices"
	"time"

	"github.com/toolrun/toolrun/internal/filediff"
	"github.com/toolrun/toolrun/vfs"
)

func historyRoutes() []route {
	return []route{
		operation("GET", "/api/history", "Changes of a file or of all in a folder, the latest first.",
			listHistory).costing(costList),
		operation("GET", "/api/history/diff", "What one change did to a file, as a unified diff.",
			showDiff).costing(costDiff),
		operation("POST", "/api/history/restore", "Take back one change, whatever came after it.", restoreChange),
		operation("GET", "/api/history/undo",
			"Whether all that a call changed can be taken back, and why not.", checkUndo),
		operation("POST", "/api/history/undo", "Take back all that a call changed.", undoCall),
		operation("POST", "/api/history/redo", "Do again what was undone.", redoCall),
	}
}

type historyRequest struct {
	Project string `json:"project"`
	Path    string `json:"path,omitempty" jsonschema:"a file or folder; the default is everything"`
	Call    string `json:"call,omitempty" jsonschema:"changes of this call only"`
	Before  int64  `json:"before,omitempty" jsonschema:"changes with smaller numbers only"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many at most; the default is 200"`
}

type changeInfo struct {
	ID      int64     `json:"id"`
	Time    time.Time `json:"time"`
	Call    string    `json:"call,omitempty"`
	Op      string    `json:"op" jsonschema:"create, write, mkdir, remove, rename or undone"`
	Path    string    `json:"path,omitempty"`
	To      string    `json:"to,omitempty" jsonschema:"the new name"`
	Kept    bool      `json:"kept,omitempty" jsonschema:"the version before can be had"`
	Lost    bool      `json:"lost,omitempty" jsonschema:"the version before was too large to keep"`
	Undoes  string    `json:"undoes,omitempty"`
	Redoes  string    `json:"redoes,omitempty"`
	Special bool      `json:"special,omitempty"`
}

func newChangeInfo(c vfs.Change) changeInfo {
	return changeInfo{c.ID, c.Time, c.Call, string(c.Op), c.Path, c.To, c.Kept, c.Lost, c.Undoes, c.Redoes, c.Special}
}

type historyAnswer struct {
	Changes []changeInfo `json:"changes"`
	More    bool         `json:"more"`
}

func listHistory(s *Server, r *request, in historyRequest) (historyAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (historyAnswer, error) {
		out := historyAnswer{Changes: []changeInfo{}}
		name, err := vfs.Clean(in.Path)
		if err != nil {
			return out, err
		}
		var changes []vfs.Change // the oldest first
		if name == "/" {
			changes, err = s.changes(r, in.Project, p)
		} else if changes, err = p.Changes(r.Context(), name); err == nil {
			slices.Reverse(changes)
		}
		if err != nil {
			return out, err
		}
		limit := page(in.Limit, 200, 2000)
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

type changeRequest struct {
	Project string `json:"project"`
	Change  int64  `json:"change"`
}

type diffAnswer struct {
	Path string `json:"path"`
	Op   string `json:"op"`
	Diff string `json:"diff" jsonschema:"a unified diff without the names of the files; empty if nothing differs"`
	Note string `json:"note,omitempty" jsonschema:"why there is no diff"`
}

func showDiff(s *Server, r *request, in changeRequest) (diffAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (diffAnswer, error) {
		changes, err := s.changes(r, in.Project, p)
		if err != nil {
			return diffAnswer{}, err
		}
		i := slices.IndexFunc(changes, func(c vfs.Change) bool { return c.ID == in.Change })
		if i < 0 {
			return diffAnswer{}, vfs.ErrNotKept
		}
		c := changes[i]
		d, err := filediff.OfChange(r.Context(), p, c, changes[i+1:], filediff.Limits{})
		return diffAnswer{c.Path, string(c.Op), d.Diff, d.Note}, err
	})
}

type restoreRequest struct {
	Project string `json:"project"`
	Change  int64  `json:"change"`
	To      string `json:"to,omitempty" jsonschema:"put it here instead"`
}

type didAnswer struct {
	Did string `json:"did" jsonschema:"what was done, in words"`
}

func restoreChange(s *Server, r *request, in restoreRequest) (didAnswer, error) {
	return within(s, r, in.Project, "page-restore", func(p vfs.Project) (didAnswer, error) {
		did, err := vfs.Revert(r.Context(), p, in.Change, in.To)
		return didAnswer{did}, err
	})
}

type undoRequest struct {
	Project string `json:"project"`
	Call    string `json:"call" jsonschema:"the call, or # and the number of a change"`
}

type canUndoAnswer struct {
	Possible bool     `json:"possible"`
	Reasons  []string `json:"reasons,omitempty" jsonschema:"why not"`
	Undone   bool     `json:"undone" jsonschema:"it has been undone, and can be redone"`
}

func checkUndo(s *Server, r *request, in undoRequest) (canUndoAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (canUndoAnswer, error) {
		if in.Call == "" {
			return canUndoAnswer{}, bad("call", "which call?")
		}
		_, err := p.CheckUndo(r.Context(), in.Call)
		if err == nil {
			return canUndoAnswer{Possible: true}, nil
		}
		out := canUndoAnswer{}
		_, redo := p.CheckRedo(r.Context(), in.Call)
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

type undoAnswer struct {
	Changes []changeInfo `json:"changes" jsonschema:"what was taken back"`
}

func undoCall(s *Server, r *request, in undoRequest) (undoAnswer, error) {
	if in.Call == "" { // the latest one may be another than what the page shows
		return undoAnswer{}, bad("call", "which call?")
	}
	return within(s, r, in.Project, "page-undo", func(p vfs.Project) (undoAnswer, error) {
		changes, err := p.Undo(r.Context(), in.Call)
		return newUndoAnswer(changes), err
	})
}

func newUndoAnswer(changes []vfs.Change) undoAnswer {
	out := undoAnswer{Changes: []changeInfo{}}
	for _, c := range changes {
		out.Changes = append(out.Changes, newChangeInfo(c))
	}
	return out
}

func redoCall(s *Server, r *request, in undoRequest) (undoAnswer, error) {
	if in.Call == "" {
		return undoAnswer{}, bad("call", "which call?")
	}
	return within(s, r, in.Project, "page-redo", func(p vfs.Project) (undoAnswer, error) {
		changes, err := p.Redo(r.Context(), in.Call)
		return newUndoAnswer(changes), err
	})
}
