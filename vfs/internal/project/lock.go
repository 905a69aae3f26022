package project

import (
	"context"
	"io/fs"
)

// Lock takes the project's lock: first among the goroutines of this process, then among processes. It gives up when
// done is closed.
func (c *Core) Lock(ctx context.Context, done <-chan struct{}) (unlock func(), err error) {
	if err := c.takeTurn(ctx, done); err != nil {
		return nil, err
	}
	release, err := c.Backend.Lock(false)
	if err == ErrLocked {
		release, err = c.waitForOthers(ctx, done)
	} else if err != nil {
		<-c.turn
	}
	if err != nil {
		return nil, err
	}
	return func() {
		release()
		<-c.turn
	}, nil
}

// takeTurn takes the lock among the goroutines of this process.
func (c *Core) takeTurn(ctx context.Context, done <-chan struct{}) error {
	select {
	case c.turn <- struct{}{}:
	default:
		select {
		case c.turn <- struct{}{}:
		case <-done:
			return fs.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case <-done:
		<-c.turn
		return fs.ErrClosed
	default:
	}
	return nil
}

// waitForOthers waits until other processes have released the lock. This wait cannot be stopped: if the caller
// gives up, a goroutine takes the lock, releases it, and keeps the turn until then.
func (c *Core) waitForOthers(ctx context.Context, done <-chan struct{}) (release func(), err error) {
	type outcome struct {
		release func()
		err     error
	}
	waiting := make(chan outcome)
	given := make(chan struct{})
	go func() {
		release, err := c.Backend.Lock(true)
		select {
		case waiting <- outcome{release, err}:
		case <-given:
			if err == nil {
				release()
			}
			c.orphaned.Store(false)
			<-c.turn
		}
	}()
	select {
	case got := <-waiting:
		if got.err != nil {
			<-c.turn
		}
		return got.release, got.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-done:
		err = fs.ErrClosed
	}
	c.orphaned.Store(true)
	close(given)
	return nil, err
}
