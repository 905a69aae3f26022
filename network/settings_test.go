package network_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/network"
)

func TestSettings(t *testing.T) {
	rules, err := network.RulesOf(json.RawMessage(`{"allow": ["https://example.com", "* http://127.0.0.1:80/a"]}`))
	require.NoError(t, err)
	require.Len(t, rules, 2)
	again, err := network.RulesOf(network.FieldOf(rules))
	require.NoError(t, err)
	require.Equal(t, rules, again)
	require.Nil(t, network.FieldOf(nil))
	rules, err = network.RulesOf(nil)
	require.NoError(t, err)
	require.Empty(t, rules)
	for _, wrong := range []string{`{"allow": "x"}`, `{"allow": ["x"]}`, `[]`} {
		_, err := network.RulesOf(json.RawMessage(wrong))
		require.ErrorContains(t, err, "the settings' network: ")
	}
	none := (*network.Policy)(nil)
	require.False(t, none.On())
	require.True(t, none.With(again...).On())
	require.False(t, none.With().On())
}
