package runs

import (
	"io"

	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// maxInput is how many bytes of standard input the host reads at a time.
const maxInput = 64 << 10

// input waits until there is some standard input, or the run ends.
func input(c *host.Call) {
	from, n := c.Runner.Stdin(), c.Number(0)
	switch {
	case from == nil:
		return
	case n < 0 || n > maxInput:
		c.Fail(host.Errorf("invalid number of bytes"))
		return
	case n == 0:
		c.Return([]byte{}, nil)
		return
	}
	data, err := runtime.AwaitInTurn(c.Run(), func() ([]byte, error) {
		piece := make([]byte, n)
		read, err := io.ReadAtLeast(from, piece, 1)
		if err == io.EOF {
			err = nil
		}
		return piece[:max(0, min(read, n))], err
	})
	if err != nil && !host.Ended(err) {
		err = &host.Failure{Name: "Error", Message: "EIO: i/o error, read", Code: "EIO"}
	}
	if c.Fail(err) || c.Spend(len(data)) != nil {
		return
	}
	c.Return(data, nil)
}
