// Package clientconfig edits the configuration files of MCP clients: it adds one server to those that a file has, and
// takes it out again. Nothing else in the file changes: not its order, its comments or its spaces.
//
// Each format is edited as text at the places that a parser of the format names, and what comes out is parsed again: if
// anything but the entry differs from before, the file is left alone.
package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A Server is what a client starts.
type Server struct {
	// Name is that of the entry: letters, digits, "-" and "_".
	Name string
	// Command is the program, and Args are its arguments.
	Command string
	Args    []string
}

// A Place says which systems and variables a client's file depends on.
type Place struct {
	// OS is the system, as runtime.GOOS has it.
	OS string
	// Home is the user's directory, and Config the one for configurations, as [os.UserConfigDir] has it.
	Home, Config string
	// Getenv returns a variable of the environment, or "".
	Getenv func(name string) string
}

// A Client is a program that starts servers.
type Client struct {
	// Name is what people type, and Title is the program's own name.
	Name, Title string
	// User returns the path of the user's file.
	User func(Place) string
	// Project is the path of a file for one directory, relative to it, or "" if the client reads none.
	Project string
	// Restart says how the client notices a change, in a sentence.
	Restart string

	format format
	path   []string // of keys, to the servers
	entry  func(Server) []field
}

// A field is one of an entry. Its value is a string, a bool, an int or a []string.
type field struct {
	name  string
	value any
}

// A format is a language of configuration files.
type format interface {
	// parse returns what a file says.
	parse(data []byte) (map[string]any, error)
	// add returns a file with an entry that it does not have.
	add(data []byte, path []string, name string, entry []field) ([]byte, error)
	// remove returns a file without an entry that it has.
	remove(data []byte, path []string, name string) ([]byte, error)
}

// ErrShape is the error for a file whose servers are written in a way that cannot be edited without rewriting it.
var ErrShape = errors.New("its servers are written in a way that this command cannot edit: edit the file by hand")

// Set returns a file of the client, which may be empty, with the server in it. Another one of its name is replaced. The
// error is [ErrShape], or says what is wrong with the file.
func (c *Client) Set(data []byte, s Server) ([]byte, error) {
	old, err := c.format.parse(data)
	if err != nil {
		return nil, err
	}
	kept := data
	if _, ok := lookup(old, c.path)[s.Name]; ok {
		if kept, err = c.Remove(data, s.Name); err != nil {
			return nil, err
		}
	}
	entry := c.entry(s)
	out, err := c.format.add(kept, c.path, s.Name, entry)
	if err != nil {
		return nil, err
	}
	want, err := c.format.parse(kept)
	if err != nil {
		return nil, err
	}
	servers, err := reach(want, c.path)
	if err != nil {
		return nil, err
	}
	servers[s.Name] = value(entry)
	return out, c.same(out, want)
}

// Remove returns a file without a server, and the file itself if it has none of that name.
func (c *Client) Remove(data []byte, name string) ([]byte, error) {
	want, err := c.format.parse(data)
	if err != nil {
		return nil, err
	}
	servers := lookup(want, c.path)
	if _, ok := servers[name]; !ok {
		return data, nil
	}
	delete(servers, name)
	out, err := c.format.remove(data, c.path, name)
	if err != nil {
		return nil, err
	}
	return out, c.same(out, want)
}

// same checks that a file says what it should, whether or not it has a table for servers that is empty.
func (c *Client) same(data []byte, want map[string]any) error {
	got, err := c.format.parse(data)
	if err != nil || !reflect.DeepEqual(withoutEmpty(got, c.path), withoutEmpty(want, c.path)) {
		return ErrShape
	}
	return nil
}

func withoutEmpty(file map[string]any, path []string) map[string]any {
	if len(path) == 0 {
		return file
	}
	if inner, ok := file[path[0]].(map[string]any); ok {
		if len(withoutEmpty(inner, path[1:])) == 0 {
			delete(file, path[0])
		}
	} else if file[path[0]] == nil {
		delete(file, path[0])
	}
	return file
}

// lookup returns the table at a path, or nil.
func lookup(file map[string]any, path []string) map[string]any {
	for _, key := range path {
		file, _ = file[key].(map[string]any)
	}
	return file
}

// reach returns the table at a path, and makes those that are not there.
func reach(file map[string]any, path []string) (map[string]any, error) {
	for _, key := range path {
		if file[key] == nil {
			file[key] = map[string]any{}
		}
		inner, ok := file[key].(map[string]any)
		if !ok {
			return nil, ErrShape
		}
		file = inner
	}
	return file, nil
}

// value is an entry as a parser returns it.
func value(entry []field) map[string]any {
	out := map[string]any{}
	for _, f := range entry {
		switch v := f.value.(type) {
		case []string:
			list := make([]any, len(v))
			for i, s := range v {
				list[i] = s
			}
			out[f.name] = list
		case int:
			out[f.name] = float64(v)
		default:
			out[f.name] = v
		}
	}
	return out
}

// normal makes what parsers return the same for all formats: numbers are float64.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = normal(v[key])
		}
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case []map[string]any: // of TOML's arrays of tables
		list := make([]any, len(v))
		for i := range v {
			list[i] = normal(v[i])
		}
		return list
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return v
}

// simple are the names that need no quotes in any format.
var simple = lazyregexp.New(`^[A-Za-z0-9_-]+$`)

// CheckName refuses a name of a server that not all clients take.
func CheckName(name string) error {
	if !simple().MatchString(name) {
		return fmt.Errorf("%q is no name of a server: use letters, digits, - and _", name)
	}
	return nil
}

// Find returns a client by its name, or nil.
func Find(name string) *Client {
	i := slices.IndexFunc(Clients, func(c *Client) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return Clients[i]
}

// insert returns data with text at an offset.
func insert(data []byte, at int, text string) []byte {
	return slices.Concat(data[:at], []byte(text), data[at:])
}

// newline is how the lines of a file end.
func newline(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
