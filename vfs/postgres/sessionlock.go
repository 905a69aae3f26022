package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A session is locked by a record that says whose it is and that ends soon after its process. A lock of the database
// would need a connection of its own while code runs, and would be lost with poolers that lend connections for
// transactions.
const (
	sessionLocks = "session-locks" // the kind of the records
	// leaseTime is how long a lock outlives its process.
	leaseTime  = 30 * time.Second
	renewEvery = 8 * time.Second
)

var _ project.SessionLocker = (*backend)(nil)

// LockSession implements [project.SessionLocker].
func (b *backend) LockSession(ctx context.Context, session string) (unlock func(), err error) {
	records := b.s.Records(sessionLocks)
	name, mine := strconv.FormatInt(b.key, 10)+"/"+session, rand.Text()
	errHeld := errors.New("somebody else has the lock")
	take := func(ctx context.Context, data []byte) error {
		return records.Change(ctx, name, leaseTime, func(there []byte) ([]byte, error) {
			if there != nil && string(there) != mine {
				return nil, errHeld
			}
			return data, nil
		})
	}
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		if err = take(ctx, []byte(mine)); err == nil {
			break
		}
		if !errors.Is(err, errHeld) {
			return nil, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	lasts, end := context.WithCancel(context.Background())
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for {
			select {
			case <-time.After(renewEvery):
				// If it fails too often, somebody else gets the lock; then WriteState finds out what they have done.
				_ = take(lasts, []byte(mine))
			case <-lasts.Done():
				return
			}
		}
	})
	return func() {
		end()
		renewing.Wait()
		ctx, cancel := bounded()
		defer cancel()
		_ = take(ctx, nil) // it ends by itself otherwise
	}, nil
}
