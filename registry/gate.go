package registry

import (
	"golang.org/x/sync/semaphore"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// maxDecoding is how many bytes, by estimate, decoding inputs may take at one time in all registries of the process
// together. An input that needs more is decoded alone. Inputs up to smallInput do not wait, because they need little.
const (
	maxDecoding = 64 << 20
	smallInput  = 4 << 10
)

// decoding admits inputs in the order in which they come.
var decoding = semaphore.NewWeighted(maxDecoding)

// decodingSize estimates how many bytes it takes to decode an input and to check it.
func decodingSize(input []byte) int64 {
	const perValue = 200
	return int64(4*len(input) + perValue*min(1+jsontree.Separators(input), jsontree.MaxValues))
}
