package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

type commandTag = pgconn.CommandTag

// resolveTimeout is how long a store tries to find out whether a transaction has taken effect whose connection was
// lost.
const resolveTimeout = 15 * time.Second

// tokens is how many transactions a project remembers.
const tokens = 64

// Commit implements [project.Tx].
func (tx *transaction) Commit(s project.State) (err error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.over = true
	tx.b.current.Store(nil)
	if err = tx.commit(s); err == nil {
		s.Dirty = false
		tx.b.known.Store(&s)
	}
	for l := range tx.files {
		l.settled(err == nil)
	}
	if err != nil {
		tx.takeBack()
		return err
	}
	for _, h := range tx.placed {
		h.remove()
	}
	return nil
}

// takeBack makes files temporary again that have been put in place.
func (tx *transaction) takeBack() {
	for name, h := range tx.placed {
		h.mu.Lock()
		closed := h.closed
		if !closed {
			tx.b.release(h.live)
			h.live = nil
		}
		h.mu.Unlock()
		if closed {
			h.remove()
			continue
		}
		tx.b.mu.Lock()
		tx.b.temps[name] = h
		tx.b.mu.Unlock()
	}
}

func (tx *transaction) commit(s project.State) error {
	s.Dirty, tx.before.Dirty = false, false
	if len(tx.was)+len(tx.touched) == 0 && tx.changes.empty() && s == tx.before {
		rollback(tx.conn)
		return nil
	}
	if tx.conn.Conn().IsClosed() { // while something was read
		tx.conn.Release()
		return &vfs.UnavailableError{Reason: "the connection to the database was lost, and nothing has been changed"}
	}
	refs := tx.partRefs()
	if err := tx.upload(func(digest [sha256.Size]byte) bool { return refs[digest] > 0 }); err != nil {
		rollback(tx.conn)
		return err
	}
	batch := &pgx.Batch{}
	tx.queueObjects(batch)
	used, times := tx.queueParts(batch, refs)
	tx.queueEffects(batch, used, times, s)
	batch.Queue("COMMIT").Exec(func(tag commandTag) error {
		if tag.String() != "COMMIT" {
			return errors.New("the database has not committed")
		}
		return nil
	})
	ctx, cancel := bounded()
	defer cancel()
	err := tx.conn.SendBatch(ctx, batch).Close()
	switch pe, reported := errors.AsType[*pgconn.PgError](err); {
	case err == nil:
		tx.conn.Release()
		tx.b.s.committed(tx.b.id)
		return nil
	case reported && !isConnection(pe) && !isEnd(pe):
		rollback(tx.conn)
		if pe.Code == missingPart {
			return errDamaged
		}
		if pe.Code == collectedCode {
			return &vfs.UnavailableError{
				Reason: "the change took too long for the object storage, and nothing has been changed",
			}
		}
		return unavailable(err)
	}
	_ = tx.conn.Conn().Close(ctx)
	tx.conn.Release()
	return tx.resolve(err)
}

// resolve finds out whether the transaction has taken effect, after its connection was lost with this error.
func (tx *transaction) resolve(lost error) error {
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		done, err := tx.tookEffect(ctx)
		switch {
		case err == nil && done:
			tx.b.s.committed(tx.b.id)
			return nil
		case err == nil:
			return &vfs.UnavailableError{
				Reason: "the connection to the database was lost, and nothing has been changed", Err: opaque(lost),
			}
		case errors.Is(err, errForgotten):
			return &vfs.UnavailableError{
				Reason: "the connection to the database was lost", Unknown: true, Err: opaque(lost),
			}
		}
		select {
		case <-ctx.Done():
			return &vfs.UnavailableError{
				Reason: "the connection to the database was lost", Unknown: true, Err: fmt.Errorf("%s; %s", lost, err),
			}
		case <-time.After(pause):
		}
	}
}

// errForgotten means that too many transactions have come after one.
var errForgotten = errors.New("the project no longer remembers the transaction")

// tookEffect looks whether the project has the transaction. The lock of the row waits for the end of the server's
// process that had the connection.
func (tx *transaction) tookEffect(ctx context.Context) (bool, error) {
	var version int64
	var token *int64
	err := tx.b.s.pool.QueryRow(ctx, "SELECT version, tokens[$2] FROM project WHERE key = $1 FOR UPDATE",
		tx.project, tx.version%tokens+1).Scan(&version, &token)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, vfs.ErrDeleted
	case err != nil:
		return false, err
	case version <= tx.version:
		return false, nil
	case version > tx.version+tokens:
		return false, errForgotten
	}
	return token != nil && *token == tx.token, nil
}
