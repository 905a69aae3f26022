package sdktest

import (
	"bytes"
	"encoding/json"
	"testing"
)

func sseData(_ *testing.T, body []byte) []json.RawMessage {
	var events []json.RawMessage
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			events = append(events, bytes.TrimSpace(data))
		}
	}
	return events
}
