package cli

import (
	"context"
	"fmt"
	"io"
	"os"
)

// maxInput is the largest size of code, or of the arguments of a call, in bytes.
const maxInput = 64 << 20

// readStdin reads at most limit bytes of standard input; more is an error. It returns when the context ends.
func readStdin(ctx context.Context, stdin io.Reader, limit int64) ([]byte, error) {
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := readLimited(stdin, "standard input", limit)
		read <- input{data, err}
	}()
	select {
	case in := <-read:
		return in.data, in.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readHostFile reads a file of the host of at most limit bytes.
func readHostFile(open func(name string) (*os.File, error), name string, limit int64) ([]byte, error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, name, limit)
}

func readLimited(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than %d MiB", name, limit>>20)
	}
	return data, err
}

// readHead reads the first n bytes of a file of the host. The parser that gets them reports files that are too large.
func (h *Host) readHead(name string, n int64) ([]byte, error) {
	f, err := h.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}
