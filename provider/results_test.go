package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

func withCall(r tool.Result, id, name string) tool.Result {
	r.CallID, r.Tool = id, name
	return r
}

// Images of one pixel. The JPEG consists of only those parts that are read.
var (
	smallPNG = decoded(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGJiAAQAAP//AAYAA/rQWa4AAAAASUVORK5CYII=",
	)
	smallJPEG = []byte(
		"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\xff\xd9",
	)
	smallGIF = decoded("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func encoded(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func TestResults(t *testing.T) {
	results := []tool.Result{
		withCall(tool.Text("15 °C, <sunny> & dry"), "id1", "get_weather"),
		withCall(tool.Failure(tool.CodeTool, "There is no such city."), "id2", "get_weather"),
		withCall(tool.Result{}, "id3", "nothing"),
		withCall(tool.Text(" \n"), "id4", "blank"),
		withCall(tool.Text("bad \xff\xfe text"), "id5", "invalid"),
		withCall(tool.Result{Content: []tool.Part{
			{Text: "The file:"},
			{Text: "milk", Resource: &tool.Resource{Kind: "FILE", Name: "/todo.txt"}},
			{Data: smallPNG, MIME: "image/PNG; x=y", Text: "a picture"},
			{Text: "and"},
			{Data: []byte("%PDF"), MIME: "application/pdf"},
			{Data: []byte("RIFF"), MIME: "audio/wav", Text: "a sound"},
			{Data: []byte{0, 1, 2}, MIME: "application/x-thing"},
			{Data: []byte{}, MIME: "image/png"},
		}}, "id6", "parts"),
		withCall(tool.Result{Content: []tool.Part{{Data: smallPNG, MIME: "image/png"}},
			Code: tool.CodeTool}, "id7", "failed_picture"),
		withCall(tool.Result{Content: []tool.Part{{Text: `{"n":9007199254740993}`}},
			Data: json.RawMessage(`{"n":9007199254740993,"h":"<"}`)}, "id8", "structured"),
		withCall(tool.Result{Data: map[string]any{"a": 1}}, "id9", "only_structured"),
		withCall(tool.Result{Content: []tool.Part{{Text: "a list"}}, Data: []int{1}}, "id10", "list"),
		withCall(tool.Result{Content: []tool.Part{{Text: "broken"}}, Data: json.RawMessage(`{"a":`)}, "id11",
			"broken"),
		withCall(tool.Result{Content: []tool.Part{{Data: smallJPEG, MIME: "image/jpg"},
			{Data: smallGIF, MIME: "image/gif"}}}, "id12", "pictures"),
	}
	for _, api := range apis {
		t.Run(string(api), func(t *testing.T) {
			results := results
			if api == tool.OpenAIChat || api == tool.Gemini || api == tool.MCP {
				results = append(slices.Clip(results), withCall(tool.Text("no id"), "", "without_id"))
			}
			messages, err := provider.Results(api, results)
			require.NoError(t, err)
			require.True(t, utf8.Valid(messages))
			golden(t, "results/"+string(api)+".json", messages)

			none, err := provider.Results(api, nil)
			require.NoError(t, err)
			require.Equal(t, "[]", string(none))
		})
	}
}

func TestResultsWithoutIDs(t *testing.T) {
	for api, want := range map[tool.API]struct{ id, tool, both string }{
		tool.Anthropic:       {id: "CallID", both: "CallID"},
		tool.Bedrock:         {id: "CallID", both: "CallID"},
		tool.OpenAIResponses: {id: "CallID", both: "CallID"},
		tool.OpenAIChat:      {both: "CallID, and no Tool"},
		tool.Gemini:          {tool: "Tool", both: "Tool"},
		tool.MCP:             {},
	} {
		for _, test := range []struct{ id, tool, lacks string }{{"", "echo", want.id}, {"id", "", want.tool},
			{"", "", want.both}, {"id", "echo", ""}} {
			_, err := provider.Results(api, []tool.Result{withCall(tool.Text("good"), "id0", "good"),
				withCall(tool.Text("x"), test.id, test.tool)})
			if test.lacks == "" {
				require.NoError(t, err, "%s %v", api, test)
			} else {
				require.EqualError(t, err, fmt.Sprintf("%s: result 1 (of the tool %q) has no %s", api, test.tool,
					test.lacks))
			}
		}
	}
}

// APIs that flag errors accept only text in them. With other APIs, the model gets the image.
func TestResultsOfErrorsWithImages(t *testing.T) {
	failed := tool.Result{
		Content: []tool.Part{{Text: "It failed:"}, {Data: smallPNG, MIME: "image/png"},
			{Data: []byte("%PDF"), MIME: "application/pdf", Text: "a document"}},
		Code: tool.CodeTool,
	}
	const text = `It failed:\n[image/png, 71 bytes, which cannot be shown here]\na document`
	small := encoded(smallPNG)
	for api, want := range map[tool.API]string{
		tool.Anthropic: `[{"role":"user",` +
			`"content":[{"type":"tool_result","tool_use_id":"id","content":[{"type":"text","text":"` +
			text + `"}],"is_error":true}]}]`,
		tool.Bedrock: `[{"role":"user","content":[{"toolResult":{"toolUseId":"id","content":[{"text":"` + text +
			`"}],"status":"error"}}]}]`,
		tool.OpenAIChat: `[{"role":"tool","tool_call_id":"id","content":"` + text + `"}]`,
		tool.OpenAIResponses: `[{"type":"function_call_output",` +
			`"call_id":"id","output":[{"type":"input_text","text":"It failed:"},` +
			`{"type":"input_image","image_url":"data:image/png;base64,` + small +
			`","detail":"auto"},{"type":"input_file","filename":"result.pdf","file_data":"data:application/pdf;` +
			`base64,JVBERg=="}]}]`,
		tool.Gemini: `[{"role":"user",` +
			`"parts":[{"functionResponse":{"id":"id","name":"tool","response":{"error":"It failed:"},"parts":[` +
			`{"inlineData":{"mimeType":"image/png","data":"` + small +
			`"}},{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}}]}}]}]`,
		tool.MCP: `[{"content":[{"type":"text","text":"It failed:"},{"type":"image","data":"` + small +
			`","mimeType":"image/png"},` +
			`{"type":"resource","resource":{"uri":"toolrun:/results/id/3",` +
			`"mimeType":"application/pdf","blob":"JVBERg=="}}],"isError":true}]`,
	} {
		messages, err := provider.Results(api, []tool.Result{withCall(failed, "id", "tool")})
		require.NoError(t, err)
		require.Equal(t, want, string(messages), api)
	}
}

// The text that tools have for programs can contain the image itself. Models never get that.
func TestResultsWithoutBase64(t *testing.T) {
	image := func(mime string, data []byte) tool.Part {
		return tool.Part{Data: data, MIME: mime, Text: "Binary file /p (" + mime + "):\ndata:" + mime + ";base64," +
			encoded(data)}
	}
	const cannot = "Binary file /p (%s):\\n[%[1]s, %d bytes, which cannot be shown here]"
	bmp := append([]byte("BM"), make([]byte, 100)...)
	for _, api := range apis {
		for _, test := range []struct {
			part    tool.Part
			code    tool.Code
			carried bool
		}{
			{image("image/png", smallPNG), "", true},
			{image("image/gif", smallGIF), "", api != tool.Gemini},
			{image("image/bmp", bmp), "", api == tool.MCP},
			{image("image/png", smallPNG[:20]), "", api == tool.MCP},
			{image("image/png", smallPNG), tool.CodeTool, api != tool.Anthropic && api != tool.Bedrock &&
				api != tool.OpenAIChat},
		} {
			result := tool.Result{Content: []tool.Part{{Text: "before"}, test.part}, Code: test.code}
			messages, err := provider.Results(api, []tool.Result{withCall(result, "id", "view")})
			require.NoError(t, err)
			if test.carried {
				require.Equal(t, 1, strings.Count(string(messages), encoded(test.part.Data)), "%s %s", api, messages)
				require.NotContains(t, string(messages), "Binary file")
				continue
			}
			require.NotContains(t, string(messages), encoded(test.part.Data)[:20], "%s", api)
			require.Contains(t, string(messages), fmt.Sprintf(cannot, test.part.MIME, len(test.part.Data)), "%s", api)
		}
	}
}

// Chat Completions takes no image in a message of a tool.
func TestResultsWithImagesForChat(t *testing.T) {
	picture := tool.Part{Data: smallPNG, MIME: "image/png", Text: "a picture"}
	messages, err := provider.Results(tool.OpenAIChat, []tool.Result{
		withCall(tool.Result{Content: []tool.Part{{Text: "Look:"}, picture, {Text: "and"},
			{Data: []byte("%PDF"), MIME: "application/pdf"}}}, "a", "view"),
		withCall(tool.Text("text"), "b", "view"),
		withCall(tool.Result{Content: []tool.Part{picture}}, "c", "view"),
	})
	require.NoError(t, err)
	url := "data:image/png;base64," + encoded(smallPNG)
	require.JSONEq(t, `[
		{"role":"tool","tool_call_id":"a","content":"Look:\n`+
		`[Attachment 1 (image/png) follows in the next message of the user.]\nand\n`+
		`[Attachment 2 (application/pdf) follows in the next message of the user.]"},
		{"role":"tool","tool_call_id":"b","content":"text"},
		{"role":"tool","tool_call_id":"c",
			"content":"[Attachment 3 (image/png) follows in the next message of the user.]"},
		{"role":"user","content":[
			{"type":"text","text":"Attachment 1 (image/png), which a tool has returned:"},
			{"type":"image_url","image_url":{"url":"`+
		url+`"}},
			{"type":"text","text":"Attachment 2 (application/pdf), which a tool has returned:"},
			{"type":"file","file":{"filename":"result.pdf","file_data":"data:application/pdf;base64,JVBERg=="}},
			{"type":"text","text":"Attachment 3 (image/png), which a tool has returned:"},
			{"type":"image_url","image_url":{"url":"`+
		url+`"}}]}]`, string(messages))
}

// MCP clients get readable documents as text, not in base64.
func TestResultsWithDocumentsForMCP(t *testing.T) {
	for _, test := range []struct {
		name, mime, data, want string
	}{
		{"text", "text/csv; charset=utf-8", "a,b", `"mimeType":"text/csv","text":"a,b"`},
		{"JSON", "application/json", `{"a":1}`, `"mimeType":"application/json","text":"{\"a\":1}"`},
		{"JSON of a kind", "application/geo+json", `[]`, `"mimeType":"application/geo+json","text":"[]"`},
		{"text that is none", "text/plain", "\xff", `"mimeType":"text/plain","blob":"/w=="`},
		{"bytes", "application/zip", "PK", `"mimeType":"application/zip","blob":"UEs="`},
		{"of no type", "", "a", `"blob":"YQ=="`},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := tool.Result{CallID: "id", Content: []tool.Part{{Data: []byte(test.data),
				MIME: test.mime}}}
			messages, err := provider.Results(tool.MCP, []tool.Result{result})
			require.NoError(t, err)
			require.Equal(t, `[{"content":[{"type":"resource","resource":{"uri":"toolrun:/results/id/1",`+test.want+
				`}}]}]`, string(messages))
		})
	}
}

// Providers refuse a conversation with an unreadable image.
func TestResultsWithImagesThatAreNone(t *testing.T) {
	for name, part := range map[string]tool.Part{
		"another type":    {Data: smallPNG, MIME: "image/jpeg"},
		"damaged":         {Data: smallPNG[:20], MIME: "image/png"},
		"not an image":    {Data: []byte("<html>"), MIME: "image/png"},
		"too large":       {Data: append(bytes.Clone(smallPNG), make([]byte, 4<<20)...), MIME: "image/png"},
		"not a real WebP": {Data: []byte("RIFF"), MIME: "image/webp", Text: "an image of 4 bytes"},
	} {
		for _, api := range apis {
			messages, err := provider.Results(api,
				[]tool.Result{withCall(tool.Result{Content: []tool.Part{part}}, "id", "tool")})
			require.NoError(t, err)
			if api == tool.MCP {
				require.Contains(t, string(messages), `"type":"image"`, "clients see for themselves")
				continue
			}
			require.NotContains(t, string(messages), "base64", "%s %s", api, name)
			require.NotContains(t, string(messages), "inlineData", "%s %s", api, name)
			require.NotContains(t, string(messages), `"image"`, "%s %s", api, name)
			require.Contains(t, string(messages), " bytes", "%s %s", api, name)
		}
	}
}

// Providers refuse a conversation with an empty text.
func TestResultsAreNeverEmpty(t *testing.T) {
	for _, r := range []tool.Result{
		{}, tool.Text(""), tool.Text("\n\t "), tool.Failure(tool.CodeTool, ""),
		{Content: []tool.Part{{}, {}}}, {Content: []tool.Part{{Data: []byte{}}}},
		{Content: []tool.Part{{Text: " "}, {Data: []byte{1}, MIME: "image/png"}, {Text: "\n"}}},
	} {
		for _, api := range []tool.API{tool.Anthropic, tool.OpenAIChat, tool.OpenAIResponses,
			tool.Gemini, tool.Bedrock} {
			messages, err := provider.Results(api, []tool.Result{withCall(r, "id", "tool")})
			require.NoError(t, err)
			var decoded any
			require.NoError(t, json.Unmarshal(messages, &decoded))
			walk(decoded, func(key string, v any) {
				switch v := v.(type) {
				case string:
					require.NotEmpty(t, strings.TrimSpace(v), "%s: %s", api, messages)
				case []any:
					require.NotEmpty(t, v, "%s: %s", api, messages)
				case map[string]any:
					if v["type"] == "text" {
						require.NotEmpty(t, v["text"])
					}
				}
			})
		}
	}
}

func walk(v any, do func(key string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, inside := range v {
			do(key, inside)
			walk(inside, do)
		}
	case []any:
		for _, inside := range v {
			do("", inside)
			walk(inside, do)
		}
	}
}
