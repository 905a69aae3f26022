package registrytest

import (
	"testing"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/recording"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// Recorded returns a registry whose tools answer from a recording, in the place of those that were there: to test
// prompts, loops and code that calls tools without them. The recording's header has the tools; what models are told of
// them is the same. A call gets the answer that was recorded for the same tool and input; when there are several, one
// after the other. Any other call fails the test, and gets an error.
func Recorded(t testing.TB, r *recording.Recording) *registry.Registry {
	t.Helper()
	tools, err := registry.New(r.Tools(func(call tool.Call) {
		t.Errorf("the recording has no further call of %s with %s", call.Tool,
			plaintext.Clean(string(call.Input), 1000))
	})...)
	if err != nil {
		t.Fatalf("the tools of the recording: %v", err)
	}
	return tools
}
