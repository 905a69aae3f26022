package xmlcall_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func Example() {
	type numbers struct {
		Numbers []float64 `json:"numbers"`
	}
	add := tool.Func(tool.Spec{Name: "add", Description: "Adds numbers."},
		func(_ context.Context, in numbers, _ tool.Env) (string, error) {
			sum := 0.0
			for _, n := range in.Numbers {
				sum += n
			}
			return fmt.Sprint(sum), nil
		})
	tools, err := registry.New(add)
	if err != nil {
		log.Fatal(err)
	}
	definitions, err := tools.Definitions(tool.XML, registry.Selection{})
	if err != nil {
		log.Fatal(err)
	}
	_ = xmlcall.Prompt(definitions, nil) // goes into the system prompt

	const answer = `I add them.
<tool:add>
<param:number>1.5</param:number>
<param:number>2</param:number>
</tool:add>
<tool:add>
<param:numbers>three</param:numbers>
</tool:add>`
	calls := xmlcall.Calls(definitions, answer)
	fmt.Printf("%s\n", calls[0].Input)
	results := xmlcall.Dispatch(context.Background(), tools, calls, registry.Env{})
	fmt.Println(xmlcall.Results(results))
	// Output:
	// {"numbers":[1.5,2]}
	// <tool_result call="1" tool="add">
	// 3.5
	// </tool_result>
	// <tool_result call="2" tool="add" status="error">
	// Failed to parse 'three' as number for parameter 'numbers'
	// </tool_result>
}
