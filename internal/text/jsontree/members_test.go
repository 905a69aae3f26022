package jsontree_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:      "",
		` { } `:   "",
		`{"a":1}`: "a=1 ",
		` { "a" : [ 1 , {"b":"]}"} ] , "b":null,"a":"\"x" } `: `a=[ 1 , {"b":"]}"} ] b=null a="\"x" `,
		`{"\u0061\\":{},"":-1.5e3}`:                           `a\={} =-1.5e3 `,
	} {
		var got strings.Builder
		require.True(t, jsontree.Members([]byte(text), func(name, value []byte) {
			got.WriteString(string(name) + "=" + string(value) + " ")
		}))
		require.Equal(t, want, got.String(), text)
	}
	for _, text := range []string{"", "[]", "1", `"{}"`, "null", `["a"]`} {
		require.False(t, jsontree.Members([]byte(text), func(_, _ []byte) { t.Fatal(text) }), text)
	}
}

func TestElements(t *testing.T) {
	for text, want := range map[string][]string{
		`[]`:                          nil,
		` [ ] `:                       nil,
		` [1, [2,3] ,{"a":"]"},"" ] `: {"1", "[2,3]", `{"a":"]"}`, `""`},
	} {
		var got []string
		require.True(t, jsontree.Elements([]byte(text), func(e []byte) bool {
			got = append(got, string(e))
			return true
		}))
		require.Equal(t, want, got)
	}
	require.False(t, jsontree.Elements([]byte(`{}`), func([]byte) bool { return true }))
	n := 0
	require.True(t, jsontree.Elements([]byte(`[1,2,3]`), func([]byte) bool { n++; return n < 2 }))
	require.Equal(t, 2, n)
}

// FuzzMembers compares the results with those of package json, and checks that they are parts of the text.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[{}],"a":"\u0062"}`, ` {"":{"x":[[[]]]}} `, `[1,"]",{"a":[]}]`, `[]`,
		`{}`, `1`, `"x"`, `{"\\":null}`} {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`{"`))
	f.Add([]byte(`[}:`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) { // the caller must not do this, but it must end
			jsontree.Members(text, func(_, _ []byte) {})
			jsontree.Elements(text, func([]byte) bool { return true })
			return
		}
		got := map[string]json.RawMessage{}
		isObject := jsontree.Members(text, func(name, value []byte) { got[string(name)] = value })
		var want map[string]json.RawMessage
		trimmed := bytes.TrimSpace(text)
		require.Equal(t, trimmed[0] == '{', isObject)
		if isObject {
			require.NoError(t, json.Unmarshal(text, &want))
			require.Equal(t, len(want), len(got))
			for name, value := range want {
				if bytes.ContainsRune([]byte(name), '\uFFFD') { // names that are not UTF-8
					continue
				}
				require.Equal(t, string(value), string(got[name]))
			}
		}
		var list, all []json.RawMessage
		if jsontree.Elements(text, func(e []byte) bool { list = append(list, e); return true }) {
			require.NoError(t, json.Unmarshal(text, &all))
			require.Equal(t, len(all), len(list))
			for i := range all {
				require.Equal(t, string(all[i]), string(list[i]))
			}
		} else {
			require.NotEqual(t, byte('['), trimmed[0])
		}
	})
}
