// Package recording writes down what a call of a tool gets from outside, and plays it back: answers of tools that its
// code calls and of servers, the time, random numbers, files and standard input. A call that is played back needs
// neither the project nor these tools, and gives the same output; or the first difference has a name.
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
// [Recorder.Middleware] alone records the calls of a whole conversation, and package registrytest puts such a recording
// in the place of the tools.
//
// A recording has everything that the call has read: keep it as you keep the project.
//
// # Format
//
// Each line is a JSON object, whose member k says what it is. The first one is the header, the last one says how many
// there are. docs/replay.md has the others. A recording is checked while it is read; whatever it says, playing it back
// reads and changes nothing.
package recording
