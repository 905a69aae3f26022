// Package progresstest provides files that never return data, for tests.
package progresstest

import "github.com/spf13/afero"

// Stuck is a file system whose files can be opened, but whose reads return nothing for ever.
type Stuck struct{ afero.Fs }

type stuckFile struct{ afero.File }

// Open implements [afero.Fs].
func (s Stuck) Open(name string) (afero.File, error) {
	f, err := s.Fs.Open(name)
	return stuckFile{f}, err
}

func (stuckFile) Read([]byte) (int, error) { return 0, nil }
