package sdktest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// decode decodes a JSON value and keeps all digits of numbers.
func decode(t *testing.T, data []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v), "%s", data)
	return v
}

// requireSame compares JSON values. Numbers are equal only if they are spelled the same.
func requireSame(t *testing.T, want, got []byte) {
	t.Helper()
	require.Equal(t, decode(t, want), decode(t, got))
}

// at returns the value at a path of names in a JSON object.
func at(t *testing.T, data []byte, path ...string) json.RawMessage {
	t.Helper()
	for _, name := range path {
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &object), "%s", data)
		require.Contains(t, object, name, "%s", data)
		data = object[name]
	}
	return data
}

func elements(t *testing.T, data []byte) []json.RawMessage {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal(data, &list), "%s", data)
	return list
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// strictly decodes JSON into a value that must have a field for each member.
func strictly(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}
