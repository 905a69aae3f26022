// Package mcpserver serves the tools of a registry and the files of a project to clients of the Model Context
// Protocol.
//
//	server, err := mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{Project: "notes", Files: project}), nil)
//	...
//	err = server.ServeStdio(ctx, os.Stdin, os.Stdout)
//
// A [Handler] serves any number of clients over HTTP. The host chooses the [Server] for each request:
//
//	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
//	err = http.ListenAndServe("localhost:8080", handler)
//
// # What clients get
//
//   - Tools: those that the selection enables, with their titles, hints and schemas. Calls go through
//     [registry.Registry.Dispatch] and follow all its rules. A failed call is a result with isError set; only calls
//     of unknown tools are errors of the protocol.
//   - Order: the calls of one session run one after another, in the order in which they came, except that calls of
//     read-only tools overlap with each other. Over HTTP, order is that of the requests' arrival. Clients without
//     sessions wait for each answer if they want an order.
//   - Progress of a call, if the client gives a progress token: what the tool reports, the console of code as it is
//     printed (at most 4 KiB every 50 ms; the result has all of it), and every 5 s that the call still waits for
//     others or runs.
//   - Log records, if the client sets a level: the beginning and end of each call, and what the tool logs with the
//     Logger of its [registry.Env], without errors and stacks.
//   - Cancellation: a call that the client cancels is stopped.
//   - Links to files that keep results that are too long.
//   - Resources: the files of the project, as toolrun://PROJECT/PATH. Clients can list, read, complete and
//     subscribe to them, but not change them.
//   - Instructions and prompts: what the tools add to a system prompt is the server's instructions, and a prompt.
//     Each tool that adds something has a prompt of its own too.
//
// # Versions
//
// The server supports the protocol versions 2024-11-05 to 2026-07-28, as far as package
// github.com/modelcontextprotocol/go-sdk/mcp does, on which it is built. Over stdio, a client of the newest version
// should subscribe to changes once, and to all of them: when one subscription ends, the SDK drops all others of
// that session.
//
// The specification is at https://modelcontextprotocol.io/specification.
package mcpserver
