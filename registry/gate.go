package registry

import (
	"golang.org/x/sync/semaphore"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// What decoding inputs may take at the same time, in all registries of the process together, in bytes by estimate. An
// input that needs more by itself is decoded alone. Small ones do not wait: what they need is little however many
// there are.
const (
	maxDecoding = 64 << 20
	smallInput  = 4 << 10
)

// decoding lets whoever comes first in first.
var decoding = semaphore.NewWeighted(maxDecoding)

// decodingSize estimates how many bytes it takes to decode an input and to check it.
func decodingSize(input []byte) int64 {
	const perValue = 200
	return int64(4*len(input) + perValue*min(1+jsontree.Separators(input), jsontree.MaxValues))
}
