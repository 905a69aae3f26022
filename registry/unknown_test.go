package registry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// TestUnknownArgumentsOfInvalidCalls is about calls that fail because an argument has another name.
func TestUnknownArgumentsOfInvalidCalls(t *testing.T) {
	const missing = "invalid tool call: the arguments do not fit the schema of echo:\nmissing property 'text'"
	const open = `{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}},"required":["text"]}`
	for name, test := range map[string]struct{ schema, input, want string }{
		"one": {open, `{"content":"x"}`, missing + "\nThe argument content is unknown; did you " +
			"mean text?"},
		"several": {open, `{"b":1,"a":"x"}`, missing + "\nThe arguments a, b are unknown; did you " +
			"mean text?"},
		"many": {open, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}`,
			missing + "\nThe arguments a, b, c, d, e, f, g, h, i, j and 2 more are unknown; did you mean text?"},
		"none": {open, `{"n":1}`, missing},
		"it is not what is missing": {open, `{"text":1,"a":1}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n/text: got number, want string"},
		"two are missing": {`{"type":"object","properties":{"from":{},"to":{}},"required":["from","to"]}`,
			`{"a":1}`, "invalid tool call: the arguments do not fit the schema of echo:\nmissing properties 'from', " +
				"'to'\nThe argument a is unknown."},
		"it says so anyway": {strings.Replace(open, `"required"`, `"additionalProperties":false,"required"`, 1),
			`{"a":1}`, strings.Replace(missing, "missing", "additional properties 'a' not allowed\nmissing", 1)},
		"others may be there": {strings.Replace(open, `"required"`, `"additionalProperties":{},"required"`, 1),
			`{"a":1}`, missing},
		"others are listed": {strings.Replace(open, `"required"`, `"allOf":[{"properties":{"a":{}}}],"required"`,
			1), `{"a":1}`, missing},
		"no property is listed": {`{"type":"object","required":["text"]}`, `{"a":1}`, missing},
		"a name that is long": {open, `{"` + strings.Repeat("a", 500) + `":1}`, missing + "\nThe argument " +
			strings.Repeat("a", 100) + "... is unknown; did you mean text?"},
	} {
		t.Run(name, func(t *testing.T) {
			result := newRegistry(t, echo(test.schema)).Dispatch(t.Context(), call("echo", test.input), registry.Env{})
			require.Equal(t, test.want, result.Text())
			require.Equal(t, tool.CodeInvalidInput, result.Code)
		})
	}
}
