package tool

import (
	"encoding/json"
	"errors"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// maxCause is how much of the text of an error is kept, in bytes.
const maxCause = 2000

// ReadResult decodes what [Result.Keep] has encoded.
func ReadResult(data []byte) (Result, error) {
	var k keptResult
	if err := json.Unmarshal(data, &k); err != nil {
		return Result{}, err
	}
	r := Result{CallID: k.CallID, Tool: k.Tool, Item: k.Item, InFile: k.InFile, Status: k.Status,
		Code: k.Code, Content: k.Content, Approval: k.Approval}
	if k.Data != nil {
		r.Data = k.Data
	}
	if k.Err != "" {
		r.Err = errors.New(k.Err)
	}
	return r, nil
}

// keptResult is a result as it is kept.
type keptResult struct {
	CallID, Tool, InFile, Status string
	Code                         Code
	Content                      []Part
	Data                         json.RawMessage `json:",omitempty"`
	Approval                     *Approval
	Err                          string
	Item                         string `json:",omitempty"`
}

// Keep encodes a result of registry.Registry.Dispatch as a whole, for [ReadResult]. Of Err only the text is kept.
func (r Result) Keep() ([]byte, error) {
	k := keptResult{r.CallID, r.Tool, r.InFile, r.Status, r.Code, r.Content, nil, r.Approval, "", r.Item}
	k.Data, _ = r.Data.(json.RawMessage)
	if r.Err != nil {
		k.Err = plaintext.Cut(r.Err.Error(), maxCause)
	}
	return json.Marshal(k)
}
