package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolrun/toolrun/vfs"
)

// unavailable makes errors of the database and of the way to it those of package vfs. Others it returns unchanged.
func unavailable(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoAnswer):
		return &vfs.UnavailableError{Reason: errNoAnswer.Error()}
	case errors.Is(err, errClosed), err.Error() == "closed pool": // the pool's error is that of a package of its own
		return fs.ErrClosed
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if _, ok := errors.AsType[*vfs.UnavailableError](err); ok {
		return err
	}
	if pe, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &vfs.UnavailableError{Reason: reasonOf(pe), Err: withNumber(pe)}
	}
	if isConnection(err) {
		return &vfs.UnavailableError{Reason: "the connection to the database failed", Err: opaque(err)}
	}
	return err
}

// opaque hides what an error is made of: a socket that is not there is no missing file.
func opaque(err error) error { return errors.New(err.Error()) }

func reasonOf(e *pgconn.PgError) string {
	switch e.Code {
	case "53100":
		return "the database's disk is full"
	case "53200":
		return "the database is out of memory"
	case "53300":
		return "the database has no connection left"
	case "25006":
		return "the database is read-only"
	case "57P01", "57P02", "57P03":
		return "the database is restarting"
	case "57P05", "25P03", "25P04":
		return "the database has ended a connection that was idle or busy for too long"
	case "57014":
		return "the database has ended a statement that took too long"
	case "55P03":
		return "others have been changing the same for too long"
	case "40001", "40P01":
		return "others are changing the same"
	case "28000", "28P01", "3D000":
		return "the database refuses the connection"
	}
	return "the database reports an error"
}

// withNumber returns the error with the number that the host would have for it, if there is one.
func withNumber(e *pgconn.PgError) error {
	switch e.Code {
	case "53100":
		return fmt.Errorf("%w: %w", e, syscall.ENOSPC)
	case "25006":
		return fmt.Errorf("%w: %w", e, syscall.EROFS)
	}
	return e
}

// isConnection reports whether an error means that a connection is lost, or could not be had.
func isConnection(err error) bool {
	if pe, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pe.Code {
		case "57P01", "57P02", "57P03", "57P05", "25P03", "25P04":
			return true
		}
		return len(pe.Code) == 5 && pe.Code[:2] == "08"
	}
	_, isNet := errors.AsType[*net.OpError](err) // and no [net.Error], which all error numbers of the system are
	_, isDNS := errors.AsType[*net.DNSError](err)
	_, isConnect := errors.AsType[*pgconn.ConnectError](err)
	return isNet || isDNS || isConnect || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.ECONNREFUSED) || pgconn.SafeToRetry(err) || err.Error() == "conn closed"
}

// isEnd reports whether the server has ended a connection with an error, or itself, such as when there is no room for
// its log: a commit may have taken effect all the same.
func isEnd(err error) bool {
	pe, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pe.SeverityUnlocalized == "FATAL" || pe.SeverityUnlocalized == "PANIC")
}

// errNoAnswer means that a statement of ours took too long.
var errNoAnswer = errors.New("the database does not answer, or all connections are in use")

// errClosed means that the store has been closed.
var errClosed = errors.New("the store is closed")
