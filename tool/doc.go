// Package tool is what the author of a tool imports.
//
//	type city struct {
//		Name string `json:"name" jsonschema:"the city, in English"`
//	}
//
//	weather := tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
//		func(ctx context.Context, in city, env tool.Env) (string, error) {
//			if in.Name == "Atlantis" {
//				return "", tool.Errorf("There is no weather in %s. Try a city above the sea.", in.Name)
//			}
//			return "15 °C, light rain", nil
//		})
//
// [Func] makes a tool from a Go function and infers its schema from the input's type. [JSONFunc] makes one from a
// function that takes JSON. Other tools implement [Tool], and optionally [APIOverrider], [SystemPrompter], [Loader],
// [InputChecker], [InputRenderer] or [OutputRenderer]. toolrun.Options.Tools and registry.New take tools; package
// registrytest checks that one behaves as registries and providers expect.
//
// # Calls
//
// A [Call] has been checked before a tool gets it: its input fits the schema of the [Spec]. The [Env] that comes with
// it is everything that the call may touch: the files of one project, the values of the tool's options ([Option]), the
// time that it has, the network, and other tools ([Env.Dispatch]). Tools keep no state of their own.
//
// # Results
//
// Every call has a [Result]. A failure is in it twice: as a text for the model, and as a [Code] and an error for the
// host. Use [Errorf] to tell a model what to do differently. The model reads all other errors as well, as "Tool
// execution failed: TEXT", unless the host hides them: their texts must not contain secrets.
//
// # Limits
//
// A call has 10 seconds, unless [Spec].Timeout gives it another time; then its context ends, and soon after it loses
// its files. A text of more than 32 KiB goes into a file of the project, of which the model gets the beginning and the
// end. Whoever runs the tools can set other limits.
//
// # Concurrency
//
// Calls run at the same time, so the methods of a tool must be safe for concurrent use. A call can use what its [Env]
// has from several goroutines while it runs, and not afterwards.
//
// # What is not isolated
//
// Tools are Go code with the rights of the process. Whoever runs them limits their time and results, and gives them the
// files of one project, but only package runtime isolates code.
package tool
