// Package mcpclient makes the tools of MCP servers part of a registry.
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
// [ParseConfig] reads the configuration format of desktop clients. A [Set] connects to all its servers at once:
// over standard input and output, streamable HTTP, or the older HTTP with server-sent events. It reconnects to lost
// servers, after a delay that grows from half a second to five minutes.
//
// # Tools
//
// [Set.Registry] returns the tools of Options.Base, followed by those of all connected servers. It returns a new
// registry each time a server is connected or lost, or reports that its tools have changed; [Set.Changed] signals
// this. The tools of a lost server disappear. A call in progress then gets a result that says so, and so does a
// call through an older registry.
//
// A tool's name is SERVER_TOOL. Characters that names cannot contain become underscores. In that case, or if the
// name is too long, taken, or could be another server's tool, it ends in a hash of both names. A name depends on
// the configuration and the tool alone, not on other connections. A tool's Source is the server's name. Tools
// require no [tool.Capability]: a server in the configuration is meant to be used. [registry.Selection]
// disables single tools.
//
// Input schemas are passed on as the server sends them, except for white space and what is removed from descriptions.
// Keywords of old drafts and of OpenAPI are translated, and a keyword that cannot be understood is left out where it
// stands, such as a regular expression with a lookahead or a reference that leads nowhere; the arguments are checked by
// what is left, which never refuses more, and the server validates. [tool.Spec].SchemaNotes says what is left out,
// and so does a warning in the log. If a schema is missing, too large, or not one of objects, the tool accepts any
// object. Numbers in arguments and structured results keep all their digits.
//
// # Untrusted servers
//
// Servers are trusted no more than models:
//
//   - Messages, descriptions, instructions, lists of tools, parts of results, logs and requests are limited in size
//     and number.
//   - Text becomes valid UTF-8 without control characters. Descriptions, also those in schemas, lose text that
//     people would not see.
//   - A server's claims about its tools, such as that they are read-only, are not checked.
//   - A server can ask the client for nothing: no roots, no sampling, no elicitation.
//   - Redirections to other hosts are not followed.
//   - A server process gets the variables of its configuration and a few that all programs need; the rest of the
//     environment stays hidden. It runs in a process group, which is killed if it does not end by itself; on
//     Windows only the process is killed. Processes that have left the group go on. The server is not in a sandbox:
//     it can do what the user can.
//
// # Secrets
//
// Secrets are variables of the environment, as ${NAME} in a configuration, or values that the configuration contains;
// [Config.PlainSecrets] lists the latter, so that a program can warn of them. Secrets are recognised by name:
// variables, headers and URL parameters whose names end in words such as KEY, TOKEN, SECRET and PASSWORD. Every
// ${input:ID} is one. Secrets of at least six bytes are removed from errors, logs, descriptions and results. A number
// in a structured result that contains a secret becomes a string.
//
// # Deviations
//
// The protocol versions 2024-11-05 to 2025-11-25 are tried first, and 2026-07-28 with servers that support no older
// one. A timeout given as a number is in milliseconds. Of editors' variables only ${input:ID} and ${env:NAME} are
// supported; ${workspaceFolder} and the like are errors of their servers, as are Zed's extensions.
package mcpclient
