package mcpclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// MaxConfig is the largest configuration in bytes.
const MaxConfig = 1 << 20

// maxServers limits the servers in a configuration.
const maxServers = 64

// A Config is a set of MCP servers.
type Config struct {
	// Servers are keyed by their names, which have up to 64 bytes and no control characters. Tools' names begin
	// with them. There can be 64.
	Servers map[string]ServerConfig
	// Inputs are the values of ${input:ID}, by their ids.
	Inputs map[string]Input
}

// An Input is a value that editors ask the user for. Here it comes from a variable of [Options].LookupEnv, whose name
// is the id in capital letters, such as GITHUB_TOKEN for github-token. A program can also ask: see [Config.OpenInputs].
type Input struct {
	// Description explains the value to the user. It may be empty.
	Description string
	// Password means that the value should be hidden while the user types it.
	Password bool
	// Options are the permitted values. Nil permits any value.
	Options []string
	// Default is the value if the variable is not set. Empty means that a missing variable is an error.
	Default string
}

// A ServerConfig describes how to reach a server: by a command to start, or by a URL. Env, Headers, URL, Args,
// Command and Dir can contain
//
//   - ${NAME} or ${env:NAME}, a variable of [Options].LookupEnv
//   - ${NAME:-default}, the same with a default
//   - ${input:ID}, the value of an [Input]
type ServerConfig struct {
	// Command and Args start the server, which communicates over its standard input and output. Env is added to the few
	// variables that it gets otherwise. Dir is its working directory; empty means that of this process.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	// URL is the server's address. Headers are sent with each request.
	URL     string
	Headers map[string]string
	// Transport selects how to communicate with the server. Empty means [Stdio] if Command is set, and [HTTP]
	// otherwise.
	Transport Transport
	// Timeout limits the time of a call, up to 24 hours. Zero means a minute, or [tool.MCPTimeout] in
	// [tool.ModeMCP].
	Timeout time.Duration
	// Disabled leaves the server out.
	Disabled bool
	// Extension means that the server is an extension of an editor, which alone can start it. Its [Status] says so.
	Extension bool
	// EnabledTools, if not nil, are the only tools to offer, by the server's own names. DisabledTools are left out.
	EnabledTools, DisabledTools []string
}

// A Transport is a way to communicate with a server.
type Transport string

// The transports of the protocol.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"  // from version 2024-11-05 of the protocol
)

// A ConfigError is a mistake in the configuration of a server.
type ConfigError struct {
	// Server is the server's name. Field is the wrong field, such as "env.API_KEY", or empty.
	Server, Field string
	Err           error
}

// Error names the server and the field. It contains no values of variables.
func (e *ConfigError) Error() string {
	where := fmt.Sprintf("MCP server %q", plaintext.Cut(e.Server, 100))
	if e.Field != "" {
		where += ", " + plaintext.Cut(e.Field, 200)
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

// Unwrap returns the underlying error.
func (e *ConfigError) Unwrap() error { return e.Err }

// A fileServer is a server in a configuration file. Other fields are meant for other programs.
type fileServer struct {
	Command   fileCommand       `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url"`
	ServerURL string            `json:"serverUrl"`
	HTTPURL   string            `json:"httpUrl"`
	Headers   map[string]string `json:"headers"`
	Type      string            `json:"type"`
	Disabled  bool              `json:"disabled"`
	Enabled   *bool             `json:"enabled"`
	Timeout   json.RawMessage   `json:"timeout"`

	EnabledTools  []string `json:"enabled_tools"`
	DisabledTools []string `json:"disabled_tools"`

	Source   string          `json:"source"`
	Settings json.RawMessage `json:"settings"`
}

// A fileCommand is a command, either as text or as the object that older versions of Zed used.
type fileCommand struct {
	Path string            `json:"path"`
	Args []string          `json:"args"`
	Env  map[string]string `json:"env"`
}

func (c *fileCommand) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return json.Unmarshal(data, &c.Path)
	}
	type plain fileCommand
	return json.Unmarshal(data, (*plain)(c))
}

// isExtension reports whether the server is an extension of Zed. The file has its settings, but not its command.
func (s *fileServer) isExtension() bool {
	return s.Source == "extension" || s.Source == "" && s.Settings != nil && s.Command.Path == "" && s.URL == ""
}

// A fileInput is an input in a configuration file.
type fileInput struct {
	ID          string       `json:"id"`
	Description string       `json:"description"`
	Password    bool         `json:"password"`
	Options     []fileOption `json:"options"`
	Default     string       `json:"default"`
}

// A fileOption is a value, with or without a label.
type fileOption struct {
	Value string `json:"value"`
}

func (o *fileOption) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return json.Unmarshal(data, &o.Value)
	}
	type plain fileOption
	return json.Unmarshal(data, (*plain)(o))
}

// ParseConfig parses a configuration in the JSON format of desktop clients and editors: an object with the servers by
// name under "mcpServers", "servers" or "context_servers", and values that editors ask the user for under "inputs". It
// may contain comments and trailing commas. Unknown fields are meant for other programs and are ignored. The error is a
// *[ConfigError] if it concerns one server. [Config.PlainSecrets] returns the secrets that the configuration contains.
func ParseConfig(data []byte) (Config, error) {
	if len(data) > MaxConfig {
		return Config{}, fmt.Errorf("the MCP configuration has %d bytes, more than %d", len(data), MaxConfig)
	}
	var file struct {
		MCPServers     map[string]json.RawMessage `json:"mcpServers"`
		Servers        map[string]json.RawMessage `json:"servers"`
		ContextServers map[string]json.RawMessage `json:"context_servers"`
		Inputs         []fileInput                `json:"inputs"`
	}
	if err := json.Unmarshal(plainJSON(bytes.TrimPrefix(data, []byte("\uFEFF"))), &file); err != nil {
		return Config{}, fmt.Errorf(`the MCP configuration is not a JSON object with "mcpServers": %w`, err)
	}
	if file.MCPServers == nil && file.Servers == nil && file.ContextServers == nil {
		return Config{}, errors.New(`the MCP configuration has none of "mcpServers", "servers" and "context_servers"`)
	}
	config := Config{Servers: map[string]ServerConfig{}}
	for _, input := range file.Inputs {
		if config.Inputs == nil {
			config.Inputs = map[string]Input{}
		}
		in := Input{Description: input.Description, Password: input.Password, Default: input.Default}
		for _, option := range input.Options {
			in.Options = append(in.Options, option.Value)
		}
		config.Inputs[input.ID] = in
	}
	for _, servers := range []map[string]json.RawMessage{file.MCPServers, file.Servers, file.ContextServers} {
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if _, twice := config.Servers[name]; twice {
				return Config{}, &ConfigError{Server: name,
					Err: errors.New(`it is there twice, as in both "mcpServers" and "servers"`)}
			}
			server, err := parseServer(servers[name])
			if err != nil {
				if wrong, ok := errors.AsType[*ConfigError](err); ok {
					wrong.Server = name
					return Config{}, wrong
				}
				return Config{}, &ConfigError{Server: name, Err: err}
			}
			config.Servers[name] = server
		}
	}
	return config, config.check()
}

func parseServer(data json.RawMessage) (ServerConfig, error) {
	var in fileServer
	if err := json.Unmarshal(data, &in); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			kind, _, _ := strings.Cut(wrong.Value, " ") // the rest may be the value
			return ServerConfig{}, &ConfigError{Field: wrong.Field,
				Err: fmt.Errorf("it is a %s, which it cannot be", kind)}
		}
		return ServerConfig{}, err
	}
	if in.Args == nil {
		in.Args = in.Command.Args
	}
	if in.Env == nil {
		in.Env = in.Command.Env
	}
	server := ServerConfig{
		Command: in.Command.Path, Args: in.Args, Env: in.Env, Dir: in.Cwd,
		URL: cmp.Or(in.URL, in.HTTPURL, in.ServerURL), Headers: in.Headers,
		Extension:    in.isExtension(),
		Disabled:     in.Disabled || in.Enabled != nil && !*in.Enabled,
		EnabledTools: in.EnabledTools, DisabledTools: in.DisabledTools,
	}
	switch strings.ToLower(in.Type) {
	case "", "local", "remote":
	case "stdio":
		server.Transport = Stdio
	case "http", "streamable-http", "streamablehttp", "streamable_http":
		server.Transport = HTTP
	case "sse":
		server.Transport = SSE
	default:
		return ServerConfig{}, &ConfigError{Field: "type",
			Err: fmt.Errorf(`%q is not one of "stdio", "http", "streamable-http" and "sse"`,
				plaintext.Cut(in.Type, 50))}
	}
	var err error
	if server.Timeout, err = parseTimeout(in.Timeout); err != nil {
		return ServerConfig{}, &ConfigError{Field: "timeout", Err: err}
	}
	return server, nil
}

// maxTimeout is the longest timeout that a configuration can set.
const maxTimeout = 24 * time.Hour

// parseTimeout reads a number of milliseconds, which most programs use, or a text with a unit.
func parseTimeout(raw json.RawMessage) (time.Duration, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, nil
	}
	var timeout time.Duration
	var text string
	var number float64
	switch {
	case json.Unmarshal(raw, &text) == nil:
		var err error
		if timeout, err = time.ParseDuration(text); err != nil {
			return 0, errors.New(`it is written as "90s" or "2m", or as a number of milliseconds`)
		}
	case json.Unmarshal(raw, &number) == nil:
		if number > 0 && number < 1000 {
			return 0, fmt.Errorf(`%v would be milliseconds; write "%vs" if it is seconds`, number, number)
		}
		timeout = time.Duration(min(number, float64(2*maxTimeout/time.Millisecond))) * time.Millisecond
	default:
		return 0, errors.New(`it is written as "90s" or "2m", or as a number of milliseconds`)
	}
	if timeout <= 0 || timeout > maxTimeout {
		return 0, fmt.Errorf("it must be positive, and at most %v", maxTimeout)
	}
	return timeout, nil
}

// check checks a configuration without evaluating variables.
func (c Config) check() error {
	if len(c.Servers) > maxServers {
		return fmt.Errorf("the MCP configuration has %d servers, more than %d", len(c.Servers), maxServers)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		server := c.Servers[name]
		if err := server.check(name); err != nil {
			err.Server = name
			return err
		}
	}
	return nil
}

func (s *ServerConfig) check(name string) *ConfigError {
	if name == "" || len(name) > 64 || !utf8.ValidString(name) || cleanLine(name, len(name)) != name {
		return &ConfigError{Err: errors.New("its name must have 1 to 64 bytes, and no control characters")}
	}
	transport := s.transport()
	switch {
	case s.Extension:
		return nil
	case s.Command != "" && s.URL != "":
		return &ConfigError{Field: "url", Err: errors.New("there is also a command: it is either one or the other")}
	case s.Command == "" && s.URL == "":
		return &ConfigError{Err: errors.New("needs command or url")}
	case transport == Stdio && s.Command == "":
		return &ConfigError{Field: "command", Err: errors.New("there is none, which stdio needs")}
	case transport != Stdio && transport != HTTP && transport != SSE:
		return &ConfigError{Field: "type", Err: fmt.Errorf("there is no transport %q",
			plaintext.Cut(string(transport), 50))}
	case transport != Stdio && s.URL == "":
		return &ConfigError{Field: "url", Err: fmt.Errorf("there is none, which %s needs", transport)}
	case s.Timeout < 0 || s.Timeout > maxTimeout:
		return &ConfigError{Field: "timeout", Err: fmt.Errorf("it must be positive, and at most %v", maxTimeout)}
	}
	for _, field := range slices.Sorted(maps.Keys(s.Env)) {
		if field == "" || strings.ContainsAny(field, "=\x00") {
			return &ConfigError{Field: "env", Err: fmt.Errorf("%q cannot be the name of a variable",
				plaintext.Cut(field, 100))}
		}
	}
	for _, field := range slices.Sorted(maps.Keys(s.Headers)) {
		if !httpguts.ValidHeaderFieldName(field) {
			return &ConfigError{Field: "headers", Err: fmt.Errorf("%q cannot be the name of a header",
				plaintext.Cut(field, 100))}
		}
	}
	if _, err := s.edited(func(_, text string) (string, error) { return text, checkVariables(text) }); err != nil {
		return err
	}
	if _, err := s.address(); err != nil {
		return &ConfigError{Field: "url", Err: errors.New("it is not an address")}
	}
	return nil
}

// edited returns the configuration with each text that can contain variables replaced by what edit makes of it. name is
// that of a variable or a header, or "". The texts come in a fixed order. An error of edit is one of the field.
func (s ServerConfig) edited(edit func(name, text string) (string, error)) (ServerConfig, *ConfigError) {
	var failed *ConfigError
	one := func(field, name string, text *string) {
		if failed == nil {
			var err error
			if *text, err = edit(name, *text); err != nil {
				failed = &ConfigError{Field: field, Err: err}
			}
		}
	}
	all := func(prefix string, texts map[string]string) map[string]string {
		out := make(map[string]string, len(texts))
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			text := texts[name]
			one(prefix+name, name, &text)
			out[name] = text
		}
		return out
	}
	one("command", "", &s.Command)
	one("cwd", "", &s.Dir)
	one("url", "", &s.URL)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		one(fmt.Sprintf("args[%d]", i), "", &s.Args[i])
	}
	s.Env, s.Headers = all("env.", s.Env), all("headers.", s.Headers)
	return s, failed
}

// address parses the URL. A placeholder takes the place of unknown values.
func (s *ServerConfig) address() (*url.URL, error) {
	return url.Parse(variable().ReplaceAllStringFunc(s.URL, func(match string) string {
		if fallback := variable().FindStringSubmatch(match)[2]; len(fallback) > len(":-") {
			return fallback[len(":-"):]
		}
		return standsForValue
	}))
}

// PlainSecrets returns the fields with secrets in plain text, such as `MCP server "a", env.API_KEY`, sorted. Secrets
// are recognised by names that end in words such as KEY, TOKEN and PASSWORD. Disabled servers count as well.
func (c Config) PlainSecrets() []string {
	var fields []string
	for name, s := range c.Servers {
		add := func(field string) {
			fields = append(fields, fmt.Sprintf("MCP server %q, %s", plaintext.Cut(name, 100),
				plaintext.Cut(field, 200)))
		}
		for prefix, values := range map[string]map[string]string{"env.": s.Env, "headers.": s.Headers} {
			for field, value := range values {
				if looksSecret(field) && isPlain(value) {
					add(prefix + field)
				}
			}
		}
		if s.hasPlainURL() {
			add("url")
		}
	}
	slices.Sort(fields)
	return fields
}

// OpenInputs returns the ids of the inputs that enabled servers use and for which no variable is set, sorted. A program
// can ask the user for them, and store the answers as the inputs' defaults.
func (c Config) OpenInputs(lookup func(name string) (value string, ok bool)) []string {
	var ids []string
	e := &expander{lookup: lookup}
	for _, s := range c.Servers {
		if s.Disabled || s.Extension {
			continue
		}
		_, _ = s.edited(func(_, text string) (string, error) {
			for _, found := range variable().FindAllStringSubmatch(text, -1) {
				if _, given := e.input(found[3]); found[3] != "" && !given {
					ids = append(ids, found[3])
				}
			}
			return text, nil
		})
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// hasPlainURL reports whether the URL contains a password, or a secret parameter, in plain text.
func (s *ServerConfig) hasPlainURL() bool {
	address, err := s.address()
	if err != nil {
		return false
	}
	plain := func(value string) bool { return value != "" && !strings.Contains(value, standsForValue) }
	if password, _ := address.User.Password(); plain(password) {
		return true
	}
	for name, values := range address.Query() {
		if looksSecret(name) && slices.ContainsFunc(values, plain) {
			return true
		}
	}
	return false
}

// standsForValue takes the place of unknown values. It is valid everywhere in a URL, and nobody's password.
const standsForValue = "73058209173462517305"

func (s *ServerConfig) transport() Transport {
	switch {
	case s.Transport != "":
		return s.Transport
	case s.Command != "":
		return Stdio
	}
	return HTTP
}
