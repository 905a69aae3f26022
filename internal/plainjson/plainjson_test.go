package plainjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/plainjson"
)

func TestMarshal(t *testing.T) {
	raw, err := plainjson.Marshal(map[string]any{"<a>": "&\n\xff", "n": json.Number("9007199254740993")})
	require.NoError(t, err)
	require.Equal(t, `{"<a>":"&\n\ufffd","n":9007199254740993}`, string(raw))
	_, err = plainjson.Marshal(make(chan int))
	require.Error(t, err)
}
