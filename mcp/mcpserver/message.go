package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const notJSON = "the message is not JSON in UTF-8"

// isJSON reports whether a message is JSON, and UTF-8, which package json does not ask for.
//
// https://www.rfc-editor.org/rfc/rfc8259#section-8.1
func isJSON(message []byte) bool { return utf8.Valid(message) && json.Valid(message) }

// maxBatch is how many messages a batch can have: each of them costs far more memory than it is long.
const maxBatch = 100

var tooManyInBatch = fmt.Sprintf("there are too many messages in the batch: it may have %d", maxBatch)

// notMessages says why a body is not one or some messages, or "".
func notMessages(body []byte) string {
	if !isJSON(body) {
		return notJSON
	}
	if _, _, tooMany := batch(body); tooMany {
		return tooManyInBatch
	}
	return ""
}

// batch returns the messages of JSON that may be a batch, if they are not too many.
func batch(text []byte) (messages []json.RawMessage, isBatch, tooMany bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' {
		return []json.RawMessage{text}, false, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, true, false
	}
	for decoder.More() {
		var message json.RawMessage
		if len(messages) == maxBatch {
			return nil, true, true
		}
		if err := decoder.Decode(&message); err != nil {
			return nil, true, false
		}
		messages = append(messages, message)
	}
	return messages, true, false
}
