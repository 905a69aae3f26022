package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
)

// respond is answer by the Responses API. The conversation is kept here, and not by the provider.
func (a *agent) respond(ctx context.Context, question string, turns int) error {
	system, err := a.session.SystemPrompt(ctx, registry.OpenAIResponses)
	if err != nil {
		return err
	}
	params := responses.ResponseNewParams{
		Model: a.model,
		Store: openai.Bool(false),
		// What the model has thought has to be sent back to it.
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}
	if system != "" {
		params.Instructions = openai.String(system)
	}
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(question,
		responses.EasyInputMessageRoleUser)}
	for range turns {
		tools, err := a.session.Definitions(ctx, registry.OpenAIResponses, nil)
		if err != nil {
			return err
		}
		params.Tools = nil
		if err := json.Unmarshal(tools, &params.Tools); err != nil {
			return err
		}
		params.Input.OfInputItemList = input
		response, err := a.askResponses(ctx, params)
		if err != nil {
			return err
		}
		for _, item := range response.Output {
			if input, err = appended(input, "["+item.RawJSON()+"]"); err != nil {
				return err
			}
		}
		calls, err := provider.Calls(registry.OpenAIResponses, []byte(response.RawJSON()))
		if err != nil || len(calls) == 0 {
			return err
		}
		results, err := a.do(ctx, registry.OpenAIResponses, calls)
		if err != nil {
			return err
		}
		if input, err = appended(input, string(results)); err != nil {
			return err
		}
	}
	return noAnswer(turns)
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
		case "response.completed":
			return &event.Response, nil
		case "response.incomplete":
			return nil, fmt.Errorf("the model stopped before its end: %s", event.Response.IncompleteDetails.Reason)
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
