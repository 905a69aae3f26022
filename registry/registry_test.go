package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func ptr(f float64) *float64 { return &f }

func TestBadToolsAreRefusedByName(t *testing.T) {
	options := func(o ...tool.Option) func(*tool.Spec) {
		return func(s *tool.Spec) { s.Options = o }
	}
	schema := func(text string) func(*tool.Spec) {
		return func(s *tool.Spec) { s.Schema = json.RawMessage(text) }
	}
	for _, c := range []struct {
		why    string
		name   string
		change func(*tool.Spec)
		want   string
	}{
		{"no name", "", nil, "name"},
		{"a name that begins with a digit", "1st", nil, "name"},
		{"a name with a space", "a b", nil, "name"},
		{"a name that is too long", strings.Repeat("x", 65), nil, "name"},
		{"a name with a dot", "a.b", nil, "name"},
		{"a name with a newline", "a\n", nil, "name"},
		{"no description", "x", func(s *tool.Spec) { s.Description = "" }, "no description"},
		{"two descriptions", "x", func(s *tool.Spec) {
			s.DescriptionFor = func(tool.Offer) string {
				return ""
			}
		}, "both Description"},
		{"two schemas", "x", func(s *tool.Spec) {
			s.SchemaFor = func(tool.Options) json.RawMessage { return nil }
		}, "both Schema"},
		{"a schema that is no JSON", "x", schema(`{`), "cannot be read"},
		{"a schema with something behind it", "x", schema(`{"type":"object"} x`), "after top-level value"},
		{"a schema that is no object", "x", schema(`true`), "not a JSON object"},
		{"a schema of another type", "x", schema(`{"type":"string"}`), `"type" is not "object"`},
		{"a schema without a type", "x", schema(`{"properties":{}}`), `"type" is not "object"`},
		{"a schema that is wrong inside", "x", schema(`{"type":"object","properties":{"a":{"type":"strnig"}}}`),
			"does not compile"},
		{"a pattern that is none", "x", schema(`{"type":"object","properties":{"a":{"pattern":"("}}}`),
			"does not compile"},
		{"a reference to nothing", "x", schema(`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`),
			"does not compile"},
		{"a reference to a file", "x", schema(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`),
			"another document"},
		{"a reference to the web", "x", schema(`{"type":"object","properties":{"a":{"$ref":"https://example.com/a"}}}`),
			"another document"},
		{"a dialect from a file", "x", schema(`{"$schema":"file:///etc/passwd","type":"object"}`), "does not compile"},
		{"a schema that is too long", "x", schema(`{"type":"object","description":"` + strings.Repeat("x", 1<<20) +
			`"}`), "bytes"},
		{"a schema by options that does not compile", "x", func(s *tool.Spec) {
			s.Schema, s.SchemaFor = nil, func(tool.Options) json.RawMessage { return json.RawMessage(`[]`) }
		}, "not a JSON object"},
		{"an output schema that does not compile", "x", func(s *tool.Spec) {
			s.OutputSchema = json.RawMessage(`1`)
		}, "output schema"},
		{"a negative timeout", "x", func(s *tool.Spec) { s.Timeout = -2 }, "timeout"},
		{"negative retries", "x", func(s *tool.Spec) { s.Retries = -1 }, "retries"},
		{"off and on", "x", func(s *tool.Spec) { s.OffByDefault, s.AlwaysEnabled = true, true }, "both"},
		{"an option without an id", "x", options(tool.Option{Type: tool.OptionBool}), "no ID"},
		{"an option twice", "x", options(tool.Option{ID: "a", Type: tool.OptionBool},
			tool.Option{ID: "a", Type: tool.OptionText}), "twice"},
		{"an option of no type", "x", options(tool.Option{ID: "a"}), `"a"`},
		{"an option of an unknown type", "x", options(tool.Option{ID: "a", Type: "date"}), "date"},
		{"a select without choices", "x", options(tool.Option{ID: "a", Type: tool.OptionSelect}),
			"needs choices"},
		{"a choice twice", "x", options(tool.Option{ID: "a", Type: tool.OptionSelect,
			Choices: []tool.Choice{{Value: "1"}, {Value: "1"}}}), "twice"},
		{"choices of a text", "x", options(tool.Option{ID: "a", Type: tool.OptionText,
			Choices: []tool.Choice{{Value: "1"}}}), "only a select"},
		{"a default of the wrong type", "x", options(tool.Option{ID: "a", Type: tool.OptionBool,
			Default: "yes"}), "want bool, got text"},
		{"a default that is no choice", "x", options(tool.Option{ID: "a", Type: tool.OptionSelect, Default: "c",
			Choices: []tool.Choice{{Value: "b"}}}), "none of its choices: b"},
		{"a default out of range", "x", options(tool.Option{ID: "a", Type: tool.OptionNumber, Default: 5,
			Max: ptr(4)}), "5 is more than 4"},
		{"no default where zero is out of range", "x", options(tool.Option{ID: "a", Type: tool.OptionNumber,
			Min: ptr(1)}), "0 is less than 1"},
		{"a default that is no number", "x", options(tool.Option{ID: "a", Type: tool.OptionNumber,
			Default: math.NaN()}), "not finite"},
		{"a range upside down", "x", options(tool.Option{ID: "a", Type: tool.OptionNumber, Min: ptr(1),
			Max: ptr(0)}), "larger"},
		{"a range of a text", "x", options(tool.Option{ID: "a", Type: tool.OptionText, Min: ptr(1)}),
			"only a number"},
		{"visible when nothing", "x", options(tool.Option{ID: "a", Type: tool.OptionText,
			VisibleWhen: &tool.Condition{Option: "b", Equals: true}}), "not there"},
		{"visible when itself", "x", options(tool.Option{ID: "a", Type: tool.OptionBool,
			VisibleWhen: &tool.Condition{Option: "a", Equals: true}}), "not there"},
		{"visible when another is what it cannot be", "x", options(tool.Option{ID: "b", Type: tool.OptionBool},
			tool.Option{ID: "a", Type: tool.OptionText, VisibleWhen: &tool.Condition{Option: "b",
				Equals: "yes"}}), "cannot have"},
	} {
		t.Run(c.why, func(t *testing.T) {
			change := c.change
			if change == nil {
				change = func(*tool.Spec) {}
			}
			_, err := registry.New(named("fine"), named(c.name, change))
			var bad *registry.ToolError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, c.name, bad.Tool)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := registry.New(nil)
	require.ErrorContains(t, err, "nil")
	_, err = registry.New(tool.JSONFunc(tool.Spec{Name: "x", Description: "d"}, nil))
	require.EqualError(t, err, `tool "x": the function is nil`)
	_, err = registry.New(tool.Func[struct{}, string](tool.Spec{Name: "x", Description: "d"}, nil))
	require.EqualError(t, err, `tool "x": the function is nil`)
	_, err = registry.New(named("x"), named("x"))
	require.ErrorContains(t, err, `Tool "x" is already registered`)
	_, err = newRegistry(t, named("x")).Replacing(named("x"), named("x"))
	require.ErrorContains(t, err, `Tool "x" is already registered`)
}

func TestARegistryIsAValue(t *testing.T) {
	from := func(source string) func(*tool.Spec) { return func(s *tool.Spec) { s.Source = source } }
	one := newRegistry(t, named("b"), named("a"))
	two, err := one.With(named("git_log", from("git")), named("git_hub_log", from("git_hub")))
	require.NoError(t, err)
	three, err := two.Replacing(named("b", func(s *tool.Spec) { s.DisplayName = "new" }), named("c"))
	require.NoError(t, err)

	require.Equal(t, []string{"b", "a"}, names(one.Specs()), "in the order of registration")
	require.Equal(t, []string{"b", "a", "git_log", "git_hub_log"}, names(two.Specs()))
	require.Equal(t, []string{"b", "a", "git_log", "git_hub_log", "c"}, names(three.Specs()))
	old, _ := one.Spec("b")
	require.Empty(t, old.DisplayName)
	_, err = one.With(named("c"), named("c"))
	require.Error(t, err)

	var zero registry.Registry
	require.Empty(t, zero.Specs())
	require.Equal(t, tool.CodeUnknownTool, zero.Dispatch(t.Context(), call("x", "{}"), registry.Env{}).Code)
	grown, err := zero.With(named("x"))
	require.NoError(t, err)
	require.Len(t, grown.Specs(), 1)

	// The returned Spec is a copy.
	spec := one.Specs()[0]
	spec.Schema[0] = 'x'
	again, ok := one.Spec("b")
	require.True(t, ok)
	require.JSONEq(t, `{"type":"object"}`, string(again.Schema))
	_, ok = one.Tool("c")
	require.False(t, ok)
	wanted, ok := one.Tool("a")
	require.True(t, ok)
	require.Equal(t, "a", wanted.Spec().Name)
}

func TestListing(t *testing.T) {
	r := newRegistry(t,
		named("search", func(s *tool.Spec) { s.Category = tool.CategorySearch }),
		named("agent", func(s *tool.Spec) {
			s.Modes = []tool.Mode{tool.ModeHistory, tool.ModeWorkingMemory}
		}),
		named("set", func(s *tool.Spec) { s.Options = []tool.Option{{ID: "a", Type: tool.OptionBool}} }),
		named("off", func(s *tool.Spec) { s.OffByDefault = true }),
		named("files", func(s *tool.Spec) { s.NeedsProject = true }),
	)
	require.Equal(t, []string{"search", "agent", "set", "off", "files"}, names(r.Specs()))
	require.Equal(t, []string{"search", "agent", "set", "files"}, names(r.Enabled(registry.Selection{})))
	require.Equal(t, []string{"search", "set"},
		names(r.Enabled(registry.Selection{Mode: tool.ModeMCP, NoProject: true})))
	require.Equal(t, []string{"search", "agent", "set"},
		names(r.Enabled(registry.Selection{Mode: tool.ModeHistory, NoProject: true})))
}

func TestWhatIsEnabled(t *testing.T) {
	r := newRegistry(t,
		named("plain"),
		named("off", func(s *tool.Spec) { s.OffByDefault = true }),
		named("always", func(s *tool.Spec) { s.AlwaysEnabled = true }),
	)
	for _, c := range []struct {
		why       string
		selection registry.Selection
		want      string
	}{
		{"by default", registry.Selection{}, "plain always"},
		{"chosen by a list", registry.Selection{Settings: registry.Settings{EnabledTools: []string{"off", "gone"}}},
			"off always"},
		{"chosen by an empty list", registry.Selection{Settings: registry.Settings{EnabledTools: []string{}}},
			"always"},
		{"switched one by one", registry.Selection{Settings: registry.Settings{ToolEnabled: map[string]bool{"off": true,
			"plain": false, "always": false}}}, "off always"},
		{"one by one over a list", registry.Selection{Settings: registry.Settings{
			EnabledTools: []string{"off"}, ToolEnabled: map[string]bool{"off": false, "plain": true}}}, "plain always"},
		{"explicitly over what is stored", registry.Selection{
			Settings: registry.Settings{EnabledTools: []string{"off"}, ToolEnabled: map[string]bool{"plain": false}},
			Enable:   map[string]bool{"plain": true, "off": false, "always": false}}, "plain always"},
		{"only some", registry.Selection{Enable: map[string]bool{"plain": true}}.Only("off"), "off always"},
		{"only none", registry.Selection{}.Only(), "always"},
	} {
		t.Run(c.why, func(t *testing.T) {
			require.Equal(t, c.want, strings.Join(names(r.Enabled(c.selection)), " "))
			definitions, err := r.Definitions(tool.OpenAIChat, c.selection)
			require.NoError(t, err)
			var offered []string
			for _, d := range definitions {
				offered = append(offered, d.Name)
			}
			require.Equal(t, c.want, strings.Join(offered, " "), "what is offered is what is enabled")
			for _, name := range []string{"plain", "off", "always"} {
				result := r.Dispatch(t.Context(), call(name, "{}"), registry.Env{Selection: c.selection})
				require.Equal(t, strings.Contains(c.want, name), !result.IsError(),
					"what can be called is what is enabled")
			}
		})
	}
}

// prompting is a tool that uses every part of a request.
type prompting struct{ tool.Tool }

func (prompting) Spec() tool.Spec {
	return tool.Spec{
		Name: "notes", DisplayName: "Notes for people", Subtitle: "a subtitle", Icons: tool.Icons{Input: "an icon"},
		DescriptionFor: func(o tool.Offer) string { return "Takes notes in " + o.Options.Text("language") + "." },
		SchemaFor: func(o tool.Options) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"%s":{"type":"string"}}}`,
				o.Text("language")))
		},
		Options: []tool.Option{
			{ID: "language", Label: "a label", Type: tool.OptionText, Default: "Latin"},
			{ID: "plain", Type: tool.OptionBool},
		},
		Instructions: "Take notes often.\n",
	}
}

func (prompting) APIOverride(api tool.API, options tool.Options) json.RawMessage {
	if api == tool.Anthropic && !options.Bool("plain") {
		return json.RawMessage(`{"type":"notes_1","name":"notes"}`)
	}
	return nil
}

func (prompting) SystemPrompt(_ context.Context, p tool.PromptContext) (string, error) {
	switch p.Chat {
	case "panics":
		panic("no prompt")
	case "empty":
		return " \n", nil
	}
	return "You have notes in " + p.Options.Text("language") + " for " + p.Project + ".", nil
}

func TestDefinitionsAndPrompts(t *testing.T) {
	r := newRegistry(t, named("first", func(s *tool.Spec) { s.Instructions = "Be quick." }),
		prompting{named("notes")},
		named("net", func(s *tool.Spec) { s.Requires = []tool.Capability{tool.CapabilityNetwork} }),
		named("second", func(s *tool.Spec) { s.OffByDefault = true; s.Instructions = "Be quick.\n" }))
	set := func(options map[string]any) registry.Selection {
		return registry.Selection{Options: map[string]map[string]any{"notes": options}}
	}
	env := registry.Env{Project: "p", Selection: set(map[string]any{"language": "Greek"})}

	definitions, err := r.Definitions(tool.Gemini, env.Selection)
	require.NoError(t, err)
	require.Len(t, definitions, 2, "none whose capabilities are not granted")
	require.Equal(t, "Takes notes in Greek.", definitions[1].Description)
	require.JSONEq(t, `{"type":"object","properties":{"Greek":{"type":"string"}}}`, string(definitions[1].Input))
	require.Nil(t, definitions[1].Override)

	granted := env.Selection
	granted.Grants = []tool.Capability{tool.CapabilityNetwork}
	definitions, err = r.Definitions(tool.Anthropic, granted)
	require.NoError(t, err)
	require.Len(t, definitions, 3)
	require.JSONEq(t, `{"type":"notes_1","name":"notes"}`, string(definitions[1].Override))

	env.Selection.Enable = map[string]bool{"second": true}
	prompt, err := r.SystemPrompt(t.Context(), tool.Gemini, env)
	require.NoError(t, err)
	require.Equal(t, "Be quick.\n\nTake notes often.\n\nYou have notes in Greek for p.", prompt,
		"what two tools say is said once")
	prompt, err = r.SystemPrompt(t.Context(), tool.Anthropic, env)
	require.NoError(t, err)
	require.Equal(t, "Be quick.", prompt, "a tool that the API knows by itself adds nothing")
	env.Selection = set(map[string]any{"plain": true})
	prompt, err = r.SystemPrompt(t.Context(), tool.Anthropic, env)
	require.NoError(t, err)
	require.Equal(t, "Be quick.\n\nTake notes often.\n\nYou have notes in Latin for p.", prompt)
	env.Chat = "empty"
	prompt, err = r.SystemPrompt(t.Context(), tool.Gemini, env)
	require.NoError(t, err)
	require.Equal(t, "Be quick.\n\nTake notes often.", prompt)
	env.Chat = "panics"
	_, err = r.SystemPrompt(t.Context(), tool.Gemini, env)
	require.ErrorContains(t, err, `tool "notes": panic: no prompt`)

	_, err = r.Definitions(tool.Gemini, set(map[string]any{"plain": "yes"}))
	require.EqualError(t, err, `tool "notes": option "plain": want bool, got text`)
	_, err = r.Definitions(tool.Gemini, set(map[string]any{"language": "\x00\"`"}))
	require.ErrorContains(t, err, `tool "notes"`, "a schema that does not compile with some options")

	broken := registry.Env{Selection: set(map[string]any{"language": "\x00\"`"})}
	require.Equal(t, tool.CodeOptions, r.Dispatch(t.Context(), call("notes", `{}`), broken).Code)

	// Calls are checked against the schema for the same options as in the definition.
	greek := registry.Env{Selection: set(map[string]any{"language": "Greek"})}
	require.Contains(t, r.Dispatch(t.Context(), call("notes", `{"Greek":1}`), greek).Text(),
		"/Greek: got number, want string")
	require.NotContains(t, r.Dispatch(t.Context(), call("notes", `{"Greek":1}`), registry.Env{}).Text(), "invalid")
}

func TestDerive(t *testing.T) {
	r := newRegistry(t, named("x"))
	made := 0
	for range 3 {
		definitions, err := r.Definitions(tool.MCP, registry.Selection{})
		require.NoError(t, err)
		v, err := definitions[0].Derive("key", func() (any, error) { made++; return "made", nil })
		require.NoError(t, err)
		require.Equal(t, "made", v)
		_, err = definitions[0].Derive("bad", func() (any, error) { return nil, fmt.Errorf("bad %d", made) })
		require.EqualError(t, err, "bad 1")
	}
	require.Equal(t, 1, made, "a definition that depends on nothing is made once, and so is what is made of it")
}

func TestSchemasThatTakeForever(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	alternatives := func(inside string, n int) string {
		return `{"anyOf":[` + strings.Repeat(inside+",", n-1) + inside + `]}`
	}
	levels := `"l0":{"type":"string"}`
	for i := range 8 {
		levels += fmt.Sprintf(`,"l%d":%s`, i+1, alternatives(fmt.Sprintf(`{"$ref":"#/$defs/l%d"}`, i), 20))
	}
	nested := `{"properties":{"a":{"$ref":"#/$defs/n"}}}`
	numbers := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d,", i)
		}
		return b.String() + "-1"
	}
	names := func(n int) string { return `"n` + strings.ReplaceAll(numbers(n), ",", `","n`) + `"` }
	for why, c := range map[string]struct{ schema, input string }{
		"many names at each of many values": {`{"type":"object","properties":{"a":{"items":{"required":[` +
			names(50_000) + `]}}}}`, `{"a":[` + strings.Repeat("{},", 9000) + `{}]}`},
		"many values to compare with": {`{"type":"object","properties":{"a":{"items":{"enum":[` + numbers(90_000) +
			`]}}}}`, `{"a":[` + strings.Repeat("0.5,", 9000) + `1]}`},
		"an expression that is slow": {`{"type":"object","properties":{"a":{"pattern":"` + strings.Repeat(".?",
			4000) + `$"}}}`, `{"a":"` + strings.Repeat("x", 300_000) + `"}`},
		"many expressions for many names": {`{"type":"object","patternProperties":{` + strings.ReplaceAll(names(4900),
			",", `:{},`) + `:{}}}`, `{` + strings.ReplaceAll(names(60_000), ",", `:1,`) + `:1}`},
		"alternatives of alternatives": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/l8"}},"$defs":{` +
			levels + `}}`, `{"a":1}`},
		"the same, as the negation": {`{"type":"object","properties":{"a":{"not":{"$ref":"#/$defs/l8"}}},"$defs":{` +
			levels + `}}`, `{"a":1}`},
		"the same, somewhere else": {`{"type":"object","properties":{"a":{"$ref":"#/x/l%38"}},"x":{` +
			strings.ReplaceAll(levels, "$defs", "x") + `}}`, `{"a":1}`},
		"the same, by an older draft": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
				`"properties":{"a":{"$ref":"#/definitions/l8"}},"definitions":{` +
				strings.ReplaceAll(levels, "$defs", "definitions") + `}}`, `{"a":1}`,
		},
		"two ways at each level of data": {`{"type":"object","allOf":[{"$ref":"#/$defs/n"}],"$defs":{"n":{"allOf":[` +
			nested + "," + nested + `]}}}`, strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)},
	} {
		t.Run(why, func(t *testing.T) {
			r := newRegistry(t, echo(c.schema))
			result := r.Dispatch(t.Context(), call("echo", c.input),
				registry.Env{Limits: registry.Limits{Timeout: time.Minute}})
			require.Equal(t, "invalid tool call: the arguments do not fit the schema of echo:\n"+
				"the arguments are too complex to be checked: pass something simpler", result.Text())
		})
	}
	_, err := schema.CompileObject(json.RawMessage(`{"type":"object","properties":{"a":` + strings.Repeat(`{"not":`,
		300) + "{}" + strings.Repeat("}", 300) + `}}`))
	require.ErrorContains(t, err, "deeper than 200 levels")

	var properties strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&properties, `"p%d":{},`, i)
	}
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf(`"%d(a{10}){90}":{}`, i))
	}
	for why, raw := range map[string]string{
		"too large: \"(": `{"type":"object","properties":{"a":{"pattern":"(abababababababab){900}"}}}`,
		"does not compile": `{"type":"object","properties":{"a":{"pattern":"(` + strings.Repeat("(ab)", 1600) +
			`){1000}"}}}`,
		"too large together": `{"type":"object","patternProperties":{` + strings.Join(many, ",") + `}}`,
		"another document":   `{"type":"object","properties":{"a":{"$ref":"tool:schema#/foo/a"}},"foo":{"a":{}}}`,
		`has an "$id"`: `{"type":"object","properties":{"a":{"$id":"http://a/b","$ref":"#/foo/a"}},` +
			`"foo":{"a":{}}}`,
		"refers to another doc": `{"type":"object","properties":{"a":{"$ref":"b#/foo/a"}},"foo":{"a":{}}}`,
	} {
		_, err := schema.CompileObject(json.RawMessage(raw))
		require.ErrorContains(t, err, why)
	}
	_, err = schema.CompileObject(json.RawMessage(`{"type":"object","properties":{` + properties.String() +
		`"a":true}}`))
	require.ErrorContains(t, err, "consists of 5001 schemas")

	large := newRegistry(t, echo(
		`{"type":"object",`+
			`"properties":{"a":{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}}`))
	result := large.Dispatch(t.Context(), call("echo", `{"a":[`+strings.Repeat(`1,"x",`, 40_000)+`1]}`), registry.Env{})
	require.False(t, result.IsError(), "what is only large is checked")
}

// TestNestedIDs has subschemas with an $id that nothing refers to.
func TestNestedIDs(t *testing.T) {
	raw := `{"$id":"http://a/","type":"object","properties":{"a":{"$id":"A","type":"integer"},` +
		`"b":{"$ref":"#/$defs/b"}},"$defs":{"b":{"$id":"B","maximum":3}}}`
	schema, err := schema.CompileObject([]byte(raw))
	require.NoError(t, err)
	require.Equal(t, raw, string(schema.JSON()))
	require.NoError(t, schema.Validate(t.Context(), map[string]any{"a": json.Number("1"), "b": json.Number("3")}))
	require.EqualError(t, schema.Validate(t.Context(), map[string]any{"a": "x", "b": json.Number("4")}),
		"/a: got string, want integer\n/b: maximum: got 4, want 3")
}
