package mcpclient

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// maxParts limits the parts of a result. Further ones are left out.
const maxParts = 1000

// Limits on structured content. Larger content is left out.
const (
	maxDataDepth  = 128
	maxDataValues = 100_000
)

// content is a part of a result in the protocol's form.
type content struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Data        string `json:"data"`
	MIMEType    string `json:"mimeType"`
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Resource    *struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     string  `json:"blob"`
	} `json:"resource"`
}

// result converts the result that the server sent.
func (t *remoteTool) result(raw json.RawMessage) (tool.Result, error) {
	var in struct {
		content, structured, inputRequests []byte
		IsError                            bool
		ResultType                         string
	}
	var err error
	jsontree.Members(raw, func(name, value []byte) { // copies nothing
		switch string(name) {
		case "content":
			in.content = value
		case "structuredContent":
			in.structured = value
		case "inputRequests":
			in.inputRequests = value
		case "isError":
			err = errors.Join(err, json.Unmarshal(value, &in.IsError))
		case "resultType":
			err = errors.Join(err, json.Unmarshal(value, &in.ResultType))
		}
	})
	if err != nil {
		return tool.Result{}, t.lost("has sent a result that is not one.", err)
	}
	if in.ResultType == "input_required" || len(in.inputRequests) > 0 {
		return tool.Result{}, t.lost("wants to ask somebody something, which it cannot do here. "+
			"Give it all it needs with the call.", errors.New("the server asks for input"))
	}
	var result tool.Result
	if !elements(in.content, maxParts, func(element json.RawMessage) {
		result.Content = append(result.Content,
			t.part(element))
	}) {
		note := fmt.Sprintf("[The result has more than %d parts, and the others are left out.]", maxParts)
		result.Content = append(result.Content, tool.Part{Text: note})
	}
	if data := in.structured; len(data) > 0 && string(data) != "null" {
		var compact bytes.Buffer
		if err := jsontree.Check(data, jsontree.Limits{Depth: maxDataDepth, Values: maxDataValues}); err != nil {
			limit, _ := errors.AsType[*jsontree.LimitError](err)
			note := fmt.Sprintf("[The structured content of the result is left out: it has more than %d %s.]",
				limit.Limit, limit.What)
			result.Content = append(result.Content, tool.Part{Text: note})
		} else if json.Compact(&compact, t.server.secrets.json(data)) == nil {
			result.Data = json.RawMessage(compact.Bytes())
		}
	}
	if in.IsError {
		result.Code = tool.CodeTool
	}
	return result, nil
}

// part converts a part of a result. A sentence replaces parts that cannot be shown.
func (t *remoteTool) part(raw json.RawMessage) tool.Part {
	var in content
	if err := json.Unmarshal(raw, &in); err != nil {
		return tool.Part{Text: "[A part of the result is left out: it is not as the protocol has it.]"}
	}
	text := func(s string) string { return cleanResult(t.server.secrets.text(s)) }
	line := func(s string) string { return cleanLine(t.server.secrets.text(s), 2000) }
	switch in.Type {
	case "text":
		return tool.Part{Text: text(in.Text)}
	case "image", "audio":
		return binary(in.Type, in.Data, line(in.MIMEType))
	case "resource_link":
		name := line(cmp.Or(in.Title, in.Name, in.URI))
		text := fmt.Sprintf("[Link to a resource: %s <%s>", name, line(in.URI))
		for _, s := range []string{in.MIMEType, in.Description} {
			if s != "" {
				text += ", " + line(s)
			}
		}
		return tool.Part{Text: text + "]"}
	case "resource":
		if in.Resource == nil {
			break
		}
		uri := line(in.Resource.URI)
		if in.Resource.Text == nil {
			return binary("resource "+uri, in.Resource.Blob, line(in.Resource.MIMEType))
		}
		shown := text(*in.Resource.Text)
		sum := sha256.Sum256([]byte(shown))
		return tool.Part{Text: shown, Resource: &tool.Resource{
			Kind: "RESOURCE", Name: uri, Key: fmt.Sprintf("mcp:%s:%s:%s", t.server.name, uri,
				hex.EncodeToString(sum[:])),
		}}
	}
	return tool.Part{Text: fmt.Sprintf("[A part of the result is left out: it is of the type %q, which is not "+
		"known here.]",
		cleanLine(in.Type, 50))}
}

// binary decodes a part in base64.
func binary(what, encoded, mime string) tool.Part {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return tool.Part{Text: fmt.Sprintf("[The %s of the result is left out: it is not base64.]", what)}
	}
	mime = cmp.Or(mime, "application/octet-stream")
	return tool.Part{Text: fmt.Sprintf("[%s, %s, %d bytes]", what, mime, len(data)), Data: data, MIME: mime}
}
