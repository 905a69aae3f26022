// Package plainjson encodes JSON as people and models read it: with <, > and & as they are, which package encoding/json
// writes as six characters each unless it is told not to.
package plainjson

import (
	"bytes"
	"encoding/json"
	"time"
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

// Time is the nearest to a time that package encoding/json can write: it refuses years before 0 and after 9999, which files can have.
func Time(t time.Time) time.Time {
	switch t = t.UTC(); {
	case t.Year() < 0:
		return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case t.Year() > 9999:
		return time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	}
	return t
}
