package provider_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

// A costly describes input that could cost a parser more than its size suggests. n scales the input.
type costly struct {
	name   string
	api    tool.API
	events func(n int) []string
}

// many returns n events, after those that begin the calls.
func many(event func(i int) string, begin ...string) func(n int) []string {
	return func(n int) []string {
		events := slices.Clone(begin)
		for i := range n {
			events = append(events, event(i))
		}
		return events
	}
}

// costlyStreams returns the streams for each API.
func costlyStreams() []costly {
	var all []costly
	for api, events := range deltas {
		start := fmt.Sprintf(events.start, 0)
		delta := func(index any, text string) string {
			return fmt.Sprintf(strings.Replace(events.delta, "%d", "%v", 1), index, text)
		}
		always := func(text string) func(int) string { return func(int) string { return delta(0, text) } }
		var thousand []string
		for i := range 1000 {
			thousand = append(thousand, fmt.Sprintf(events.start, i))
		}
		all = append(all,
			costly{"pieces of one byte", api, many(always(`"x"`), start)},
			costly{"pieces that are escapes", api, many(always(`"\ud83d"`), start)},
			costly{"empty pieces", api, many(always(`""`), start)},
			costly{"pieces that are none", api, many(always(`null`), start)},
			costly{"objects as pieces", api, many(always(`{"a":1}`), start)},
			costly{"1000 calls in turns", api, many(func(i int) string { return delta(i%1000, `"x"`) }, thousand...)},
			costly{"calls that nobody has begun", api, many(func(i int) string { return delta(-i, `"x"`) })},
			costly{"indexes that grow", api, func(n int) []string {
				return []string{delta("1"+strings.Repeat("0", n), `"x"`), fmt.Sprintf(strings.ReplaceAll(events.start,
					"%", "1%"), n), delta("1e"+strings.Repeat("0", n), `"x"`)}
			}},
			costly{"one call begun again and again", api, func(n int) []string {
				var events []string
				for range min(n, 1000) {
					events = append(events, start, delta(0, `"`+strings.Repeat("x", n/100)+`"`))
				}
				return events
			}},
			costly{"much text", api, func(n int) []string {
				return []string{start, fmt.Sprintf(`{"text":%q,"delta":%q,"choices":[%s]}`, strings.Repeat("x", 50*n),
					strings.Repeat("\n", 50*n), strings.Repeat(`{},`, n)+"{}")}
			}},
			costly{"deep JSON", api, func(n int) []string {
				deep := strings.Repeat(`[`, n) + strings.Repeat(`]`, n)
				return []string{start, delta(0, deep), delta(deep, deep)}
			}},
		)
	}
	chat := func(call string) string { return `{"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}` }
	responses := func(i int) string {
		return fmt.Sprintf(
			`{"type":"response.output_item.added","output_index":%d,`+
				`"item":{"type":"function_call","call_id":"id","name":"a","arguments":""}}`, i,
		)
	}
	always := func(event string) func(int) string { return func(int) string { return event } }
	begun := chat(`{"index":0,"function":{"name":"a","arguments":"{\"a\":["}}`)
	all = append(all,
		costly{"a name in each delta, behind objects", tool.OpenAIChat,
			many(always(chat(`{"index":0,"function":{"name":"a","arguments":"{\"b\":1},{}"}}`)), begun)},
		costly{"a name in each delta, behind an object that is invalid", tool.OpenAIChat,
			many(always(chat(`{"index":0,"function":{"name":"a","arguments":"{}"}}`)),
				chat(`{"index":0,"function":{"name":"a","arguments":"{a}"}}`))},
		costly{"a name in each delta, and spaces", tool.OpenAIChat,
			many(always(chat(`{"index":0,"function":{"name":"a","arguments":" \n "}}`)), begun)},
		costly{"a name in each delta, and braces in a string", tool.OpenAIChat,
			many(always(chat(`{"index":0,"function":{"name":"a","arguments":"}}\\\"}"}}`)),
				chat(`{"index":0,"function":{"name":"a","arguments":"{\"a\":\""}}`))},
		costly{"a name in each delta, and numbers", tool.OpenAIChat,
			many(always(chat(`{"index":0,"function":{"name":"a","arguments":[1]}}`)), begun)},
		costly{"another id in each delta", tool.OpenAIChat, func(n int) []string {
			var events []string
			for i := range 1000 {
				events = append(events, chat(fmt.Sprintf(
					`{"index":%d,"id":"%050d","function":{"name":"a","arguments":""}}`, i, i)))
			}
			return append(events, many(func(i int) string {
				return chat(fmt.Sprintf(`{"index":0,"id":"%050d","function":{"arguments":"x"}}`, 1000+i))
			})(n)...)
		}},
		costly{"many calls in each delta", tool.OpenAIChat, func(n int) []string {
			return []string{chat(strings.Repeat(`{"index":0,"id":"id","function":{"name":"a","arguments":"}"}},`,
				n) + `{}`)}
		}},
		costly{"the end again and again", tool.OpenAIResponses,
			many(always(`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{}"}`),
				responses(0))},
		costly{"one id in all items of the end", tool.OpenAIResponses, func(n int) []string {
			item := `{"type":"function_call","call_id":"id","name":"a","arguments":""}`
			return []string{responses(0), fmt.Sprintf(
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"%s"}`,
				strings.Repeat("x", 10*n)),
				fmt.Sprintf(`{"type":"response.completed","response":{"output":[%s]}}`,
					strings.Repeat(item+",", min(n/4, 999))+item)}
		}},
		costly{"the end of all again and again", tool.OpenAIResponses,
			many(always(`{"type":"response.completed",`+
				`"response":{"output":[{"type":"function_call","call_id":"id","name":"a","arguments":""}]}}`),
				responses(0))},
		costly{"calls at once", tool.Gemini,
			many(always(
				`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"now","args":{}}}],"role":"model"}}]}`,
			))},
		costly{"candidates", tool.Gemini, func(n int) []string {
			return []string{`{"candidates":[` +
				strings.Repeat(`{"content":{"parts":[{"functionCall":{"name":"now","args":{}}}]}},`, n) + `{}]}`}
		}},
		costly{"messages", tool.MCP,
			many(always(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":{}}}`))},
		costly{"a batch", tool.MCP, func(n int) []string {
			return []string{`[` + strings.Repeat(`{"jsonrpc":"2.0","method":"x"},`, n) + `{"method":"x"}]`}
		}},
	)
	for _, api := range apis { // complete messages occur in streams of MCP; below, provider.Calls gets all of them
		all = append(all,
			costly{"a long message of nothing", api, func(n int) []string {
				return []string{`{"a":` + strings.Repeat(`{"a":[[],"x"],"b":`, n) + `1` + strings.Repeat(`}`, n) + `}`}
			}},
			costly{"a name that is there many times", api, func(n int) []string {
				return []string{`{` + strings.Repeat(
					`"content":[{}],"\u0074ype":"x","choices":[],"candidates":[],"output":[],`, n) + `"a":1}`}
			}},
			costly{"blocks of text", api, func(n int) []string {
				return []string{`{"type":"message","role":"assistant","content":[` +
					strings.Repeat(`{"type":"text","text":"x"},`, n) + `{"type":"text"}]}`}
			}},
		)
	}
	return all
}

// wholeMessages returns messages for provider.Calls.
func wholeMessages(n int) []string {
	messages := []string{}
	for _, arguments := range []string{`{"a":"` + strings.Repeat(`\n`, 20*n) + `"}`, strings.Repeat(`[`, n) +
		strings.Repeat(`]`, n), `"` + strings.Repeat(`\"`, 20*n) + `"`} {
		for _, message := range whole {
			messages = append(messages, fmt.Sprintf(message, arguments))
		}
	}
	return messages
}

// add passes all events to a new stream. It returns the stream and the total size of the events.
func add(t testing.TB, api tool.API, events []string) (s *provider.Stream, sent int) {
	s, err := provider.NewStream(api)
	require.NoError(t, err)
	for _, event := range events {
		_ = s.Add([]byte(event)) // some exceed limits
		sent += len(event)
	}
	_, _ = s.Calls()
	return s, sent
}

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// kept returns how many bytes the value returned by do keeps in memory.
func kept(do func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := do()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(v)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestCosts requires that time and allocations grow linearly with the input, and that the memory kept stays within a
// small multiple of its size.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const n = 250
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, c := range costlyStreams() {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			few, lots := c.events(n), c.events(4*n)
			once := allocated(func() { add(t, c.api, few) })
			fourTimes := allocated(func() { add(t, c.api, lots) })
			require.LessOrEqual(t, fourTimes, 5*once+100<<10, "%d bytes, and %d", once, fourTimes)
			sent := 0
			memory := kept(func() any {
				var s *provider.Stream
				s, sent = add(t, c.api, lots)
				return s
			})
			require.LessOrEqual(t, memory, int64(4*sent+512<<10), "%d bytes were sent", sent)

			// Pass the same as complete messages.
			all := func(events []string) func() {
				return func() {
					for _, event := range events {
						_, _ = provider.Calls(c.api, []byte(event))
					}
				}
			}
			once, fourTimes = allocated(all(few)), allocated(all(lots))
			require.LessOrEqual(t, fourTimes, 5*once+100<<10, "%d bytes, and %d", once, fourTimes)
		})
	}
	for _, api := range apis {
		few, lots := wholeMessages(n), wholeMessages(4*n)
		for i := range few {
			once := allocated(func() { _, _ = provider.Calls(api, []byte(few[i])) })
			fourTimes := allocated(func() { _, _ = provider.Calls(api, []byte(lots[i])) })
			require.LessOrEqual(t, fourTimes, 5*once+100<<10, "%s: %.100s", api, few[i])
			require.LessOrEqual(t, fourTimes, uint64(20*len(lots[i])+100<<10), "%s: %.100s", api, lots[i])
		}
	}
}

// BenchmarkCosts measures the time for each event at n and 4n. Both are equal if the total is linear.
func BenchmarkCosts(b *testing.B) {
	for _, c := range costlyStreams() {
		for _, n := range []int{2000, 8000} {
			events := c.events(n)
			b.Run(fmt.Sprintf("%s %s, %d", c.api, c.name, n), func(b *testing.B) {
				sent := 0
				for b.Loop() {
					_, sent = add(b, c.api, events)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(sent), "ns/byte")
			})
		}
	}
	for _, api := range apis {
		for _, n := range []int{2000, 8000} {
			messages := wholeMessages(n)
			b.Run(fmt.Sprintf("%s whole messages, %d", api, n), func(b *testing.B) {
				for b.Loop() {
					for _, message := range messages {
						_, _ = provider.Calls(api, []byte(message))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(strings.Join(messages, ""))),
					"ns/byte")
			})
		}
	}
}
