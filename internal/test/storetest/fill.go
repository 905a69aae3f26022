package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// fullTimes is how many times in a row there must be no room until somebody gives up.
const fullTimes = 20

// FillWithBytes makes files larger in all ways there are, each time by 100 bytes, until there is no room.
func FillWithBytes(t *testing.T, project vfs.Project, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	piece := bytes.Repeat([]byte("x"), 100)
	ctx := context.Background()
	inPlace, err := project.OpenFile(fmt.Sprint("/in place ", seed), os.O_RDWR|os.O_CREATE, 0o644)
	require.NoError(t, err)
	for failed := 0; failed < fullTimes; {
		var err error
		switch random.IntN(5) {
		case 0:
			err = vfs.Append(ctx, project, fmt.Sprint("/appended ", seed), piece)
		case 1:
			var info fs.FileInfo
			info, err = inPlace.Stat()
			require.NoError(t, err)
			if random.IntN(2) == 0 {
				err = inPlace.Truncate(info.Size() + 100)
			} else {
				_, err = inPlace.WriteAt(piece, info.Size())
			}
		case 2:
			err = vfs.Append(ctx, project, "/shared", piece)
		case 3:
			name := fmt.Sprint("/new ", seed)
			if err = afero.WriteFile(project, name, piece, 0o644); err == nil {
				// Replacing and removing makes room again.
				err = errors.Join(project.Rename(name, name+"!"), project.RemoveAll(name))
			}
		case 4:
			err = vfs.Edit(ctx, project, "/shared", func(content []byte) ([]byte, error) {
				return append(content, piece...), nil
			})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		if err == nil {
			failed = 0
			continue
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		var quota *vfs.QuotaError
		require.ErrorAs(t, err, &quota)
		require.Equal(t, "bytes", quota.Limit)
		failed++
	}
	require.NoError(t, inPlace.Close())
}

// FillWithFiles makes files and directories in all ways there are until there is no room.
func FillWithFiles(t *testing.T, project vfs.Project, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	ctx := context.Background()
	top := fmt.Sprint("/", seed)
	for i, failed := 0, 0; failed < fullTimes; i++ {
		name := fmt.Sprint(top, " ", i)
		var err error
		switch random.IntN(5) {
		case 0:
			err = project.Mkdir(name, 0o755)
		case 1:
			err = afero.WriteFile(project, name, nil, 0o644)
		case 2:
			var f afero.File
			if f, err = project.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
				err = f.Close()
			}
		case 3:
			err = project.MkdirAll(name+"/x/y", 0o755)
		case 4:
			if err = project.Mkdir(name, 0o755); err == nil {
				err = vfs.Copy(ctx, project, name, name+"!")
			}
		}
		if err == nil {
			failed = 0
			continue
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		var quota *vfs.QuotaError
		require.ErrorAs(t, err, &quota)
		require.Equal(t, "files", quota.Limit)
		failed++
	}
}
