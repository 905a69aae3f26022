//go:build suites

package module_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

// costly consists of duplicate names, which have the highest counted cost for their size.
var costly = program{part: numbered("let a;")}

// largest returns the largest variant of a program that is accepted, in steps of 512 bytes.
func largest(p program) string {
	low, high := 0, module.MaxTypeScript/512
	for low < high {
		if middle := (low + high + 1) / 2; module.CheckComplexity(p.sized(512*middle)) == nil {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return p.sized(512 * low)
}

// transformTime returns the shortest time of several transforms.
func transformTime(code string, times int) time.Duration {
	least := time.Hour
	for range times {
		began := time.Now()
		_, _, _ = module.StripTypes(context.Background(), code, "x.ts")
		least = min(least, time.Since(began))
	}
	return least
}

// TestCostOfTypeScriptAtTheLimits transforms the corpus, each program as large as the limits permit. None may take
// longer than a small multiple of the time for costly.
func TestCostOfTypeScriptAtTheLimits(t *testing.T) {
	const margin = 4
	code := largest(costly)
	most := margin * transformTime(code, 3)
	quarter := margin * transformTime(code[:len(code)/4], 3)
	for _, p := range corpus() {
		code := largest(p)
		if part := p.sized(len(code) / 4); transformTime(part, 1) < quarter || transformTime(part, 2) < quarter {
			continue // avoid transforming most programs as a whole
		}
		took := transformTime(code, 2)
		for again := 0; took >= most && again < 10; again++ { // the machine may be busy
			took = min(took, transformTime(code, 1))
		}
		require.Less(t, took, most, "%s, %d bytes", p.name, len(code))
	}
}
