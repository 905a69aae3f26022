package sdktest

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genai"
)

// geminiClient returns responses as the SDK's types represent them. Large numbers lose their last digits, because the
// SDK decodes all responses into map[string]any and does not keep the body. Hosts that need the digits read bodies with
// an HTTP client of their own (ClientConfig.HTTPClient). The model's message that the SDK sends back has lost the
// digits, too.
type geminiClient struct {
	client   *genai.Client
	config   genai.GenerateContentConfig
	contents []*genai.Content
}

func newGemini(t *testing.T, url string) client {
	return newGenAI(t, genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: "none", HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
}

// newVertex uses the other API that the SDK supports. The SDK converts its requests differently.
func newVertex(t *testing.T, url string) client {
	return newGenAI(t, genai.ClientConfig{
		Backend: genai.BackendVertexAI, Project: "p", Location: "l",
		// With a custom client no credentials are needed.
		HTTPClient: &http.Client{}, HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
}

func newGenAI(t *testing.T, config genai.ClientConfig) client {
	t.Helper()
	c, err := genai.NewClient(t.Context(), &config)
	require.NoError(t, err)
	return &geminiClient{client: c}
}

func (c *geminiClient) define(definitions json.RawMessage) error {
	return strictly(definitions, &c.config.Tools)
}

func (c *geminiClient) say(messages json.RawMessage) error {
	var list []*genai.Content
	if err := strictly(messages, &list); err != nil {
		return err
	}
	c.contents = append(c.contents, list...)
	return nil
}

func (c *geminiClient) send(ctx context.Context) (json.RawMessage, error) {
	response, err := c.client.Models.GenerateContent(ctx, "test", c.contents, &c.config)
	if err != nil {
		return nil, err
	}
	c.contents = append(c.contents, response.Candidates[0].Content)
	return json.Marshal(response)
}

func (c *geminiClient) stream(ctx context.Context) ([]json.RawMessage, error) {
	var events []json.RawMessage
	for response, err := range c.client.Models.GenerateContentStream(ctx, "test", c.contents, &c.config) {
		if err != nil {
			return nil, err
		}
		event, err := json.Marshal(response)
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}
