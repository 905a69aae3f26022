package sdktest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

func newOpenAI(url string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url), option.WithAPIKey("none"))
}

type chatClient struct {
	client openai.Client
	params openai.ChatCompletionNewParams
}

func newChat(_ *testing.T, url string) client {
	return &chatClient{newOpenAI(url), openai.ChatCompletionNewParams{Model: "test"}}
}

func (c *chatClient) define(definitions json.RawMessage) error {
	return json.Unmarshal(definitions, &c.params.Tools)
}

func (c *chatClient) say(messages json.RawMessage) error {
	var list []openai.ChatCompletionMessageParamUnion
	if err := json.Unmarshal(messages, &list); err != nil {
		return err
	}
	c.params.Messages = append(c.params.Messages, list...)
	return nil
}

func (c *chatClient) send(ctx context.Context) (json.RawMessage, error) {
	completion, err := c.client.Chat.Completions.New(ctx, c.params)
	if err != nil {
		return nil, err
	}
	c.params.Messages = append(c.params.Messages, completion.Choices[0].Message.ToParam())
	return json.RawMessage(completion.RawJSON()), nil
}

func (c *chatClient) stream(ctx context.Context) ([]json.RawMessage, error) {
	stream := c.client.Chat.Completions.NewStreaming(ctx, c.params)
	defer stream.Close()
	var events []json.RawMessage
	for stream.Next() {
		events = append(events, json.RawMessage(stream.Current().RawJSON()))
	}
	return events, stream.Err()
}

// TestChatCompletions reads completions that package json has encoded from the SDK's type. They contain empty values
// for everything absent, such as "function_call":{"arguments":"","name":""}. For completions that the SDK assembles
// from a stream there is no other JSON.
func TestChatCompletions(t *testing.T) {
	var sent, end openai.ChatCompletion
	require.NoError(t, json.Unmarshal(testdata(t, "chat.json"), &sent))
	require.NoError(t, json.Unmarshal(testdata(t, "chat_end.json"), &end))
	var accumulated openai.ChatCompletionAccumulator
	for _, data := range sseData(t, testdata(t, "chat.stream")) {
		if string(data) == "[DONE]" {
			break
		}
		var chunk openai.ChatCompletionChunk
		require.NoError(t, json.Unmarshal(data, &chunk))
		require.True(t, accumulated.AddChunk(chunk))
	}
	chat := named("OpenAI Chat Completions")
	for _, test := range []struct {
		name       string
		completion any
		sdk        sdk
	}{
		{"encoded", sent, chat},
		{"a message encoded", sent.Choices[0].Message, chat},
		{"a message as it is sent back", sent.Choices[0].Message.ToParam(), chat},
		{"accumulated", accumulated.ChatCompletion, chat},
		{"without calls", end, sdk{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls, err := provider.Calls(tool.OpenAIChat, encode(t, test.completion))
			require.NoError(t, err)
			requireExactCalls(t, test.sdk, calls)
		})
	}
}

// responsesClient uses the JSON that the SDK received. Encoding the SDK's types with package json gives something other
// than the API's JSON: "arguments" becomes {"OfString":...}.
type responsesClient struct {
	client openai.Client
	params responses.ResponseNewParams
}

func newResponses(_ *testing.T, url string) client {
	return &responsesClient{newOpenAI(url), responses.ResponseNewParams{Model: "test"}}
}

func (c *responsesClient) define(definitions json.RawMessage) error {
	return json.Unmarshal(definitions, &c.params.Tools)
}

func (c *responsesClient) say(messages json.RawMessage) error {
	var list responses.ResponseInputParam
	if err := json.Unmarshal(messages, &list); err != nil {
		return err
	}
	c.params.Input.OfInputItemList = append(c.params.Input.OfInputItemList, list...)
	return nil
}

func (c *responsesClient) send(ctx context.Context) (json.RawMessage, error) {
	response, err := c.client.Responses.New(ctx, c.params)
	if err != nil {
		return nil, err
	}
	for _, item := range response.Output {
		var input responses.ResponseInputItemUnionParam
		if err := json.Unmarshal([]byte(item.RawJSON()), &input); err != nil {
			return nil, err
		}
		c.params.Input.OfInputItemList = append(c.params.Input.OfInputItemList, input)
	}
	return json.RawMessage(response.RawJSON()), nil
}

func (c *responsesClient) stream(ctx context.Context) ([]json.RawMessage, error) {
	stream := c.client.Responses.NewStreaming(ctx, c.params)
	defer stream.Close()
	var events []json.RawMessage
	for stream.Next() {
		events = append(events, json.RawMessage(stream.Current().RawJSON()))
	}
	return events, stream.Err()
}
