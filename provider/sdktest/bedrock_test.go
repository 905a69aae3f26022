package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/stretchr/testify/require"
)

// bedrockClient has more to do than the others, because the SDK's types have no JSON form: it converts what package
// provider emits to these types field by field, and responses back to JSON.
type bedrockClient struct {
	client   *bedrockruntime.Client
	tools    *types.ToolConfiguration
	messages []types.Message
}

func newBedrock(_ *testing.T, url string) client {
	return &bedrockClient{client: bedrockruntime.New(bedrockruntime.Options{
		BaseEndpoint: &url,
		Region:       "us-east-1",
		Retryer:      aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
		}),
	})}
}

func (c *bedrockClient) define(definitions json.RawMessage) error {
	// Package json finds the SDK's fields by their names, ignoring case. A field here hides the SDK's field of the same
	// name if that is a union.
	var list []struct {
		ToolSpec struct {
			types.ToolSpecification
			InputSchema struct{ JSON any }
		}
	}
	if err := strictly(definitions, &list); err != nil {
		return err
	}
	c.tools = &types.ToolConfiguration{}
	for _, tool := range list {
		spec := tool.ToolSpec.ToolSpecification
		spec.InputSchema = &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(
			tool.ToolSpec.InputSchema.JSON)}
		c.tools.Tools = append(c.tools.Tools, &types.ToolMemberToolSpec{Value: spec})
	}
	return nil
}

func (c *bedrockClient) say(messages json.RawMessage) error {
	var list []struct {
		types.Message
		Content []struct {
			Text       *string
			ToolResult *bedrockResult
		}
	}
	if err := strictly(messages, &list); err != nil {
		return err
	}
	for _, m := range list {
		message := m.Message
		for _, block := range m.Content {
			if block.Text != nil {
				message.Content = append(message.Content, &types.ContentBlockMemberText{Value: *block.Text})
			}
			if block.ToolResult != nil {
				message.Content = append(message.Content,
					&types.ContentBlockMemberToolResult{Value: block.ToolResult.block()})
			}
		}
		c.messages = append(c.messages, message)
	}
	return nil
}

type bedrockResult struct {
	types.ToolResultBlock
	Content []struct {
		Text  *string
		Image *struct {
			types.ImageBlock
			Source struct{ Bytes []byte }
		}
		Document *struct {
			types.DocumentBlock
			Source struct{ Bytes []byte }
		}
	}
}

func (r *bedrockResult) block() types.ToolResultBlock {
	result := r.ToolResultBlock
	for _, content := range r.Content {
		if content.Text != nil {
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberText{Value: *content.Text})
		}
		if content.Image != nil {
			image := content.Image.ImageBlock
			image.Source = &types.ImageSourceMemberBytes{Value: content.Image.Source.Bytes}
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberImage{Value: image})
		}
		if content.Document != nil {
			document := content.Document.DocumentBlock
			document.Source = &types.DocumentSourceMemberBytes{Value: content.Document.Source.Bytes}
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberDocument{Value: document})
		}
	}
	return result
}

func (c *bedrockClient) send(ctx context.Context) (json.RawMessage, error) {
	output, err := c.client.Converse(ctx, &bedrockruntime.ConverseInput{
		ModelId: aws.String("test"), Messages: c.messages, ToolConfig: c.tools,
	})
	if err != nil {
		return nil, err
	}
	message := output.Output.(*types.ConverseOutputMemberMessage).Value
	c.messages = append(c.messages, message)
	content := []any{}
	for _, block := range message.Content {
		switch block := block.(type) {
		case *types.ContentBlockMemberText:
			content = append(content, map[string]any{"text": block.Value})
		case *types.ContentBlockMemberToolUse:
			input, err := block.Value.Input.MarshalSmithyDocument()
			if err != nil {
				return nil, err
			}
			content = append(content, map[string]any{"toolUse": map[string]any{
				"toolUseId": block.Value.ToolUseId, "name": block.Value.Name, "input": json.RawMessage(input),
			}})
		default:
			return nil, fmt.Errorf("a content block of type %T", block)
		}
	}
	return json.Marshal(map[string]any{"message": map[string]any{"role": message.Role, "content": content}})
}

func (c *bedrockClient) stream(ctx context.Context) ([]json.RawMessage, error) {
	output, err := c.client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
		ModelId: aws.String("test"), Messages: c.messages, ToolConfig: c.tools,
	})
	if err != nil {
		return nil, err
	}
	stream := output.GetStream()
	defer stream.Close()
	var events []json.RawMessage
	for event := range stream.Events() {
		data, err := json.Marshal(bedrockEvent(event))
		if err != nil {
			return nil, err
		}
		events = append(events, data)
	}
	return events, stream.Err()
}

// bedrockEvent returns an event as an object with its name, the form in the API's documentation.
func bedrockEvent(event types.ConverseStreamOutput) map[string]any {
	switch event := event.(type) {
	case *types.ConverseStreamOutputMemberContentBlockStart:
		value := map[string]any{"contentBlockIndex": event.Value.ContentBlockIndex}
		if start, ok := event.Value.Start.(*types.ContentBlockStartMemberToolUse); ok {
			value["start"] = map[string]any{"toolUse": map[string]any{"toolUseId": start.Value.ToolUseId,
				"name": start.Value.Name}}
		}
		return map[string]any{"contentBlockStart": value}
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		value := map[string]any{"contentBlockIndex": event.Value.ContentBlockIndex}
		switch delta := event.Value.Delta.(type) {
		case *types.ContentBlockDeltaMemberToolUse:
			value["delta"] = map[string]any{"toolUse": map[string]any{"input": delta.Value.Input}}
		case *types.ContentBlockDeltaMemberText:
			value["delta"] = map[string]any{"text": delta.Value}
		}
		return map[string]any{"contentBlockDelta": value}
	case *types.ConverseStreamOutputMemberContentBlockStop:
		return map[string]any{"contentBlockStop": map[string]any{"contentBlockIndex": event.Value.ContentBlockIndex}}
	case *types.ConverseStreamOutputMemberMessageStart:
		return map[string]any{"messageStart": map[string]any{"role": event.Value.Role}}
	case *types.ConverseStreamOutputMemberMessageStop:
		return map[string]any{"messageStop": map[string]any{"stopReason": event.Value.StopReason}}
	}
	return map[string]any{}
}

// encodeEvents encodes a stream from a file whose lines consist of an event's name and its payload.
func encodeEvents(t *testing.T, file []byte) []byte {
	t.Helper()
	var body bytes.Buffer
	encoder := eventstream.NewEncoder()
	for line := range bytes.Lines(file) {
		name, payload, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		require.True(t, ok)
		message := eventstream.Message{Payload: payload}
		message.Headers.Set(":message-type", eventstream.StringValue("event"))
		message.Headers.Set(":event-type", eventstream.StringValue(string(name)))
		message.Headers.Set(":content-type", eventstream.StringValue("application/json"))
		require.NoError(t, encoder.Encode(&body, message))
	}
	return body.Bytes()
}

// eventPayloads returns the payloads of the events in the body of a stream.
func eventPayloads(t *testing.T, body []byte) []json.RawMessage {
	t.Helper()
	var payloads []json.RawMessage
	decoder := eventstream.NewDecoder()
	for reader := bytes.NewReader(body); ; {
		message, err := decoder.Decode(reader, nil)
		if err == io.EOF {
			return payloads
		}
		require.NoError(t, err)
		payloads = append(payloads, message.Payload)
	}
}
