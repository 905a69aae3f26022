package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func TestMigrationOfSettings(t *testing.T) {
	for _, c := range []struct {
		why, stored, want string
		migrated          bool
	}{
		{"nothing", ``, `{}`, false},
		{"white space", " \n", `{}`, false},
		{"an empty object", `{}`, `{}`, false},
		{"all old fields",
			`{"fsToolEnabled":true,"jsExecutionEnabled":true,"memoryEnabled":true,` +
				`"memoryUseSystemPrompt":true,"jsLibEnabled":false,"name":"x"}`,
			`{"name":"x","enabledTools":["memory","javascript","filesystem"],` +
				`"toolOptions":{"memory":{"useSystemPrompt":true},"javascript":{"loadLib":false}}}`,
			true},
		{"old fields that say what is the default",
			`{"memoryEnabled":false,"jsExecutionEnabled":true,"memoryUseSystemPrompt":false,"jsLibEnabled":true}`,
			`{"enabledTools":["javascript"]}`, true},
		{"old fields that enable nothing", `{"memoryEnabled":false}`, `{"enabledTools":[]}`, true},
		{"old fields that are no booleans", `{"memoryEnabled":"true","jsExecutionEnabled":1,"jsLibEnabled":0}`,
			`{"enabledTools":[]}`, true},
		{"old fields beside options",
			`{"memoryEnabled":true,"memoryUseSystemPrompt":true,"jsLibEnabled":false,` +
				`"toolOptions":{"filesystem":{"x":1},"javascript":{"loadLib":true}}}`,
			`{"enabledTools":["memory"],` +
				`"toolOptions":{"filesystem":{"x":1},"javascript":{"loadLib":true},"memory":{"useSystemPrompt":true}}}`,
			true},
		{"old fields beside no options", `{"memoryEnabled":true,"memoryUseSystemPrompt":true,"toolOptions":null}`,
			`{"enabledTools":["memory"],"toolOptions":{"memory":{"useSystemPrompt":true}}}`, true},
		{"no list", `{"enabledTools":null,"memoryEnabled":true}`, `{"enabledTools":["memory"]}`, true},
		{"the list is there", `{"enabledTools":["memory"],"fsToolEnabled":true}`,
			`{"enabledTools":["memory"],"fsToolEnabled":true}`, false},
		{"the list is there, and empty", `{"enabledTools":[],"memoryEnabled":true}`,
			`{"enabledTools":[],"memoryEnabled":true}`, false},
		{"a checkpoint before calls", `{"checkpoint":"before"}`, `{"checkpoint":"before"}`, false},
		{"no checkpoint", `{"checkpoint":"never"}`, `{}`, false},
		{"no old field and no list", `{"name":"x","n":9007199254740993}`, `{"name":"x","n":9007199254740993}`, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			settings, migrated, err := registry.ParseSettings([]byte(c.stored))
			require.NoError(t, err)
			require.Equal(t, c.migrated, migrated)
			stored, err := json.Marshal(settings)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(stored))
			require.Equal(t, strings.Contains(c.want, "9007199254740993"), strings.Contains(string(stored),
				"9007199254740993"))

			again, migrated, err := registry.ParseSettings(stored)
			require.NoError(t, err)
			require.False(t, migrated, "once is enough")
			restored, err := json.Marshal(again)
			require.NoError(t, err)
			require.Equal(t, string(stored), string(restored))
		})
	}
}

func TestSettingsThatAreNone(t *testing.T) {
	for _, stored := range []string{
		`[]`, `null`, `"x"`, `{`, `{} {}`, `{"enabledTools":"memory"}`, `{"enabledTools":[1]}`, `{"toolOptions":[]}`,
		`{"toolOptions":{"x":1}}`,
		`{"toolEnabled":{"x":"yes"}}`, `{"checkpoint":"after"}`, `{"checkpoint":1}`, `{"a":"` + strings.Repeat("x",
			4<<20) + `"}`,
	} {
		_, _, err := registry.ParseSettings([]byte(stored))
		require.ErrorContains(t, err, "the settings", "%.40s", stored)
	}
}

func TestChangingSettings(t *testing.T) {
	parse := func(stored string) registry.Settings {
		settings, _, err := registry.ParseSettings([]byte(stored))
		require.NoError(t, err)
		return settings
	}
	encode := func(s registry.Settings) string {
		encoded, err := json.Marshal(s)
		require.NoError(t, err)
		return string(encoded)
	}
	var none registry.Settings
	require.JSONEq(t, `{"toolEnabled":{"a":true,"b":false}}`, encode(none.WithEnabled("a", true).WithEnabled("b",
		true).WithEnabled("b", false)))
	require.JSONEq(t, `{}`, encode(none), "settings are values")

	listed := parse(`{"enabledTools":["a","unknown"],"toolEnabled":{"a":false},"other":{"x":1}}`)
	require.JSONEq(t, `{"enabledTools":["a","unknown","b"],"other":{"x":1}}`,
		encode(listed.WithEnabled("a", true).WithEnabled("b", true).WithEnabled("b", true)))
	require.JSONEq(t, `{"enabledTools":["unknown"],"other":{"x":1}}`, encode(listed.WithEnabled("a", false)))
	require.JSONEq(t, `{"enabledTools":["a","unknown"],"toolEnabled":{"a":false},"other":{"x":1}}`, encode(listed))

	set := none.WithOption("a", "x", true).WithOption("a", "y", 1).WithOption("b", "z", "text")
	require.JSONEq(t, `{"toolOptions":{"a":{"x":true,"y":1},"b":{"z":"text"}}}`, encode(set))
	require.JSONEq(t, `{"toolOptions":{"a":{"x":true}}}`, encode(set.WithOption("a", "y", nil).WithOption("b",
		"z", nil)))
	require.JSONEq(t, `{"toolOptions":{"gone":{"n":9007199254740993}}}`,
		encode(parse(`{"toolOptions":{"gone":{"n":9007199254740993}}}`)))
}

func TestParsingOptions(t *testing.T) {
	for _, c := range []struct {
		option tool.Option
		text   string
		want   any
		err    string
	}{
		{tool.Option{Type: tool.OptionBool}, "true", true, ""},
		{tool.Option{Type: tool.OptionBool}, "false", false, ""},
		{tool.Option{Type: tool.OptionBool}, "yes", nil, `option "o" is true or false, not "yes"`},
		{tool.Option{Type: tool.OptionNumber}, "-1.5e3", -1500.0, ""},
		{tool.Option{Type: tool.OptionNumber}, "x", nil, `option "o" is a number, not "x"`},
		{tool.Option{Type: tool.OptionNumber}, "", nil, `option "o" is a number, not ""`},
		{tool.Option{Type: tool.OptionNumber}, "1e999", nil, `option "o": the number is not finite`},
		{tool.Option{Type: tool.OptionNumber, Max: ptr(3)}, "4", nil, `option "o": 4 is more than 3`},
		{tool.Option{Type: tool.OptionNumber, Max: ptr(65536)}, "99999999", nil,
			`option "o": 99999999 is more than 65536`},
		{tool.Option{Type: tool.OptionNumber, Min: ptr(12345678.5)}, "-1e7", nil,
			`option "o": -10000000 is less than 12345678.5`},
		{tool.Option{Type: tool.OptionNumber, Min: ptr(0.00005)}, "0", nil,
			`option "o": 0 is less than 0.00005`},
		{tool.Option{Type: tool.OptionNumber, Max: ptr(3)}, "1e300", nil, `option "o": 1e+300 is more than 3`},
		{tool.Option{Type: tool.OptionText}, "true", "true", ""},
		{tool.Option{Type: tool.OptionSelect, Choices: []tool.Choice{{Value: "a"}, {Value: "b"}}}, "b", "b",
			""},
		{tool.Option{Type: tool.OptionSelect, Choices: []tool.Choice{{Value: "a"}, {Value: "b"}}}, "c", nil,
			`option "o": "c" is none of its choices: a, b`},
	} {
		c.option.ID = "o"
		got, err := c.option.ParseOption(c.text)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}
