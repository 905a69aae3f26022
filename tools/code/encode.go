package code

import (
	"bytes"
	"encoding/json"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// EncodeJSON returns what jsontree.Marshal makes of the fields. Package json would hold a long console three times
// meanwhile.
func (o Output) EncodeJSON() (json.RawMessage, error) {
	type fields Output // without this method
	console := o.Console
	if len(console) == 0 {
		return jsontree.Marshal(fields(o))
	}
	o.Console = []sandbox.Entry{}
	rest, err := jsontree.Marshal(fields(o))
	if err != nil {
		return nil, err
	}
	var before, after []byte
	jsontree.Members(rest, func(name, value []byte) {
		if string(name) == "console" {
			at := cap(rest) - cap(value)
			before, after = rest[:at+1], rest[at+1:] // within the brackets
		}
	})
	size := len(rest)
	for _, e := range console {
		size += len(e.Text) + len(e.Text)/16 + len(e.Library) + 64
	}
	to := append(make([]byte, 0, size), before...)
	for i, e := range console {
		if i > 0 {
			to = append(to, ',')
		}
		text := e.Text
		e.Text = ""
		entry, err := jsontree.Marshal(e)
		if err != nil {
			return nil, err
		}
		head, tail, _ := bytes.Cut(entry, []byte(`"text":"`))
		to = append(append(to, head...), `"text":"`...)
		to = append(jsontree.AppendText(to, text), tail...)
	}
	return append(to, after...), nil
}
