package mcpclient

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// Limits on a server's descriptions of its tools. Longer texts are cut.
const (
	maxDescription  = 16 << 10
	maxDescriptions = 256 << 10 // of all tools of a server together
	maxInstructions = 16 << 10
	maxTitle        = 200
	// maxSchema limits a schema in bytes, and maxSchemas all schemas of a server. Larger ones are left out.
	maxSchema  = 256 << 10
	maxSchemas = 4 << 20
	// maxObjects limits the objects in a schema, and allObjects those of all schemas of a server, because compiling
	// takes time.
	maxObjects = 2000
	allObjects = 50_000
	// maxSchemaDepth and maxSchemaValues limit the schemas that are decoded.
	maxSchemaDepth  = 128
	maxSchemaValues = 50_000
)

// A tool is a tool of a server.
type remoteTool struct {
	server *server
	remote string            // the server's own name for it
	said   [sha256.Size]byte // the hash of the server's description
	spec   tool.Spec
}

// Spec describes the tool.
func (t *remoteTool) Spec() tool.Spec { return t.spec }

// makeTools makes tools from a listing.
func (s *server) makeTools(list *listing) []*remoteTool {
	instructions := cleanText(s.secrets.text(list.instructions), maxInstructions)
	if instructions != "" {
		instructions = fmt.Sprintf("## Tools of %s\n\n%s", s.name, instructions)
	}
	schemas := &schemaReader{server: s, room: maxSchemas, objects: allObjects}
	seen := map[string]bool{}
	room := maxDescriptions
	tools := make([]*remoteTool, 0, len(list.tools))
	for _, in := range list.tools {
		if seen[in.Name] || !s.config.offers(in.Name) {
			continue
		}
		seen[in.Name] = true
		description := ""
		if room > 0 {
			description = cleanText(s.secrets.text(in.Description), min(maxDescription, room))
			room -= len(description)
		}
		a := in.Annotations
		input, notes := schemas.input(in.Name, in.InputSchema)
		spec := tool.Spec{
			Name:        s.names.name(s.name, in.Name),
			DisplayName: cleanLine(s.secrets.text(cmp.Or(in.Title, a.Title, in.Name)), maxTitle),
			Subtitle: cmp.Or(cleanLine(plaintext.Subtitle(description), maxTitle),
				"Tool of the MCP server "+s.name),
			Description:  cmp.Or(description, "MCP tool from "+s.name),
			Schema:       input,
			SchemaNotes:  notes,
			OutputSchema: schemas.output(in.Name, in.OutputSchema),
			Category:     tool.CategoryMCP,
			Source:       s.name,
			Instructions: instructions,
			Timeout:      cmp.Or(s.config.Timeout, time.Minute),
			Annotations: tool.Annotations{
				ReadOnly:    is(a.ReadOnly, false),
				Destructive: !is(a.ReadOnly, false) && is(a.Destructive, true),
				Idempotent:  is(a.Idempotent, false),
				OpenWorld:   is(a.OpenWorld, true),
			},
		}
		tools = append(tools, &remoteTool{server: s, remote: in.Name, said: in.said, spec: spec})
	}
	return tools
}

// offers reports whether the configuration permits a tool, by the server's own name for it.
func (s *ServerConfig) offers(tool string) bool {
	return (s.EnabledTools == nil || slices.Contains(s.EnabledTools, tool)) && !slices.Contains(s.DisabledTools, tool)
}

// missing returns the names in EnabledTools and DisabledTools that are not in a list, cleaned and sorted.
func (s *ServerConfig) missing(list *listing) []string {
	listed := map[string]bool{}
	for _, t := range list.tools {
		listed[t.Name] = true
	}
	var names []string
	for _, name := range slices.Concat(s.EnabledTools, s.DisabledTools) {
		if !listed[name] {
			names = append(names, cleanLine(name, 100))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// is returns a hint, or the protocol's default if it is missing.
func is(hint *bool, otherwise bool) bool { return *cmp.Or(hint, &otherwise) }

// anyObject replaces the schema of a tool if that cannot be used. The server then validates.
var anyObject = json.RawMessage(`{"type":"object"}`)

// A schemaReader decides which schemas are used.
type schemaReader struct {
	server        *server
	room, objects int // what is left of maxSchemas and allObjects
}

// input returns the schema of a tool's input, and what people should know of it.
func (r *schemaReader) input(tool string, raw json.RawMessage) (json.RawMessage, []string) {
	schema, lost, err := r.usable(raw)
	if err != nil {
		reason := cleanLine(err.Error(), 500)
		r.server.log.warn("MCP server's schema cannot be used: its tool takes any object", "server", r.server.name,
			"tool", cleanLine(tool, 100), "error", reason)
		return anyObject, []string{"its schema is not used, and it takes any arguments: " + reason}
	}
	if lost == nil {
		return schema, nil
	}
	note := "left out of its schema: " +
		cleanLine(r.server.secrets.text(strings.Join(lost[:min(len(lost), maxLost)], ", ")), 1000)
	if more := len(lost) - maxLost; more > 0 {
		note += fmt.Sprintf(", and %d more", more)
	}
	r.server.log.warn("MCP server's schema is used in part", "server", r.server.name, "tool", cleanLine(tool, 100),
		"note", note)
	return schema, []string{note}
}

// maxLost is how many keywords that are left out people are told of.
const maxLost = 5

func (r *schemaReader) output(tool string, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	schema, lost, err := r.usable(raw)
	if err != nil {
		r.server.log.info("MCP server's output schema cannot be used", "server", r.server.name,
			"tool", cleanLine(tool, 100), "error", cleanLine(err.Error(), 500))
		return nil
	}
	if lost != nil {
		r.server.log.info("MCP server's output schema is used in part", "server", r.server.name,
			"tool", cleanLine(tool, 100), "left out", cleanLine(strings.Join(lost, ", "), 500))
	}
	return schema
}

// usable returns what can be used of a schema, with the type object, and what is left out. The error says why nothing
// can be used.
func (r *schemaReader) usable(raw json.RawMessage) (usable json.RawMessage, lost []string, err error) {
	if len(raw) > maxSchema || len(raw) > r.room {
		return nil, nil, fmt.Errorf("it has %d bytes, more than %d, or all together have more than %d",
			len(raw), maxSchema, maxSchemas)
	}
	objects := bytes.Count(raw, []byte{'{'})
	if objects > maxObjects || objects > r.objects {
		return nil, nil, fmt.Errorf("it has %d objects, more than %d, or all together have more than %d", objects,
			maxObjects, allObjects)
	}
	if err := jsontree.Check(raw, jsontree.Limits{Depth: maxSchemaDepth, Values: maxSchemaValues}); err != nil {
		return nil, nil, err
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil, nil, errors.New("it is not a JSON object")
	}
	r.room -= len(raw)
	r.objects -= objects
	raw = mapStrings(r.server.secrets.json(raw), func(name, text string) string {
		if name == "description" || name == "title" {
			return cleanText(text, maxDescription)
		}
		return text
	})
	return schema.Repair(raw, func(text string) bool {
		return strings.ContainsFunc(text, isHidden) && cleanText(text, maxDescription) != text
	})
}
