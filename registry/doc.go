// Package registry holds the tools that models can call, and runs their calls.
//
//	type city struct {
//		Name string `json:"name" jsonschema:"the city, in English"`
//	}
//
//	weather := registry.Func(registry.Spec{Name: "weather", Description: "Tells the weather of a city."},
//		func(ctx context.Context, in city, env registry.Env) (string, error) {
//			if in.Name == "Atlantis" {
//				return "", registry.Errorf("There is no weather in %s. Try a city above the sea.", in.Name)
//			}
//			return "15 °C, light rain", nil
//		})
//
//	tools, err := registry.New(weather)
//	...
//	call := registry.Call{ID: "call_1", Tool: "weather", Input: json.RawMessage(`{"name": "Oslo"}`)}
//	result := tools.Dispatch(ctx, call, registry.Env{})
//	fmt.Println(result.Text()) // 15 °C, light rain
//
// Package provider translates between this package and the APIs of model providers.
//
// # Tools
//
// [Func] makes a tool from a Go function and infers its schema from the input's type. [ToolFunc] makes one from a
// function that takes JSON. Other tools implement [Tool], and optionally [APIOverrider], [SystemPrompter],
// [Loader], [InputChecker], [InputRenderer] or [OutputRenderer]. [New] returns an error that names a malformed tool.
// Package registrytest checks that a tool behaves as registries and providers expect.
//
// # Calls
//
// A [Registry] is immutable and holds no state. An [Env] comes with each call and says which tools are enabled,
// their options, what they may use, and whose files they work on. [Registry.Dispatch] runs a call in these steps:
//
//  1. It looks the tool up. A tool that does not exist, is not enabled, is not for this [Mode], or lacks the
//     project that it needs is "Unknown tool: NAME".
//  2. It merges the tool's options with their defaults.
//  3. It decodes the input and coerces values whose meaning is clear: "3" for an integer, a scalar for an array
//     of one, an object encoded as text, null for an optional argument. Numbers keep all their digits. It
//     refuses numbers with more than a thousand digits or an exponent beyond 400, objects with repeated names,
//     and more than 100,000 values in arguments that need coercion or explanation.
//  4. It asks the tool's [InputChecker], and validates the input against the schema. The model learns of all
//     problems at once.
//  5. It checks that every [Capability] that the tool requires has been granted.
//  6. It lets the tool load what it needs ([Loader]). Then it executes the tool within its time, retries after
//     errors marked as [Retryable], and recovers from panics. A tool that does not stop when it must is left behind,
//     without its files.
//  7. It limits the result. A long text goes into a file of the project, under [OutputDir]; the model gets its
//     beginning, its end and the file's name.
//
// [Middleware] sees every call; package observe has middleware that logs, traces and records.
// [Registry.DispatchAll] runs the calls of one turn.
//
// # Calls that tools make
//
// A tool can call others with [Env.Dispatch], with the same Env as its own call. Middleware sees these calls too;
// each has its own id and that of its [Call.Parent]. They end at the latest when the call that made them ends.
// [Offer] and [Env.Tools] tell a tool which tools it can call.
//
// # Results
//
// Every call has a [Result]. A failure is in it twice: as a text for the model, and as a [Code] and an error for
// the host. Tools use [Errorf] to tell a model what to do differently. The model reads all other errors as well, as
// "Tool execution failed: TEXT", so their texts must not contain secrets. With [Env].HideErrors it gets an id instead,
// and the host's log has the text.
//
// # Selections
//
// A [Selection] decides which tools are enabled. An explicit choice in it comes first, then the stored [Settings],
// then the tool's [Spec], which enables the tool by default. Definitions and system prompts contain enabled tools
// only, and nothing that is meant for people. Settings keep their choices about unknown tools.
//
// # What is not isolated
//
// Tools are Go code with the rights of the process. The registry limits their time and results, and gives them the
// files of one project, but only package runtime isolates code. A tool that is left behind goes on using a
// processor.
package registry
