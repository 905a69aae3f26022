package service

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/filediff"
	"github.com/toolrun/toolrun/internal/text/v4a"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/vfs"
)

type LossRequest struct {
	Project string `json:"project"`
	Token   string `json:"token"`
	Call    string `json:"call" jsonschema:"which of the calls that wait"`
}

// A LossAnswer is what there is now that a call would replace or delete.
type LossAnswer struct {
	Path string `json:"path,omitempty" jsonschema:"the file or folder; empty for several files, or if none is known"`
	Diff string `json:"diff,omitempty" jsonschema:"a unified diff of the file and what would take its place"`
	Note string `json:"note,omitempty" jsonschema:"why there is no diff"`
	// Files are those that would be deleted: of a folder, or by a patch if it deletes several.
	Files []string `json:"files" jsonschema:"at most 100"`
	More  bool     `json:"more,omitempty" jsonschema:"there are more"`
	Count int      `json:"count,omitempty" jsonschema:"how many files there are, of the first 10,000 files and folders"`
}

const (
	maxLossShown = 100
	maxLossRead  = 10_000 // files and folders
)

// ShowLoss returns what a call that waits would replace or delete.
func (s *Service) ShowLoss(ctx context.Context, in LossRequest) (LossAnswer, error) {
	return within(ctx, s, Read|Decide, in.Project, "", func(p vfs.Project) (LossAnswer, error) {
		run, err := s.keeper(in.Project).Get(ctx, in.Token)
		if err != nil && !errors.Is(err, waiting.ErrNone) {
			return LossAnswer{}, err
		}
		if err == nil {
			for _, c := range run.Waiting() {
				if c.ID == in.Call {
					return s.loss(p, c.Tool, c.Input)
				}
			}
		}
		return LossAnswer{}, errNotWaiting
	})
}

// loss returns what a call of a tool for files would replace or delete.
func (s *Service) loss(p vfs.Project, tool string, input json.RawMessage) (LossAnswer, error) {
	out := LossAnswer{Files: []string{}}
	spec, _ := s.runner.Registry().Spec(tool)
	family := spec.PartOf
	if family == "" {
		family = tool
	}
	var in struct {
		Command   string
		Path      string
		OldPath   string `json:"old_path"`
		NewPath   string `json:"new_path"`
		FilePath  string `json:"file_path"`
		FileText  string `json:"file_text"`
		Content   string
		Input     string // a patch
		Overwrite bool
	}
	if family != "filesystem" && family != "memory" || json.Unmarshal(input, &in) != nil {
		return out, nil
	}
	if in.Command == "" && strings.HasSuffix(tool, "_delete") { // which has no other
		in.Command = "delete"
	}
	if spec.PartOf != "" && tool == "write" { // which replaces what is there
		in.Command, in.Overwrite, in.Path, in.FileText = "create", true, in.FilePath, in.Content
	}
	if spec.PartOf != "" && tool == "apply_patch" {
		deleted := deletedBy(p, in.Input)
		if len(deleted) != 1 {
			out.add(deleted...)
			return out, nil
		}
		in.Command, in.Path = "delete", deleted[0]
	}
	target := in.Path
	switch {
	case in.Command == "delete", in.Command == "create" && in.Overwrite:
	case (in.Command == "rename" || in.Command == "copy") && in.Overwrite:
		target = in.NewPath
	default:
		return out, nil
	}
	name, err := lossPath(family, target)
	if err != nil {
		return out, nil // the call fails
	}
	info, err := p.Stat(name)
	if err != nil {
		return out, nil // nothing is there, or the call fails as well
	}
	if info.IsDir() {
		if in.Command != "delete" {
			return out, nil // a folder is not replaced
		}
		out.Path = name
		return out, out.list(p, name)
	}
	out.Path = name
	before, err := filediff.Now(p, name, filediff.Limits{})
	var after []byte
	switch in.Command {
	case "create":
		after = []byte(in.FileText)
	case "rename", "copy":
		source, invalid := lossPath(family, in.OldPath)
		if invalid != nil {
			return LossAnswer{Files: out.Files}, nil
		}
		if err == nil {
			after, err = filediff.Now(p, source, filediff.Limits{})
		}
	}
	var d filediff.Difference
	if err != nil {
		d, err = filediff.NoteOf(err)
	} else if d = filediff.Compare(before, after, filediff.Limits{}); d.None() && in.Command != "delete" {
		d.Note = "the content stays the same"
	}
	out.Diff, out.Note = d.Diff, d.Note
	return out, err
}

// lossPath returns the path in the project that a path is of which a tool is told.
func lossPath(family, given string) (string, error) {
	name, err := vfs.Clean(strings.TrimSpace(given))
	if err == nil && family == "memory" && !vfs.Within(name, "/memories") {
		name = path.Join("/memories", name)
	}
	return name, err
}

// list adds the files in a folder.
func (a *LossAnswer) list(p afero.Fs, name string) error {
	read := 0
	err := afero.Walk(p, name, func(name string, info fs.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if read++; read > maxLossRead {
			a.More = true
			return fs.SkipAll
		}
		if !info.IsDir() {
			a.add(name)
		}
		return nil
	})
	slices.Sort(a.Files)
	return err
}

// add adds files that would be deleted.
func (a *LossAnswer) add(names ...string) {
	a.Count += len(names)
	a.Files = append(a.Files, names[:min(len(names), maxLossShown-len(a.Files))]...)
	a.More = a.More || a.Count > len(a.Files)
}

// deletedBy returns the files that are there and that a patch deletes.
func deletedBy(p afero.Fs, patch string) []string {
	files, err := v4a.Parse(patch)
	if err != nil {
		return nil // the call fails
	}
	var deleted []string
	for _, f := range files {
		name, err := lossPath("filesystem", f.Path)
		if err != nil || f.Kind != v4a.Delete {
			continue
		}
		if info, err := p.Stat(name); err == nil && !info.IsDir() {
			deleted = append(deleted, name)
		}
	}
	return deleted
}
