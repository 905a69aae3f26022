package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestQuickJSIsMetered(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	wasm := quickjs.Original()
	for _, options := range []metering.Options{{}, {Functions: true}} {
		rewritten, err := metering.Rewrite(wasm, options)
		require.NoError(t, err)
		requireMetered(t, wasm, rewritten, options)
		require.NoError(t, compiles(interpreter, rewritten))
	}
}
