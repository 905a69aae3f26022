package module

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// caller makes the module's calls of tools, or is nil if it may make none.
func (t *moduleTool) caller(calls *code.ToolCalls) command.Caller {
	granted := t.installed.Grants.Tools
	if len(granted) == 0 || !calls.Env.Options.Bool(OptionToolCalls) {
		return nil
	}
	tools := sync.OnceValue(calls.Env.Tools)
	return func(ctx context.Context, name string, input []byte) ([]byte, error) {
		if !slices.Contains(granted, name) {
			return nil, fmt.Errorf("the tool %.100q cannot be called: it has not been granted", name)
		}
		definition := &tool.Definition{Name: name} // for one that cannot be called, the registry will say why
		for _, d := range tools() {
			if d.Name == name {
				definition = d
			}
		}
		value, err := calls.Call(ctx, definition, input)
		if err != nil {
			return nil, err
		}
		if data, ok := value.(json.RawMessage); ok {
			return data, nil
		}
		return []byte(value.(string)), nil
	}
}
