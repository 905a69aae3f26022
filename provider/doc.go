// Package provider connects tools to the APIs of model providers: it makes the definitions of tools for a request,
// finds the calls in a response, and makes the messages that answer them.
//
//	tools, err := provider.Definitions(reg, tool.Anthropic, selection, nil) // the request's "tools"
//	...
//	calls, err := provider.Calls(tool.Anthropic, response) // the response's body
//	results := reg.DispatchAll(ctx, calls, env)
//	messages, err := provider.Results(tool.Anthropic, results) // what to append to the conversation
//
// It supports Anthropic's Messages API and managed agents, OpenAI's Chat Completions and Responses APIs, Google's
// Gemini API, Amazon Bedrock's Converse API and the Model Context Protocol. It makes no requests and needs no SDK: JSON
// goes in, and JSON comes out. [Stream] reads streamed responses.
//
// The functions are safe for concurrent use. A Stream is not.
//
// # Calls
//
// [Calls] and [Stream.Add] read the provider's own JSON: the body of a response, the data of an event, or what
// RawJSON() returns for types of Anthropic's and OpenAI's SDKs. Encoding an SDK's types with package json often
// gives something else; it is accepted where its meaning is clear.
//
// A model's arguments become Call.Input byte for byte, so numbers keep all their digits. Invalid JSON, or JSON that
// is not an object, is not an error here: [registry.Registry.Dispatch] answers such a call with a text that tells
// the model. So Input may be invalid JSON, which package json refuses to encode as a json.RawMessage.
//
// Tools that an API defines itself can have calls and results of their own. [tool.Call].Item says in which item a call
// came, and [tool.Result].Item, which Dispatch sets, how to answer it: copy it if you make a result yourself. In the
// Responses API, an apply_patch_call is a call of the tool apply_patch, whose input is the patch that its operation
// stands for. A shell_call is a call of the tool bash for each of its commands: the first has the item's id, and the
// second that id and "#2". Their results are one item. A local_shell_call is a call of bash, too.
//
// Calls of tools that the provider executes itself are left out. So are calls of tools that toolrun does not
// define, such as OpenAI's custom tools, whose input is free text: if you offer those, answer them yourself.
//
// # How a response ended
//
// [Calls] and [Stream.Calls] read how a response ended, in the words of each API:
//
//   - If a limit of tokens ended it, the call that the model wrote last may be cut off, even if its arguments are valid
//     JSON. It gets an Err: it is not run, and its result tells the model to write less at once. The calls before it
//     are whole.
//   - If a stream ends without saying so, calls whose arguments are incomplete get such an Err.
//   - If the provider has rejected one of several calls, all of them get one.
//   - A pause, a refusal, a blocked prompt or answer, a rejected call, and an answer without calls that a limit has cut
//     off are an [*EndError], whose Kind says which. [EndError.Again] has what to send if the model can be asked again.
//
// Chat Completions, Gemini and Bedrock say how a response ended outside of the message, so pass the whole response.
//
// # Schemas
//
// No provider supports all of JSON Schema. Each one gets a schema that it supports:
//
//   - References are replaced by what they refer to. A reference that leads back into itself ends in a value that
//     can be anything.
//   - allOf is merged.
//   - Alternatives at the root, which providers refuse, become one object with all their properties; the tool's
//     description says which belong together.
//   - Unsupported keywords become sentences of a description.
//   - The order of properties stays.
//
// Only MCP gets the schema unchanged.
//
// References can make a schema much longer. If it would have more than 256 KiB, it is made again with references
// nested at most 4, 2, 1 and 0 deep, and sentences in place of the others. If even that is too long, it becomes an
// object with any properties, and the description says so. No schema keeps the other tools from being sent.
//
// The schema that is sent allows at least what the tool's own schema allows, with two exceptions: a property that
// only some alternatives at the root mention is described as in these, and strict mode adds restrictions. Calls are
// validated against the tool's own schema.
//
// # Strict mode
//
// With [Options].Strict, providers promise that arguments fit the schema. They require schemas whose objects list
// all their properties and, at OpenAI, have no optional ones. For OpenAI, an optional property becomes one that can
// be null; a model sends null instead of leaving it out. Dispatch treats null for an optional property that cannot
// be null as absent.
//
// A tool cannot be strict if it has values that can be anything, or objects with unknown properties (maps). At
// OpenAI, neither can one with optional properties in an alternative, or beyond OpenAI's limits: 5000
// properties, 1000 values, 10 levels, 120,000 characters in the names and values. Such a tool, and one that strict
// mode makes too long, is sent without strict mode ("strict": false, or no such field). Limits on a whole request
// are up to the caller, such as Anthropic's numbers of strict tools (20) and of their optional properties (24).
//
// Gemini and MCP have no strict mode.
//
// # Results
//
// The text is that of [tool.Result.Text], with invalid UTF-8 replaced. Images and other binaries are sent if
// the API supports them; otherwise Part.Text replaces them, or a sentence with the type and the size. The same
// happens to an image that is damaged, not of its type, larger than 3.75 MB, or wider or higher than 8000 pixels,
// because providers refuse a conversation with such an image. MCP clients get it unchanged. No text contains a binary
// in base64: a data URL in Part.Text is left out.
//
// The messages of tools take only text in Chat Completions. There, the text says that an attachment follows, and a
// message of the user behind all results has the images and PDF documents.
//
// Errors are flagged where the API has a flag. Anthropic and Bedrock refuse images in errors, so these are left out
// there, and in Chat Completions. OpenAI's APIs have no flag: there the text must do.
//
// # Repeated content
//
// Tools can name the resources that they show ([tool.Resource]). A file that was read ten times without a change is
// ten times in the messages to the model. A [Transcript] leaves out of new results what the conversation has shown
// before; [ShowOnce] does so in all results of a conversation, and keeps the newest content. Of the built-in tools,
// only read_files names resources: models are trained on the texts of the others.
package provider
