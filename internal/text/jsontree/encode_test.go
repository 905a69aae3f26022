package jsontree_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

func TestMarshal(t *testing.T) {
	raw, err := jsontree.Marshal(map[string]any{"<a>": "&\n\xff", "n": json.Number("9007199254740993")})
	require.NoError(t, err)
	require.Equal(t, `{"<a>":"&\n\ufffd","n":9007199254740993}`, string(raw))
	_, err = jsontree.Marshal(make(chan int))
	require.Error(t, err)
}

func TestAppendText(t *testing.T) {
	all := ""
	for r := range rune(0x3000) {
		all += string(r)
	}
	for _, text := range []string{"", "a\n\"", all, "\ufffd\xed\xa0\x80\xe2\x82", strings.Repeat("é", 100_000),
		"x" + strings.Repeat("é", 100_000), "xx" + strings.Repeat("😀", 50_000), strings.Repeat("\x80", 200_000),
		strings.Repeat("<\u2028\xff>", 50_000)} {
		want, err := jsontree.Marshal(text)
		require.NoError(t, err)
		require.Equal(t, string(want), `"`+string(jsontree.AppendText(nil, text))+`"`)
	}
}

func TestAppendString(t *testing.T) {
	for _, text := range []string{"", "a", `"\`, "\x00\x1f\n", "é€😀", "<&>\u2028", "a\xff\xe2\x82b\xf0\x9f",
		"\xed\xa0\x80", "\ufffd"} {
		var want, got string
		raw, err := jsontree.Marshal(text)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &want))
		require.NoError(t, json.Unmarshal(jsontree.AppendString([]byte{}, text), &got))
		require.Equal(t, want, got)
	}
}

func TestTime(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "1970-01-01T00:00:00Z", 253402300799: "9999-12-31T23:59:59Z", 253402300800: "9999-12-31T23:59:59.999999999Z",
		1 << 55:      "9999-12-31T23:59:59.999999999Z",
		-62135596800: "0001-01-01T00:00:00Z", -62167219201: "0000-01-01T00:00:00Z", -1 << 55: "0000-01-01T00:00:00Z",
	} {
		raw, err := json.Marshal(jsontree.Time(time.Unix(seconds, 0).In(time.FixedZone("", 3600))))
		require.NoError(t, err)
		require.Equal(t, `"`+want+`"`, string(raw))
	}
}
