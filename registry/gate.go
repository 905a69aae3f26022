package registry

import (
	"golang.org/x/sync/semaphore"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// maxDecoding limits the estimated memory in bytes for decoding inputs, at one time and in the whole process. A larger
// input is decoded alone. Inputs up to smallInput do not wait, because they need little memory.
const (
	maxDecoding = 64 << 20
	smallInput  = 4 << 10
)

// decoding admits inputs in the order of their arrival.
var decoding = semaphore.NewWeighted(maxDecoding)

// decodingSize estimates the memory in bytes needed to decode and check an input.
func decodingSize(input []byte) int64 {
	const perValue = 200
	return int64(4*len(input) + perValue*min(1+jsontree.Separators(input), jsontree.MaxValues))
}
