package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/filediff"
	"github.com/toolrun/toolrun/vfs"
)

type LayerRequest struct {
	Project string `json:"project"`
	Path    string `json:"path,omitempty" jsonschema:"only what is there and below; the default is everything"`
	Diffs   bool   `json:"diffs,omitempty" jsonschema:"say how files differ, too"`
}

type LayerChange struct {
	Path     string `json:"path"`
	Op       string `json:"op" jsonschema:"create, write, mkdir or remove"`
	Conflict bool   `json:"conflict,omitempty" jsonschema:"others have changed the file since"`
	Diff     string `json:"diff,omitempty" jsonschema:"a unified diff with names, or a line that says what is done"`
}

type LayerAnswer struct {
	Changes []LayerChange `json:"changes"`
}

// ListLayer lists the changes that are kept apart from a directory until they are applied: see [vfs.Layer].
func (s *Service) ListLayer(ctx context.Context, in LayerRequest) (LayerAnswer, error) {
	return s.layered(ctx, Read|Write, in.Project, func(layer vfs.Layer, out *LayerAnswer) error {
		top, err := vfs.Clean(in.Path)
		if err != nil {
			return err
		}
		found, err := layer.Differences(ctx)
		if err != nil || len(found) == 0 {
			return err
		}
		below, err := layer.Below()
		if err != nil {
			return err
		}
		defer below.Close()
		for _, d := range found {
			if !vfs.Within(d.Path, top) && !(d.Op == vfs.OpRemove && vfs.Within(top, d.Path)) {
				continue
			}
			change := LayerChange{Path: d.Path, Op: string(d.Op), Conflict: d.Conflict}
			if in.Diffs {
				if change.Diff, err = difference(below, layer, d, s.diffLimits()); err != nil {
					return err
				}
			}
			out.Changes = append(out.Changes, change)
		}
		return nil
	})
}

// difference describes a difference of a layer, as a diff if it is one of a file.
func difference(below, layer afero.Fs, d vfs.Difference, limits filediff.Limits) (string, error) {
	var versions [2]filediff.Version
	for i, files := range []afero.Fs{below, layer} {
		versions[i].Name = os.DevNull
		info, err := files.Stat(d.Path)
		// What an operation replaces has been removed by another one before, and what it removes can be replaced after.
		if i == 0 && (d.Op == vfs.OpCreate || d.Op == vfs.OpMkdir) || i == 1 && d.Op == vfs.OpRemove ||
			errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err == nil && info.Mode().IsRegular() {
			versions[i], err = filediff.VersionNow(files, d.Path, limits)
		}
		if err != nil {
			return "", err
		}
	}
	text := ""
	if versions[0].Name != versions[1].Name || d.Op == vfs.OpWrite {
		text = versions[0].Unified(versions[1], limits)
	}
	if text == "" { // a directory, an empty file, other permissions
		text = fmt.Sprintf("%s %s\n", d.Op, d.Path)
	}
	return text, nil
}

type SettleRequest struct {
	Project string   `json:"project"`
	Paths   []string `json:"paths,omitempty" jsonschema:"only what is at these paths and below; the default is all"`
}

// ApplyLayer makes the changes in the directory that were kept apart from it, and lists them.
func (s *Service) ApplyLayer(ctx context.Context, in SettleRequest) (LayerAnswer, error) {
	return s.settle(ctx, in, vfs.Layer.Apply)
}

// DiscardLayer drops changes that were kept apart from a directory, and lists them. They cannot be brought back.
func (s *Service) DiscardLayer(ctx context.Context, in SettleRequest) (LayerAnswer, error) {
	return s.settle(ctx, in, vfs.Layer.Discard)
}

func (s *Service) settle(ctx context.Context, in SettleRequest,
	do func(layer vfs.Layer, ctx context.Context, names ...string) ([]vfs.Difference, error)) (LayerAnswer, error) {
	return s.layered(ctx, Write, in.Project, func(layer vfs.Layer, out *LayerAnswer) error {
		done, err := do(layer, ctx, in.Paths...)
		for _, d := range done {
			out.Changes = append(out.Changes, LayerChange{Path: d.Path, Op: string(d.Op), Conflict: d.Conflict})
		}
		s.changed(in.Project)
		return err
	})
}

// layered does something with a project that is a layer.
func (s *Service) layered(ctx context.Context, right Right, id string,
	do func(layer vfs.Layer, out *LayerAnswer) error) (LayerAnswer, error) {
	return within(ctx, s, right, id, "", func(p vfs.Project) (LayerAnswer, error) {
		out := LayerAnswer{Changes: []LayerChange{}}
		layer, ok := p.(vfs.Layer)
		if !ok {
			return out, Bad("project", "its changes are not kept apart, as those of a directory with --overlay are")
		}
		err := do(layer, &out)
		return out, err
	})
}
