package sdktest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// order is a number that float64 cannot represent exactly.
const order = "9007199254740993"

// newRegistry returns tools whose schemas resemble those of real tools.
func newRegistry(t *testing.T) *registry.Registry {
	t.Helper()
	tools := []tool.Tool{findOrder()}
	for _, spec := range []tool.Spec{
		{
			Name:        "edit_text",
			DisplayName: "Edit a text",
			Description: "Changes a text file. What else is needed depends on the command.",
			Annotations: tool.Annotations{Destructive: true},
			// Alternatives at the root, where most providers refuse them.
			Schema: json.RawMessage(`{
				"type": "object",
				"properties": {"path": {"type": "string", "description": "An absolute path."}},
				"required": ["path"],
				"anyOf": [
					{"properties": {"command": {"const": "insert"}, "line": {"type": "integer", "minimum": 0},
						"text": {"type": "string"}},
						"required": ["command", "line", "text"]},
					{"properties": {"command": {"const": "delete"},
						"lines": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}},
						"required": ["command", "lines"]}
				]
			}`),
		},
		{
			Name:        "draw_line",
			Description: "Draws a line from one point to another.",
			Annotations: tool.Annotations{Idempotent: true},
			Schema: json.RawMessage(`{
				"type": "object",
				"properties": {"from": {"$ref": "#/$defs/point"},
					"to": {"$ref": "#/$defs/point", "description": "Where it ends."}},
				"required": ["from", "to"],
				"additionalProperties": false,
				"$defs": {"point": {"type": "object",
					"properties": {"x": {"type": "number"}, "y": {"type": "number", "maximum": 0.5}},
					"required": ["x", "y"], "additionalProperties": false}}
			}`),
		},
		{
			Name:        "save_outline",
			Description: "Saves an outline, which is a tree.",
			Schema: json.RawMessage(`{
				"type": "object",
				"properties": {"root": {"$ref": "#/$defs/node"}},
				"required": ["root"],
				"$defs": {"node": {"type": "object", "properties": {"title": {"type": "string"},
					"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "required": ["title"]}}
			}`),
		},
		{
			Name:        "remind",
			Description: "Sets a reminder.",
			Annotations: tool.Annotations{OpenWorld: true},
			Schema: json.RawMessage(`{
				"type": "object",
				"properties": {
					"at": {"type": "string", "format": "date-time"},
					"note": {"type": ["string", "null"], "description": "Null means that there is none.",
						"maxLength": 200},
					"repeat": {"type": "string", "enum": ["daily", "weekly"], "default": "daily"}
				},
				"required": ["at"],
				"additionalProperties": false
			}`),
		},
		{
			Name:        "set_labels",
			Description: "Sets labels, by name. Strict mode cannot have this one.",
			Schema: json.RawMessage(`{
				"type": "object",
				"properties": {"labels": {"type": "object", "additionalProperties": {"type": "string"}}, "extra": {}},
				"required": ["labels"]
			}`),
		},
		{
			Name:        "list_zones",
			Description: "Lists all time zones.",
			Annotations: tool.Annotations{ReadOnly: true, Idempotent: true},
		},
	} {
		tools = append(tools, tool.JSONFunc(spec, func(_ context.Context, call tool.Call,
			_ tool.Env) (tool.Result, error) {
			return tool.Text(call.Tool + " got " + string(call.Input)), nil
		}))
	}
	r, err := registry.New(tools...)
	require.NoError(t, err)
	return r
}

// findOrder returns a tool whose result is both text and data.
func findOrder() tool.Tool {
	return tool.JSONFunc(tool.Spec{
		Name:        "find_order",
		DisplayName: "Find an order",
		Description: "Findet eine Bestellung: Größe & Menge <b>genau</b>, \"wie bestellt\".\n注文を探す 📦",
		Annotations: tool.Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true},
		Schema: json.RawMessage(`{
			"type": "object",
			"properties": {
				"order": {"type": "integer", "description": "Die Nummer – 注文番号"},
				"filter": {
					"type": "object",
					"description": "What the order must be like.",
					"properties": {
						"status": {"type": "string", "enum": ["open", "sent", "zurück"]},
						"since": {"type": "string", "format": "date"},
						"customer": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}},
							"required": ["name"], "additionalProperties": false}
					},
					"required": ["status"],
					"additionalProperties": false
				},
				"lines": {
					"type": "array",
					"items": {"type": "object", "properties": {"sku": {"type": "string", "pattern": "^[A-Z]{2}-\\d+$"},
						"amount": {"type": "integer", "minimum": 1}},
						"required": ["sku", "amount"], "additionalProperties": false}
				}
			},
			"required": ["order"],
			"additionalProperties": false
		}`),
		OutputSchema: json.RawMessage(
			`{"type": "object", "properties": {"order": {"type": "integer"}, "status": {"type": "string"}}, ` +
				`"required": ["order", "status"]}`),
	}, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		var in struct {
			Order int64 `json:"order"`
		}
		if err := json.Unmarshal(call.Input, &in); err != nil {
			return tool.Result{}, err
		}
		result := tool.Text(fmt.Sprintf("Order %d is open & größer als <1>.", in.Order))
		result.Data = map[string]any{"order": in.Order, "status": "open"}
		return result, nil
	})
}
