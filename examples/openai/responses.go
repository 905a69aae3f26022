package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

// respond is answer by the Responses API. The conversation is kept here, and not by the provider.
func (a *agent) respond(ctx context.Context, question string, turns int) error {
	params := responses.ResponseNewParams{
		Model: a.model,
		Store: openai.Bool(false),
		// What the model has thought has to be sent back to it.
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(question,
		responses.EasyInputMessageRoleUser)}
	ask := func(ctx context.Context, turn toolrun.Turn) ([]tool.Call, error) {
		a.logResults(turn)
		var err error
		if turn.Messages != nil {
			if input, err = appended(input, string(turn.Messages)); err != nil {
				return nil, err
			}
		}
		if turn.System != "" {
			params.Instructions = openai.String(turn.System)
		}
		params.Tools = nil
		if err := json.Unmarshal(turn.Tools, &params.Tools); err != nil {
			return nil, err
		}
		params.Input.OfInputItemList = input
		response, err := a.askResponses(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, item := range response.Output {
			if input, err = appended(input, "["+item.RawJSON()+"]"); err != nil {
				return nil, err
			}
		}
		calls, err := provider.Calls(tool.OpenAIResponses, []byte(response.RawJSON()))
		a.logCalls(calls)
		return calls, err
	}
	return a.session.Loop(ctx, tool.OpenAIResponses, ask, &toolrun.LoopOptions{Turns: turns})
}

// askResponses makes a request, prints the text that comes, and returns the response, which the last event has whole.
func (a *agent) askResponses(ctx context.Context, params responses.ResponseNewParams) (*responses.Response, error) {
	stream := a.client.Responses.NewStreaming(ctx, params)
	defer stream.Close()
	for stream.Next() {
		switch event := stream.Current(); event.Type {
		case "response.output_text.delta":
			fmt.Fprint(a.stdout, printable(event.Delta))
		case "response.output_text.done":
			fmt.Fprintln(a.stdout)
		case "response.completed", "response.incomplete": // provider.Calls reads which of its calls are whole
			return &event.Response, nil
		case "response.failed":
			return nil, fmt.Errorf("asking the model: %s", event.Response.Error.Message)
		case "error":
			return nil, fmt.Errorf("asking the model: %s", event.Message)
		}
	}
	if err := cmp.Or(ctx.Err(), stream.Err()); err != nil { // an interrupt can also look like the end of the stream
		return nil, fmt.Errorf("asking the model: %w", err)
	}
	return nil, errCut
}

// appended returns the input with more items, as JSON has them.
func appended(input responses.ResponseInputParam, items string) (responses.ResponseInputParam, error) {
	var list responses.ResponseInputParam
	err := json.Unmarshal([]byte(items), &list)
	return append(input, list...), err
}
