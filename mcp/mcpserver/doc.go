// Package mcpserver serves the tools of a registry, and the files of a project, to clients of the Model Context Protocol.
//
//	server, err := mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{Project: "notes", Files: project}), nil)
//	...
//	err = server.ServeStdio(ctx, os.Stdin, os.Stdout)
//
// A [Handler] serves over HTTP, to any number of clients, each with the [Server] that the host finds for it:
//
//	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
//	err = http.ListenAndServe("localhost:8080", handler)
//
// # What clients get
//
// Tools are those that the selection enables, with their titles, hints and schemas. A call goes through
// [registry.Registry.Dispatch], so that everything that holds for other calls holds for these: what a model should know is in a
// result that has isError set, and only calls of tools that are not there are errors of the protocol. A client that gives a
// progress token is told of the call's progress, one that has set a level gets a record of each call as it begins and ends, and
// what the tool logs in between by the Logger of its [registry.Env], without errors and stacks. A call that a client cancels is
// stopped. Where a result is too long and has been kept in a file, it has a link to it.
//
// Files of the project are resources, by toolrun://PROJECT/PATH: they can be listed, read, completed and subscribed to, but not
// changed.
//
// What the tools add to a system prompt is the server's instructions, and a prompt that clients can ask for: one with everything,
// and one for each tool that has something to say.
//
// # Versions
//
// All versions of the protocol from 2024-11-05 to 2026-07-28 are spoken, as far as package
// github.com/modelcontextprotocol/go-sdk/mcp has them, on which this one is built. Over stdio, where all that a client of the
// newest version listens to is one session, it is told of changes reliably only if it listens once at a time, and for everything:
// that package forgets all that a session listens to when any of it ends.
//
// The specification is at https://modelcontextprotocol.io/specification.
package mcpserver
