package xmlcall_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider/xmlcall"
)

// costly are texts that could cost more than their length says: each begins with one of the first, and goes on with
// one of the second.
var (
	costlyBeginnings = []string{"", "<tool:a>", "<tool:a><param:b>", "<tool:a><param:b><![CDATA[", "<tool_result>", "`",
		"<tool:a"}
	costlyRests = []string{
		"<", "&", "&amp;", "&#x", "<tool:a>", "</tool:a>", "<tool:a/>", "<tool:a", "<param:b>", "</param:b>",
		"<param:b", "<![CDATA[", "]]>", "<tool_result>",
		"<tool_result", "</tool_result>", "`", "```", "\n", "`<tool:a>`", "<tool:a><param:b>",
		"<tool:a><param:b>x</param:b></tool:a>", "</param:b><tool:a>",
		"<![CDATA[<param:b>", "<tool:", "</tool:a", "<\u200btool:a>", "]]", "é",
	}
)

// allocated returns how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCosts requires that four times as much text takes about four times as much memory.
func TestCosts(t *testing.T) {
	cost := func(text string) uint64 { return allocated(func() { xmlcall.Parse(text) }) }
	for _, beginning := range costlyBeginnings {
		for _, rest := range costlyRests {
			once, fourTimes := cost(beginning+strings.Repeat(rest, 200)), cost(beginning+strings.Repeat(rest, 800))
			require.LessOrEqual(t, fourTimes, 5*once+50<<10, "%q, and %q again and again", beginning, rest)
		}
	}
}

// BenchmarkParse has the time for each byte at n and 4n, which is the same if the time for all of them is linear.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{5000, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var texts []string
			for _, beginning := range costlyBeginnings {
				for _, rest := range costlyRests {
					texts = append(texts, beginning+strings.Repeat(rest, n))
				}
			}
			b.SetBytes(int64(len(strings.Join(texts, ""))))
			for b.Loop() {
				for _, text := range texts {
					xmlcall.Parse(text)
				}
			}
		})
	}
}
