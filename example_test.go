package toolrun_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// One turn of a conversation.
func Example() {
	ctx := context.Background()
	runner, err := toolrun.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	session, err := runner.Session(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}

	response := `{"role": "assistant", "content": [
		{"type": "tool_use", "id": "toolu_1", "name": "filesystem",
				"input": {"command": "create", "path": "/n.txt", "file_text": "6 7"}},
		{"type": "tool_use", "id": "toolu_2", "name": "javascript", "input": {"code": "
			const [a, b] = (await fs.readFile('/n.txt', 'utf8')).split(' '); return a * b"}}]}`
	response = strings.NewReplacer("\n", " ", "\t", "").Replace(response)
	messages, err := session.Do(ctx, tool.Anthropic, []byte(response))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(messages))

	// What a call has changed can be taken back.
	changes, err := session.Project().Undo(ctx, "toolu_1")
	fmt.Println(changes[0].Path, err)
	// Output:
	// [{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"File created successfully at: /n.txt"}]},{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"42"}]}]}]
	// /n.txt <nil>
}

type city struct {
	Name string `json:"name" jsonschema:"the city, in English"`
}

// A tool of one's own beside those that are there, and projects that are kept in a directory.
func ExampleOpen() {
	weather := tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
		func(_ context.Context, in city, env tool.Env) (string, error) {
			return "15 °C, light rain in " + in.Name, nil
		})
	ctx := context.Background()
	runner, err := toolrun.Open(ctx, &toolrun.Options{Tools: []tool.Tool{weather}})
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	for _, spec := range runner.Registry().Enabled(registry.Selection{}) {
		fmt.Println(spec.Name)
	}

	session, err := runner.Session(ctx, "alice", &toolrun.SessionOptions{
		Select: func(chosen registry.Selection) registry.Selection { return chosen.Only("weather") },
	})
	if err != nil {
		log.Fatal(err)
	}
	results, err := session.DispatchAll(ctx, []tool.Call{
		{ID: "call_1", Tool: "weather", Input: []byte(`{"name": "Oslo"}`)},
		{ID: "call_2", Tool: "javascript", Input: []byte(`{"code": "return 1"}`)},
	})
	for _, result := range results {
		fmt.Println(result.CallID, result.Text())
	}
	fmt.Println(err)
	// Output:
	// memory
	// javascript
	// filesystem
	// weather
	// call_1 15 °C, light rain in Oslo
	// call_2 Unknown tool: javascript
	// <nil>
}

// The calls of a streamed response are done when it has come to its end.
func ExampleSession_DispatchAll() {
	ctx := context.Background()
	runner, err := toolrun.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	session, err := runner.Session(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}

	stream, err := provider.NewStream(tool.OpenAIChat)
	if err != nil {
		log.Fatal(err)
	}
	for _, event := range []string{
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1",` +
			`"type":"function","function":{"name":"javascript","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"code\": \"return"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" 6 * 7\"}"}}]}}]}`,
		`[DONE]`,
	} {
		if err := stream.Add([]byte(event)); err != nil {
			log.Fatal(err)
		}
	}
	calls, err := stream.Calls()
	if err != nil {
		log.Fatal(err)
	}
	results, err := session.DispatchAll(ctx, calls)
	if err != nil {
		log.Fatal(err)
	}
	messages, err := provider.Results(tool.OpenAIChat, results)
	fmt.Println(string(messages), err)
	// Output:
	// [{"role":"tool","tool_call_id":"call_1","content":"42"}] <nil>
}
