// Package sdktest tests package provider against the providers' official SDKs. They must accept and send what package
// provider emits, and package provider must read what they return. Local servers play the providers' parts.
//
// It is a separate module with nothing but tests, so that users of toolrun do not depend on the SDKs.
//
// For each provider, a conversation goes through the SDK's client: definitions, messages and answers become values of
// the SDK's own types. The requests that the server receives are compared with what package provider has emitted. That
// detects fields that an SDK does not know, because it drops them (TestUnknownFields is the control). SDKs do not check
// schemas; the tests of package provider cover those.
//
// # Numbers
//
// Not all SDKs keep all digits of 9007199254740993. Anthropic's and OpenAI's do, because they keep the JSON that they
// received (RawJSON), and so do Amazon's documents. Google's SDK decodes into float64, so the bodies of responses must
// be read before it does. The MCP SDK's server has the raw arguments, and sends structured content unchanged if it is
// JSON already; its client decodes structured content into float64.
package sdktest
