package service

import (
	"context"
	"errors"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

type CompactAnswer struct {
	Freed int64 `json:"freed" jsonschema:"how many bytes of history were dropped"`
}

// CompactHistory thins out the history of a project now, as the retention tiered does all the time. It takes versions
// from everybody who uses the project, so it needs more than changing files does.
func (s *Service) CompactHistory(ctx context.Context, in InProject) (CompactAnswer, error) {
	if err := s.access.May(Operate); err != nil {
		return CompactAnswer{}, err
	}
	return within(ctx, s, Write, in.Project, "", func(p vfs.Project) (CompactAnswer, error) {
		freed, err := p.Compact(ctx)
		s.changed(in.Project)
		return CompactAnswer{freed}, err
	})
}

type PurgeRequest struct {
	Project string `json:"project"`
	Path    string `json:"path" jsonschema:"a file or folder"`
	Delete  bool   `json:"delete,omitempty" jsonschema:"delete what is there now, too"`
}

type PurgeAnswer struct {
	Path     string `json:"path"`
	Change   int64  `json:"change,omitempty" jsonschema:"the change that says so; none if there was nothing to purge"`
	Versions int    `json:"versions" jsonschema:"how many versions were kept"`
	Bytes    int64  `json:"bytes" jsonschema:"how many bytes these had"`
	Deleted  bool   `json:"deleted" jsonschema:"what was there has been deleted as well"`
	// Gone is in the future if the store keeps bytes for some time that nothing needs any more.
	Gone *time.Time `json:"gone,omitempty" jsonschema:"when the bytes are gone at the latest; none if they are"`
	// Others are paths where the same may be, and whose history is still there.
	Others     []string `json:"others" jsonschema:"where it was moved to, and names that differ in case only"`
	NotCovered []string `json:"notCovered" jsonschema:"where else the content may be, which stays"`
}

// PurgeFile removes, for good, all versions of a file or folder that the history keeps. It takes evidence from
// everybody who uses the project, so it needs more than changing files does.
func (s *Service) PurgeFile(ctx context.Context, in PurgeRequest) (PurgeAnswer, error) {
	if err := s.access.May(Operate); err != nil {
		return PurgeAnswer{}, err
	}
	return within(ctx, s, Write, in.Project, "page-purge", func(p vfs.Project) (PurgeAnswer, error) {
		name, err := vfs.Clean(in.Path)
		if err != nil {
			return PurgeAnswer{}, err
		}
		done, err := p.Purge(ctx, name, &vfs.PurgeOptions{Remove: in.Delete, By: s.access.Name})
		if errors.Is(err, errors.ErrUnsupported) { // what is mounted
			return PurgeAnswer{}, Bad("path", "%v", err)
		}
		if err != nil {
			return PurgeAnswer{}, err
		}
		out := PurgeAnswer{Path: name, Change: done.Change, Versions: done.Versions, Bytes: done.Bytes,
			Deleted: done.Removed, Others: append([]string{}, done.Others...), NotCovered: []string{
				"copies in other files, such as long results of calls that were kept as files",
				"inputs and results of calls, which are kept for some days, and of those that wait",
				"variables of sessions, recordings, logs, backups, and projects that were deleted",
			}}
		if !in.Delete {
			out.NotCovered = append([]string{"what is there now"}, out.NotCovered...)
		}
		if done.Within > 0 && done.Versions > 0 {
			gone := time.Now().Add(done.Within).UTC().Truncate(time.Second)
			out.Gone = &gone
		}
		return out, nil
	})
}
