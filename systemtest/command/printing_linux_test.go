//go:build systemtest

package command_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/race"
)

// TestPrintingWithoutEnd: code that prints much more than its output limit takes a few times that limit, and is told
// how much was cut off.
func TestPrintingWithoutEnd(t *testing.T) {
	t.Parallel()
	if race.Enabled {
		t.Skip("takes memory")
	}
	const most, printed, line = 64 << 20, 384, 1 << 20
	for name, print := range map[string]string{
		"lines":         `console.log(s)`,
		"errors":        `console.error(s)`,
		"one line":      `process.stdout.write(s)`,
		"written lines": `process.stdout.write(s + "\n")`,
	} {
		for _, asJSON := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, JSON: %v", name, asJSON), func(t *testing.T) {
				code := fmt.Sprintf(`const s = 'x'.repeat(%d); for (let i = 0; i < %d; i++) %s; process.exit(3)`, line,
					printed, print)
				args := []string{"js", "--memory", "64", "-e", code}
				if asJSON {
					args = append([]string{"js", "--json"}, args[1:]...)
				}
				cmd := commandtest.Command(args...)
				var out, errs tail // this process must stay small: its memory counts for what it starts, at first
				cmd.Stdout, cmd.Stderr = &out, &errs
				_ = cmd.Run()
				peak := int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
				require.Less(t, peak, 5*most, "MiB: %d", peak>>20)
				require.Greater(t, out.size+errs.size, most/2, "it prints what it can")
				if !asJSON {
					require.Equal(t, 3, cmd.ProcessState.ExitCode())
					text := errs.last
					text = text[strings.LastIndex(text, "[output limit"):]
					var cut int
					_, err := fmt.Sscanf(text, "[output limit reached: %d more bytes", &cut)
					require.NoError(t, err, text)
					require.InDelta(t, printed*line, out.size+errs.size-len(text)+cut, 2*printed,
						"all of it is shown or counted")
				}
			})
		}
	}
}

// A tail counts what is written, and keeps the end of it.
type tail struct {
	size int
	last string
}

func (t *tail) Write(p []byte) (int, error) {
	t.size += len(p)
	t.last += string(p[max(0, len(p)-1000):])
	t.last = t.last[max(0, len(t.last)-1000):]
	return len(p), nil
}
