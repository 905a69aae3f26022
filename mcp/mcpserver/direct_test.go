package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// newestMeta is what a request of the newest version says of itself.
const newestMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// newestHeaders are those of a call of the newest version.
func newestHeaders(tool string) []string {
	return []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}
}

// kinds are tools with results of all kinds, one that reports, and one with an argument that is in a header, too.
func kinds() []tool.Tool {
	type nothing struct{}
	result := func(name string, result tool.Result) tool.Tool {
		return tool.JSONFunc(tool.Spec{Name: name, Description: "Has a result.",
			Schema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, tool.Call, tool.Env) (tool.Result, error) { return result, nil })
	}
	return []tool.Tool{
		result("text", tool.Result{Content: []tool.Part{
			{Text: "<b>\u2028\u0000\xff& a line\nand another"}, {Text: ""}}}),
		result("data", tool.Result{Data: json.RawMessage(`{"<n>": 12345678901234567890.10,` + "\n" + `"a":[1e400]}`)}),
		result("image", tool.Result{Content: []tool.Part{{Data: []byte{0x89, 'P', 'N', 'G'}, MIME: "image/png"}}}),
		result("file", tool.Result{Content: []tool.Part{{Data: []byte("a,b\n"), MIME: "text/csv"}}}),
		tool.Func(tool.Spec{Name: "fails", Description: "Fails."},
			func(context.Context, nothing, tool.Env) (string, error) { return "", errors.New("no <way>") }),
		tool.Func(tool.Spec{Name: "reports", Description: "Reports."},
			func(_ context.Context, _ nothing, env tool.Env) (string, error) {
				env.Logger.Info("half", "n", 1)
				env.Report("half", 1, 2)
				return "done", nil
			}),
		tool.JSONFunc(tool.Spec{Name: "region", Description: "Has a header.", Schema: json.RawMessage(
			`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)},
			func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
				return tool.Result{Content: []tool.Part{{Text: "in it"}}}, nil
			}),
	}
}

// TestCallsAroundTheSDK makes calls without sessions, each in two ways: as clients do, and with a state of a request,
// which nobody looks at, but with which the call goes through the SDK's handler. There must be no difference.
func TestCallsAroundTheSDK(t *testing.T) {
	url := serve(t, newServer(t, builtIn(t, kinds()...), newProject(t), nil),
		&mcpserver.HandlerOptions{Stateless: true})
	differs := regexp.MustCompile(`"time":"[^"]*"|mcp-[a-z0-9]{16}|"m(s|illiseconds)":[0-9.]+`)
	for _, version := range []string{"", "2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, name := range []string{"text", "data", "image", "file", "fails", "reports", "region", "javascript",
			"missing", ""} {
			for _, token := range []string{"", `"progressToken":"p"`, `"progressToken":7`, `"progressToken":true`,
				`"io.modelcontextprotocol/logLevel":"debug"`} {
				for _, id := range []string{`1`, `-9007199254740991`, `"\u00e4\"<"`, `1.5`, `1e300`} {
					if id != "1" && name != "text" {
						continue
					}
					headers, members := []string{"Mcp-Protocol-Version", version}, []string{token}
					if version == "" {
						headers = nil
					} else if version == "2026-07-28" {
						headers = newestHeaders(name)
						members = append(members, strings.TrimSuffix(strings.TrimPrefix(newestMeta, `"_meta":{`), "}"))
					}
					meta := strings.Trim(strings.Join(members, ","), ",")
					ask := func(more string) string {
						body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,`+
							`"arguments":{"code":"return 6 * 7"},"_meta":{%s}%s}}`, id, name, meta, more)
						response, text := post(t, url, body, headers...)
						response.Header.Del("Date")
						response.Header.Del("Content-Length")
						return fmt.Sprint(response.StatusCode, response.Header, differs.ReplaceAllString(text, ""))
					}
					require.Equal(t, ask(`,"requestState":"x"`), ask(""), "%s %s %s %s", version, name, token, id)
				}
			}
		}
	}
}

// TestCallsThatDoNotFitTheirVersion makes calls without a session that contradict themselves.
func TestCallsThatDoNotFitTheirVersion(t *testing.T) {
	url := serve(t, newServer(t, builtIn(t, kinds()...), newProject(t), nil),
		&mcpserver.HandlerOptions{Stateless: true})
	call := func(name, meta string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
			`"params":{"name":%q,"arguments":{"region":"x"},%s}}`, name, meta)
	}
	fits := newestHeaders("text")
	without := func(key string) string {
		return regexp.MustCompile(`"[^"]*`+key+`":[^,}]*\}?,?`).ReplaceAllString(newestMeta, "")
	}
	response, text := post(t, url, call("text", newestMeta), fits...)
	require.Equal(t, http.StatusOK, response.StatusCode, text)
	for name, test := range map[string]struct {
		body    string
		headers []string
	}{
		"another tool":           {call("text", newestMeta), newestHeaders("data")},
		"no name":                {call("text", newestMeta), fits[:4]},
		"no method":              {call("text", newestMeta), append(fits[:2:2], fits[4:]...)},
		"another method":         {call("text", newestMeta), append(fits[:6:6], "Mcp-Method", "tools/list")},
		"no version in it":       {call("text", `"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}`), fits},
		"no capabilities in it":  {call("text", without("clientCapabilities")), fits},
		"another version in it":  {call("text", strings.Replace(newestMeta, "2026-07-28", "2026-07-29", 1)), fits},
		"an unknown version":     {call("text", newestMeta), append(fits[:6:6], "Mcp-Protocol-Version", "2027-01-01")},
		"an old unknown version": {call("text", newestMeta), append(fits[:6:6], "Mcp-Protocol-Version", "2023-01-01")},
		"an older version":       {call("text", newestMeta), append(fits[:6:6], "Mcp-Protocol-Version", "2025-11-25")},
		"another argument": {call("region", newestMeta),
			append(newestHeaders("region"), "Mcp-Param-Region", "y")},
		"another type":           {call("text", newestMeta), append(fits[:6:6], "Content-Type", "text/plain")},
		"no events":              {call("text", newestMeta), append(fits[:6:6], "Accept", "application/json")},
		"a stream to go on with": {call("text", newestMeta), append(fits[:6:6], "Last-Event-ID", "1_1")},
		"another JSON-RPC":       {strings.Replace(call("text", newestMeta), "2.0", "1.0", 1), fits},
		"an id that is a list":   {strings.Replace(call("text", newestMeta), `"id":1`, `"id":[]`, 1), fits},
		"a name that is a list":  {strings.Replace(call("text", newestMeta), `"text"`, `[]`, 1), fits},
	} {
		response, text := post(t, url, test.body, test.headers...)
		require.GreaterOrEqual(t, response.StatusCode, 400, "%s: %s", name, text)
		require.NotContains(t, text, "a line", name)
	}
}

// around serves requests of a tool that does nothing, without a network.
func around(t testing.TB, version string) func() {
	tools, err := registry.New(tool.Func(tool.Spec{Name: "nothing", Description: "Does nothing."},
		func(context.Context, struct{}, tool.Env) (string, error) { return "done", nil }))
	require.NoError(t, err)
	server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), &mcpserver.Options{Rate: 1e9})
	require.NoError(t, err)
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
		&mcpserver.HandlerOptions{Stateless: true})
	headers, meta := []string{"Mcp-Protocol-Version", version}, `"_meta":{}`
	if version == "2026-07-28" {
		headers, meta = newestHeaders("nothing"), newestMeta
	}
	headers = append(headers, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing","arguments":{},` + meta + `}}`
	return func() {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), `"done"`)
	}
}

// TestACallAllocatesLittle bounds what is allocated around a call without a session: the SDK's handler takes ten times
// as much.
func TestACallAllocatesLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("more is allocated then")
	}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		request := around(t, version)
		request() // what is kept is made
		const times = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			request()
		}
		runtime.ReadMemStats(&after)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)/times, uint64(48<<10), version)
	}
}

// BenchmarkAround measures what is around a call that does nothing, without a network.
func BenchmarkAround(b *testing.B) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			request := around(b, version)
			for b.Loop() {
				request()
			}
		})
	}
}
