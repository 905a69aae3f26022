package provider

import (
	"encoding/json"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// agents is the API of Anthropic's managed agents. Its messages are events of a session.
//
// https://platform.claude.com/docs/en/managed-agents/tools
type agents struct{}

func (agents) rules(bool) *rules { return claudeRules }

func (agents) definition(t *described) *node {
	n := jsontree.NewObject(pair("type", jsontree.NewString("custom")), pair("name", jsontree.NewString(t.Name)))
	describe(n, t.description)
	n.Set("input_schema", t.schema)
	return n
}

// arrange puts the tools that the API defines itself into its toolset, and switches the others of that off.
func (agents) arrange(elements []element) []element {
	var toolset, custom []element
	for _, e := range elements {
		if e.override {
			toolset = append(toolset, e)
		} else {
			custom = append(custom, e)
		}
	}
	if len(toolset) == 0 {
		return custom
	}
	head := `{"type":"agent_toolset_20260401","default_config":{"enabled":false},"configs":`
	return append([]element{{json: append(append(json.RawMessage(head), join(toolset)...), '}')}}, custom...)
}

// calls reads an event, a list of events, or a page of them.
func (a agents) calls(data []byte, into *callList) error {
	if f := fieldsOf(data, "type", "data", "events"); first(data) == '{' && f.text("type") == "" {
		switch {
		case first(f["data"]) == '[':
			data = f["data"]
		case first(f["events"]) == '[':
			data = f["events"]
		default:
			return expected("events of a session", data)
		}
	}
	var p pendingCalls
	var err error
	if first(data) == '[' {
		err = each(data, func(event json.RawMessage) error { return a.event(event, &p) })
	} else {
		err = a.event(data, &p)
	}
	if err != nil {
		return err
	}
	calls, err := p.calls()
	into.calls = append(into.calls, calls...)
	into.merge(p.ending)
	return err
}

// agentToolUse is the event of a call of a tool of the toolset.
const agentToolUse = "agent.tool_use"

// event processes an event. What is not to be made, or not yet, is left out: a call that has a result, one that the API
// has denied, and one that waits for a confirmation.
func (agents) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "type", "id", "name", "input", "evaluated_permission", "tool_use_id", "custom_tool_use_id",
		"result", "error")
	if f == nil {
		return expected("an event", data)
	}
	answered := func(id string) {
		if call := into.byID[id]; call != nil {
			call.answered = true
		}
	}
	switch kind := f.text("type"); kind {
	case agentToolUse, "agent.custom_tool_use":
		id := f.text("id")
		if id != "" && into.byID[id] != nil {
			return nil // events are sent again when a client reconnects
		}
		call, err := into.begin(id, id, f.text("name"), f.input("input"))
		if err != nil {
			return err
		}
		call.done = true
		permission := f.text("evaluated_permission")
		call.leftOut = permission == "ask" || permission == "deny"
		if kind == agentToolUse {
			call.item = agentToolUse
		}
	case "user.tool_confirmation":
		if call := into.byID[f.text("tool_use_id")]; call != nil {
			call.leftOut = f.text("result") != "allow"
		}
	case "agent.tool_result", "user.tool_result":
		answered(f.text("tool_use_id"))
	case "user.custom_tool_result":
		answered(f.text("custom_tool_use_id"))
	case "session.status_idle", "session.status_terminated":
		into.ended = true
	case "session.error":
		if fieldsOf(fieldsOf(f["error"], "retry_status")["retry_status"], "type").text("type") != "retrying" {
			return reported(f["error"])
		}
	}
	return nil
}

// An agentResult answers a call: by the first id one of the toolset, by the second one of another tool.
type agentResult struct {
	Type            string           `json:"type"`
	ToolUseID       string           `json:"tool_use_id,omitempty"`
	CustomToolUseID string           `json:"custom_tool_use_id,omitempty"`
	Content         []anthropicBlock `json:"content"`
	IsError         bool             `json:"is_error,omitempty"`
}

func (agents) say(text string) any {
	return struct {
		Type    string           `json:"type"`
		Content []anthropicBlock `json:"content"`
	}{"user.message", []anthropicBlock{{Type: "text", Text: text}}}
}

func (agents) lacks(r tool.Result) string { return lacksID(r) }

func (agents) results(results []tool.Result) []any {
	events := make([]any, len(results))
	for i, r := range results {
		result := agentResult{Type: "user.custom_tool_result", CustomToolUseID: r.CallID, Content: anthropicBlocks(r),
			IsError: r.IsError()}
		if r.Item == agentToolUse {
			result.Type, result.ToolUseID, result.CustomToolUseID = "user.tool_result", r.CallID, ""
		}
		events[i] = result
	}
	return events
}
