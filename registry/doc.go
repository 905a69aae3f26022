// Package registry holds the tools that models can call, and runs their calls.
//
//	tools, err := registry.New(weather)
//	...
//	call := tool.Call{ID: "call_1", Tool: "weather", Input: json.RawMessage(`{"name": "Oslo"}`)}
//	result := tools.Dispatch(ctx, call, registry.Env{})
//	fmt.Println(result.Text()) // 15 °C, light rain
//
// Package tool is what the authors of tools import, and package provider translates calls and results for the APIs of
// model providers. [New] returns an error that names a malformed tool.
//
// # Calls
//
// A [Registry] is immutable and holds no state. An [Env] comes with each call and says which tools are enabled,
// their options, what they may use, and whose files they work on. [Registry.Dispatch] runs a call in these steps:
//
//  1. It looks the tool up. A tool that does not exist, is not enabled, is not for this [tool.Mode], or lacks the
//     project that it needs is "Unknown tool: NAME".
//  2. It merges the tool's options with their defaults.
//  3. It decodes the input and coerces values whose meaning is clear: "3" for an integer, a scalar for an array
//     of one, an object encoded as text, null for an optional argument. Numbers keep all their digits. It
//     refuses numbers with more than a thousand digits or an exponent beyond 400, objects with repeated names,
//     and more than 100,000 values in arguments that need coercion or explanation.
//  4. It asks the tool's [tool.InputChecker], and validates the input against the schema. The model learns of all
//     problems at once.
//  5. It checks that every [tool.Capability] that the tool requires has been granted, and asks a person if a rule of
//     [Selection].Ask is for the call.
//  6. It lets the tool load what it needs ([tool.Loader]). Then it executes the tool within its time, retries after
//     errors marked as [tool.Retryable], and recovers from panics. A tool that does not stop when it must is left
//     behind, without its files.
//  7. It limits the result. A long text goes into a file of the project, under [OutputDir]; the model gets its
//     beginning, its end and the file's name.
//
// A [State] says where a call stands. [Middleware] sees every call, and its states with [Env.Watch]; package observe
// has middleware that logs, traces and records. [Registry.DispatchAll] runs the calls of one turn.
//
// A tool can call others with [tool.Env.Dispatch], with the same Env as its own call. Middleware sees these calls too;
// each has its own id and that of its Parent. They end at the latest when the call that made them ends.
//
// # Selections
//
// A [Selection] decides which tools are enabled. An explicit choice in it comes first, then the stored [Settings],
// then the tool's [tool.Spec], which enables the tool by default. Definitions and system prompts contain enabled tools
// only, and nothing that is meant for people. Settings keep their choices about unknown tools.
//
// # Approvals
//
// [Selection].Ask names the tools whose calls a person must approve, and [Env].Approve asks. If it decides
// [Decision].Later, or is nil, [Env].Waiting keeps the call, with the code that makes it, until there is a decision;
// package waiting has such a [Keeper]. Without one, the call is not made.
//
// # Limits
//
// [Limits] bound the time, the input and the result of each call; zero means the default. Inputs can be nested 128
// levels deep, and calls of tools by tools [MaxNesting]. How many calls run at once is up to the caller.
//
// # Errors
//
// A call that fails is a result: its text tells the model what to do, [tool.Result].Code says which kind of failure it
// is, and Err has the cause for the host, such as a [*PanicError] or [ErrAbandoned]. A [*ToolError] or an
// [*UnknownRuleError] is a mistake of the program that assembles tools and selections.
//
// # What is not isolated
//
// Tools are Go code with the rights of the process. A tool that is left behind goes on using a processor.
package registry
