package mcpclient

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// mapStrings returns valid JSON with each string and member name replaced by the result of change. A number that
// change alters becomes a string. The rest stays the same, byte for byte. For the value of a member, change gets
// the member's name, otherwise "".
func mapStrings(data json.RawMessage, change func(name, text string) string) json.RawMessage {
	var out []byte
	copied, name := 0, ""
	for i := 0; i < len(data); {
		end, text := i+1, ""
		switch c := data[i]; {
		case c == '"':
			end = jsontree.SkipString(data, i)
			text = unquote(data[i:end])
		case c == '-' || c >= '0' && c <= '9':
			for end < len(data) && strings.IndexByte("+-.eE0123456789", data[end]) >= 0 {
				end++
			}
			text = string(data[i:end])
		case strings.IndexByte(" \t\r\n:", c) >= 0:
			i = end
			continue
		default:
			i, name = end, ""
			continue
		}
		under := name
		name = ""
		if next := jsontree.SkipBlanks(data, end); next < len(data) && data[next] == ':' {
			under, name = "", text
		}
		if changed := change(under, text); changed != text {
			quoted, _ := json.Marshal(changed) // encoding a string cannot fail
			out = append(append(out, data[copied:i]...), quoted...)
			copied = end
		}
		i = end
	}
	if copied == 0 {
		return data
	}
	return append(out, data[copied:]...)
}

func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return strings.Trim(string(quoted), `"`)
	}
	var text string
	_ = json.Unmarshal(quoted, &text)
	return text
}
