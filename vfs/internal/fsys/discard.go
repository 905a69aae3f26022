package fsys

import "github.com/spf13/afero"

// Discard closes a file without letting what has been written take the place of the old content, if it can.
func Discard(f afero.File) {
	if d, ok := f.(interface{ Discard() }); ok {
		d.Discard()
		return
	}
	_ = f.Close()
}
