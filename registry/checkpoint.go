package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// CheckpointMode says when calls make checkpoints of the project's files.
type CheckpointMode string

// The modes of [Env].Checkpoint.
const (
	// CheckpointNever makes none. It is the zero value.
	CheckpointNever CheckpointMode = ""
	// CheckpointBefore makes an automatic one before each call of a tool that may change files, named "before " and the
	// call's id: see [vfs.CheckpointBefore]. Calls that the call makes are part of it.
	CheckpointBefore CheckpointMode = "before"
)

// ParseCheckpointMode returns the mode of a name: "never" or "before". The error is fs.ErrInvalid.
func ParseCheckpointMode(name string) (CheckpointMode, error) {
	switch name {
	case "never":
		return CheckpointNever, nil
	case string(CheckpointBefore):
		return CheckpointBefore, nil
	}
	return "", fmt.Errorf("%w: checkpoints are made never or before, not %q", fs.ErrInvalid, name)
}

// UnmarshalText is [ParseCheckpointMode].
func (m *CheckpointMode) UnmarshalText(name []byte) (err error) {
	*m, err = ParseCheckpointMode(string(name))
	return err
}

// checkpoint makes a checkpoint of the files before a call, if that is wanted. A call that goes on is not a new one. If
// it fails, the call is not made: whoever wants to go back counts on it.
func (e *entry) checkpoint(ctx context.Context, outer, env Env, id string) error {
	if outer.Checkpoint != CheckpointBefore || outer.call != nil || outer.resumed != nil || env.Files == nil ||
		e.spec.Annotations.ReadOnly {
		return nil
	}
	_, err := vfs.CheckpointBefore(ctx, env.Files, id)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if quota, ok := errors.AsType[*vfs.QuotaError](err); ok {
		return tool.Errorf("The call was not made, because the project has no room for the checkpoint before it: %s.",
			quota)
	}
	if err != nil {
		return fmt.Errorf("making the checkpoint before the call: %w", err)
	}
	return nil
}
