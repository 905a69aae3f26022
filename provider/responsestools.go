package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/tool"
)

// The Responses API defines some tools itself. An item that calls one stands for calls of a tool of this name, and the
// calls' Item says how they are answered.
//
// https://platform.openai.com/docs/guides/tools-apply-patch, .../tools-shell and .../tools-local-shell
const (
	applyPatch     = "apply_patch"
	applyPatchCall = "apply_patch_call"
	bash           = "bash"
	shellCall      = "shell_call"
	localShellCall = "local_shell_call"
)

// itemFields are the members of an output item that matter for calls.
var itemFields = []string{"type", "call_id", "name", "arguments", "operation", "action", "environment", "status",
	"content"}

// nativeCalls returns the calls that an item stands for, or nil if it is not a call of a tool that the API defines, or
// one that the API makes itself. There is at least one, also while the item is incomplete.
func nativeCalls(item fields) ([]tool.Call, error) {
	call := tool.Call{ID: item.text("call_id"), Tool: bash}
	switch item.text("type") {
	case applyPatchCall:
		call.Tool, call.Item, call.Input = applyPatch, applyPatchCall, patchInput(item["operation"])
	case localShellCall:
		f := fieldsOf(item["action"], "command", "env", "working_directory", "timeout_ms")
		call.Item, call.Input = localShellCall, scriptInput(program(f), f["timeout_ms"])
	case shellCall:
		if fieldsOf(item["environment"], "type").text("type") == "container_reference" {
			return nil, nil
		}
		return shellCalls(call, fieldsOf(item["action"], "commands", "timeout_ms", "max_output_length"))
	default:
		return nil, nil
	}
	return []tool.Call{call}, nil
}

// maxShellID limits the id of a call with several commands, in bytes: each of them has it.
const maxShellID = 1000

// shellCalls returns a call for each command of an action. The ids of all but the first end in their numbers. Their
// Item is the item's type, then the limit of the output, if there is one, which the answer repeats, and the number.
func shellCalls(call tool.Call, action fields) (calls []tool.Call, err error) {
	call.Item = shellCall
	if _, err := strconv.ParseUint(string(action["max_output_length"]), 10, 63); err == nil {
		call.Item += " " + string(action["max_output_length"])
	}
	first := call
	err = each(action["commands"], func(command json.RawMessage) error {
		if n := numbered(len(calls)); n != "" {
			call.ID, call.Item = first.ID+n, first.Item+" "+n
		}
		if len(calls) > 0 && len(first.ID) > maxShellID || len(calls) == maxCalls {
			return fmt.Errorf("a call has more than %d commands, or an id of more than %d bytes", maxCalls, maxShellID)
		}
		call.Input = scriptInput(textOf(command), action["timeout_ms"])
		calls = append(calls, call)
		return nil
	})
	if calls == nil {
		first.Input = json.RawMessage("{}")
		calls = []tool.Call{first}
	}
	return calls, err
}

// numbered tells the parts of one item apart: it is empty for the first one.
func numbered(i int) string {
	if i == 0 {
		return ""
	}
	return "#" + strconv.Itoa(i+1)
}

// scriptInput returns the input of a call that runs a script. The time can be missing.
func scriptInput(script string, milliseconds json.RawMessage) json.RawMessage {
	input := map[string]any{"command": script}
	if c := first(milliseconds); c >= '0' && c <= '9' {
		input["timeout_ms"] = milliseconds
	}
	data, _ := jsontree.Marshal(input) // a string, and a valid number
	return data
}

// program returns a script that runs a program with its arguments, in a directory and with variables of its own. It is
// empty if there is none.
func program(action fields) string {
	var words []string
	_ = each(action["command"], func(word json.RawMessage) error {
		words = append(words, quoted(textOf(word)))
		return nil
	})
	if len(words) == 0 {
		return ""
	}
	var environment []string
	if dir := action.text("working_directory"); dir != "" {
		environment = append(environment, "-C", quoted(dir))
	}
	environment = append(environment, "--")
	var variables map[string]string
	_ = json.Unmarshal(action["env"], &variables) // what is no text is left out
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		environment = append(environment, quoted(name+"="+variables[name]))
	}
	if len(environment) > 1 {
		words = slices.Concat([]string{"env"}, environment, words)
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a script has it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// patchInput returns the input of a call that has an operation: the patch that it stands for.
func patchInput(operation json.RawMessage) json.RawMessage {
	f := fieldsOf(operation, "type", "path", "diff")
	kind := f.text("type")
	for _, k := range [][2]string{{"create_file", "Add"}, {"update_file", "Update"}, {"delete_file", "Delete"}} {
		if kind == k[0] {
			kind = k[1]
		}
	}
	const end = "*** End Patch"
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** " + oneLine.Replace(kind) + " File: " + oneLine.Replace(f.text("path")) + "\n")
	diff := strings.TrimSuffix(f.text("diff"), "\n")
	if inside, ended := strings.CutSuffix(diff, "\n"+end); ended {
		diff = inside
	}
	if diff != "" {
		b.WriteString(diff + "\n")
	}
	b.WriteString(end)
	input, _ := jsontree.Marshal(map[string]string{"input": b.String()}) // a string can be encoded
	return input
}

// oneLine keeps a path from being more than a path.
var oneLine = strings.NewReplacer("\n", "\uFFFD", "\r", "\uFFFD")

// An itemOutput answers a call of apply_patch or local_shell. Unlike others, that of a patch says whether it failed.
// OpenAI's guide identifies a call of local_shell by call_id, and the types of its SDKs by id, so it has both.
type itemOutput struct {
	Type   string `json:"type"`
	ID     string `json:"id,omitempty"`
	CallID string `json:"call_id"`
	Status string `json:"status,omitempty"`
	Output string `json:"output"`
}

// A shellOutput answers a call of the tool shell, with an output for each of its commands.
type shellOutput struct {
	Type            string          `json:"type"`
	CallID          string          `json:"call_id"`
	MaxOutputLength json.RawMessage `json:"max_output_length,omitempty"`
	Output          []commandOutput `json:"output"`
}

type commandOutput struct {
	Stdout  string         `json:"stdout"`
	Stderr  string         `json:"stderr"`
	Outcome commandOutcome `json:"outcome"`
}

type commandOutcome struct {
	Type     string `json:"type"`
	ExitCode *int   `json:"exit_code,omitempty"`
}

// nativeAnswer returns the item that answers a call of a tool that the API defines, and false for other calls. Results
// of commands of one item have one answer: it is nil for all but the first, and shells has those of before.
func nativeAnswer(r tool.Result, shells map[string]*shellOutput) (answer any, native bool) {
	kind, about, _ := strings.Cut(r.Item, " ")
	switch kind {
	case applyPatchCall:
		output := &itemOutput{applyPatchCall + "_output", "", r.CallID, "completed", piecesOf(r, nil)[0].text}
		if r.IsError() {
			output.Status = "failed"
		}
		return output, true
	case localShellCall:
		return &itemOutput{localShellCall + "_output", r.CallID, r.CallID, "", piecesOf(r, nil)[0].text}, true
	case shellCall:
		limit, number, _ := strings.Cut(about, "#")
		id := r.CallID
		if number != "" {
			id = strings.TrimSuffix(id, "#"+number)
		}
		output := shells[id]
		if output == nil {
			output = &shellOutput{Type: shellCall + "_output", CallID: id,
				MaxOutputLength: json.RawMessage(strings.TrimSpace(limit))}
			shells[id], answer = output, output
		}
		output.Output = append(output.Output, commandOutputOf(r))
		return answer, true
	}
	return nil, false
}

// commandOutputOf returns the result of a call of the tool bash as the output of a command. The tool's data tells what
// it has printed where. If that was too much for it, all is in stdout, as models of other APIs read it.
func commandOutputOf(r tool.Result) commandOutput {
	var data struct {
		Console []struct {
			Level, Text string
			Unfinished  bool
		}
		Status         int
		Error          struct{ Message string }
		TruncatedBytes int64
	}
	raw, _ := r.Data.(json.RawMessage)
	var out, errs strings.Builder
	note := func(text string) {
		if errs.Len() > 0 && !strings.HasSuffix(errs.String(), "\n") && text != "" {
			errs.WriteByte('\n')
		}
		errs.WriteString(text)
	}
	status := 0
	if json.Unmarshal(raw, &data) == nil && data.Console != nil && r.InFile == "" {
		for _, line := range data.Console {
			to := &errs
			if line.Level == "LOG" {
				to = &out
			}
			to.WriteString(line.Text)
			if !line.Unfinished {
				to.WriteByte('\n')
			}
		}
		note(data.Error.Message)
		if data.TruncatedBytes > 0 {
			note(fmt.Sprintf("[output limit reached: %d more bytes were cut off]", data.TruncatedBytes))
		}
		if more := r.Content[min(1, len(r.Content)):]; len(more) > 0 {
			note(piecesOf(tool.Result{Content: more}, nil)[0].text)
		}
		status = data.Status
	} else if text := piecesOf(r, nil)[0].text; r.IsError() {
		note(text)
	} else {
		out.WriteString(text)
		if found := exitStatus().FindAllStringSubmatch(text, -1); found != nil {
			status, _ = strconv.Atoi(found[len(found)-1][1])
		}
	}
	if r.IsError() && status == 0 {
		status = 1
	}
	output := commandOutput{out.String(), errs.String(), commandOutcome{"exit", &status}}
	if r.Code == tool.CodeTimeout {
		output.Outcome = commandOutcome{Type: "timeout"}
	}
	return output
}

// exitStatus is the line in a text that has a status other than 0.
var exitStatus = lazyregexp.New(`(?m)^\[exit status (\d{1,3})\]$`)
