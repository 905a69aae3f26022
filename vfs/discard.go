package vfs

import (
	"context"
	"time"
)

// A KeepingStore is a [Store] that can keep a project for a while after it was removed.
type KeepingStore interface {
	Store
	// Discard removes a project as Delete does, but keeps what it held for [HistoryOptions].Age. Then, or when Delete
	// is called with its id, it is gone. A store without history deletes the project.
	Discard(ctx context.Context, id string) error
	// Discarded lists the discarded projects that can be recovered, the latest first. There can be several of one id.
	Discarded(ctx context.Context) ([]Discarded, error)
	// Recover brings back the project of this id that was discarded last, with its history and settings, under the
	// same or another id. The error is fs.ErrNotExist if none is kept, and fs.ErrExist if a project has the new id.
	Recover(ctx context.Context, id, as string) error
}

// Discarded is a project that was discarded.
type Discarded struct {
	// ID is the id that the project had.
	ID string
	// Time is when it was discarded, to the second. It is kept until Until.
	Time, Until time.Time
}

// A DiscardCopier is a [KeepingStore] whose discarded projects can be copied into another one without being recovered.
type DiscardCopier interface {
	KeepingStore
	// OpenDiscarded opens a discarded project, for reading. Of those with the same id and time, n is how many come
	// before it in [KeepingStore].Discarded. The error is fs.ErrNotExist if there is none.
	OpenDiscarded(ctx context.Context, d Discarded, n int) (Project, error)
	// AddDiscarded adds a discarded project with the id and time of d, which fill makes of an empty one. If that fails,
	// there is none, and the error is its error.
	AddDiscarded(ctx context.Context, d Discarded, fill func(p Project) error) error
}
