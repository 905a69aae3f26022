//go:build systemtest

package mcp_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/mcp/mcpclient"
)

// status returns a size from /proc/self/status, in bytes.
func status(t *testing.T, field string) int64 {
	data, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	match := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(data)
	require.NotNil(t, match)
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}

// TestMemoryOfServersMessages has servers with messages that take more memory than their size suggests. No other test
// runs at the same time.
func TestMemoryOfServersMessages(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own memory would be counted")
	}
	for what, sizes := range map[string][]int{
		"greeting":        {1000 << 10},
		"structured":      {1 << 20},
		"structured text": {1 << 20},
		"text":            {1 << 20, mcpclient.DefaultMaxMessage - 1000},
		"meta":            {1 << 20},
		"parts":           {1 << 20},
		"error":           {1 << 20},
		"batch":           {1 << 20},
		"progress":        {1 << 20},
		"log":             {1 << 20},
		"asks":            {1200_000},
		"nobody asked":    {mcpclient.DefaultMaxMessage - 1000},
	} {
		for _, size := range sizes {
			debug.FreeOSMemory()
			require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
			base := status(t, "VmRSS")
			set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"s": stdio(fmt.Sprintf("amplify %d %s", size,
				what))})
			if what != "greeting" {
				mcptest.Connected(t, set)
				mcptest.Call(t, set, "s_t", `{}`)
			}
			grown := status(t, "VmHWM") - base
			t.Logf("%-16s %9d bytes: %6.1f MB", what, size, float64(grown)/1e6)
			require.Less(t, grown, min(16*int64(size), 64<<20)+4<<20, "%s of %d bytes", what, size)
			require.NoError(t, set.Close())
		}
	}
}
