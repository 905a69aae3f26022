package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// Limits of a configuration.
const (
	// MaxConfig is the largest configuration in bytes.
	MaxConfig = 1 << 20
	// MaxServers is how many servers a configuration may have.
	MaxServers = 64
)

// A Config is a set of MCP servers.
type Config struct {
	// Servers are keyed by their names, which have up to 64 bytes and no control characters. Tools' names begin
	// with them.
	Servers map[string]ServerConfig
}

// A ServerConfig describes how to reach a server: by a command to start, or by a URL. Env, Headers, URL, Args,
// Command and Dir can contain ${NAME} or ${env:NAME}, which stand for a variable of [Options.LookupEnv], and
// ${NAME:-default}.
type ServerConfig struct {
	// Command and Args start the server, which talks over its standard input and output. Env is added to the few
	// variables that it gets otherwise. Dir is its working directory; empty means that of this process.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	// URL is the server's address. Headers are sent with each request.
	URL     string
	Headers map[string]string
	// Transport is the way to talk to the server. Empty means [Stdio] if Command is set, and [HTTP] otherwise.
	Transport Transport
	// Timeout is how long a call may take, at most 24 hours. Zero means [DefaultTimeout].
	Timeout time.Duration
	// Disabled leaves the server out.
	Disabled bool
}

// A Transport is a way to talk to a server.
type Transport string

// The transports of the protocol.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"  // that of the protocol's version 2024-11-05
)

// DefaultTimeout is how long a call of a server's tool may take if its configuration does not say otherwise.
const DefaultTimeout = time.Minute

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

// A fileServer is a server in a configuration file. Other fields are for other programs.
type fileServer struct {
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url"`
	ServerURL string            `json:"serverUrl"`
	HTTPURL   string            `json:"httpUrl"`
	Headers   map[string]string `json:"headers"`
	Type      string            `json:"type"`
	Disabled  bool              `json:"disabled"`
	Timeout   json.RawMessage   `json:"timeout"`
}

// ParseConfig parses a configuration in the JSON format of desktop clients: an object with the servers by name
// under "mcpServers" or "servers". Unknown fields are for other programs and are ignored. The error is a
// *[ConfigError] if it concerns one server.
func ParseConfig(data []byte) (Config, error) {
	if len(data) > MaxConfig {
		return Config{}, fmt.Errorf("the MCP configuration has %d bytes, more than %d", len(data), MaxConfig)
	}
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Config{}, fmt.Errorf(`the MCP configuration is not a JSON object with "mcpServers": %w`, err)
	}
	if file.MCPServers == nil && file.Servers == nil {
		return Config{}, errors.New(`the MCP configuration has neither "mcpServers" nor "servers"`)
	}
	config := Config{Servers: map[string]ServerConfig{}}
	for _, servers := range []map[string]json.RawMessage{file.MCPServers, file.Servers} {
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if _, twice := config.Servers[name]; twice {
				return Config{}, &ConfigError{Server: name, Err: errors.New(`it is in both "mcpServers" and "servers"`)}
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
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text can have the value
			return ServerConfig{}, &ConfigError{Field: wrong.Field,
				Err: fmt.Errorf("it is a %s, which it cannot be", kindOf(wrong.Value))}
		}
		return ServerConfig{}, err
	}
	server := ServerConfig{
		Command: in.Command, Args: in.Args, Env: in.Env, Dir: in.Cwd, Headers: in.Headers, Disabled: in.Disabled,
	}
	for _, address := range []string{in.URL, in.HTTPURL, in.ServerURL} {
		if server.URL == "" {
			server.URL = address
		}
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

// kindOf returns the kind of a JSON value, in the words of package json's errors.
func kindOf(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	return kind
}

// maxTimeout is the longest time that a configuration can give a call.
const maxTimeout = 24 * time.Hour

// parseTimeout reads milliseconds, which is what most programs have, or a text with a unit.
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

// check finds what is wrong with a configuration, without looking at variables.
func (c Config) check() error {
	if len(c.Servers) > MaxServers {
		return fmt.Errorf("the MCP configuration has %d servers, more than %d", len(c.Servers), MaxServers)
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
	case s.Command != "" && s.URL != "":
		return &ConfigError{Field: "url", Err: errors.New("there is also a command: it is either one or the other")}
	case s.Command == "" && s.URL == "":
		return &ConfigError{Field: "command", Err: errors.New("there is neither a command nor a url")}
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
		if err := checkSecret(field, s.Env[field]); err != nil {
			return &ConfigError{Field: "env." + field, Err: err}
		}
	}
	for _, field := range slices.Sorted(maps.Keys(s.Headers)) {
		if !validHeader(field) {
			return &ConfigError{Field: "headers", Err: fmt.Errorf("%q cannot be the name of a header",
				plaintext.Cut(field, 100))}
		}
		if err := checkSecret(field, s.Headers[field]); err != nil {
			return &ConfigError{Field: "headers." + field, Err: err}
		}
	}
	return s.checkURL()
}

// checkURL finds secrets that are written in an address. Where it has variables it is looked at again with their
// values.
func (s *ServerConfig) checkURL() *ConfigError {
	if s.URL == "" {
		return nil
	}
	address, err := url.Parse(variable.ReplaceAllStringFunc(s.URL, func(match string) string {
		if fallback := variable.FindStringSubmatch(match)[2]; len(fallback) > len(":-") {
			return fallback[len(":-"):]
		}
		return standsForValue
	}))
	if err != nil {
		return &ConfigError{Field: "url", Err: errors.New("it is not an address")}
	}
	if password, ok := address.User.Password(); ok && !strings.Contains(password, standsForValue) {
		return &ConfigError{Field: "url", Err: errors.New(
			`it has a password: write it as "${NAME}", and set that variable in the environment`)}
	}
	for name, values := range address.Query() {
		for _, value := range values {
			if looksSecret(name) && value != "" && !strings.Contains(value, standsForValue) {
				return &ConfigError{Field: "url", Err: fmt.Errorf(
					`%q is a secret: write its value as "${NAME}", and set that variable in the environment`,
					plaintext.Cut(name, 100))}
			}
		}
	}
	return nil
}

// standsForValue is in place of values that are not known yet. It is valid everywhere in an address, and nobody's
// password.
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

func validHeader(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("!#$%&'*+-.^_`|~", r)) {
			return false
		}
	}
	return name != ""
}
