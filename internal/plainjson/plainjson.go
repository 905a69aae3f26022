// Package plainjson encodes JSON as people and models read it: with <, > and & as they are, which package encoding/json
// writes as six characters each unless it is told not to.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal without that.
func Marshal(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
