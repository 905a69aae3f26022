package javascript_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
)

// TestDataIsBoundedLikeText has values that are one thing as text and another one as data.
func TestDataIsBoundedLikeText(t *testing.T) {
	r := newRegistry(t)
	for why, code := range map[string]string{
		"toJSON that changes its mind": `let n = 0; return {toJSON() { return n++ ? 'x'.repeat(900_000) : 'short' }}`,
		"a getter that does": `let n = 0; return {get a() {
			return n++ > 1 ? 'x'.repeat(900_000) : 'short' }, toJSON: undefined, f() {}}`,
		"what is hidden from the text": `class C { toJSON() { return 'x'.repeat(900_000) } }; return new C()`,
		"many small values":            `return {toJSON() { return Array(20_000).fill([]) }, m: new Map()}`,
	} {
		t.Run(why, func(t *testing.T) {
			result := run(t, r, registry.Env{}, code)
			require.LessOrEqual(t, len(result.Text()), registry.DefaultInline+200)
			data, _ := result.Data.(json.RawMessage)
			require.LessOrEqual(t, len(data), registry.DefaultInline)
			if data == nil && len(result.Text()) < 1000 {
				require.Contains(t, result.Text(), "[The text is whole. The structured data is left out: it has ")
			}
		})
	}
}
