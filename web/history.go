package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/filetext"
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

// How large each of the compared texts may be, how many lines both may have together, which cost more than their bytes,
// and how large the difference may be.
const (
	maxDiff      = 2 << 20
	maxDiffLines = 100_000
	maxDiffText  = 1 << 20
)

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
		out := diffAnswer{Path: c.Path, Op: string(c.Op)}
		switch c.Op {
		case vfs.OpMkdir, vfs.OpUndone, vfs.OpRename:
			out.Note = map[vfs.Op]string{vfs.OpMkdir: "an empty folder", vfs.OpUndone: "a call was undone",
				vfs.OpRename: "the content stayed the same"}[c.Op]
			return out, nil
		}
		before, note, err := versionBefore(r.Context(), p, c)
		if err != nil {
			return out, err
		}
		after, later := []byte(nil), ""
		if c.Op != vfs.OpRemove && note == "" {
			if after, later, err = versionAfter(r.Context(), p, c, changes[i+1:]); err != nil {
				return out, err
			}
		}
		if note == "" {
			note = later
		}
		if note == "" {
			out.Diff, note = compare(before, after)
		}
		out.Note = note
		return out, nil
	})
}

const (
	noteGone   = "the history does not have this version any more"
	noteLarge  = "too large to compare"
	noteFolder = "a folder with all that it contained"
	noteBinary = "not text"
	noteSame   = "only the encoding or the ends of lines changed"
)

// versionBefore is the content of a file before a change, or a note of why there is none.
func versionBefore(ctx context.Context, p vfs.Project, c vfs.Change) ([]byte, string, error) {
	if c.Op == vfs.OpCreate {
		return nil, "", nil
	}
	return readVersion(p.OpenVersion(ctx, c.ID))
}

func readVersion(f afero.File, err error) ([]byte, string, error) {
	pathError, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, vfs.ErrNotKept), errors.Is(err, fs.ErrNotExist):
		return nil, noteGone, nil
	case isPath && strings.Contains(pathError.Err.Error(), "directory"):
		return nil, noteFolder, nil
	case err != nil:
		return nil, "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, noteFolder, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDiff+1))
	if len(data) > maxDiff {
		return nil, noteLarge, nil
	}
	return data, "", err
}

// versionAfter is the content of a file after a change: before the next one that touched it, or as it is now. The later
// changes are given, the oldest first.
func versionAfter(ctx context.Context, p vfs.Project, c vfs.Change, later []vfs.Change) ([]byte, string, error) {
	name := c.Path
	for _, next := range later {
		switch {
		case next.Op == vfs.OpUndone || next.Path == "":
		case next.Op == vfs.OpRename && vfs.Within(name, next.Path):
			name = next.To + strings.TrimPrefix(name, next.Path)
		case next.Op == vfs.OpRename && next.To == name, (next.Op == vfs.OpWrite || next.Op == vfs.OpRemove) &&
			next.Path == name:
			return readVersion(p.OpenVersion(ctx, next.ID))
		case next.Op == vfs.OpRemove && vfs.Within(name, next.Path):
			return nil, "it was deleted with its folder", nil
		}
	}
	return readVersion(p.Open(name))
}

var newline = []byte("\n")

// readable returns the text of a file in whatever encoding, or other content as it is.
func readable(content []byte) []byte {
	if text, _, ok := filetext.Decode(content); ok {
		return text
	}
	return content
}

// isBinary reports whether content is not for reading.
func isBinary(content []byte) bool { return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 }

// compare returns a unified diff of two texts, or a note of why there is none.
func compare(before, after []byte) (text, note string) {
	if bytes.Equal(before, after) {
		return "", ""
	}
	before, after = readable(before), readable(after)
	switch {
	case bytes.Equal(before, after):
		return "", noteSame
	case isBinary(before), isBinary(after):
		return "", noteBinary
	case len(before) > maxDiff || len(after) > maxDiff,
		bytes.Count(before, newline)+bytes.Count(after, newline) > maxDiffLines:
		return "", noteLarge
	}
	data := diff.Diff("before", before, "after", after)
	if len(data) > maxDiffText {
		return "", noteLarge
	}
	text = string(data)
	for range 3 { // the names
		_, text, _ = strings.Cut(text, "\n")
	}
	return strings.ToValidUTF8(text, "\ufffd"), ""
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
		if redoer, ok := p.(vfs.Redoer); ok {
			_, redo := redoer.CheckRedo(r.Context(), in.Call)
			out.Undone = redo == nil
		}
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
		redoer, ok := p.(vfs.Redoer)
		if !ok {
			return undoAnswer{}, bad("", "this project cannot redo")
		}
		changes, err := redoer.Redo(r.Context(), in.Call)
		return newUndoAnswer(changes), err
	})
}
