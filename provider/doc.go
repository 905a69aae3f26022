// Package provider brings tools to models and back: it makes a request's definitions of tools for each provider's API,
// finds the calls in what a model answers, and puts the results into the messages that the provider expects.
//
//	tools, err := provider.Definitions(reg, registry.Anthropic, selection, nil) // the request's "tools"
//	...
//	calls, err := provider.Calls(registry.Anthropic, response) // the response's body
//	results := reg.DispatchAll(ctx, calls, env)
//	messages, err := provider.Results(registry.Anthropic, results) // what to append to the conversation
//
// It is for Anthropic's Messages API, OpenAI's Chat Completions and Responses APIs, Google's Gemini API, Amazon Bedrock's
// Converse API and the Model Context Protocol. It makes no requests and needs no SDK: JSON goes in, and JSON comes out. For a
// streamed response there is [Stream].
//
// The functions can be called by several goroutines at once. A Stream belongs to one.
//
// # Calls
//
// What [Calls] and [Stream.Add] read is the provider's own JSON: the body of a response or the data of an event, or what
// RawJSON() returns of the types of Anthropic's and OpenAI's SDKs. What package json makes of an SDK's types is often
// something else. It is read where it can be told what was meant.
//
// What a model sends as arguments becomes Call.Input byte for byte, so that numbers keep all their digits. If it is no
// JSON, or no object, that is no error here: [registry.Registry.Dispatch] answers such a call with a text that tells the model so.
// Input may therefore be invalid JSON, which package json refuses to encode as a json.RawMessage.
//
// Tools that the provider executes by itself are left out, and so are tools that toolrun does not define, as OpenAI's
// custom tools, whose input is free text: who offers those to a model has to answer them.
//
// # Schemas
//
// No provider takes the whole of JSON Schema. Each one gets what it takes: references are replaced by what they refer
// to; allOf is merged; alternatives at the root, which providers refuse, become one object that has all their properties,
// and the tool's description says which belong together; keywords that a provider does not know become sentences of
// a description. The order of properties stays. A reference that leads back into itself ends in a value that can be
// anything. Only MCP gets the schema as it is.
//
// References can make a schema much longer than it is written. One that would have more than 256 KiB is made again with
// fewer of them followed one in another, 4, 2, 1 and none, and sentences in the place of the others. What is too long even so
// becomes an object with any properties, which the description says. No schema keeps the other tools from being sent.
//
// The schema that is sent says less than the tool's own one, never more, with two exceptions: a property that only some
// of the alternatives at the root mention is described as these have it, and strict mode adds to it. Calls are validated against the
// tool's own schema.
//
// # Strict mode
//
// With [Options].Strict providers promise that arguments fit the schema. They want schemas without surprises for that:
// no property that is not listed, and, at OpenAI, none that is optional. There, an optional property becomes one that can
// be null, and a model sends null where it would leave the property out; Dispatch takes null for an optional property that
// cannot be null as if it were not there.
//
// A tool with values that can be anything, or objects whose properties are not known (maps), cannot be strict; at OpenAI,
// neither can one with optional properties in an allOf or an alternative, or with more than OpenAI's limits: 5000 properties,
// 1000 values, 10 levels, 120,000 characters in the names and values. Such a tool, and one that strict mode makes too
// long, is sent as without strict mode, with "strict": false or nothing. Limits that hold for a whole request, as Anthropic's
// numbers of strict tools (20) and of their optional properties (24), are left to the caller.
//
// Gemini and MCP have no strict mode.
//
// # Results
//
// The text is that of [registry.Result.Text], with invalid UTF-8 replaced. Images and other binaries are sent where the API
// has a place for them; otherwise Part.Text is there instead, or a sentence that names the type and the size. So it is for
// an image that is not what its type says, is damaged, has more than 3.75 MB or more than 8000 pixels in a direction, since
// providers refuse a conversation with such an image in it; MCP clients get it as it is. Where
// the API has a flag for errors, it is set, and Anthropic and Bedrock get such a result without its images, which they
// would refuse. OpenAI's APIs have no flag: there the text must do.
package provider
