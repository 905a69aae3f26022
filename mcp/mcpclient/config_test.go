package mcpclient_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
)

func TestParseConfig(t *testing.T) {
	config, err := mcpclient.ParseConfig([]byte(`{"globalShortcut": "x", "mcpServers": {
		"files": {"command": "npx", "args": ["-y", "server", "${HOME}"],
			"env": {"API_KEY": "${KEY}", "MAX_TOKENS": "5", "KEY_FILE": "/k"}, "cwd": "/tmp",
			"alwaysAllow": ["x"], "timeout": 90000},
		"web": {"url": "https://example.com/mcp?api_key=${KEY}",
			"headers": {"Authorization": "Bearer ${env:TOKEN}", "X-Team": "a"}, "type": "streamable-http"},
		"old": {"type": "sse", "url": "http://localhost:${PORT:-80}/sse", "disabled": true, "timeout": "2m"}
	}, "servers": {"code": {"type": "stdio", "command": "x"}}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]mcpclient.ServerConfig{
		"files": {Command: "npx", Args: []string{"-y", "server", "${HOME}"}, Dir: "/tmp", Timeout: 90 * time.Second,
			Env: map[string]string{"API_KEY": "${KEY}", "MAX_TOKENS": "5", "KEY_FILE": "/k"}},
		"web": {URL: "https://example.com/mcp?api_key=${KEY}", Transport: mcpclient.HTTP,
			Headers: map[string]string{"Authorization": "Bearer ${env:TOKEN}", "X-Team": "a"}},
		"old": {URL: "http://localhost:${PORT:-80}/sse", Transport: mcpclient.SSE, Disabled: true,
			Timeout: 2 * time.Minute},
		"code": {Command: "x", Transport: mcpclient.Stdio},
	}, config.Servers)
	require.Empty(t, config.PlainSecrets())
}

// TestDesktopConfig has other contents of desktop clients' files: plain secrets, inputs, and choices of tools.
func TestDesktopConfig(t *testing.T) {
	config, err := mcpclient.ParseConfig([]byte(`{
		"inputs": [{"type": "promptString", "id": "key", "description": "A key", "password": true},
			{"id": "team", "default": "red"},
			{"type": "pickString", "id": "size", "options": ["S", {"label": "large", "value": "L"}]}],
		"servers": {
			"a": {"command": "x",
				"env": {"API_KEY": "hunter22", "T_TOKEN": "${A:-hunter22}", "PORT": "80", "EMPTY_KEY": ""},
				"enabled": true, "enabled_tools": ["one"], "disabled_tools": ["two"]},
			"b": {"url": "http://u:hunter22@x?token=hunter22", "headers": {"authorization": "Bearer hunter22"}},
			"c": {"url": "http://x?api_key=${K}", "headers": {"X-Api-Key": "${input:key}"}},
			"d": {"command": "x", "enabled": false}}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]mcpclient.Input{"key": {Description: "A key", Password: true}, "team": {Default: "red"},
		"size": {Options: []string{"S", "L"}}}, config.Inputs)
	require.Equal(t, []string{"one"}, config.Servers["a"].EnabledTools)
	require.Equal(t, []string{"two"}, config.Servers["a"].DisabledTools)
	require.False(t, config.Servers["a"].Disabled)
	require.True(t, config.Servers["d"].Disabled)
	require.Equal(t, []string{`MCP server "a", env.API_KEY`, `MCP server "a", env.T_TOKEN`,
		`MCP server "b", headers.authorization`, `MCP server "b", url`}, config.PlainSecrets())
}

func TestBadConfigs(t *testing.T) {
	for config, want := range map[string]string{
		``:                          `the MCP configuration is not a JSON object`,
		`[]`:                        `the MCP configuration is not a JSON object`,
		`{}`:                        `the MCP configuration has none of "mcpServers", "servers" and "context_servers"`,
		`{"mcpServers": 5}`:         `the MCP configuration is not a JSON object`,
		`{"mcpServers": {"a": {}}}`: `MCP server "a": needs command or url`,
		`{"mcpServers": {"a": {"command": "x", "url": "http://x"}}}`: `MCP server "a", ` +
			`url: there is also a command`,
		`{"mcpServers": {"a": {"command": 5}}}`: `MCP server "a", ` +
			`command: it is a number`,
		`{"mcpServers": {"a": {"command": {"path": 5}}}}`: `MCP server "a", ` +
			`command.path: it is a number`,
		`{"mcpServers": {"a": {"command": {"args": ["x"]}}}}`: `MCP server "a": ` +
			`needs command or url`,
		`{"mcpServers": {"a": {"source": "custom", "settings": {}}}}`: `MCP server "a": ` +
			`needs command or url`,
		`{"mcpServers": {"a": {"command": "x", "args": "y"}}}`: `MCP server "a", ` +
			`args: it is a string`,
		`{"mcpServers": {"a": {"command": "x", "env": {"K": 5}}}}`: `MCP server "a", env`,
		`{"mcpServers": {"a": {"command": "x", "env": {"A=B": "5"}}}}`: `MCP server "a", ` +
			`env: "A=B" cannot be`,
		`{"mcpServers": {"a": {"url": "http://x", "headers": {"a b": ""}}}}`: `MCP server "a", ` +
			`headers: "a b" cannot be`,
		`{"mcpServers": {"a": {"command": "x", "type": "websocket"}}}`: `MCP server "a", ` +
			`type: "websocket" is not one of`,
		`{"mcpServers": {"a": {"command": "x", "type": "http"}}}`: `MCP server "a", ` +
			`url: there is none, which http needs`,
		`{"mcpServers": {"a": {"url": "http://x", "type": "stdio"}}}`: `MCP server "a", ` +
			`command: there is none`,
		`{"mcpServers": {"a": {"command": "x", "timeout": 60}}}`: `MCP server "a", ` +
			`timeout: 60 would be milliseconds; write "60s"`,
		`{"mcpServers": {"a": {"command": "x", "timeout": -1}}}`: `MCP server "a", ` +
			`timeout: it must be positive`,
		`{"mcpServers": {"a": {"command": "x", "timeout": 1e300}}}`: `MCP server "a", ` +
			`timeout: it must be positive, and at most`,
		`{"mcpServers": {"a": {"command": "x", "timeout": []}}}`: `MCP server "a", ` +
			`timeout: it is written as`,
		`{"mcpServers": {"": {"command": "x"}}}`:                                `its name must have`,
		`{"mcpServers": {"a\u0000": {"command": "x"}}}`:                         `its name must have`,
		`{"mcpServers": {"` + strings.Repeat("x", 65) + `": {"command": "x"}}}`: `its name must have`,
		`{"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}}}`: `MCP server "a": ` +
			`it is there twice`,
		`{"mcpServers": {"a": {"command": "x", "args": ["a", "${HOME"]}}}`: `MCP server "a", ` +
			`args[1]: ${HOME is not closed`,
		`{"mcpServers": {"a": {"command": "x", "env": {"B": "${A:-x} ${B:-"}}}}`: `MCP server "a", ` +
			`env.B: ${B:- is not closed`,
		`{"mcpServers": {"a": {"url": "http://x/${A", "headers": {}}}}`: `MCP server "a", ` +
			`url: ${A is not closed`,
		`{"mcpServers": {"a": {"url": "http://x", "headers": {"A": "${"}}}}`: `MCP server "a", ` +
			`headers.A: ${ is not closed`,
		`{"mcpServers": {"a": {"command": "x", "enabled_tools": "y"}}}`: `MCP server "a", ` +
			`enabled_tools: it is a string`,
		`{"mcpServers": {"a": {"url": "http://x\u0000hunter22"}}}`: `MCP server "a", ` +
			`url: it is not an address`,
		strings.Repeat(" ", mcpclient.MaxConfig+1): `more than 1048576`,
	} {
		_, err := mcpclient.ParseConfig([]byte(config))
		require.ErrorContains(t, err, want, "%.300s", config)
		require.NotContains(t, err.Error(), "hunter22")
	}
}

// TestExtensions has the forms in which Zed writes servers that are extensions, and its old form of a command.
func TestExtensions(t *testing.T) {
	config, err := mcpclient.ParseConfig([]byte(`{"context_servers": {
		"one": {"source": "extension", "enabled": true, "settings": {"token": "hunter22"}},
			"two": {"settings": {"url": "x"}},
		"off": {"source": "extension", "enabled": false},
		"own": {"command": {"path": "/x", "args": ["run"], "env": {"A": "b"}}, "settings": {}},
		"new": {"source": "custom", "command": "/x", "args": []}}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]mcpclient.ServerConfig{
		"one": {Extension: true}, "two": {Extension: true}, "off": {Extension: true, Disabled: true},
		"own": {Command: "/x", Args: []string{"run"}, Env: map[string]string{"A": "b"}},
		"new": {Command: "/x", Args: []string{}},
	}, config.Servers)
	config.Servers = map[string]mcpclient.ServerConfig{"one": config.Servers["one"], "off": config.Servers["off"]}
	set, err := mcpclient.Open(t.Context(), config, nil)
	require.NoError(t, err)
	defer set.Close()
	require.Len(t, set.Status(), 1)
	require.EqualError(t, set.Status()[0].Err,
		`MCP server "one": it is an extension of an editor, which alone can start it, and is left out`)
}

func TestOpenInputs(t *testing.T) {
	config, err := mcpclient.ParseConfig([]byte(`{"inputs": [{"id": "b", "default": "b"}], "servers": {
		"one": {"command": "${input:z}", "args": ["x${input:a-b}${input:given}"], "env": {"A": "${input:b}"}},
		"two": {"url": "http://x/${input:z}", "headers": {"A": "${input:}${input:empty}"}},
		"off": {"command": "${input:off}", "disabled": true}}}`))
	require.NoError(t, err)
	environment := map[string]string{"GIVEN": "x", "EMPTY": ""}
	require.Equal(t, []string{"a-b", "b", "empty", "z"},
		config.OpenInputs(func(name string) (string, bool) { v, ok := environment[name]; return v, ok }))
	require.Equal(t, []string{"a-b", "b", "empty", "given", "z"}, config.OpenInputs(nil))
}

// TestEditorsConfig has syntax that editors write, or permit, in such files.
func TestEditorsConfig(t *testing.T) {
	for name, text := range map[string]string{
		"comments": "// mine\n{/**/\"servers\": { /* \"b\": {\n*/ \"a\": {\"command\": \"//x /*\", \"args\": " +
			"[\"\\\"//,]\"]}}} // {",
		"trailing commas": `{"servers": {"a": {"command": "//x /*", "args": ["\"//,]",],},},}`,
		"both": "{\"servers\": {\"a\": {\"command\": \"//x /*\", \"args\": [\"\\\"//,]\" // one\r, // " +
			"two\n/* */ ], /* three */ }}}",
		"a mark": "\ufeff" + `{"servers": {"a": {"command": "//x /*", "args": ["\"//,]"]}}}`,
		"Zed": `{"theme": "One", ` +
			`"context_servers": {"a": {"source": "custom", "command": "//x /*", "args": ["\"//,]"]}}}`,
	} {
		config, err := mcpclient.ParseConfig([]byte(text))
		require.NoError(t, err, name)
		require.Equal(t, map[string]mcpclient.ServerConfig{"a": {Command: "//x /*", Args: []string{`"//,]`}}},
			config.Servers, name)
	}
	for _, text := range []string{`{"servers": {,}}`, `{"servers": {"a": {"command": "x"},,}}`, `{"servers": {}} /*`,
		`{"servers": {"a": {"command": "x", "args": [,]}}}`, `{"servers": {"a":,}}`, `,{"servers": {}}`,
		`{"servers": {}},`,
		`{"servers": {}} /`, `{"servers": {"a": {"timeout": 1/**/2000, "command": "x"}}}`} {
		_, err := mcpclient.ParseConfig([]byte(text))
		require.ErrorContains(t, err, "the MCP configuration is not a JSON object", text)
	}
}

// TestMissingTools configures names of tools that the server does not have.
func TestMissingTools(t *testing.T) {
	web := overHTTP(mcptest.Good(), nil)
	defer web.Close()
	config := mcpclient.ServerConfig{URL: web.URL, EnabledTools: []string{"nope", "echo"},
		DisabledTools: []string{"never", "parts", "nope"}}
	set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"good": config})
	mcptest.Connected(t, set)
	require.Equal(t, []string{"never", "nope"}, set.Status()[0].Missing)
	require.Equal(t, []string{"good_echo"}, mcptest.Names(set.Registry()))
	require.NoError(t, set.Close())
}

// TestBadValues has errors that show only when variables have their values. The errors must not contain the values.
func TestBadValues(t *testing.T) {
	environ := map[string]string{"LINES": "a\nhunter22", "BAD": "hunter22", "EMPTY": ""}
	for want, server := range map[string]mcpclient.ServerConfig{
		`headers.Authorization: the variable NONE is not set in the environment`: {URL: "http://x",
			Headers: map[string]string{"Authorization": "${NONE}"}},
		`env.A: the variable NONE is not set`: {Command: "x",
			Env: map[string]string{"A": "${env:NONE}"}},
		"args[1]: ${input:my-key} has no value: set the variable MY_KEY": {Command: "x",
			Args: []string{"a", "${input:my-key}"}},
		`command: the variable LINES has more than one`: {Command: "${LINES}"},
		`url: it is not an address that begins`:         {URL: "${BAD}"},
		`cwd: ${} is not understood`:                    {Command: "x", Dir: "${}"},
		`cwd: ${workspaceFolder} is a variable of editors and has no value here`: {Command: "x",
			Dir: "${workspaceFolder}"},
		`args[0]: ${workspaceFolder:web} is a variable of editors`: {Command: "x",
			Args: []string{"${workspaceFolder:web}"}},
		`env.A: ${userHome} is a variable of editors`: {Command: "x",
			Env: map[string]string{"A": "${userHome}${/}b"}},
		`env.B: the variable userHome is not set`: {Command: "x",
			Env: map[string]string{"B": "${env:userHome}"}},
		`headers.A: ${config:a.b} is a variable of editors and has no value here`: {URL: "http://x",
			Headers: map[string]string{"A": "${config:a.b}"}},
	} {
		set := mcptest.Open(t, &mcpclient.Options{LookupEnv: func(name string) (string, bool) {
			v,
				ok := environ[name]
			return v, ok
		}},
			map[string]mcpclient.ServerConfig{"a": server})
		err := set.Status()[0].Err
		require.ErrorContains(t, err, `MCP server "a", `+want)
		require.NotContains(t, err.Error(), "hunter22")
		var wrong *mcpclient.ConfigError
		require.ErrorAs(t, err, &wrong)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(
		`{"mcpServers": {"a": {"command": "${X:-y}", "args": ["$"], "timeout": "5s"}, "b": {"url": "http://${H}"}}}`,
	))
	f.Add([]byte("{\"servers\": {\"a\": {\"command\": \"//\", /* \"b */ \"args\": [\"\\\\\",],},}} //"))
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := mcpclient.ParseConfig(data)
		again, errAgain := mcpclient.ParseConfig(slices.Concat([]byte("/* { */ // [\n"), data, []byte("\n/*,*/ // }")))
		if err == nil && len(data) < mcpclient.MaxConfig/2 && !bytes.HasPrefix(data, []byte("\uFEFF")) {
			require.NoError(t, errAgain)
			require.Equal(t, config, again)
		}
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for name, server := range config.Servers {
			require.NotEmpty(t, name)
			require.NotEqual(t, server.Command == "", server.URL == "")
		}
	})
}
