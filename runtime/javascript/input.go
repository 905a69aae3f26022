package javascript

import (
	"io"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// maxInput is how many bytes of standard input the host reads at a time.
const maxInput = 64 << 10

// input serves opInput. It waits until there is something, or the run ends.
func (in *instance) input(c *host.Call) (quickjs.Value, error) {
	from := in.run.options.Stdin
	if from == nil {
		return quickjs.Undefined, nil
	}
	n, ok := c.Int(0)
	if !ok || n < 0 || n > maxInput {
		return 0, host.Errorf("invalid number of bytes")
	}
	if n == 0 {
		return in.vm.NewArrayBuffer(c.Context(), nil)
	}
	data, err := sandbox.AwaitInTurn(in.run.Run, func() ([]byte, error) {
		piece := make([]byte, n)
		read, err := io.ReadAtLeast(from, piece, 1)
		if err == io.EOF {
			err = nil
		}
		return piece[:max(0, min(read, n))], err
	})
	if _, ended := err.(*sandbox.Stop); ended {
		return 0, err
	}
	if err != nil {
		return 0, &host.Failure{Name: "Error", Message: "EIO: i/o error, read", Code: "EIO"}
	}
	if err := in.Spend(len(data)); err != nil {
		return 0, err
	}
	return in.vm.NewArrayBuffer(c.Context(), data)
}
