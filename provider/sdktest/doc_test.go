// Package sdktest shows that what package provider emits is what the providers' official SDKs accept and send, and that
// what these SDKs return is what package provider reads. The servers are local ones that speak the providers' APIs.
//
// It is a module of its own, and has nothing but tests, so that nobody who uses toolrun gets the SDKs.
//
// For each provider a conversation goes through the SDK's client: definitions, messages and answers are values of
// the SDK's own types on their way. What the server gets is compared with what package provider has emitted, so that a
// field that an SDK does not know is seen, because it is lost (TestUnknownFields is the control). An SDK does not
// check schemas: that providers accept them is what the tests of package provider are about.
//
// # Numbers
//
// Not all SDKs keep all digits of 9007199254740993. Anthropic's and OpenAI's do, since they keep the JSON that they
// have received (RawJSON), and so do Amazon's documents. Google's decodes into float64: the bodies of responses must
// be read before it does. The MCP SDK's server has the raw arguments, and sends structured content that is JSON
// already as it is; its client decodes that into float64.
package sdktest
