package procmem_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/internal/test/race"
)

var kept []byte

func TestPeak(t *testing.T) {
	if procmem.Resident() == 0 {
		require.Zero(t, procmem.Peak())
		require.False(t, procmem.ResetPeak())
		return
	}
	if race.Enabled {
		t.Skip("what the race detector keeps for it is not given back")
	}
	const size = 64 << 20
	before := procmem.Peak()
	require.Positive(t, before)
	kept = make([]byte, size)
	for i := range kept {
		kept[i] = 1
	}
	kept = nil
	debug.FreeOSMemory()
	require.Greater(t, procmem.Peak(), before+size/2)
	require.Less(t, procmem.Resident(), procmem.Peak()-size/2, "what has been freed is resident")
	if !procmem.ResetPeak() {
		t.Skip("the system does not allow it")
	}
	require.Less(t, procmem.Peak(), before+size/2)
}
