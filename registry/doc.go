// Package registry has the tools that models can call, and does their calls.
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
// Package provider makes a provider's definitions of the tools, calls of a model's messages, and messages of results.
//
// # Tools
//
// [Func] makes a tool of a function, with its schema made of the input's type; [ToolFunc] of one that takes JSON. Other tools
// implement [Tool], and perhaps [APIOverrider], [SystemPrompter], [InputChecker], [InputRenderer] or [OutputRenderer]. What is
// wrong with a tool is an error of [New] that names it. Package registrytest checks a tool for what a registry and the
// providers want of it.
//
// # Calls
//
// A [Registry] is a value that cannot be changed, and holds no state: what is enabled, how it is set, what it may use and
// whose files it works on comes with each call, in an [Env]. [Registry.Dispatch] does a call in this order:
//
//  1. It looks the tool up. A tool that is not there, not enabled, not for this [Mode] or without the project that it needs
//     is "Unknown tool: NAME".
//  2. It merges the tool's options with their defaults.
//  3. It decodes the input and coerces what clearly means what the schema wants: "3" for an integer, a scalar for an
//     array of one, an object that has been encoded as text, null for what can be left out. Digits of numbers are kept as
//     they are. It refuses numbers with more than a thousand digits or an exponent beyond 400, objects that have a name twice,
//     and more than 100,000 values in arguments that are not valid as they are.
//  4. It asks the tool ([InputChecker]), and validates the input against the schema; all that is wrong is told at once.
//  5. It checks that every [Capability] that the tool requires has been granted.
//  6. It executes the tool within its time, again after errors that are marked as [Retryable], and recovers from panics. A
//     tool that goes on when it must stop is left behind, without its files.
//  7. It limits the result: a long text goes into a file of the project, under [OutputDir], and the model gets its beginning and
//     end and the file's name.
//
// [Middleware] sees every call; package observe has some that log, trace and record. [Registry.DispatchAll] does the calls of
// one turn.
//
// # Calls that tools make
//
// A tool can call others while it is executed, by [Env.Dispatch], with what its own call was made with. Middleware sees such
// calls too, each with an id of its own and that of its [Call.Parent]. They end when the call ends that has made them. [Offer] and
// [Env.Tools] tell a tool what there is.
//
// # Results
//
// There is a [Result] for every call. What went wrong is in it twice: as a text for the model, and as a [Code] and an error
// for the host. Tools tell a model what to do differently by [Errorf]; other errors and panics are "Tool execution failed".
//
// # Selections
//
// A [Selection] says which tools are enabled: those that it switches on explicitly, else those that the stored [Settings]
// have chosen, else what the tool's [Spec] says, which is on unless it says otherwise. Definitions and system prompts are made of
// enabled tools only, and of nothing that is for people. Settings keep what they say about tools that are not there.
//
// # What is not isolated
//
// Tools are Go code with the rights of the process. The registry limits their time and what they return, and hands them the
// files of one project, but only package runtime isolates code. A tool that is left behind goes on using a processor.
package registry
