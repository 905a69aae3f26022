package provider

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

func TestStreamIsLimitedInBytes(t *testing.T) {
	s, err := NewStream(tool.Bedrock)
	require.NoError(t, err)
	require.NoError(t, s.Add([]byte(`{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"id","name":"n"}}}`)))
	s.pending.size = maxBytes - 15 // as if that much had arrived
	delta := []byte(`{"contentBlockIndex":0,"delta":{"toolUse":{"input":"1234567890"}}}`)
	require.NoError(t, s.Add(delta))
	require.ErrorContains(t, s.Add(delta), "too many bytes: more than 67108864")
	require.ErrorContains(t, s.Add([]byte(`{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"id","name":"n"}}}`)),
		"too many bytes")
	calls, err := s.Calls()
	require.NoError(t, err)
	require.Len(t, calls, 1)
	require.Equal(t, "1234567890", string(calls[0].Input))
}
