package service

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
)

type ProjectsRequest struct {
	After string `json:"after,omitempty" jsonschema:"list those after this name"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many at most; the default is 100"`
}

type ProjectInfo struct {
	Name         string `json:"name"`
	Bytes        int64  `json:"bytes"`
	Files        int64  `json:"files"`
	HistoryBytes int64  `json:"historyBytes"`
	// CheckpointBytes is what all checkpoints count.
	CheckpointBytes int64      `json:"checkpointBytes,omitempty"`
	MaxBytes        int64      `json:"maxBytes,omitempty" jsonschema:"how many bytes it may have"`
	MaxFiles        int64      `json:"maxFiles,omitempty"`
	Changed         *time.Time `json:"changed,omitempty" jsonschema:"the last change that the history has"`
	Problem         string     `json:"problem,omitempty" jsonschema:"why it cannot be read"`
}

type ProjectsAnswer struct {
	Projects []ProjectInfo `json:"projects"`
	Next     string        `json:"next,omitempty" jsonschema:"there are more after this name"`
}

// ListProjects lists projects by name.
func (s *Service) ListProjects(ctx context.Context, in ProjectsRequest) (ProjectsAnswer, error) {
	out := ProjectsAnswer{Projects: []ProjectInfo{}}
	if err := s.allowed(Run); err != nil {
		return out, err
	}
	ids := []string{s.Project()}
	if ids[0] == "" {
		limit := page(in.Limit, 100, 500)
		var err error
		if ids, err = s.store().List(ctx, in.After, limit+1); err != nil {
			return out, err
		}
		if len(ids) > limit {
			ids = ids[:limit]
			out.Next = ids[limit-1]
		}
	}
	for _, id := range ids {
		info, err := s.info(ctx, id)
		if code := codeOf(err); s.Project() == "" && (code == "not_found" || code == "deleted") {
			continue // deleted meanwhile
		}
		if err != nil {
			info = ProjectInfo{Name: id, Problem: Explain(err).Message}
		}
		out.Projects = append(out.Projects, info)
	}
	return out, ctx.Err()
}

func (s *Service) info(ctx context.Context, id string) (ProjectInfo, error) {
	p, err := s.open(ctx, Run, id)
	if err != nil {
		return ProjectInfo{}, err
	}
	defer p.Close()
	usage, err := p.Usage(ctx)
	if err != nil {
		return ProjectInfo{}, err
	}
	info := ProjectInfo{Name: id, Bytes: usage.Bytes, Files: usage.Files, HistoryBytes: usage.HistoryBytes,
		CheckpointBytes: usage.CheckpointBytes}
	if usage.Quota.Bytes != vfs.Unlimited {
		info.MaxBytes = usage.Quota.Bytes
	}
	if usage.Quota.Files != vfs.Unlimited {
		info.MaxFiles = usage.Quota.Files
	}
	if changes, err := p.LatestChanges(ctx, 1); err == nil && len(changes) > 0 {
		info.Changed = &changes[0].Time
	}
	return info, nil
}

// ShowProject returns what a project holds.
func (s *Service) ShowProject(ctx context.Context, in InProject) (ProjectInfo, error) {
	return s.info(ctx, in.Project)
}

// MakeProject makes a project.
func (s *Service) MakeProject(ctx context.Context, in InProject) (ProjectInfo, error) {
	if err := cmp.Or(s.may(Write, in.Project), s.ready()); err != nil {
		return ProjectInfo{}, err
	}
	if p, err := s.store().OpenExisting(ctx, in.Project); err == nil {
		_ = p.Close()
		return ProjectInfo{}, &Error{Code: "exists",
			Field: "project", Message: "there is a project of this name already"}
	}
	p, err := s.store().Open(ctx, in.Project)
	if err != nil {
		f := Explain(err)
		f.Field = "project"
		return ProjectInfo{}, f
	}
	if err := p.Close(); err != nil {
		return ProjectInfo{}, err
	}
	s.changed(in.Project)
	return s.info(ctx, in.Project)
}

// A MountedAt is where a project mounts another one.
type MountedAt struct{ Project, Path string }

// ListMountedAt returns the projects that mount a project, and fail without it. Those that cannot be read are left out.
func (s *Service) ListMountedAt(ctx context.Context, in InProject) (found []MountedAt, err error) {
	if err := s.may(Operate, in.Project); err != nil || s.Project() != "" { // the others are not theirs
		return nil, err
	}
	for other, err := range vfs.IDs(ctx, s.store()) {
		if err != nil {
			return found, err
		}
		project, err := s.store().OpenExisting(ctx, other)
		if err != nil {
			continue
		}
		settings, err := project.Settings(ctx)
		_ = project.Close() // it was only read
		if err != nil {
			continue
		}
		mounts, _ := vfs.ParseMounts(settings)
		for _, m := range mounts {
			if m.Project == in.Project && other != in.Project {
				found = append(found, MountedAt{other, m.Path})
			}
		}
	}
	return found, nil
}

type DeleteRequest struct {
	Project string `json:"project"`
	Forever bool   `json:"forever,omitempty" jsonschema:"keep nothing, also of those of the name deleted before"`
}

type DeleteAnswer struct {
	Restorable bool `json:"restorable"`
}

// DeleteProject deletes a project. It can be restored for a while if the store keeps it.
func (s *Service) DeleteProject(ctx context.Context, in DeleteRequest) (DeleteAnswer, error) {
	if err := s.may(Operate, in.Project); err != nil {
		return DeleteAnswer{}, err
	}
	store := s.store()
	remove := store.Discard
	if in.Forever {
		remove = store.Delete
	}
	err := remove(ctx, in.Project)
	if errors.Is(err, fs.ErrNotExist) {
		err = missing(in.Project)
	}
	if err == nil {
		err = s.log.Forget(ctx, s.calls(in.Project))
	}
	if err == nil {
		err = s.keeper(in.Project).Forget(ctx)
	}
	s.changed(in.Project)
	if err != nil || in.Forever {
		return DeleteAnswer{}, err
	}
	kept, err := store.Discarded(ctx) // a store without history keeps nothing
	return DeleteAnswer{slices.ContainsFunc(kept, func(d vfs.Discarded) bool { return d.ID == in.Project })}, err
}

type DeletedProject struct {
	Name    string    `json:"name"`
	Deleted time.Time `json:"deleted"`
	Until   time.Time `json:"until" jsonschema:"it can be restored until then"`
}

type DeletedAnswer struct {
	Projects []DeletedProject `json:"projects"`
}

// ListDeleted lists the deleted projects that can be restored.
func (s *Service) ListDeleted(ctx context.Context, _ Nothing) (DeletedAnswer, error) {
	out := DeletedAnswer{Projects: []DeletedProject{}}
	if err := s.allowed(Operate); err != nil {
		return out, err
	}
	all, err := s.store().Discarded(ctx)
	for _, d := range all {
		out.Projects = append(out.Projects, DeletedProject{d.ID, d.Time, d.Until})
	}
	return out, err
}

type RestoreProjectRequest struct {
	Project string `json:"project"`
	As      string `json:"as,omitempty" jsonschema:"another name for it"`
}

// RestoreProject restores the project of a name that was deleted last.
func (s *Service) RestoreProject(ctx context.Context, in RestoreProjectRequest) (ProjectInfo, error) {
	if in.As == "" {
		in.As = in.Project
	}
	if err := errors.Join(s.may(Operate, in.Project), s.may(Operate, in.As)); err != nil {
		return ProjectInfo{}, err
	}
	if err := s.store().Recover(ctx, in.Project, in.As); err != nil {
		return ProjectInfo{}, err
	}
	s.changed(in.As)
	return s.info(ctx, in.As)
}

type ArchiveRequest struct {
	Project string `json:"project"`
	Format  string `json:"format,omitempty" jsonschema:"zip, tar or tar.gz; the default is zip"`
}

// do does something with the project's own files, without those that it mounts, and the format of the archive.
func (in ArchiveRequest) do(ctx context.Context, s *Service, right Right,
	do func(files afero.Fs, format archive.Format) error) error {
	format, ok := archive.FormatOf("." + cmp.Or(in.Format, string(archive.Zip)))
	if !ok {
		return Bad("format", "unknown format %q: use zip, tar or tar.gz", in.Format)
	}
	if files := s.access.Files; files != nil {
		if err := s.may(right, in.Project); err != nil {
			return err
		}
		return do(vfs.Unmounted(files), format)
	}
	p, err := s.open(ctx, right, in.Project)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p, format)
}

// Export writes all files of a project as an archive.
func (s *Service) Export(ctx context.Context, in ArchiveRequest, w io.Writer) error {
	return in.do(ctx, s, Read|Write, func(files afero.Fs, format archive.Format) error {
		return archive.Export(ctx, files, w, format)
	})
}

type ImportAnswer struct {
	Bytes       int64  `json:"bytes"`
	Call        string `json:"call" jsonschema:"undo it to take the files back"`
	Directories int64  `json:"directories" jsonschema:"how many were made"`
	Files       int64  `json:"files"`
}

// Import puts the files of an archive into a project, over those that are there: all of them, or none.
func (s *Service) Import(ctx context.Context, in ArchiveRequest, content io.Reader) (ImportAnswer, error) {
	var done archive.Result
	err := in.do(ctx, s, Write, func(files afero.Fs, format archive.Format) (err error) {
		done, err = archive.Import(ctx, files, content, format)
		s.changed(in.Project)
		return err
	})
	return ImportAnswer{done.Bytes, done.Call, done.Directories, done.Files}, err
}
