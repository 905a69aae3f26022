package clientconfig

import (
	"cmp"
	"path/filepath"
)

// Clients are those whose configuration can be edited, by name. Where each keeps it, and how its entries look, is what
// the client's documentation says.
var Clients = []*Client{
	{
		Name: "claude-code", Title: "Claude Code", Project: ".mcp.json",
		User: func(p Place) string {
			return filepath.Join(cmp.Or(p.Getenv("CLAUDE_CONFIG_DIR"), p.Home), ".claude.json")
		},
		Restart: "Start Claude Code anew; /mcp shows the server.",
		format:  jsonFormat{}, path: []string{"mcpServers"}, entry: typed,
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop",
		User:    func(p Place) string { return filepath.Join(p.Config, "Claude", "claude_desktop_config.json") },
		Restart: "Quit Claude Desktop and start it anew.",
		format:  jsonFormat{}, path: []string{"mcpServers"}, entry: plain,
	},
	{
		Name: "codex", Title: "Codex", Project: filepath.Join(".codex", "config.toml"),
		User: func(p Place) string {
			return filepath.Join(cmp.Or(p.Getenv("CODEX_HOME"), filepath.Join(p.Home, ".codex")), "config.toml")
		},
		Restart: "Start Codex anew; /mcp shows the server.",
		format:  tomlFormat{}, path: []string{"mcp_servers"}, entry: plain,
	},
	{
		Name: "cursor", Title: "Cursor", Project: filepath.Join(".cursor", "mcp.json"),
		User:    func(p Place) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
		Restart: "Cursor's settings show the server under MCP.",
		format:  jsonFormat{}, path: []string{"mcpServers"}, entry: plain,
	},
	{
		Name: "goose", Title: "goose",
		User: func(p Place) string {
			if p.OS == "windows" {
				return filepath.Join(p.Config, "Block", "goose", "config", "config.yaml")
			}
			return filepath.Join(dotConfig(p), "goose", "config.yaml")
		},
		Restart: "Start goose anew.",
		format:  yamlFormat{}, path: []string{"extensions"},
		entry: func(s Server) []field {
			return []field{{"enabled", true}, {"type", "stdio"}, {"name", s.Name}, {"cmd", s.Command},
				{"args", s.Args}, {"timeout", 300}}
		},
	},
	{
		Name: "opencode", Title: "opencode", Project: "opencode.json",
		User:    func(p Place) string { return filepath.Join(dotConfig(p), "opencode", "opencode.json") },
		Restart: "Start opencode anew.",
		format:  jsonFormat{}, path: []string{"mcp"},
		entry: func(s Server) []field {
			return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
		},
	},
	{
		Name: "vscode", Title: "Visual Studio Code", Project: filepath.Join(".vscode", "mcp.json"),
		User:    func(p Place) string { return filepath.Join(p.Config, "Code", "User", "mcp.json") },
		Restart: "MCP: List Servers, in the palette of commands, shows the server.",
		format:  jsonFormat{}, path: []string{"servers"}, entry: typed,
	},
	{
		Name: "zed", Title: "Zed", Project: filepath.Join(".zed", "settings.json"),
		User: func(p Place) string {
			if p.OS == "windows" {
				return filepath.Join(p.Config, "Zed", "settings.json")
			}
			return filepath.Join(dotConfig(p), "zed", "settings.json")
		},
		Restart: "The settings of Zed's agent show the server.",
		format:  jsonFormat{}, path: []string{"context_servers"},
		entry: func(s Server) []field { return append([]field{{"source", "custom"}}, plain(s)...) },
	},
}

// plain is an entry as most clients have it, and typed one that says how to speak with the server.
func plain(s Server) []field { return []field{{"command", s.Command}, {"args", s.Args}} }

func typed(s Server) []field { return append([]field{{"type", "stdio"}}, plain(s)...) }

// dotConfig is where programs keep configurations that have the same place on Linux and macOS.
func dotConfig(p Place) string {
	return cmp.Or(p.Getenv("XDG_CONFIG_HOME"), filepath.Join(p.Home, ".config"))
}
