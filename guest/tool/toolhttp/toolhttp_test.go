package toolhttp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/tool/toolhttp"
	"github.com/toolrun/toolrun/network"
)

// TestSecret is what stands for a secret of the operator.
func TestSecret(t *testing.T) {
	secret := network.Secret{Name: "TOKEN"}
	require.Equal(t, secret.Placeholder(), toolhttp.Secret("TOKEN"))
}

// TestOutside of toolrun there is nobody who could make a request.
func TestOutside(t *testing.T) {
	_, err := toolhttp.Client.Get("http://127.0.0.1")
	require.ErrorContains(t, err, "requests can be made only where toolrun runs the program")
}
