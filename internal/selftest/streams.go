package selftest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

// events are those of the APIs that send a call in pieces. "INDEX" stands for the number of the call, and in delta
// "PIECE" for a piece of its arguments.
var events = []struct {
	api          tool.API
	start, delta string
}{
	{tool.Anthropic,
		`{"type":"content_block_start","index":INDEX,` +
			`"content_block":{"type":"tool_use","id":"idINDEX","name":"echo","input":{}}}`,
		`{"type":"content_block_delta","index":INDEX,"delta":{"type":"input_json_delta","partial_json":"PIECE"}}`},
	{tool.OpenAIChat,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":INDEX,"id":"idINDEX","type":"function",` +
			`"function":{"name":"echo","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":INDEX,` +
			`"function":{"name":"echo","arguments":"PIECE"}}]}}]}`},
	{tool.OpenAIResponses,
		`{"type":"response.output_item.added","output_index":INDEX,` +
			`"item":{"type":"function_call","call_id":"idINDEX","name":"echo","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":INDEX,"delta":"PIECE"}`},
	{tool.Gemini,
		`{"candidates":[{"content":{"role":"model",` +
			`"parts":[{"functionCall":{"id":"idINDEX","name":"echo","args":{}}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"PIECE"}],"role":"model"}}]}`},
	{tool.Bedrock,
		`{"contentBlockStart":{"contentBlockIndex":INDEX,"start":{"toolUse":{"toolUseId":"idINDEX","name":"echo"}}}}`,
		`{"contentBlockDelta":{"contentBlockIndex":INDEX,"delta":{"toolUse":{"input":"PIECE"}}}}`},
}

// streams are attacks by streamed responses.
func streams() []Attack {
	either := []string{answered, refused}
	var all []Attack
	add := func(name, attempt string, size int64, api tool.API, make func(yield func(event string) bool)) {
		all = append(all, Attack{
			Name: amplification + "-streams-" + name, Attempt: attempt, Endings: either,
			Grows: mostGrown(size), prepare: streaming(api, make),
		})
	}
	// The text might end with each of its pieces.
	piece := strings.Repeat("x", 500) + "}"
	for _, e := range events {
		named := func(what string) string { return string(e.api) + "-" + what }
		start := strings.ReplaceAll(e.start, "INDEX", "0")
		delta := strings.NewReplacer("INDEX", "0", "PIECE", piece).Replace(e.delta)
		const deltas = 8000
		add(named("deltas"), fmt.Sprintf(
			"Streams 8000 deltas of one call, each of which might be the last, as %s does.", e.api),
			int64(deltas*len(delta)), e.api,
			func(yield func(string) bool) {
				_ = yield(start) && yield(strings.NewReplacer("INDEX", "0", "PIECE", `{\"a\":\"`).Replace(e.delta))
				for range deltas {
					if !yield(delta) {
						return
					}
				}
			})
		add(named("calls"), fmt.Sprintf("Streams 100 000 calls, as %s does.", e.api),
			16<<20, e.api, func(yield func(string) bool) {
				for i := range 100_000 {
					if !yield(strings.ReplaceAll(e.start, "INDEX", fmt.Sprint(i))) {
						return
					}
				}
			})
		wide := text{head: `{"ignored":[`, unit: "[],", tail: `[]],` + start[1:]}.sized(1 << 20)
		add(named("wide"), fmt.Sprintf("Streams an event with a million values that mean nothing, as %s does.", e.api),
			wide.size(), e.api,
			func(yield func(string) bool) { yield(wide.String()) })
		if before, after, ok := strings.Cut(start, "["); ok {
			many := text{head: before + "[", unit: "{},", tail: "{}" + after}.sized(1 << 20)
			add(named("elements"), fmt.Sprintf("Streams an event with a million elements that are empty, as %s does.",
				e.api),
				many.size(), e.api,
				func(yield func(string) bool) { yield(many.String()) })
		}
	}
	return all
}

// streaming feeds a stream of events to a provider.Stream.
func streaming(api tool.API, events func(yield func(event string) bool)) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		attack := func() (string, error) {
			stream, err := provider.NewStream(api)
			if err != nil {
				return "", err
			}
			ending, taken, began := answered, 0, time.Now()
			events(func(event string) bool {
				if err = ctx.Err(); err == nil && time.Since(began) > slack {
					err = fmt.Errorf("only %d events were taken in within %v", taken, slack)
				}
				if err == nil && stream.Add([]byte(event)) != nil {
					ending = refused
				}
				taken++
				return err == nil && ending == answered
			})
			if err != nil {
				return "", err
			}
			if _, err := stream.Calls(); err != nil {
				ending = refused
			}
			return ending, nil
		}
		return attack, func() {}, nil
	}
}
