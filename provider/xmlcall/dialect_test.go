package xmlcall_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/tool"
)

// TestDialects has texts, and what must come out: the calls as tool, params, and what is wrong.
func TestDialects(t *testing.T) {
	type call struct {
		tool   string
		params []xmlcall.Param
		err    string
	}
	const good = "<use_tool><name>b</name><parameters><x>2</x></parameters></use_tool>"
	goodCall := call{tool: "b", params: []xmlcall.Param{{"x", "2"}}}
	const goodCaret = "\n^^^b\nx: 2\n^^^\n"
	for _, test := range []struct {
		name    string
		dialect xmlcall.Dialect
		text    string
		want    []call
	}{
		{"elements", xmlcall.UseTool, "I search.\n<use_tool>\n<name>a</name>\n<parameters>\n<x>1 &lt; 2</x>\n<y>\nif " +
			"a < b {\n}\n</y>\n</parameters>\n</use_tool>\nSoon.",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1 < 2"}, {"y", "if a < b {\n}"}}}}},
		{"elements without another around them", xmlcall.UseTool,
			"<use_tool><name> a </name><x>1</x></use_tool>" + good,
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}}}, goodCall}},
		{"no parameters", xmlcall.UseTool, "<use_tool>\n<name>a</name>\n</use_tool>", []call{{tool: "a"}}},
		{"a JSON object", xmlcall.UseTool,
			`<use_tool><name>a</name><args>{"s": "</x> \n", "n": 1.50, "l": ["a", 2], "z": null}</args></use_tool>`,
			[]call{{tool: "a", params: []xmlcall.Param{{"s", "</x> \n"}, {"n", "1.50"}, {"l", `["a",2]`},
				{"z", "null"}}}}},
		{"a list", xmlcall.UseTool, "<use_tool><name>a</name><l>\n<item>1</item>\n" +
			"<item>\n2\n</item></l><m><item>x</item></m><k><item></k></use_tool>",
			[]call{{tool: "a", params: []xmlcall.Param{{"l", "1"}, {"l", "2"}, {"m", `["x"]`}, {"k", "<item>"}}}}},
		{"a section", xmlcall.UseTool, "<use_tool><name>a</name><x>\n<![CDATA[</x></use_tool>&lt;]]>\n</x></use_tool>",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "</x></use_tool>&lt;"}}}}},
		{"mentions and results", xmlcall.UseTool, "`<use_tool>`, `" + good + "` and <tool_result call=\"1\">" + good +
			"</tool_result>" + good, []call{goodCall}},
		{"a result in a value", xmlcall.UseTool, "<use_tool><name>a</name><x><tool_result></x></use_tool>" + good,
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "<tool_result>"}}}, goodCall}},
		{"a result in a value, and one that is quoted", xmlcall.UseTool,
			"<use_tool><name>a</name><x><tool_result></x></use_tool><tool_result>" + good + "</tool_result>",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "<tool_result>"}}}}},
		{"a result without its end", xmlcall.UseTool, good + "<tool_result call=\"1\">" + good,
			[]call{goodCall, {err: "Results are not for you to write"}}},
		{"a call without its end", xmlcall.UseTool, "<use_tool><name>a</name><x>1</x>",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}}, err: "<use_tool> is not closed"}}},
		{"parameters without their end", xmlcall.UseTool, "<use_tool><name>a</name><parameters><x>1</x></use_tool>" +
			good,
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}}, err: "<parameters> is not closed"}, goodCall}},
		{"a value without its end", xmlcall.UseTool, "<use_tool><name>a</name><x>1</use_tool>" + good,
			[]call{{tool: "a", err: "<x> in <use_tool> is not closed before </use_tool>"}, goodCall}},
		{"a call in a value is not made", xmlcall.UseTool, "<use_tool><name>a</name><x>" + good + "</x></use_tool>",
			[]call{{tool: "a", err: "<x> in <use_tool> is not closed before <use_tool>"}}},
		{"no name", xmlcall.UseTool, "<use_tool><x>1</x></use_tool>",
			[]call{{params: []xmlcall.Param{{"x", "1"}}, err: "there is no <name>"}}},
		{"text between", xmlcall.UseTool, "<use_tool><name>a</name>so</use_tool>" + good,
			[]call{{tool: "a", err: `text outside of its parameters: "so"`}, goodCall}},
		{"no JSON", xmlcall.UseTool, "<use_tool><name>a</name><args>{x}</args></use_tool>",
			[]call{{tool: "a", err: "<args> of <use_tool> is not valid JSON"}}},

		{"lines", xmlcall.Caret, "I read.\n^^^a\nx: 1: 2 \ny ---\nif a {\n^^\n\n--- x\n}\n--- y\nl: [\n one\n\ntwo, " +
			"three\n]\n^^^\nSoon.",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1: 2"}, {"y", "if a {\n^^\n\n--- x\n}"}, {"l", "one"},
				{"l", "two, three"}}}}},
		{"lines of Windows", xmlcall.Caret, "^^^a\r\nx: 1\r\ny ---\r\n2\r\n--- y\r\n^^^\r\n",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}, {"y", "2"}}}}},
		{"lists of one and none", xmlcall.Caret, "^^^a\nl: [\nx\n]\nm: [\n]\nn: []\n^^^",
			[]call{{tool: "a", params: []xmlcall.Param{{"l", `["x"]`}, {"m", "[]"}, {"n", "[]"}}}}},
		{"no parameters", xmlcall.Caret, "^^^a\n^^^", []call{{tool: "a"}}},
		{"what only looks like a call", xmlcall.Caret, "2^^^a\n ^^^a\n^^^\n^^^ a\n^^^^a\n^^^a b\n" + goodCaret,
			[]call{goodCall}},
		{"results", xmlcall.Caret, "<tool_result call=\"1\">" + goodCaret + "</tool_result>" + goodCaret,
			[]call{goodCall}},
		{"a result in a value, and one that is quoted", xmlcall.Caret, "^^^a\nx: <tool_result>\n^^^\n<tool_result>\n" +
			goodCaret + "</tool_result>",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "<tool_result>"}}}}},
		{"a result in a value", xmlcall.Caret, "^^^a\nx: <tool_result>\n^^^" + goodCaret,
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "<tool_result>"}}}, goodCall}},
		{"a call without its end", xmlcall.Caret, "^^^a\nx: 1\n",
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}}, err: "^^^a is not closed"}}},
		{"a call without its end before another", xmlcall.Caret, "^^^a\nx: 1" + goodCaret,
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}}, err: "^^^a is not closed before ^^^b begins"},
				goodCall}},
		{"a text without its end", xmlcall.Caret, "^^^a\nx ---\n1" + goodCaret,
			[]call{{tool: "a", err: `x of ^^^a is not closed: a line "--- x" must follow`}}},
		{"a list without its end", xmlcall.Caret, "^^^a\nx: [\n1\n^^^\n" + goodCaret,
			[]call{{tool: "a", params: []xmlcall.Param{{"x", "1"}}, err: "the list x of ^^^a is not closed"},
				goodCall}},
		{"text between", xmlcall.Caret, "^^^a\nlet me see\n^^^" + goodCaret,
			[]call{{tool: "a", err: `text outside of its parameters: "let me see"`}, goodCall}},
	} {
		t.Run(string(test.dialect)+" "+test.name, func(t *testing.T) {
			var got []call
			for i, b := range test.dialect.Parse(test.text) {
				c := call{tool: b.Tool, params: b.Params}
				if b.Err != nil {
					require.Less(t, i, len(test.want))
					require.ErrorContains(t, b.Err, test.want[i].err)
					require.NotEmpty(t, test.want[i].err, b.Err)
					c.err = test.want[i].err
				}
				got = append(got, c)
			}
			require.Equal(t, test.want, got)
			checkStream(t, test.dialect, test.text)
		})
	}
}

// checkStream gives a text to a stream in pieces, which must find what Parse does.
func checkStream(t *testing.T, dialect xmlcall.Dialect, text string) {
	t.Helper()
	blocks := dialect.Parse(text)
	stream := xmlcall.NewStream(dialect, nil)
	var got []xmlcall.Block
	for rest := text; rest != ""; {
		n := min(len(rest), 1+rand.IntN(9))
		for _, c := range stream.Add(rest[:n]) {
			require.NoError(t, c.Err)
			got = append(got, c.Block)
		}
		rest = rest[n:]
	}
	for _, c := range stream.Close() {
		got = append(got, c.Block)
	}
	require.Equal(t, len(blocks), len(got))
	for i := range got {
		require.Equal(t, blocks[i], got[i])
	}
}

// TestStreamGivesCallsAtOnce checks that no call waits for another.
func TestStreamGivesCallsAtOnce(t *testing.T) {
	for dialect, call := range map[xmlcall.Dialect]string{
		xmlcall.Tags:    "<tool:a>\n<param:x>1</param:x>\n</tool:a>",
		xmlcall.UseTool: "<use_tool><name>a</name><x>1</x></use_tool>",
		xmlcall.Caret:   "^^^a\nx: 1\n^^^\n",
	} {
		stream := xmlcall.NewStream(dialect, nil)
		prose := strings.Repeat("I think about it, and <b>more</b>.\n", 1000)
		require.Empty(t, stream.Add(prose))
		for n := range 3 {
			for i, c := range call {
				calls := stream.Add(string(c))
				require.Len(t, calls, map[bool]int{true: 1}[i == len(call)-1], "%q %d", dialect, n)
			}
			require.Empty(t, stream.Add("Then:\n"))
		}
		require.Equal(t, prose+"Then:\nThen:\nThen:", stream.Text())
		stream.Add(call[:len(call)/2])
		require.Equal(t, prose+"Then:\nThen:\nThen:", stream.Text(), "a call that is not complete is not shown")
		last := stream.Close()
		require.Len(t, last, 1)
		require.Error(t, last[0].Err)
		require.True(t, last[0].Block.Truncated)
	}
}

// TestStreamsTakeTimeInProportion has texts that look again and again as if a call ended. It counts the bytes that are
// looked at in vain.
func TestStreamsTakeTimeInProportion(t *testing.T) {
	for dialect, text := range map[xmlcall.Dialect]string{
		xmlcall.Tags:    "<tool:a><param:x>" + strings.Repeat("</tool:b> <tool:c/>", 4000),
		xmlcall.UseTool: "<use_tool><name>a</name><x><![CDATA[" + strings.Repeat("</use_tool>", 8000),
		xmlcall.Caret:   "^^^a\nx ---\n" + strings.Repeat("^^^\n^^^b\n", 10_000),
	} {
		stream := xmlcall.NewStream(dialect, nil)
		for i := 0; i < len(text); i += 8 {
			stream.Add(text[i:min(i+8, len(text))])
		}
		stream.Close()
		require.Less(t, stream.Looked(), 1<<20+65*len(text), dialect)
	}
}

func TestText(t *testing.T) {
	const call = "<tool:a/>"
	for text, want := range map[string]string{
		"":                                      "",
		call:                                    "",
		"I look.\n\n" + call + "\n\nThen.":      "I look.\n\nThen.",
		"I look.\n" + call + "\nThen.":          "I look.\nThen.",
		"I " + call + " and " + call + " look.": "I and look.",
		"I look:\n```xml\n" + call + "\n" + call + "\n```\nThen.\n\n\nEnd.": "I look:\n\nThen.\n\n\nEnd.",
		"```\ncode\n" + call + "\n```\nThen.":                               "```\ncode\n```\nThen.",
		call + "\nDone.":                                                    "Done.",
		"As is.  ":                                                          "As is.",
	} {
		require.Equal(t, want, xmlcall.Text(text, xmlcall.Parse(text)), "%q", text)
	}
}

// TestDialectsOfThePrompt checks that each prompt teaches what is read, and that calls are converted by schemas.
func TestDialectsOfThePrompt(t *testing.T) {
	input, err := schema.CompileObject([]byte(`{"type":"object","required":["paths","text"],"properties":{
		"paths":{"type":"array","items":{"type":"string"}},"text":{"type":"string"},
			"limit":{"type":"integer"},"deep":{"type":"array","items":{"type":"object"}}}}`))
	require.NoError(t, err)
	definitions := []*tool.Definition{{Name: "find", Description: "Finds.", Input: input.JSON()}}
	for dialect, answer := range map[xmlcall.Dialect]string{
		xmlcall.Tags: "<tool:find><param:path>a</param:path><param:text>1</param:text>" +
			"<param:limit>5</param:limit></tool:find>",
		xmlcall.UseTool: `<use_tool><name>find</name><parameters>{"paths": ["a"], ` +
			`"text": "1", "limit": "5"}</parameters></use_tool>`,
		xmlcall.Caret: "^^^find\npath: a\ntext: 1\nlimit: 5\n^^^",
	} {
		prompt := xmlcall.Prompt(definitions, &xmlcall.PromptOptions{Dialect: dialect, Model: "openai/GPT-5",
			Additions: "Be quick."})
		_, example, ok := strings.Cut(prompt, "For example, this is a call of find:\n\n")
		require.True(t, ok, prompt)
		example, _, _ = strings.Cut(example, "\n\n###")
		calls := dialect.Calls(definitions, example)
		require.Len(t, calls, 1)
		require.NoError(t, calls[0].Err)
		require.Contains(t, prompt, "The tools are not functions of the API")
		require.True(t, strings.HasSuffix(prompt, "\n\nBe quick."))

		calls = dialect.Calls(definitions, answer)
		require.Len(t, calls, 1)
		require.NoError(t, calls[0].Err)
		require.JSONEq(t, `{"paths":["a"],"text":"1","limit":5}`, string(calls[0].Input))
	}
}

// TestElementsInItems has lists and objects that are written as elements in each other.
func TestElementsInItems(t *testing.T) {
	input, err := schema.CompileObject([]byte(`{"type":"object","properties":{
		"files":{"type":"array","items":{"$ref":"#/$defs/file"}},
		"options":{"$ref":"#/$defs/file"},
		"texts":{"type":"array","items":{"type":"string"}},
		"rows":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
		"either":{"type":"array","items":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/file"}]}},
		"text":{"type":"string"},
		"numbers":{"type":"array","items":{"type":"number"}},
		"loose":{},
		"loop":{"$ref":"#/$defs/loop"}},
		"$defs":{"loop":{"type":"array","items":{"$ref":"#/$defs/loop"}},
			"file":{"type":"object",
				"properties":{"path":{"type":"string"},"limit":{"type":"integer"},"all":{"type":"boolean"},
			"ranges":{"type":"array","items":{"type":"integer"}},
				"parts":{"type":"array","items":{"$ref":"#/$defs/file"}},"name":{"type":"string"}}}}}`))
	require.NoError(t, err)
	definitions := []*tool.Definition{{Name: "read", Input: input.JSON()}}
	deep := strings.Repeat("<item><parts>", 40) + strings.Repeat("</parts></item>", 40)
	for _, test := range []struct{ name, parameters, want, err string }{
		{"one item", "<files><item><path>a</path></item></files>", `{"files":[{"path":"a"}]}`, ""},
		{"two items", "<files>\n<item>\n<path>a &lt; " +
			"b</path>\n<limit>5</limit>\n</item>\n" +
			"<item><path><![CDATA[</item>]]></path><all>true</all></item>\n</files>",
			`{"files":[{"path":"a < b","limit":5},{"path":"</item>","all":true}]}`, ""},
		{"lists in items",
			"<files><item><path>a</path><ranges><item>1</item><item>20</item></ranges></item>" +
				"<item><ranges><item>3</item></ranges></item></files>",
			`{"files":[{"path":"a","ranges":[1,20]},{"ranges":[3]}]}`, ""},
		{"items in items",
			"<files><item><parts><item><path>a</path></item>" +
				"<item><parts><item><limit>1</limit></item></parts></item></parts></item></files>",
			`{"files":[{"parts":[{"path":"a"},{"parts":[{"limit":1}]}]}]}`, ""},
		{
			"lists of lists",
			"<rows><item><item>1</item><item>2</item></item><item><item>3</item></item><item>4</item></rows>",
			`{"rows":[[1,2],[3],[4]]}`,
			"",
		},
		{"elements and JSON", `<files><item>{"path": "a"}</item><item><path>b</path></item></files>`,
			`{"files":[{"path":"a"},{"path":"b"}]}`, ""},
		{"a repeated property", "<files><item><range>1</range><range>2</range></item></files>",
			`{"files":[{"ranges":[1,2]}]}`, ""},
		{"a name that is one", "<files><item><name>a</name></item></files>", `{"files":[{"name":"a"}]}`, ""},
		{"items that are called otherwise", "<files><file><path>a</path></file><file><path>b</path></file></files>",
			`{"files":[{"path":"a"},{"path":"b"}]}`, ""},
		{"the parameter again and again", "<file><path>a</path></file><file><path>b</path></file>",
			`{"files":[{"path":"a"},{"path":"b"}]}`, ""},
		{"lists again and again",
			`<files><item><path>a</path></item><item>{"path": "b"}</item></files>` +
				`<files><item><path>c</path></item></files><texts><item>a</item></texts><text>x</text><texts>b</texts>`,
			`{"files":[{"path":"a"},{"path":"b"},{"path":"c"}],"text":"x","texts":["a","b"]}`, ""},
		{"the only item without its element", "<files><path>a</path><limit>5</limit></files>",
			`{"files":[{"path":"a","limit":5}]}`, ""},
		{"no list", "<options><path>a</path><ranges><item>1</item></ranges></options>",
			`{"options":{"path":"a","ranges":[1]}}`, ""},
		{"an unknown property", "<options><path>a</path><x>1</x></options>", `{"options":{"path":"a","x":"1"}}`, ""},
		{"an empty property", "<options><path></path><ranges></ranges></options>",
			`{"options":{"path":"","ranges":[]}}`, ""},
		{"empty elements", "<files><item><path/><ranges/></item></files><texts><item/></texts>",
			`{"files":[{"path":"","ranges":[]}],"texts":[""]}`, ""},
		{"texts stay texts", "<texts><item><path>a</path></item><item>b</item></texts><text><path>a</path></text>",
			`{"texts":["<path>a</path>","b"],"text":"<path>a</path>"}`, ""},
		{"texts with such elements in them", "<texts><item>in <item>a</item></item><item><item>b</item></item></texts>",
			`{"texts":["in <item>a</item>","<item>b</item>"]}`, ""},
		{
			"a list of one number",
			"<options><ranges><item>3</item></ranges></options><rows><item><item>4</item></item></rows>",
			`{"options":{"ranges":[3]},"rows":[[4]]}`,
			"",
		},
		{"numbers", "<numbers><item>3</item></numbers>", `{"numbers":[3]}`, ""},
		{"texts and objects", "<either><item><path>a</path></item><item><b>bold</b></item><item>c</item></either>",
			`{"either":[{"path":"a"},"<b>bold</b>","c"]}`, ""},
		{"anything", "<loose><item><path>a</path></item><item>b</item></loose>",
			`{"loose":["<path>a</path>","b"]}`, ""},
		{"a schema without an end", "<loop><x>a</x></loop>", "",
			"Failed to parse '<x>a</x>' as array for parameter 'loop'"},
		{"lists without an end", "<loop><item><item><item></item></item></item></loop>", `{"loop":[[[[]]]]}`, ""},
		{"sections are text", "<files><item><![CDATA[<path>a</path>]]></item></files>", "",
			"Failed to parse '<path>a</path>' as object for parameter 'files'"},
		{"wrong values", "<files><item><limit>x</limit><all>y</all></item></files>", "",
			"Failed to parse 'x' as integer for parameter 'limit'\nFailed to parse 'y' as boolean for parameter 'all'"},
		{"text between", "<files><item>so <path>a</path></item></files>", "", "as object for parameter 'files'"},
		{"an element without its end", "<files><item><path>a</item></files>", "", "as object for parameter 'files'"},
		{"deeper than 32", "<files>" + deep + "</files>", "", "Failed to parse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := xmlcall.UseTool.Calls(definitions, "<use_tool><name>read</name><parameters>"+test.parameters+
				"</parameters></use_tool>")
			require.Len(t, calls, 1)
			if test.err != "" {
				require.ErrorContains(t, calls[0].Err, test.err)
				return
			}
			require.NoError(t, calls[0].Err)
			require.JSONEq(t, test.want, string(calls[0].Input))
		})
	}
}

// TestListsOfOneNumber has lists of one item, which are not texts only because they are alone.
func TestListsOfOneNumber(t *testing.T) {
	input, err := schema.CompileObject(
		[]byte(`{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"}},` +
			`"o":{"type":"array","items":{"type":"object"}}}}`))
	require.NoError(t, err)
	definitions := []*tool.Definition{{Name: "a", Input: input.JSON()}}
	for dialect, text := range map[xmlcall.Dialect]string{
		xmlcall.Tags:    `<tool:a><param:n>3</param:n><param:o>{"x":1}</param:o></tool:a>`,
		xmlcall.UseTool: `<use_tool><name>a</name><n><item>3</item></n><o><item>{"x":1}</item></o></use_tool>`,
		xmlcall.Caret:   "^^^a\nn: [\n3\n]\no: [\n{\"x\":1}\n]\n^^^",
	} {
		calls := dialect.Calls(definitions, text)
		require.Len(t, calls, 1)
		require.NoError(t, calls[0].Err)
		require.JSONEq(t, `{"n":[3],"o":[{"x":1}]}`, string(calls[0].Input))
	}
}

func TestModelAdditions(t *testing.T) {
	more := []xmlcall.Addition{{"*-mini", "Be short."}, {"[", "A pattern that is none."}, {"*", " "}}
	for model, want := range map[string][]string{
		"claude-sonnet-5":         {"End your answer right after your calls"},
		"anthropic/Claude-Opus-5": {"End your answer right after your calls"},
		"gpt-5-mini":              {"not functions of the API", "Be short."},
		"o4-mini":                 {"not functions of the API", "Be short."},
		"gemini-3-pro":            {"You do have access"},
		"meta/llama-4":            {"outside of code blocks"},
		"unheard-of":              nil,
		"":                        nil,
	} {
		text := xmlcall.ModelAdditions(model, more...)
		for _, part := range want {
			require.Contains(t, text, part, model)
		}
		require.Equal(t, len(want) == 0, text == "", model)
	}
}

func FuzzDialects(f *testing.F) {
	f.Add("<use_tool><name>a</name><x><item>1</item></x></use_tool>")
	f.Add("^^^a\nx: [\n1\n]\ny ---\n2\n--- y\n^^^\n<tool_result>")
	f.Add("<tool_result></tool_result><use_tool><name>a</name><args>{\"a\":1}</args></use_tool>`<use_tool>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, dialect := range xmlcall.Dialects() {
			at := 0
			blocks := dialect.Parse(text)
			for _, b := range blocks {
				require.GreaterOrEqual(t, b.Start, at)
				require.Greater(t, b.End, b.Start)
				require.LessOrEqual(t, b.End, len(text))
				at = b.End
				if b.Err == nil {
					again := dialect.Parse(text[b.Start:b.End])
					require.Len(t, again, 1)
					require.Equal(t, b.Params, again[0].Params)
				}
			}
			xmlcall.Text(text, blocks)
			checkStream(t, dialect, text)
		}
	})
}
