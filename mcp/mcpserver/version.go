package mcpserver

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionless is the first version of the protocol without sessions. Clients that have it say so in each request.
const sessionless = "2026-07-28"

// versionOf returns a client's version of the protocol.
func versionOf(session *sdk.ServerSession) string {
	if params := session.InitializeParams(); params != nil {
		return params.ProtocolVersion
	}
	return sessionless
}

// knowsLinks reports whether a client's version of the protocol has links to resources in results.
func knowsLinks(session *sdk.ServerSession) bool { return versionOf(session) >= "2025-06-18" }

// newResult returns a result without content, which says that it is all there is to a request if the client's version
// wants that. The SDK does so for results of its own handlers only, and lets it be set in no other way than by JSON.
func newResult[R any](request sdk.Request) *R {
	result := new(R)
	if session, ok := request.GetSession().(*sdk.ServerSession); ok && versionOf(session) >= sessionless {
		_ = json.Unmarshal([]byte(`{"resultType": "complete"}`), result) // it cannot fail, and a test would notice
	}
	return result
}
