//go:build systemtest

package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// budget is what a server may take for messages, whatever they are.
const budget = 64 << 20

// A grammar makes JSON of bytes: each decides what comes next. When there are none left, it makes the smallest things.
type grammar struct {
	bytes []byte
	out   bytes.Buffer
	depth int
}

// maxMade is how many bytes a grammar makes at most, by about.
const maxMade = 2 << 20

func (g *grammar) next() int {
	if len(g.bytes) == 0 || g.out.Len() > maxMade {
		return 0
	}
	b := g.bytes[0]
	g.bytes = g.bytes[1:]
	return int(b)
}

func (g *grammar) pick(from ...string) string { return from[g.next()%len(from)] }

// count is how often something comes: rarely very often.
func (g *grammar) count(most int) int {
	n := g.next()
	if n < 0xf0 {
		return min(n%8, most)
	}
	return max(1, most>>(0xff-n))
}

// again repeats text, as far as there is room.
func (g *grammar) again(text string, n int) string {
	return strings.Repeat(text, max(0, min(n, (maxMade-g.out.Len())/max(1, len(text)))))
}

var methods = []string{
	"ping", "initialize", "tools/call", "tools/list", "prompts/list", "prompts/get", "resources/list",
	"resources/templates/list", "resources/read",
	"resources/subscribe", "resources/unsubscribe", "completion/complete", "logging/setLevel", "server/discover",
	"notifications/initialized",
	"notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "nothing", "", "rpc.x",
	"subscriptions/listen",
}

// message makes one, or a batch.
func (g *grammar) message() {
	if g.next()%8 == 7 {
		g.out.WriteByte('[')
		for i := range g.count(200) {
			if i > 0 {
				g.out.WriteByte(',')
			}
			g.one()
		}
		g.out.WriteByte(']')
		return
	}
	g.one()
}

func (g *grammar) one() {
	g.out.WriteString(`{"jsonrpc":` + g.pick(`"2.0"`, `"2.0"`, `"2.0"`, `"1.0"`, `2`, `"2.0","jsonrpc":"2.0"`))
	switch g.next() % 8 {
	default:
		fmt.Fprintf(&g.out, `,"id":%d`, g.next())
	case 5:
		g.out.WriteString(`,"id":`)
		g.value()
	case 6: // a notification
	case 7:
		g.out.WriteString(`,"id":` + g.pick("1e400", "-0", "1.5", `""`, "null", "9007199254740993", "1e-7", "true"))
	}
	switch g.next() % 10 {
	default:
		fmt.Fprintf(&g.out, `,"method":%q`, methods[g.next()%len(methods)])
	case 8:
		g.out.WriteString(`,"` + g.pick("result", "error", "Method") + `":`)
		g.value()
	case 9:
		g.out.WriteString(`,"method":`)
		g.value()
	}
	if g.next()%8 > 0 {
		g.out.WriteString(`,"` + g.pick("params", "params", "params", "params", "Params", "p\\u0061rams") + `":{`)
		for i := range g.count(20) {
			if i > 0 {
				g.out.WriteByte(',')
			}
			g.param()
		}
		g.out.WriteByte('}')
	}
	if g.next()%8 == 7 {
		g.out.WriteString(`,"params":`)
		g.value()
	}
	g.out.WriteByte('}')
}

func (g *grammar) param() {
	switch g.next() % 12 {
	case 0:
		g.out.WriteString(`"name":` + g.pick(`"length"`, `"values"`, `"nothing"`, `"system-prompt"`))
	case 1:
		g.out.WriteString(`"arguments":{"` + g.pick("text", "list", "other") + `":`)
		g.value()
		g.out.WriteByte('}')
	case 2:
		g.out.WriteString(`"_meta":{"progressToken":`)
		g.value()
		g.out.WriteString(`,"a":`)
		g.value()
		g.out.WriteByte('}')
	case 3:
		g.out.WriteString(
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
				`"io.modelcontextprotocol/clientCapabilities":`)
		g.value()
		g.out.WriteByte('}')
	case 4:
		g.out.WriteString(`"uri":` + g.pick(`"toolrun://notes/a"`, `"toolrun://notes/"`, `"x"`))
	case 5:
		g.out.WriteString(`"protocolVersion":` + g.pick(`"2025-03-26"`, `"2025-06-18"`, `"2026-07-28"`, `1`))
	case 6:
		g.out.WriteString(`"capabilities":{"experimental":{"a":`)
		g.value()
		g.out.WriteString(`},"roots":{}}`)
	case 7:
		g.out.WriteString(`"notifications":{"toolsListChanged":true,"resourceSubscriptions":`)
		g.value()
		g.out.WriteByte('}')
	case 8:
		g.out.WriteString(`"ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"path","value":`)
		g.value()
		g.out.WriteByte('}')
	default:
		g.out.WriteString(`"` + g.pick("name", "arguments", "level", "requestId", "cursor", "uri", "clientInfo",
			"_meta", "ref", "argument", "inputResponses") + `":`)
		g.value()
	}
}

func (g *grammar) value() {
	g.depth++
	defer func() { g.depth-- }()
	kind := g.next() % 14
	if g.depth > 300 && kind >= 8 {
		kind = 0
	}
	switch kind {
	case 0, 1:
		g.out.WriteString(g.pick("0", "null", "true", "-1.5e300", "1e999", "0.0000000000000000001",
			"123456789012345678901234567890", `"debug"`))
	case 2:
		g.out.WriteString(`"` + g.again(g.pick("x", `\n`, `\u0000`, `\ud800`, "\u00e9", `\\`), g.count(1<<20)) + `"`)
	case 3:
		g.out.WriteString(g.again("1", 1+g.count(1<<20)))
	case 4: // wide
		g.out.WriteString("[" + g.again(g.pick("[],", "{},", "0,", `"",`, `{"a":0},`, `[[]],`), g.count(1<<21)) + "0]")
	case 5: // deep
		n := g.count(1 << 20)
		left, right := "[", "]"
		if g.next()%2 == 1 {
			left, right = `{"a":`, "}"
		}
		n = len(g.again(left+right, n)) / len(left+right)
		g.out.WriteString(strings.Repeat(left, n) + "0" + strings.Repeat(right, n))
	case 6: // the same name again
		g.out.WriteString("{" + g.again(`"a":[],`, g.count(1<<20)) + `"a":0}`)
	case 7: // many names
		n := g.count(1 << 19)
		g.out.WriteByte('{')
		for i := 0; i < n && g.out.Len() < maxMade; i++ {
			fmt.Fprintf(&g.out, `"%x":%d,`, i, i)
		}
		g.out.WriteString(`"":0}`)
	case 8, 9, 10:
		g.out.WriteByte('[')
		for i := range g.count(16) {
			if i > 0 {
				g.out.WriteByte(',')
			}
			g.value()
		}
		g.out.WriteByte(']')
	default:
		g.out.WriteByte('{')
		for i := range g.count(16) {
			if i > 0 {
				g.out.WriteByte(',')
			}
			g.out.WriteString(`"` + g.pick("a", "text", "name", "_meta", `\u0061`, "") + `":`)
			g.value()
		}
		g.out.WriteByte('}')
	}
}

// FuzzMemory sends messages to a server, over HTTP, alone and many at once, and over streams. Memory does not grow
// past what is for them, and the server goes on.
func FuzzMemory(f *testing.F) {
	seed := func(parts ...string) { f.Add([]byte(strings.Join(parts, ""))) }
	// A message: whether it is a batch, version, kind of id and id, kind of method and method, whether there are
	// parameters and under which name, how many, and those.
	shapes := []string{
		"\x00\x00\x04\x00\xfb",                         // wide
		"\x00\x00\x05\xff\x00",                         // deep
		"\x02\x00\xff",                                 // long
		"\x06\xfa\x07\xf8",                             // many members
		"\x00\x00\x04\x04\xf8\x06\x04\x04\xf7\x04\xf6", // wide, but let in
	}
	for i, method := range []int{0, 1, 2, 2, 2, 8, 11, 12, 16, 21} {
		seed(string([]byte{0, 0, 0, 1, 0, byte(method), 1, 0, 2, 2}), shapes[i%len(shapes)])
	}
	for i := range 4 {
		seed(string(bytes.Repeat([]byte{byte(i * 66), byte(i * 42), 0xff, byte(i), 4, 0xf9}, 20)))
	}
	web, streams := startChild(f, "http"), startChild(f, "stdio")
	f.Fuzz(func(t *testing.T, data []byte) {
		web.t, streams.t = t, t
		g := grammar{bytes: data}
		g.message()
		message := g.out.Bytes()
		session := web.begin(initializeRequest)
		var m struct {
			Method string
			Params struct{ Name, URI string }
		}
		_ = json.Unmarshal(message[:min(len(message), 4096)], &m)
		for _, test := range []struct {
			name string
			to   *child
			do   func()
		}{
			{"without a session", web, func() { web.post(message) }},
			{"in a session", web, func() { web.post(message, session...) }},
			{"in the newest version", web, func() {
				web.post(message, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", m.Method, "Mcp-Name",
					m.Params.Name+m.Params.URI)
			}},
			{"many at once", web, func() {
				var group sync.WaitGroup
				for range 8 {
					group.Go(func() { web.post(message, session...) })
				}
				group.Wait()
			}},
			{"over streams", streams, func() { streams.send(message) }},
		} {
			test.to.watch()
			test.do()
			require.Less(t, test.to.grown(), int64(budget), "%s: %d bytes: %.300s", test.name, len(message), message)
		}
		r, err := http.NewRequest(http.MethodDelete, web.url, nil)
		require.NoError(t, err)
		r.Header.Set("Mcp-Session-Id", session[1])
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	})
}
