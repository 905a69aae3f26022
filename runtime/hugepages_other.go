//go:build !linux

package runtime

// withHugePages calls load: only on Linux is there something to ask for.
func withHugePages(_ int64, load func() error) error { return load() }
