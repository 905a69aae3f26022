package clientconfig_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/clientconfig"
)

var server = clientconfig.Server{Name: "toolrun", Command: `C:\a b\toolrun.exe`,
	Args: []string{"mcp", "--root=/home/ada/\"notes\""}}

// Files as clients and people write them, and what they are with the server.
var files = map[string]struct{ client, before, after string }{
	"no file": {"claude-code", ``, `{
  "mcpServers": {
    "toolrun": {
      "type": "stdio",
      "command": "C:\\a b\\toolrun.exe",
      "args": ["mcp", "--root=/home/ada/\"notes\""]
    }
  }
}
`},
	"no servers, four spaces": {"claude-desktop", `{
    "globalShortcut": "Ctrl+Space"
}`, `{
    "globalShortcut": "Ctrl+Space",
    "mcpServers": {
        "toolrun": {
            "command": "C:\\a b\\toolrun.exe",
            "args": ["mcp", "--root=/home/ada/\"notes\""]
        }
    }
}`},
	"comments and a comma at the end": {"vscode", `// mine
{
	"inputs": [], // none
	"servers": {
		"other": {"command": "x"}, // keep
		/* and this */
	},
}
`, `// mine
{
	"inputs": [], // none
	"servers": {
		"other": {"command": "x"}, // keep
		/* and this */
		"toolrun": {
			"type": "stdio",
			"command": "C:\\a b\\toolrun.exe",
			"args": ["mcp", "--root=/home/ada/\"notes\""]
		},
	},
}
`},
	"a comment without a comma": {"zed", `{
  "theme": "One", // the best
  "context_servers": {
    "a": {"command": "a"} // first
  } // of servers
  // the end
}
`, `{
  "theme": "One", // the best
  "context_servers": {
    "a": {"command": "a"}, // first
    "toolrun": {
      "source": "custom",
      "command": "C:\\a b\\toolrun.exe",
      "args": ["mcp", "--root=/home/ada/\"notes\""]
    }
  } // of servers
  // the end
}
`},
	"lines as on Windows": {"cursor", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n" +
		"    \"toolrun\": {\r\n      \"command\": \"C:\\\\a b\\\\toolrun.exe\",\r\n" +
		"      \"args\": [\"mcp\", \"--root=/home/ada/\\\"notes\\\"\"]\r\n    }\r\n  }\r\n}\r\n"},
	"one line": {"opencode", `{"$schema": "https://opencode.ai/config.json"}`,
		`{"$schema": "https://opencode.ai/config.json",
  "mcp": {
    "toolrun": {
      "type": "local",
      "command": ["C:\\a b\\toolrun.exe", "mcp", "--root=/home/ada/\"notes\""],
      "enabled": true
    }
  }
}`},
	"TOML": {"codex", `model = "o9" # the newest

[mcp_servers.other] # [mcp_servers.toolrun]
command = "x"
args = [
  "a",
]

[mcp_servers.other.env]
A = """
b"""
`, `model = "o9" # the newest

[mcp_servers.other] # [mcp_servers.toolrun]
command = "x"
args = [
  "a",
]

[mcp_servers.other.env]
A = """
b"""

[mcp_servers.toolrun]
command = "C:\\a b\\toolrun.exe"
args = ["mcp", "--root=/home/ada/\"notes\""]
`},
	"no TOML": {"codex", "", `[mcp_servers.toolrun]
command = "C:\\a b\\toolrun.exe"
args = ["mcp", "--root=/home/ada/\"notes\""]
`},
	"YAML": {"goose", `GOOSE_MODEL: x # mine
extensions:
    # first
    developer:
        enabled: true
        type: builtin
other: 1
`, `GOOSE_MODEL: x # mine
extensions:
    toolrun:
        enabled: true
        type: "stdio"
        name: "toolrun"
        cmd: "C:\\a b\\toolrun.exe"
        args: ["mcp", "--root=/home/ada/\"notes\""]
        timeout: 300
    # first
    developer:
        enabled: true
        type: builtin
other: 1
`},
	"no extensions": {"goose", "# mine\n", `# mine
extensions:
  toolrun:
    enabled: true
    type: "stdio"
    name: "toolrun"
    cmd: "C:\\a b\\toolrun.exe"
    args: ["mcp", "--root=/home/ada/\"notes\""]
    timeout: 300
`},
	"extensions without one": {"goose", "extensions: {} # none\nb: 1\n", `extensions: # none
  toolrun:
    enabled: true
    type: "stdio"
    name: "toolrun"
    cmd: "C:\\a b\\toolrun.exe"
    args: ["mcp", "--root=/home/ada/\"notes\""]
    timeout: 300
b: 1
`},
}

// TestSetAndRemove adds the server, adds it again, another time with other arguments, and removes it.
func TestSetAndRemove(t *testing.T) {
	for name, f := range files {
		t.Run(name, func(t *testing.T) {
			c := clientconfig.Find(f.client)
			after, err := c.Set([]byte(f.before), server)
			require.NoError(t, err)
			require.Equal(t, f.after, string(after))
			again, err := c.Set(after, server)
			require.NoError(t, err)
			require.Equal(t, f.after, string(again))

			other := server
			other.Args = []string{"mcp"}
			changed, err := c.Set(after, other)
			require.NoError(t, err)
			require.NotContains(t, string(changed), "notes")
			require.Equal(t, 1, strings.Count(string(changed), `toolrun.exe`))

			removed, err := c.Remove(after, server.Name)
			require.NoError(t, err)
			switch name {
			case "no file":
				require.Equal(t, "{}\n", string(removed))
			case "one line": // the line that has got an end keeps it
				require.JSONEq(t, f.before, string(removed))
			case "no extensions", "extensions without one":
				require.NotContains(t, string(removed), "toolrun")
			default:
				require.Equal(t, f.before, string(removed))
			}
			none, err := c.Remove(removed, server.Name)
			require.NoError(t, err)
			require.Equal(t, removed, none)
		})
	}
}

// TestFilesThatCannotBeEdited are refused, and never rewritten.
func TestFilesThatCannotBeEdited(t *testing.T) {
	for name, f := range map[string]struct{ client, file, text string }{
		"broken JSON":         {"cursor", `{"a": `, "hujson"},
		"a list":              {"cursor", `[]`, "array"},
		"null":                {"cursor", `null`, "no JSON object"},
		"servers are a list":  {"cursor", `{"mcpServers": []}`, "by hand"},
		"servers twice":       {"cursor", `{"mcpServers": {}, "a": 1, "mcpServers": 1}`, "by hand"},
		"broken TOML":         {"codex", `a = `, "toml"},
		"servers in one line": {"codex", `mcp_servers = {a = {command = "x"}}`, "by hand"},
		"a header in a string": {"codex", "a = '''\n[mcp_servers.toolrun]\n'''\n[mcp_servers.toolrun]\nb = 1\n",
			"by hand"},
		"broken YAML":         {"goose", "a: [", "yaml"},
		"a scalar":            {"goose", "a", "yaml"},
		"a mapping in a line": {"goose", "extensions: {a: {b: 1}}\n", ""},
		"an alias":            {"goose", "a: &a {b: 1}\nextensions: *a\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientconfig.Find(f.client).Set([]byte(f.file), server)
			require.ErrorContains(t, err, f.text)
		})
	}
}

// TestPlaces are where clients look on each system.
func TestPlaces(t *testing.T) {
	none := func(string) string { return "" }
	linux := clientconfig.Place{OS: "linux", Home: "/home/ada", Config: "/home/ada/.config", Getenv: none}
	mac := clientconfig.Place{OS: "darwin", Home: "/Users/ada", Config: "/Users/ada/Library/Application Support",
		Getenv: none}
	windows := clientconfig.Place{OS: "windows", Home: "/ada", Config: "/ada/AppData/Roaming", Getenv: none}
	for name, want := range map[string][3]string{
		"claude-code": {"/home/ada/.claude.json", "/Users/ada/.claude.json", "/ada/.claude.json"},
		"claude-desktop": {"/home/ada/.config/Claude/claude_desktop_config.json",
			"/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
			"/ada/AppData/Roaming/Claude/claude_desktop_config.json"},
		"codex":  {"/home/ada/.codex/config.toml", "/Users/ada/.codex/config.toml", "/ada/.codex/config.toml"},
		"cursor": {"/home/ada/.cursor/mcp.json", "/Users/ada/.cursor/mcp.json", "/ada/.cursor/mcp.json"},
		"goose": {"/home/ada/.config/goose/config.yaml", "/Users/ada/.config/goose/config.yaml",
			"/ada/AppData/Roaming/Block/goose/config/config.yaml"},
		"opencode": {"/home/ada/.config/opencode/opencode.json", "/Users/ada/.config/opencode/opencode.json",
			"/ada/.config/opencode/opencode.json"},
		"vscode": {"/home/ada/.config/Code/User/mcp.json", "/Users/ada/Library/Application Support/Code/User/mcp.json",
			"/ada/AppData/Roaming/Code/User/mcp.json"},
		"zed": {"/home/ada/.config/zed/settings.json", "/Users/ada/.config/zed/settings.json",
			"/ada/AppData/Roaming/Zed/settings.json"},
	} {
		c := clientconfig.Find(name)
		for i, place := range []clientconfig.Place{linux, mac, windows} {
			require.Equal(t, filepath.FromSlash(want[i]), c.User(place))
		}
	}
	require.Len(t, clientconfig.Clients, 8)
	require.Nil(t, clientconfig.Find("emacs"))
	if runtime.GOOS != "windows" {
		linux.Getenv = func(name string) string { return "/" + name }
		require.Equal(t, "/CODEX_HOME/config.toml", clientconfig.Find("codex").User(linux))
		require.Equal(t, "/CLAUDE_CONFIG_DIR/.claude.json", clientconfig.Find("claude-code").User(linux))
	}
}

func FuzzSet(f *testing.F) {
	for _, file := range files {
		f.Add(file.client, []byte(file.before))
		f.Add(file.client, []byte(file.after))
	}
	f.Fuzz(func(t *testing.T, client string, data []byte) {
		c := clientconfig.Find(client)
		if c == nil {
			t.Skip()
		}
		if after, err := c.Set(data, server); err == nil { // which has compared what both say
			_, err = c.Set(after, server)
			require.NoError(t, err)
		}
		_, _ = c.Remove(data, server.Name)
	})
}
