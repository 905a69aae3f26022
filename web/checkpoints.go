package web

import (
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

func checkpointRoutes() []route {
	return []route{
		operation("GET", "/api/checkpoints",
			"Checkpoints of a project, the latest first: all its files at one moment, under a name.", listCheckpoints),
		operation("POST", "/api/checkpoints", "Keep all files of a project as they are now.", makeCheckpoint),
		operation("GET", "/api/checkpoints/changes", "What has been changed since a checkpoint, "+
			"which restoring it would take back.", compareCheckpoint).costing(costReading),
		operation("POST", "/api/checkpoints/restore", "Make all files what they were. It can be undone as a call.",
			restoreCheckpoint),
		operation("POST", "/api/checkpoints/delete", "Drop a checkpoint. The files stay as they are.",
			deleteCheckpoint),
	}
}

type checkpointInfo struct {
	Name      string    `json:"name"`
	Time      time.Time `json:"time"`
	Bytes     int64     `json:"bytes"`
	Files     int64     `json:"files" jsonschema:"how many files and folders"`
	Automatic bool      `json:"automatic,omitempty" jsonschema:"made before a call"`
}

func newCheckpointInfo(c vfs.Checkpoint) checkpointInfo {
	return checkpointInfo{c.Name, c.Time, c.Bytes, c.Files, c.Automatic}
}

type checkpointsAnswer struct {
	Checkpoints []checkpointInfo `json:"checkpoints"`
}

type checkpointRequest struct {
	Project string `json:"project"`
	Name    string `json:"name"`
}

// checkpointError explains an error about a checkpoint of a name.
func checkpointError(err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return &failure{status: http.StatusConflict, Code: "exists", Field: "name",
			Message: "there is a checkpoint of this name already"}
	case errors.Is(err, fs.ErrNotExist):
		return &failure{status: http.StatusNotFound, Code: "not_found", Field: "name",
			Message: "there is no checkpoint of this name"}
	case errors.Is(err, vfs.ErrCheckpointDamaged):
		return &failure{status: http.StatusConflict, Code: "damaged", Field: "name", Message: err.Error()}
	}
	return err
}

func listCheckpoints(s *Server, r *request, in inProject) (checkpointsAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (checkpointsAnswer, error) {
		out := checkpointsAnswer{Checkpoints: []checkpointInfo{}}
		all, err := p.Checkpoints(r.Context())
		for _, one := range all {
			out.Checkpoints = append(out.Checkpoints, newCheckpointInfo(one))
		}
		return out, err
	})
}

func makeCheckpoint(s *Server, r *request, in checkpointRequest) (checkpointInfo, error) {
	if err := vfs.CheckCheckpointName(in.Name); err != nil {
		return checkpointInfo{}, bad("name", "%v", err)
	}
	return within(s, r, in.Project, "page-checkpoint", func(p vfs.Project) (checkpointInfo, error) {
		made, err := p.CreateCheckpoint(r.Context(), in.Name, nil)
		return newCheckpointInfo(made), checkpointError(err)
	})
}

type checkpointChange struct {
	Path    string   `json:"path,omitempty"`
	Session string   `json:"session,omitempty" jsonschema:"the session whose variables have changed, instead of a path"`
	Op      string   `json:"op" jsonschema:"what was done since: create, write or remove"`
	Calls   []string `json:"calls" jsonschema:"the calls that did so, the earliest first; empty if unknown"`
}

type restoredAnswer struct {
	Call       string             `json:"call,omitempty" jsonschema:"undo it to go back; empty if nothing was changed"`
	Changed    []checkpointChange `json:"changed"`
	Total      int                `json:"total" jsonschema:"how many there are; not all may be listed"`
	Incomplete bool               `json:"incomplete,omitempty" jsonschema:"some changes since are no longer known"`
}

func newRestoredAnswer(restored *vfs.Restored) restoredAnswer {
	out := restoredAnswer{Changed: []checkpointChange{}}
	if restored == nil {
		return out
	}
	out.Call, out.Total, out.Incomplete = restored.Call, len(restored.Changed), restored.Incomplete
	for _, c := range restored.Changed[:min(len(restored.Changed), maxFiles)] {
		change := checkpointChange{Path: c.Path, Op: string(c.Op), Calls: c.Calls}
		if state, ok := vfs.ParseStatePath(c.Path); ok {
			change.Path, change.Session = "", state.Session
		}
		if change.Calls == nil {
			change.Calls = []string{}
		}
		out.Changed = append(out.Changed, change)
	}
	return out
}

func compareCheckpoint(s *Server, r *request, in checkpointRequest) (restoredAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (restoredAnswer, error) {
		would, err := p.RestoreCheckpoint(r.Context(), in.Name, &vfs.RestoreOptions{DryRun: true})
		return newRestoredAnswer(would), checkpointError(err)
	})
}

func restoreCheckpoint(s *Server, r *request, in checkpointRequest) (restoredAnswer, error) {
	return within(s, r, in.Project, "page-restore", func(p vfs.Project) (restoredAnswer, error) {
		did, err := p.RestoreCheckpoint(r.Context(), in.Name, nil)
		return newRestoredAnswer(did), checkpointError(err)
	})
}

func deleteCheckpoint(s *Server, r *request, in checkpointRequest) (nothing, error) {
	return within(s, r, in.Project, "page-checkpoint", func(p vfs.Project) (nothing, error) {
		return nothing{}, checkpointError(p.DeleteCheckpoint(r.Context(), in.Name))
	})
}
