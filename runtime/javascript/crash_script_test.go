package javascript_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestCrashesAreTheScripts(t *testing.T) {
	host := func(context.Context, []any) (any, error) { return nil, nil }
	for _, script := range []string{enginetest.Crash, "f();" + enginetest.Crash, "export default (() => {" +
		enginetest.Crash + "})()",
		"await new Promise((resolve) => setTimeout(resolve));" + enginetest.Crash} {
		result, err := engine.Run(t.Context(), script,
			&javascript.RunOptions{Functions: []javascript.Function{{Name: "f", Call: host}}})
		crash, ok := errors.AsType[*sandbox.CrashError](err)
		require.True(t, ok, "%v", err)
		require.True(t, javascript.IsScriptFailure(err))
		require.Equal(t, "out of bounds memory access", crash.Trap)
		require.NotEmpty(t, crash.Stack)
		require.NotContains(t, err.Error(), crash.Stack)
		require.NotContains(t, err.Error(), "\n")
		require.Len(t, result.Console, 1)
		require.Equal(t, "before", result.Console[0].Text)
		require.Empty(t, result.Text)
		require.Positive(t, result.Usage.Work)

		result, err = engine.Run(t.Context(), "return typeof hole + [1, 2].map((x) => 2 * x)", nil)
		require.NoError(t, err)
		require.Equal(t, "undefined2,4", result.Text)
	}
}
