package web_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/web"
)

func TestCheckpoints(t *testing.T) {
	b := begin(t, toolrun.Options{DataDir: t.TempDir()}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "one"})
	b.project("other", nil)
	b.post("/api/checkpoints", m{"project": "p", "name": "draft"}, nil)
	b.fails(b.send("/api/checkpoints", m{"project": "p", "name": "draft"}), 409)
	require.Equal(t, "name", b.fails(b.send("/api/checkpoints", m{"project": "p", "name": " "}), 400).Error.Field)
	var list struct {
		Checkpoints []struct {
			Name         string
			Bytes, Files int64
		}
	}
	b.get(q("/api/checkpoints", "project", "p"), &list)
	require.Len(t, list.Checkpoints, 1)
	require.EqualValues(t, 3, list.Checkpoints[0].Bytes)

	text := func() string {
		var file struct{ Text, Version string }
		b.get(q("/api/files/text", "project", "p", "path", "/a.txt"), &file)
		return file.Text
	}
	var file struct{ Version string }
	b.get(q("/api/files/text", "project", "p", "path", "/a.txt"), &file)
	b.post("/api/files/save", m{"project": "p", "path": "/a.txt", "text": "two", "version": file.Version}, nil)
	b.post("/api/files/save", m{"project": "p", "path": "/b.txt", "text": "new", "version": ""}, nil)
	type restored struct {
		Call    string
		Changed []struct {
			Path, Op string
			Calls    []string
		}
		Total int
	}
	var would, did restored
	b.get(q("/api/checkpoints/changes", "project", "p", "name", "draft"), &would)
	require.Empty(t, would.Call)
	require.Equal(t, 2, would.Total)
	require.Equal(t, "/a.txt", would.Changed[0].Path)
	require.Equal(t, "write", would.Changed[0].Op)
	require.Len(t, would.Changed[0].Calls, 1)
	require.Equal(t, "create", would.Changed[1].Op)
	require.Equal(t, "two", text(), "only restoring changes files")

	b.post("/api/checkpoints/restore", m{"project": "p", "name": "draft"}, &did)
	require.Equal(t, "one", text())
	b.fails(b.do("GET", q("/api/files/text", "project", "p", "path", "/b.txt"), nil, nil), 404)
	b.post("/api/history/undo", m{"project": "p", "call": did.Call}, nil)
	require.Equal(t, "two", text())

	b.fails(b.send("/api/checkpoints/restore", m{"project": "other", "name": "draft"}), 404)
	b.post("/api/checkpoints/delete", m{"project": "p", "name": "draft"}, nil)
	b.fails(b.send("/api/checkpoints/delete", m{"project": "p", "name": "draft"}), 404)
	b.fails(b.do("GET", q("/api/checkpoints/changes", "project", "p", "name", "draft"), nil, nil), 404)
}

func TestSessions(t *testing.T) {
	b := begin(t, toolrun.Options{DataDir: t.TempDir()}, web.Options{})
	b.project("p", nil)
	run := func(session, code string) string {
		var made struct{ Call string }
		b.post("/api/calls", m{"project": "p", "tool": "javascript", "input": m{"code": code},
			"options": m{"session": session}}, &made)
		return await(b, "p", made.Call).Result
	}
	run("main", "globalThis.n = 1")
	b.post("/api/sessions/fork", m{"project": "p", "session": "main", "as": "try"}, nil)
	b.fails(b.send("/api/sessions/fork", m{"project": "p", "session": "main", "as": "try"}), 409)
	b.fails(b.send("/api/sessions/fork", m{"project": "p", "session": "none", "as": "third"}), 404)
	require.Equal(t, "as", b.fails(b.send("/api/sessions/fork", m{"project": "p", "session": "main", "as": "../x"}),
		400).Error.Field)
	run("try", "n = 10")
	require.Contains(t, run("main", "return n + 1"), "2")
	require.Contains(t, run("try", "return n + 1"), "11")
	var list struct {
		Sessions []struct {
			Name  string
			Bytes int64
		}
	}
	b.get(q("/api/sessions", "project", "p"), &list)
	require.Len(t, list.Sessions, 2)
	require.Positive(t, list.Sessions[0].Bytes)
	var one service.SessionInfo
	b.get(q("/api/sessions/one", "project", "p", "session", "try"), &one)
	require.Equal(t, []sandbox.Variable{{Name: "n", Value: "10"}}, one.States[0].Variables)
	b.fails(b.do("GET", q("/api/sessions/one", "project", "p", "session", "none"), nil, nil), 404)

	var removed struct{ Call string }
	b.post("/api/sessions/delete", m{"project": "p", "session": "try"}, &removed)
	b.fails(b.send("/api/sessions/delete", m{"project": "p", "session": "try"}), 404)
	b.post("/api/history/undo", m{"project": "p", "call": removed.Call}, nil)
	require.Contains(t, run("try", "return n + 1"), "11")
}

// TestEachSettingIsDescribed: what can be asked for and what is answered has all settings, and no other ones.
func TestEachSettingIsDescribed(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	var shown service.SettingsAnswer
	b.get(q("/api/settings", "project", "p"), &shown)
	var api struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Properties struct {
							Changes struct{ Properties map[string]any }
						}
					}
				}
			}
		}
	}
	b.get("/api/openapi.json", &api)
	described := api.Paths["/api/settings"]["post"].RequestBody.Content["application/json"].Schema.Properties.Changes
	require.Len(t, described.Properties, len(service.AllSettings()))
	require.Len(t, shown.Settings, len(service.AllSettings()))
	for i, setting := range service.AllSettings() {
		require.Contains(t, described.Properties, setting.Name)
		require.Equal(t, setting.Name, shown.Settings[i].Name)
		if !setting.List { // what is chosen by nobody is one of the choices
			require.Equal(t, setting.Choices[0].Value, shown.Settings[i].Value[0])
		}
	}
	b.fails(b.send("/api/settings", m{"project": "p", "changes": m{"other": m{"set": []string{"x"}}}}), 400)
	b.fails(b.send("/api/settings", m{"project": "p", "changes": m{"checkpoint": m{"add": []string{"before"}}}}), 400)
	b.fails(b.send("/api/settings", m{"project": "p", "changes": m{"tools": m{"set": []string{"memory"}}}}), 400)
}

func TestNetworkRules(t *testing.T) {
	b := begin(t, toolrun.Options{DataDir: t.TempDir()}, web.Options{})
	b.project("p", nil)
	b.post("/api/settings", changing("p", "tools", "remove", "memory"), nil)
	type settings struct {
		Settings []struct {
			Name  string
			Value []string
		}
	}
	rules := func(s settings) []string {
		for _, one := range s.Settings {
			if one.Name == "network" {
				return one.Value
			}
		}
		return nil
	}
	var now settings
	b.get(q("/api/settings", "project", "p"), &now)
	require.Equal(t, []string{}, rules(now))
	change := func(change m) m { return m{"project": "p", "changes": m{"network": change}} }
	require.Equal(t, "network", b.fails(b.send("/api/settings", change(m{"add": []string{"GET ftp://example.com/"}})),
		400).Error.Field)
	for range 2 {
		b.post("/api/settings", change(m{"add": []string{"GET https://example.com/**"}}), &now)
	}
	require.Equal(t, []string{"GET https://example.com"}, rules(now))
	// Other settings stay.
	var tools struct {
		Tools []struct {
			Name    string
			Enabled bool
		}
	}
	b.get(q("/api/tools", "project", "p"), &tools)
	on := map[string]bool{}
	for _, tool := range tools.Tools {
		on[tool.Name] = tool.Enabled
	}
	require.False(t, on["memory"])
	require.True(t, on["javascript"] && on["filesystem"])
	b.post("/api/settings", change(m{"remove": []string{"GET https://example.com"}}), &now)
	require.Empty(t, rules(now))
}

// TestPageOfADirectory: a directory of the host has checkpoints, undo and redo as a project of a store has, and nothing
// of the store is to be had through it.
func TestPageOfADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	b := begin(t, toolrun.Options{DataDir: t.TempDir()}, web.Options{Dir: dir})
	beside, err := b.runner.Store().Open(t.Context(), "gone")
	require.NoError(t, err)
	require.NoError(t, beside.Close())
	require.NoError(t, b.runner.Store().Discard(t.Context(), "gone"))
	b.post("/api/files/save", m{"project": "work", "path": "/a.txt", "text": "one", "version": ""}, nil)
	b.post("/api/checkpoints", m{"project": "work", "name": "draft"}, nil)
	b.post("/api/files/delete", m{"project": "work", "path": "/a.txt"}, nil)
	var did struct{ Call string }
	b.post("/api/checkpoints/restore", m{"project": "work", "name": "draft"}, &did)
	require.NotEmpty(t, did.Call)
	b.get(q("/api/files/text", "project", "work", "path", "/a.txt"), &struct{}{})
	b.post("/api/history/undo", m{"project": "work", "call": did.Call}, nil)
	b.fails(b.do("GET", q("/api/files/text", "project", "work", "path", "/a.txt"), nil, nil), 404)
	b.post("/api/history/redo", m{"project": "work", "call": did.Call}, nil)
	b.get(q("/api/files/text", "project", "work", "path", "/a.txt"), &struct{}{})

	b.fails(b.send("/api/projects/restore", m{"project": "gone"}), 404)
	b.fails(b.do("GET", q("/api/files", "project", "gone"), nil, nil), 404)
	b.fails(b.send("/api/projects/delete", m{"project": "work"}), 403)
}
