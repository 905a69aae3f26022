package vfs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/afero"
)

// CheckpointBefore makes an automatic checkpoint named "before " and the id of a call, with another character for each
// that a name cannot have, and with a hash in place of the end of what is too long. It has all files of the project,
// also if files is a view of a part. If nothing of that can be changed, it makes none, and returns the zero Checkpoint.
// The error is errors.ErrUnsupported if there is no [Project] behind the view.
func CheckpointBefore(ctx context.Context, files afero.Fs, call string) (Checkpoint, error) {
	if IsReadOnly(files, "/") {
		return Checkpoint{}, nil
	}
	p := projectBehind(files)
	if p == nil {
		return Checkpoint{}, fmt.Errorf("the project cannot have checkpoints: %w", errors.ErrUnsupported)
	}
	return p.CreateCheckpoint(ctx, beforeName(call), &CheckpointOptions{Automatic: true})
}

func beforeName(call string) string {
	name := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return '_'
		}
		return c
	}, strings.ToValidUTF8("before "+call, "_"))
	if len(name) > MaxCheckpointName {
		name = fmt.Sprintf("%s...%x", strings.ToValidUTF8(name[:MaxCheckpointName-40], ""), sha256.Sum256([]byte(call)))
		name = name[:min(len(name), MaxCheckpointName)]
	}
	return strings.TrimSpace(name)
}
