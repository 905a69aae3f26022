package fsys

import "context"

type hintKey struct{}

// WithHint says in a context for an exclusive section which path is going to be looked at first. Stores that are far
// away can look at it while they take the lock.
func WithHint(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, hintKey{}, name)
}

// Hint returns the path that is going to be looked at first, or "".
func Hint(ctx context.Context) string {
	name, _ := ctx.Value(hintKey{}).(string)
	return name
}
