package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWazeroVersion fails when wazero is updated: set wazeroVersion to what go.mod has.
func TestWazeroVersion(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(data), "github.com/tetratelabs/wazero "+wazeroVersion+"\n")
}
