package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// maxPages limits the pages in a list of tools.
const maxPages = 100

// maxCursor limits the cursor of a page, in bytes.
const maxCursor = 16 << 10

// A listing is the answer of a server about its tools.
type listing struct {
	tools        []listedTool
	instructions string
	hash         [sha256.Size]byte // of the whole answer
}

// A listedTool is a tool as a server describes it.
type listedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  struct {
		Title       string `json:"title"`
		ReadOnly    *bool  `json:"readOnlyHint"`
		Destructive *bool  `json:"destructiveHint"`
		Idempotent  *bool  `json:"idempotentHint"`
		OpenWorld   *bool  `json:"openWorldHint"`
	} `json:"annotations"`

	said [sha256.Size]byte // the hash of the whole description
}

// list requests the descriptions of all tools.
func (c *connection) list(ctx context.Context) (*listing, error) {
	s := c.server
	ctx, cancel := context.WithTimeout(ctx, s.options.ConnectTimeout)
	defer cancel()
	list := &listing{}
	if greeting := c.session.InitializeResult(); greeting != nil {
		list.instructions = greeting.Instructions
	}
	hash, size := sha256.New(), 0
	hash.Write([]byte(list.instructions))
	leftOut := func(why string) {
		s.log.warn("MCP server's tools are not all offered: "+why, "server", s.name, "tools", len(list.tools))
	}
	params := &sdk.ListToolsParams{}
	for page := 0; ; page++ {
		if page == maxPages {
			leftOut("the list has too many pages")
			break
		}
		result, err := c.session.ListTools(ctx, params)
		if wrong, ok := errors.AsType[*jsonrpc.Error](err); ok && wrong.Code == jsonrpc.CodeMethodNotFound {
			break // the server has no tools
		}
		if err != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) && !answered(err) {
				err = timeoutError("it does not list its tools in time")
			}
			return nil, err
		}
		raw, err := c.filter.fetch(result.Meta)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > s.options.MaxMessage {
			leftOut("the list is too long")
			break
		}
		hash.Write(raw)
		var in struct {
			Tools      json.RawMessage
			NextCursor string
		}
		jsontree.Members(raw, func(name, value []byte) {
			switch string(name) {
			case "tools":
				in.Tools = value
			case "nextCursor":
				err = errors.Join(err, json.Unmarshal(value, &in.NextCursor))
			}
		})
		if err != nil {
			return nil, errors.New("its list of tools is not one")
		}
		all := elements(in.Tools, s.options.MaxTools-len(list.tools), func(element json.RawMessage) {
			var t listedTool
			if json.Unmarshal(element, &t) != nil || t.Name == "" || len(t.Name) > maxRemoteName {
				s.log.warn("MCP server's tool is not described as it must be", "server", s.name, "tool",
					cleanLine(t.Name, 100))
				return
			}
			t.said = sha256.Sum256(element)
			list.tools = append(list.tools, t)
		})
		if !all {
			leftOut("there are too many")
			break
		}
		if len(in.NextCursor) > maxCursor {
			leftOut("the cursor of the next page is too long")
			break
		}
		if in.NextCursor == "" || in.NextCursor == params.Cursor {
			break
		}
		params = &sdk.ListToolsParams{Cursor: in.NextCursor}
	}
	hash.Sum(list.hash[:0])
	return list, nil
}

// maxRemoteName limits a server's own name for a tool, in bytes.
const maxRemoteName = 1024

// elements calls do with the first most elements of an array, which must be valid JSON. It reports whether these were
// all.
func elements(array json.RawMessage, most int, do func(json.RawMessage)) (all bool) {
	all = true
	jsontree.Elements(array, func(element []byte) bool {
		if most <= 0 {
			all = false
			return false
		}
		most--
		do(element)
		return true
	})
	return all
}
