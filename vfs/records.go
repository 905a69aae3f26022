package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"time"
)

// A RecordStore keeps records: each [Store] does, beside its projects.
type RecordStore interface {
	// Records returns the records of one kind, such as "mcp-sessions": a text that can be the id of a project. It
	// panics if the kind cannot be one.
	Records(kind string) Records
}

// Records are pieces of data that the programs that share a store keep in it, such as what a server must know of its
// clients' sessions so that another server can continue them. Each has a name, which [CheckID] must accept; names that
// differ in case are different. Records are safe for concurrent use, also by several processes.
type Records interface {
	// Get returns a record. The error is fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) ([]byte, error)

	// Change replaces a record with what change returns for its present data, which is nil if there is none. No other
	// change comes in between. If change returns nil, the record is removed; if it fails, nothing has changed, and the
	// error is returned. It may be called more than once, must not keep or modify the data that it gets, and must not
	// use the store.
	//
	// keep is how long the record is kept if nothing changes it again; zero means for good. The error is [ErrTooLarge]
	// if the data is larger than [MaxRecord].
	Change(ctx context.Context, name string, keep time.Duration, change func(data []byte) ([]byte, error)) error

	// List returns at most limit names in byte order, beginning after the given one ("" is before all). Zero means
	// [DefaultPage]. A page with fewer names is the last one.
	List(ctx context.Context, after string, limit int) (names []string, err error)

	// Watch calls changed with the name of each record that is changed or removed, by this process or another, until
	// the context ends, whose error it returns, or until the store can no longer tell. It may call it once for several
	// changes of one record, or when nothing has changed, and need not when a record's time is over. An empty name
	// means that any record may have changed; it is sent once when watching begins. Changes by this process are
	// reported soon, those by others within a second or two.
	Watch(ctx context.Context, changed func(name string)) error
}

// MaxRecord is the size of the largest record in bytes.
const MaxRecord = 32 << 20

// ErrTooLarge is the error of a record that is larger than [MaxRecord]. It is fs.ErrInvalid.
var ErrTooLarge = fmt.Errorf("%w: a record can have %d MiB", fs.ErrInvalid, MaxRecord>>20)

// A RecordInfo describes a record.
type RecordInfo struct {
	Kind, Name string
	// Until is how long it is kept if nothing changes it. Zero means for good.
	Until time.Time
}
