package sdktest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

type anthropicClient struct {
	client anthropic.Client
	params anthropic.MessageNewParams
}

func newAnthropic(_ *testing.T, url string) client {
	return &anthropicClient{
		client: anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey("none")),
		params: anthropic.MessageNewParams{Model: "test", MaxTokens: 1000},
	}
}

func (c *anthropicClient) define(definitions json.RawMessage) error {
	return json.Unmarshal(definitions, &c.params.Tools)
}

func (c *anthropicClient) say(messages json.RawMessage) error {
	var list []anthropic.MessageParam
	if err := json.Unmarshal(messages, &list); err != nil {
		return err
	}
	c.params.Messages = append(c.params.Messages, list...)
	return nil
}

func (c *anthropicClient) send(ctx context.Context) (json.RawMessage, error) {
	message, err := c.client.Messages.New(ctx, c.params)
	if err != nil {
		return nil, err
	}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	return json.RawMessage(message.RawJSON()), nil
}

func (c *anthropicClient) stream(ctx context.Context) ([]json.RawMessage, error) {
	stream := c.client.Messages.NewStreaming(ctx, c.params)
	defer stream.Close()
	var events []json.RawMessage
	for stream.Next() {
		events = append(events, json.RawMessage(stream.Current().RawJSON()))
	}
	return events, stream.Err()
}

// TestAnthropicMessages reads messages that are not in the form that the API sends: one that the SDK has assembled from
// a stream, and two that package json has encoded from the SDK's type, which has the fields of all kinds of blocks.
func TestAnthropicMessages(t *testing.T) {
	var sent, accumulated anthropic.Message
	require.NoError(t, json.Unmarshal(testdata(t, "anthropic.json"), &sent))
	for _, data := range sseData(t, testdata(t, "anthropic.stream")) {
		var event anthropic.MessageStreamEventUnion
		require.NoError(t, json.Unmarshal(data, &event))
		require.NoError(t, accumulated.Accumulate(event))
	}
	for name, message := range map[string]json.RawMessage{
		"encoded":             encode(t, sent),
		"accumulated":         json.RawMessage(accumulated.RawJSON()),
		"accumulated encoded": encode(t, accumulated),
	} {
		t.Run(name, func(t *testing.T) {
			calls, err := provider.Calls(tool.Anthropic, message)
			require.NoError(t, err)
			requireExactCalls(t, named("Anthropic Messages"), calls)
		})
	}
}
