// Package countdown provides contexts that end after they have been checked a number of times. Tests use them to
// end a context at each stage of an operation.
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

// After returns a context that ends at the nth call of its Err or Done. With 0 it has ended from the start.
func After(n int) *Context {
	base, cancel := context.WithCancel(context.Background())
	c := &Context{Context: base, end: sync.OnceFunc(cancel)}
	c.left.Store(int64(n))
	if n == 0 {
		c.end()
	}
	return c
}

// Ended reports whether the context has ended. It does not count as a check.
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

// Value hides the wrapped context, whose checks would not be counted.
func (c *Context) Value(any) any { return nil }
