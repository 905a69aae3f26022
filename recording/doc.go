// Package recording records what a call of a tool gets from outside, and replays it: answers of tools that its code
// calls and of servers, the time, random numbers, files and standard input. A replayed call needs neither the project
// nor these tools, and gives the same output, or names the first difference.
//
//	recorder := recording.NewRecorder(w, recording.Header{Tool: call.Tool, Input: string(call.Input)}, nil)
//	env.Files = recorder.Files(env.Files)
//	env.Selection.Network = recorder.Network(env.Selection.Network) // with NetworkOf in the header
//	ctx = runtime.WithSource(ctx, runtime.Source{Tape: recorder})
//	result := tools.Using(recorder.Middleware).Dispatch(ctx, call, env)
//	err := recorder.End(result)
//
// and, with a registry that has the tool that was called,
//
//	recorded, err := recording.Read(r, nil)
//	player := recorded.Player()
//	env.Files = player.Files()
//	env.Selection.Network = player.Network()
//	ctx = runtime.WithSource(ctx, runtime.Source{Tape: player})
//	result := tools.Using(player.Middleware).Dispatch(ctx, recorded.Call(), env)
//	difference := player.End(result)
//
// [Recorder.Middleware] alone records the calls of a whole conversation; package registrytest replaces the tools by
// such a recording.
//
// A recording has everything that the call has read: protect it as you protect the project.
//
// # Format
//
// Each line is a JSON object, whose member k is its kind. The first one is the header, and the last one has the number
// of lines; docs/replay.md has the others. A recording is checked while it is read. Replaying it reads and changes
// nothing, whatever it contains.
//
// # Experimental
//
// For programs that make recordings themselves, as `toolrun call --record` does. The Go API may change with any
// version.
package recording
