// Package countdown has contexts for tests that end when they have been looked at some times, so that an end at each stage of something
// can be tried.
package countdown

import (
	"context"
	"sync"
	"sync/atomic"
)

// Context is a context that ends with context.Canceled.
type Context struct {
	context.Context
	left atomic.Int64
	end  func()
}

// After returns a context that ends when its Err or Done is called for the nth time: with 1 by the first call, with 0 before that.
func After(n int) *Context {
	base, cancel := context.WithCancel(context.Background())
	c := &Context{Context: base, end: sync.OnceFunc(cancel)}
	c.left.Store(int64(n))
	if n == 0 {
		c.end()
	}
	return c
}

// Ended reports whether the context has ended, and does not count as a look.
func (c *Context) Ended() bool { return c.Context.Err() != nil }

func (c *Context) look() {
	if c.left.Add(-1) == 0 {
		c.end()
	}
}

// Err implements [context.Context].
func (c *Context) Err() error { c.look(); return c.Context.Err() }

// Done implements [context.Context].
func (c *Context) Done() <-chan struct{} { c.look(); return c.Context.Done() }

// Value hides the context that this is made of, whose looks would not be counted.
func (c *Context) Value(any) any { return nil }
