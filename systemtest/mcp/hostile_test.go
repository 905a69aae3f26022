//go:build systemtest && unix

package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// syncBuffer is a buffer that is safe for concurrent writes.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func logTo(b *syncBuffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestServersThatDoNotConnect(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"mute":     `MCP server "mute": the server does not answer`,
		"endless":  `MCP server "endless": the server has sent a message of more than 1 MiB`,
		"modern":   `calling "initialize": no`, // it supports no version
		"refusing": `bad key`,
		"leaving":  `bad key`, // matters more than its exit
		"crashing": `MCP server "crashing": the connection was lost; its standard error ends in: ` +
			strings.Repeat("trace ", 100) + ` Error: no such database: `,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			timeout := time.Minute
			if kind == "mute" {
				timeout = 300 * time.Millisecond
			}
			set := openKind(t, kind, &mcpclient.Options{ConnectTimeout: timeout, MaxMessage: 1 << 20})
			status := set.Status()[0]
			require.False(t, status.Connected)
			require.ErrorContains(t, status.Err, want)
			var failed *mcpclient.ServerError
			require.ErrorAs(t, status.Err, &failed)
			require.Equal(t, kind == "mute", errors.Is(status.Err, context.DeadlineExceeded))
			require.Empty(t, set.Registry().Specs())
		})
	}
}

func TestHostileLists(t *testing.T) {
	t.Parallel()
	for kind, check := range map[string]func(t *testing.T, r *registry.Registry){
		"noise": func(t *testing.T, r *registry.Registry) { require.Equal(t, []string{"noise_t"}, mcptest.Names(r)) },
		"pages": func(t *testing.T, r *registry.Registry) { require.Len(t, r.Specs(), 100) },
		"many":  func(t *testing.T, r *registry.Registry) { require.Len(t, r.Specs(), mcpclient.DefaultMaxTools) },
		"utf8": func(t *testing.T, r *registry.Registry) {
			spec, _ := r.Spec("utf8_t")
			require.Equal(t, "a\uFFFDb\uFFFDcd\u2764\ufe0f\u200d\U0001f525", spec.Description)
		},
		"schemas": func(t *testing.T, r *registry.Registry) {
			any := `{"type":"object"}`
			for one, schema := range map[string]string{
				"deep": any, "invalid": `{"type":"object","properties":{"a":{}}}`, "text": any, "none": any,
				"empty":   any,
				"outside": `{"type":"object","properties":{"a":{}}}`, "large": any, "output": any, "slow": any,
				"smuggled": `{"type":"object","properties":{"a":{}}}`,
				"hidden": `{"type":"object",` +
					`"properties":{"a":{"type":"string","title":"\u2764\ufe0f","description":"not hidden"}}}`,
				"nested":  `{"type":"object","properties":{"a":{"$id":"A","type":"integer"}}}`,
				"untyped": `{"type":"object","properties":{"n":{"const":12345678901234567890}}}`,
			} {
				spec, ok := r.Spec("schemas_" + one)
				require.True(t, ok, one)
				require.Equal(t, schema, string(spec.Schema), one)
				require.Nil(t, spec.OutputSchema)
				note := strings.Join(spec.SchemaNotes, "\n")
				require.Contains(t, note, map[string]string{
					"deep": "it takes any arguments: the JSON has more than 128 levels of nesting",
					"text": "it takes any arguments: it is not a JSON object",
					"none": "it takes any arguments", "large": "it takes any arguments: it has 3",
					"slow":    "more than 2000",
					"invalid": "left out of its schema: /properties/a/type (it is unknown)",
					"outside": "/properties/a/$ref (it leads to another document)",
					"smuggled": "/properties/a/enum (it is not a list of values, or has text that people would not " +
						"see)",
				}[one], one)
				if one == "hidden" || one == "nested" || one == "untyped" || one == "empty" || one == "output" {
					require.Empty(t, note, one)
				}
			}
			require.Len(t, r.Specs(), 13)
		},
		"wordy": func(t *testing.T, r *registry.Registry) {
			size := 0
			for _, spec := range r.Specs() {
				size += len(spec.Description)
			}
			require.Len(t, r.Specs(), 200)
			require.Less(t, size, 300<<10)
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			set := openKind(t, kind, nil)
			mcptest.Connected(t, set)
			check(t, set.Registry())
			_, err := set.Registry().Definitions(tool.Anthropic, registry.Selection{})
			require.NoError(t, err)
		})
	}
}

// TestASchemaIsUsedAsFarAsItIsUnderstood has servers that write what old drafts, other languages and other regular
// expressions have: models see the parameters, and arguments are checked by what is left.
func TestASchemaIsUsedAsFarAsItIsUnderstood(t *testing.T) {
	t.Parallel()
	set := openKind(t, "partly", nil)
	mcptest.Connected(t, set)
	tools := set.Registry()
	for _, api := range []tool.API{tool.Anthropic, tool.OpenAIChat, tool.MCP} {
		definitions, err := provider.Definitions(tools, api, registry.Selection{}, nil)
		require.NoError(t, err)
		for _, parameter := range []string{`"email"`, `"pair"`, `"rate"`, `"name"`} {
			require.Contains(t, string(definitions), parameter, api)
		}
		require.Contains(t, string(definitions), `It must match the regular expression ^(?!`, api)
	}
	spec, _ := tools.Spec("partly_t")
	require.Len(t, spec.SchemaNotes, 1)
	require.Contains(t, spec.SchemaNotes[0], "left out of its schema: /properties/email/pattern (error parsing regexp")
	for input, problem := range map[string]string{
		`{"email":"a@b","pair":["x",1],"rate":0.5,"name":"n"}`: "",
		`{"email":".@b","name":"n"}`:                           "", // which is for the server
		`{"name":"n"}`:                                         "missing property 'email'",
		`{"email":5,"name":"n"}`:                               "/email: got number, want string",
		`{"email":"a@b"}`:                                      "missing property 'name'",
		`{"email":"a@b","name":"n","rate":0}`:                  "/rate: ",
		`{"email":"a@b","name":"n","pair":[1,1]}`:              "/pair/0: got number, want string",
	} {
		result := mcptest.Call(t, set, "partly_t", input)
		require.Equal(t, problem != "", result.IsError(), "%s: %s", input, result.Text())
		require.Contains(t, result.Text(), problem, input)
	}
}

func TestWhatIsLeftOutIsLogged(t *testing.T) {
	var log syncBuffer
	mcptest.Connected(t, openKind(t, "schemas", &mcpclient.Options{Logger: logTo(&log)}))
	require.Contains(t, log.String(), `tool=invalid`)
	require.Contains(t, log.String(), `/properties/a/type (it is unknown)`)
	mcptest.Connected(t, openKind(t, "pages", &mcpclient.Options{Logger: logTo(&log), MaxTools: 3}))
	require.Contains(t, log.String(), `there are too many`)
}

func TestHostileCalls(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		code tool.Code
		text string
	}{
		"dies":     {tool.CodeFailed, "has not answered the call: the connection was lost."},
		"survived": {tool.CodeFailed, "has not answered the call: the connection was lost."},
		"shut":     {tool.CodeFailed, "has not answered the call: the connection was lost."},
		"huge":     {tool.CodeFailed, "has sent more than 1 MiB at once"},
		"ids":      {"", "right"},
		"flood":    {"", "flooded"},
		"parts":    {"", "and the others are left out"},
		"odd":      {"", `it is of the type "hologram"`},
		"input":    {tool.CodeFailed, "wants to ask somebody something"},
		"list":     {tool.CodeTool, "the server's result is not an object"},
		"greeting": {tool.CodeTool, "has refused the call: the server's result is a greeting"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			options := &mcpclient.Options{MaxMessage: 1 << 20}
			if kind == "parts" || kind == "greeting" {
				options = nil
			}
			set := openKind(t, kind, options)
			mcptest.Connected(t, set)
			if kind == "shut" {
				require.Equal(t, "shut", mcptest.Call(t, set, "shut_t", `{}`).Text())
			}
			result := mcptest.Call(t, set, kind+"_t", `{}`)
			require.Equal(t, want.code, result.Code, result.Text())
			require.Contains(t, result.Text(), want.text)
			if kind == "odd" {
				require.Equal(t, `{"big":9007199254740993,"e":1.0}`, fmt.Sprintf("%s", result.Data))
				require.Contains(t, result.Text(), "it is not base64")
			}
		})
	}
}

// TestStorm has a server that reports changes of its tools all the time.
func TestStorm(t *testing.T) {
	t.Parallel()
	set := openKind(t, "storm", nil)
	mcptest.Connected(t, set)
	changed := set.Changed()
	for range 20 {
		require.Equal(t, "ok", mcptest.Call(t, set, "storm_t", `{}`).Text())
	}
	select {
	case <-changed:
		require.Fail(t, "the same tools are not a change")
	default:
	}
}

// TestClosedWhileListing closes the set during a second listing. That is not a failure of the server.
func TestClosedWhileListing(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	set := openKind(t, "silent", &mcpclient.Options{Logger: logTo(&log)})
	mcptest.Connected(t, set)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "asked again") }, time.Minute,
		time.Millisecond)
	require.NoError(t, set.Close())
	require.NotContains(t, log.String(), "level=WARN")
}

// TestRestlessServer has a server whose tools change all the time, at a rate that an honest server could have.
func TestRestlessServer(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	set := openKind(t, "restless", &mcpclient.Options{Logger: logTo(&log)})
	mcptest.Connected(t, set)
	require.NotContains(t, log.String(), "something else of a tool")
	mcptest.Until(t, set, func() bool { return mcptest.Call(t, set, "restless_t", `{}`).Text() == "8" })
	time.Sleep(2 * time.Second) // enough for several changes
	lists, err := strconv.Atoi(mcptest.Call(t, set, "restless_t", `{}`).Text())
	require.NoError(t, err)
	require.LessOrEqual(t, lists, 10)
	require.Contains(t, log.String(),
		"MCP server says something else of a tool than before\" server=restless tool=restless_t")
}

// TestRequestsOfServers has servers that send forbidden requests, some disguised as answers, some with large ids that
// are kept until they are answered.
func TestRequestsOfServers(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"disguised", "greedy"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			set := openKind(t, kind, nil)
			mcptest.Connected(t, set)
			mcptest.Call(t, set, kind+"_t", `{}`)
			for range 3 {
				result := mcptest.Call(t, set, kind+"_t", `{}`)
				require.Equal(t, "0", result.Text(), "how many have been answered")
			}
		})
	}
}

// TestDeafServer has a server that stops reading.
func TestDeafServer(t *testing.T) {
	t.Parallel()
	set := openKind(t, "deaf", nil)
	mcptest.Connected(t, set)
	for range 3 {
		result := set.Registry().Dispatch(t.Context(),
			tool.Call{Tool: "deaf_t", Input: fmt.Appendf(nil, `{"s":%q}`, strings.Repeat("x", 1<<20))},
			registry.Env{Limits: registry.Limits{Timeout: 50 * time.Millisecond}})
		require.Equal(t, tool.CodeTimeout, result.Code)
		require.NotErrorIs(t, result.Err, registry.ErrAbandoned)
	}
}

// TestStubbornServer ends a server that ignores the end of its input and SIGTERM, together with its child process.
func TestStubbornServer(t *testing.T) {
	t.Parallel()
	set := openKind(t, "stubborn", nil)
	mcptest.Connected(t, set)
	var server, child int
	text := mcptest.Call(t, set, "stubborn_t", `{}`).Text()
	_, err := fmt.Sscan(text, &server, &child)
	require.NoError(t, err, text)
	require.NoError(t, syscall.Kill(server, 0))
	require.NoError(t, syscall.Kill(child, 0))
	require.NoError(t, set.Close())
	require.ErrorIs(t, syscall.Kill(server, 0), syscall.ESRCH)
	require.Eventually(t, func() bool { return gone(child) }, time.Minute, 10*time.Millisecond)
	require.Empty(t, set.Registry().Specs())
}

// TestNothingIsLeft opens and closes servers of all kinds, and checks with package leakcheck that nothing remains.
func TestNothingIsLeft(t *testing.T) {
	run := func() {
		servers := map[string]mcpclient.ServerConfig{}
		for _, kind := range []string{"good", "plain", "refusing", "dies", "modern", "noise"} {
			servers[kind] = stdio(kind)
		}
		set, err := mcpclient.Open(t.Context(), mcpclient.Config{Servers: servers}, nil)
		require.NoError(t, err)
		mcptest.Call(t, set, "dies_t", `{}`)
		mcptest.Call(t, set, "good_echo", `{}`)
		require.NoError(t, set.Close())
		require.Equal(t, tool.CodeUnknownTool, mcptest.Call(t, set, "good_echo", `{}`).Code)
	}
	run()
	before := leakcheck.Take()
	for range 3 {
		run()
	}
	before.Require(t, leakcheck.Growth{Mappings: 20, Memory: 20 << 20})
}

func TestEnvironment(t *testing.T) {
	t.Setenv("TOOLRUN_TEST_HOST_ONLY", "x") // the server must not get it
	var log syncBuffer
	environ := map[string]string{"PATH": "/bin", "HOME": "/home/x", "OTHER": "no", "MY_API_KEY": "s3cr3t-value"}
	server := stdio("good")
	server.Env["GITHUB_TOKEN"] = "${MY_API_KEY}"
	server.Env["GREETING"] = "${NOBODY:-hello} ${env:HOME}"
	set := mcptest.Open(t, &mcpclient.Options{Logger: logTo(&log), LookupEnv: func(name string) (string, bool) {
		value, ok := environ[name]
		return value, ok
	}}, map[string]mcpclient.ServerConfig{"good": server})
	mcptest.Connected(t, set)
	text := mcptest.Call(t, set, "good_environment", `{}`).Text()
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "GOCOVERDIR=") {
			lines = append(lines, line)
		}
	}
	require.ElementsMatch(t, []string{
		"PATH=/bin", "HOME=/home/x", "GITHUB_TOKEN=[redacted]", "GREETING=hello /home/x", "GORACE=atexit_sleep_ms=0",
		serverKind + "=good",
	}, lines)
	require.NotContains(t, log.String(), "s3cr3t")
	require.Contains(t, mcptest.Call(t, set, "good_echo", `{"s":"s3cr3t-value"}`).Text(), "[redacted]")

	for kind, want := range map[string]string{"refusing": "bad key [redacted]",
		"crashing": "no such database: [redacted] [31m  at main"} {
		server = stdio(kind)
		server.Env["API_KEY"] = "${MY_API_KEY}"
		set = mcptest.Open(t, &mcpclient.Options{LookupEnv: func(name string) (string, bool) {
			return environ[name], true
		}},
			map[string]mcpclient.ServerConfig{kind: server})
		require.ErrorContains(t, set.Status()[0].Err, want)
	}
}

// TestNoEnvironment has a server without any variables. It must not get the whole environment instead.
func TestNoEnvironment(t *testing.T) {
	t.Setenv("TOOLRUN_TEST_HOST_ONLY", "x")
	env, err := exec.LookPath("env")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "environment")
	server := mcpclient.ServerConfig{Command: "/bin/sh", Args: []string{"-c", env + " >" + file}}
	mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"bare": server})
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(data), "TOOLRUN_TEST_HOST_ONLY")
}

// gone reports whether a process has exited. It may still be waiting for its parent.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
