package selftest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// A filter is what tools of databases and of search have: it consists of filters, in one of several ways.
const filter = `{"type":"object","properties":{"filter":{"$ref":"#/$defs/filter"}},"additionalProperties":false,
	"$defs":{"filter":{"anyOf":[
	{"type":"array","items":{"$ref":"#/$defs/filter"}},
	{"type":"array","items":{"$ref":"#/$defs/filter"},"maxItems":3},
	{"type":"object","additionalProperties":{"$ref":"#/$defs/filter"}},
	{"type":"string"}]}}}`

// list is an input like that of most tools.
const list = `{"type":"object","additionalProperties":false,
	"properties":{"list":{"type":"array","items":{"type":"integer"}},"settings":{"type":"object"}}}`

// schemas are attacks by the inputs, results and schemas of tools.
func schemas() []Attack {
	either := []string{answered, refused}
	nested := func(depth int) text {
		return text{head: `{"filter":` + strings.Repeat("[", depth), unit: "1", n: 1,
			tail: strings.Repeat("]", depth) + `}`}
	}
	// An object in a string, which contains an object in a string, and so on: each is twice as long as the one inside.
	encoded := `{"list":[1]}`
	for range 14 {
		quoted, _ := json.Marshal(encoded)
		encoded = `{"settings":` + string(quoted) + `}`
	}
	wide := func(head, unit, tail string) text { return text{head: head, unit: unit, tail: tail}.sized(1 << 20) }
	var all []Attack
	add := func(name, attempt string, prepare preparation) {
		all = append(all, Attack{
			Name: amplification + "-schemas-" + name, Attempt: attempt, Endings: either, Grows: most, prepare: prepare,
		})
	}
	add("filter", "Gives a tool a filter of filters, 1 000 deep.", dispatching(filter, 1, nested(1_000)))
	add("filter-shallow", "Gives a tool a filter of filters, as deep as most tools let in.",
		dispatching(filter, 1, nested(100)))
	add("filter-wide", "Gives a tool a filter of a million filters.",
		dispatching(filter, 1, wide(`{"filter":[`, `[],`, `1]}`)))
	add("filter-at-once", "Gives a tool a filter of filters in eight calls at once.",
		dispatching(filter, 8, nested(1_000)))
	add("explained", "Gives a tool a list in which all is wrong, which must be explained.",
		dispatching(list, 1, wide(`{"list":[`, `"",`, `""]}`)))
	add("names", "Gives a tool hundreds of thousands of arguments that it does not know.",
		dispatching(list, 1, wide(`{"list":[1],`, `"x":{},`, `"y":0}`)))
	add("encoded", "Gives a tool objects that are encoded as texts in one another.",
		dispatching(list, 1, text{head: encoded, unit: " "}))
	add("xml", "Writes a call as XML whose value is a filter of filters.",
		inXML(filter, `<tool:hostile><param:filter>`+strings.Repeat("[", 9_000)+"1"+
			strings.Repeat("]", 9_000)+`</param:filter></tool:hostile>`))
	add("structured", "Returns structured content of millions of empty arrays from a tool.",
		structured(text{head: `{"a":[`, unit: `[],`, tail: `[]]}`}.sized(15<<20)))
	add("references", "Offers a tool whose schema refers to itself again and again in each of a hundred properties.",
		offered(references()))
	return all
}

// references is a short schema that becomes endless if references are replaced.
func references() string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a0"}},"$defs":{`)
	const levels = 60
	for i := range levels {
		fmt.Fprintf(&b, `"a%d":{"type":"object","properties":{`, i)
		for p := range 100 {
			fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/a%d"},`, p, i+1)
		}
		b.WriteString(`"q":{}}},`)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"string"}}}`, levels)
	return b.String()
}

// hostileTool is a registry with one tool that takes what fits a schema.
func hostileTool(schema string) (*registry.Registry, error) {
	spec := tool.Spec{Name: "hostile", Description: "Takes what fits its schema.", Schema: json.RawMessage(schema)}
	return registry.New(tool.JSONFunc(spec,
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text("done"), nil
		}))
}

// slack is how long after its time a call may end: a busy machine can make that of a second.
const slack = 10 * time.Second

// dispatching makes calls with an input, several at once.
func dispatching(schema string, atOnce int, input text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		tools, err := hostileTool(schema)
		if err != nil {
			return nil, nil, err
		}
		call := tool.Call{ID: "1", Tool: "hostile", Input: json.RawMessage(input.String())}
		return inTime(func() string {
			results := make([]tool.Result, atOnce)
			var group sync.WaitGroup
			for i := range results {
				group.Go(func() {
					results[i] = tools.Dispatch(ctx, call, registry.Env{Limits: registry.Limits{Timeout: time.Second}})
				})
			}
			group.Wait()
			return endingOf(results[0])
		}), func() {}, nil
	}
}

// inTime fails if do takes far more than its second.
func inTime(do func() string) func() (string, error) {
	return func() (string, error) {
		began := time.Now()
		ending := do()
		if took := time.Since(began); took > time.Second+slack {
			return ending, fmt.Errorf("it took %v", took.Round(time.Millisecond))
		}
		return ending, nil
	}
}

func endingOf(result tool.Result) string {
	if result.IsError() {
		return refused
	}
	return answered
}

// inXML runs the calls in a model's text.
func inXML(schema, answer string) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		tools, err := hostileTool(schema)
		if err != nil {
			return nil, nil, err
		}
		definitions, err := tools.Definitions(tool.XML, registry.Selection{})
		if err != nil {
			return nil, nil, err
		}
		return inTime(func() string {
			calls := xmlcall.Calls(definitions, answer)
			results := xmlcall.Dispatch(ctx, tools, calls, registry.Env{Limits: registry.Limits{Timeout: time.Second}})
			_ = xmlcall.Results(results)
			return endingOf(results[0])
		}), func() {}, nil
	}
}

// structured calls a tool that returns data, and renders the result for an MCP client.
func structured(data text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		encoded := json.RawMessage(data.String())
		tools, err := registry.New(tool.JSONFunc(tool.Spec{Name: "hostile", Description: "Returns much."},
			func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
				return tool.Result{Data: encoded}, nil
			}))
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			result := tools.Dispatch(ctx, tool.Call{ID: "1", Tool: "hostile"}, registry.Env{})
			if _, err := provider.Results(tool.MCP, []tool.Result{result}); err != nil {
				return "", err
			}
			return endingOf(result), nil
		}
		return attack, func() {}, nil
	}
}

// offered makes the definitions of a tool for all providers.
func offered(schema string) func(ctx context.Context) (func() (string, error), func(), error) {
	return func(context.Context) (func() (string, error), func(), error) {
		attack := func() (string, error) {
			tools, err := hostileTool(schema)
			if err != nil {
				return refused, nil
			}
			for _, api := range provider.APIs() {
				for _, strict := range []bool{false, true} {
					options := &provider.Options{Strict: strict}
					if _, err := provider.Definitions(tools, api, registry.Selection{}, options); err != nil {
						return refused, nil
					}
				}
			}
			definitions, err := tools.Definitions(tool.XML, registry.Selection{})
			if err != nil {
				return refused, nil
			}
			_ = xmlcall.Prompt(definitions, nil)
			return answered, nil
		}
		return attack, func() {}, nil
	}
}
