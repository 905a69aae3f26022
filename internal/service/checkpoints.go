package service

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

type CheckpointInfo struct {
	Name      string    `json:"name"`
	Time      time.Time `json:"time"`
	Bytes     int64     `json:"bytes"`
	Files     int64     `json:"files" jsonschema:"how many files and folders"`
	Automatic bool      `json:"automatic,omitempty" jsonschema:"made before a call"`
}

func newCheckpointInfo(c vfs.Checkpoint) CheckpointInfo {
	return CheckpointInfo{c.Name, c.Time, c.Bytes, c.Files, c.Automatic}
}

type CheckpointsAnswer struct {
	Checkpoints []CheckpointInfo `json:"checkpoints"`
}

type CheckpointRequest struct {
	Project string `json:"project"`
	Name    string `json:"name"`
}

// checkpointError explains an error about a checkpoint of a name.
func checkpointError(err error) error {
	switch {
	case errors.Is(err, vfs.ErrDeleted): // the project
	case errors.Is(err, fs.ErrExist):
		return &Error{Code: "exists", Field: "name",
			Message: "there is a checkpoint of this name already"}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Code: "not_found", Field: "name",
			Message: "there is no checkpoint of this name"}
	case errors.Is(err, vfs.ErrCheckpointDamaged):
		return &Error{Code: "damaged", Field: "name", Message: err.Error()}
	}
	return err
}

// ListCheckpoints lists the checkpoints of a project, the latest first: all its files at one moment, under a name.
func (s *Service) ListCheckpoints(ctx context.Context, in InProject) (CheckpointsAnswer, error) {
	return within(ctx, s, Write, in.Project, "", func(p vfs.Project) (CheckpointsAnswer, error) {
		out := CheckpointsAnswer{Checkpoints: []CheckpointInfo{}}
		all, err := p.Checkpoints(ctx)
		for _, one := range all {
			out.Checkpoints = append(out.Checkpoints, newCheckpointInfo(one))
		}
		return out, err
	})
}

// MakeCheckpoint keeps all files of a project as they are now.
func (s *Service) MakeCheckpoint(ctx context.Context, in CheckpointRequest) (CheckpointInfo, error) {
	if err := s.may(Write, in.Project); err != nil {
		return CheckpointInfo{}, err
	}
	if err := vfs.CheckCheckpointName(in.Name); err != nil {
		return CheckpointInfo{}, Bad("name", "%v", err)
	}
	return within(ctx, s, Write, in.Project, "page-checkpoint", func(p vfs.Project) (CheckpointInfo, error) {
		made, err := p.CreateCheckpoint(ctx, in.Name, nil)
		return newCheckpointInfo(made), checkpointError(err)
	})
}

type CheckpointChange struct {
	Path    string   `json:"path" jsonschema:"of a session's variables, one that only stands for them"`
	Session string   `json:"session,omitempty" jsonschema:"the session whose variables have changed"`
	Op      string   `json:"op" jsonschema:"what was done since: create, write or remove"`
	Calls   []string `json:"calls" jsonschema:"the calls that did so, the earliest first; empty if unknown"`
}

type RestoredAnswer struct {
	Checkpoint CheckpointInfo     `json:"checkpoint"`
	Call       string             `json:"call,omitempty" jsonschema:"undo it to go back; empty if nothing was changed"`
	Changed    []CheckpointChange `json:"changed"`
	Total      int                `json:"total" jsonschema:"how many there are; not all may be listed"`
	Incomplete bool               `json:"incomplete,omitempty" jsonschema:"some changes since are no longer known"`
}

// CompareCheckpoint returns what has been changed since a checkpoint, which restoring it would take back.
func (s *Service) CompareCheckpoint(ctx context.Context, in CheckpointRequest) (RestoredAnswer, error) {
	return s.restore(ctx, Read|Write, in, "")
}

// RestoreCheckpoint makes all files what they were. It can be undone as a call.
func (s *Service) RestoreCheckpoint(ctx context.Context, in CheckpointRequest) (RestoredAnswer, error) {
	return s.restore(ctx, Write, in, "page-restore")
}

// restore restores a checkpoint as a call of its own, or without a name for that says what it would change.
func (s *Service) restore(ctx context.Context, right Right, in CheckpointRequest, call string) (RestoredAnswer, error) {
	return within(ctx, s, right, in.Project, call, func(p vfs.Project) (RestoredAnswer, error) {
		out := RestoredAnswer{Changed: []CheckpointChange{}}
		restored, err := p.RestoreCheckpoint(ctx, in.Name, &vfs.RestoreOptions{DryRun: call == ""})
		if err != nil {
			return out, checkpointError(err)
		}
		out.Checkpoint, out.Call = newCheckpointInfo(restored.Checkpoint), restored.Call
		out.Total, out.Incomplete = len(restored.Changed), restored.Incomplete
		for _, c := range restored.Changed[:min(out.Total, s.part(0, maxFiles, maxFiles))] {
			state, _ := vfs.ParseStatePath(c.Path)
			change := CheckpointChange{Path: c.Path, Session: state.Session, Op: string(c.Op), Calls: c.Calls}
			if change.Calls == nil {
				change.Calls = []string{}
			}
			out.Changed = append(out.Changed, change)
		}
		return out, nil
	})
}

// DeleteCheckpoint drops a checkpoint. The files stay as they are.
func (s *Service) DeleteCheckpoint(ctx context.Context, in CheckpointRequest) (Nothing, error) {
	return within(ctx, s, Write, in.Project, "page-checkpoint", func(p vfs.Project) (Nothing, error) {
		return Nothing{}, checkpointError(p.DeleteCheckpoint(ctx, in.Name))
	})
}
