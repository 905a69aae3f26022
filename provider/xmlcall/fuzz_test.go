package xmlcall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/tool"
)

func seeds(f *testing.F) {
	for _, text := range []string{
		"Hi.\n<tool:t>\n<param:p>\n1 < 2 &lt; 3\n</param:p>\n</tool:t>\n",
		"<tool:t><param:p><![CDATA[<tool:t>]]></param:p><param:q/></tool:t>",
		"<tool:a><param:x>1<tool:b/></tool:a></tool:b>", "<param:x>1</param:x></tool:a>", "`<tool:a>` <tool:a x='1'>",
		"<tool:t/><tool:t", "</param:p><![CDATA[", "`<tool:t/>` `<tool:t/>",
		"<tool_result call='1'><tool:t/></tool_result> <tool_result><tool:t/>", "<tool:\xff/>",
	} {
		f.Add(text)
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, b := range xmlcall.Parse(text) {
			require.GreaterOrEqual(t, b.Start, at)
			require.Greater(t, b.End, b.Start)
			require.LessOrEqual(t, b.End, len(text))
			require.Equal(t, byte('<'), text[b.Start])
			at = b.End
			if b.Err != nil {
				continue
			}
			require.False(t, b.Truncated)
			// A well-formed call is the same by itself, and when it is written again.
			for _, again := range []string{text[b.Start:b.End], b.String()} {
				blocks := xmlcall.Parse(again)
				require.Len(t, blocks, 1, "%q", again)
				require.NoError(t, blocks[0].Err, "%q", again)
				require.Equal(t, b.Tool, blocks[0].Tool)
				require.Equal(t, b.Params, blocks[0].Params)
			}
		}
		result := xmlcall.Results([]tool.Result{tool.Text(text)})
		require.Empty(t, xmlcall.Parse(result))
		_, result, _ = strings.Cut(result, "\n")
		require.Empty(t, xmlcall.Parse(result))
	})
}

func FuzzCalls(f *testing.F) {
	for _, schema := range []string{
		searchSchema,
		`{"type":"object","properties":{"p":{"type":["integer","null"]},` +
			`"x":{"anyOf":[{"type":"array","items":{"type":"number"}},{"$ref":"#"}]}}}`,
		`{"type":"object","additionalProperties":{"type":"array"},"required":["p"]}`,
	} {
		f.Add("<tool:t><param:p>1</param:p><param:query>x</param:query><param:path>[1]</param:path></tool:t>"+
			"<tool:t><param:x>{}",
			schema)
		f.Add("<use_tool><name>t</name><x><item><x><item>1</item></x><p>2</p></item><item>3</item></x></use_tool>",
			schema)
		f.Add("<use_tool><name>t</name><x><x><x><p>2</p></x></x></x><y><item><item></item></item></y></use_tool>",
			schema)
	}
	f.Fuzz(func(t *testing.T, text, input string) {
		definition := &tool.Definition{Name: "t", Description: "Does."}
		// A long schema can take long to compile.
		if compiled, err := schema.CompileObject(json.RawMessage(input)); err == nil && len(input) < 1000 {
			definition.Input = compiled.JSON()
		}
		definitions := []*tool.Definition{definition}
		var calls []xmlcall.Call
		for _, dialect := range xmlcall.Dialects() {
			calls = append(calls, dialect.Calls(definitions, text)...)
		}
		for _, c := range calls {
			if c.Err != nil {
				require.NotEmpty(t, c.Err.Error())
				require.Empty(t, c.Input)
				continue
			}
			var object map[string]any
			require.NoError(t, json.Unmarshal(c.Input, &object), "%s", c.Input)
			require.NotNil(t, object)
		}
		prompt := xmlcall.Prompt(definitions, nil)
		require.NotEmpty(t, prompt)
	})
}
