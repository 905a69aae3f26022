// Package mcpclient makes the tools of MCP servers tools of a registry.
//
//	config, err := mcpclient.ParseConfig(file)
//	...
//	servers, err := mcpclient.Open(ctx, config, &mcpclient.Options{Base: builtIn, LookupEnv: os.LookupEnv})
//	...
//	defer servers.Close()
//	for _, status := range servers.Status() {
//		fmt.Println(status.Server, status.Tools, status.Err)
//	}
//	result := servers.Registry().Dispatch(ctx, call, env)
//
// A configuration is what desktop clients have: see [ParseConfig]. A [Set] connects to all servers of it at once, by their
// standard input and output, by streamable HTTP, or by the older HTTP with server-sent events, and connects anew to those that
// are lost, after a time that grows from half a second to five minutes.
//
// # Tools
//
// [Set.Registry] returns the tools of all servers that are connected now, after those of Options.Base. It is another value each
// time a server is connected or lost, or says that its tools have changed: [Set.Changed] tells of that. When a server is lost its
// tools are gone; a call that is in flight then gets a result that says so, and so does one that is made through an older
// registry.
//
// A tool is called SERVER_TOOL. What cannot be part of a name is replaced by an underscore, and then, or if the name is too
// long, taken, or could be another server's tool, it ends in a hash of both. A name depends on the configuration and on the tool,
// and not on what else is connected. A tool's Source is the server's name. Tools need no [registry.Capability]: who writes a
// configuration has decided that its servers are there to be used. [registry.Selection] switches single ones off.
//
// Input schemas are those of the server, byte for byte but for white space and what their descriptions lose. One that is missing,
// too large, or that [registry.CompileSchema] refuses becomes one that takes any object, and the server validates. Arguments and
// structured results arrive with the digits that they were sent with.
//
// # Strangers
//
// Servers are not trusted more than models are. Messages, descriptions, instructions, lists of tools, parts of results, logs and
// requests are limited in size and number; text is made valid UTF-8 and loses control characters; and descriptions, those in
// schemas too, lose what people would not see. What a server says of its tools, that they change nothing for example, is what it
// says, and nobody has checked it. A server can ask this client for nothing: it has no roots, no sampling and no elicitation.
// Redirections to other hosts are not followed.
//
// A server that is started gets the variables of its configuration and a few that all programs need, and not the others of the
// environment. It runs in a process group, which is killed if it does not end by itself; on Windows only the process is. What
// has left the group goes on. It is not in a sandbox: it can do what the user can.
//
// # Secrets
//
// Secrets come from the environment, as ${NAME} in a configuration; [ParseConfig] and [Open] refuse those that are written in it,
// as far as names tell: those of variables, headers and parameters that end in words such as KEY, TOKEN, SECRET and PASSWORD.
// Their values, if they have at least six bytes, are taken out of errors, logs, descriptions and results. A number of a structured
// result that has one in it becomes a string.
//
// # Deviations
//
// The protocol's versions 2024-11-05 to 2025-11-25 are tried first, and 2026-07-28 with servers that know no older one. A number
// as a timeout is in milliseconds. Variables of editors, such as ${workspaceFolder} and ${input:x}, are not there.
package mcpclient
