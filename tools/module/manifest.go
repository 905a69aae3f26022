package module

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/schema"

	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// A Manifest is what a module's publisher says of it. Asking is not getting: [Grants] are the operator's.
type Manifest struct {
	// Name is the tool's name: see [tool.Spec].
	Name string `json:"name"`
	// Description tells a model what the tool does.
	Description string `json:"description"`
	// DisplayName and Subtitle are for people. They can be empty.
	DisplayName string `json:"displayName,omitempty"`
	Subtitle    string `json:"subtitle,omitempty"`
	// InputSchema is the JSON Schema of the input, of type object. Without it any object is one.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// OutputSchema is the JSON Schema of the output, of type object. Without it the output is any text.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	// SHA256 is the digest of module.wasm in hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Language means that the module is not a tool but the interpreter of a language, such as python.
	Language bool `json:"language,omitempty"`
	// Packages are those that the interpreter has beside its standard library: see [script.Packages].
	Packages []string `json:"packages,omitempty"`
	Limits   Limits   `json:"limits,omitzero"`
	Asks     Asks     `json:"asks,omitzero"`
}

// Limits are the limits that a module wants. Zero means the default. More than the default must be granted.
type Limits struct {
	Time   Duration `json:"time,omitempty"`
	Memory int64    `json:"memory,omitempty"` // MiB
	Work   int64    `json:"work,omitempty"`   // as in [sandbox.Limits]
	Output int      `json:"output,omitempty"` // bytes
}

// The defaults of [Limits]. There is no limit of work by default.
const (
	DefaultTime   = sandbox.DefaultTime
	DefaultMemory = sandbox.DefaultMemory >> 20 // MiB
	DefaultOutput = sandbox.DefaultOutput       // bytes
)

// capped returns the limits without what is above the defaults.
func (l Limits) capped() Limits {
	return Limits{Time: min(l.Time, Duration(DefaultTime)), Memory: min(l.Memory, DefaultMemory), Work: l.Work,
		Output: min(l.Output, DefaultOutput)}
}

// A Duration is written like "10s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Asks is what a module wants to use beside its input. Without files, it sees an empty directory; without a clock, each
// run begins at the same time; without randomness, it gets the same numbers in each run.
type Asks struct {
	Files Access `json:"files,omitempty"`
	// Folder is the folder of the project that the module sees as "/". Empty means the whole project.
	Folder string `json:"folder,omitempty"`
	// Env are the names of environment variables.
	Env    []string `json:"env,omitempty"`
	Clock  bool     `json:"clock,omitempty"`
	Random bool     `json:"random,omitempty"`
	// Tools are the names of other tools that it calls.
	Tools []string `json:"tools,omitempty"`
	// Network has rules as [network.ParseRule] reads them, for the requests that it makes.
	Network []string `json:"network,omitempty"`
}

// Access is how a module uses the project's files.
type Access string

// The kinds of access. Empty means none.
const (
	AccessNone  Access = "none"
	AccessRead  Access = "read"
	AccessWrite Access = "write" // and read
)

var accesses = []Access{AccessNone, AccessRead, AccessWrite}

// rank orders accesses, with "" as none.
func (a Access) rank() int { return max(0, slices.Index(accesses, a)) }

var envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maxEnvName is how many bytes the name of an environment variable can have.
const maxEnvName = 128

// Limits on manifests.
const (
	maxManifest = 1 << 20
	maxText     = 64 << 10
	maxEnv      = 100
	maxTools    = 100
	maxRules    = 100
)

// ParseManifest reads a manifest and checks it. The error names the field.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > maxManifest {
		return nil, fmt.Errorf("manifest: it has %d bytes, and may have %d", len(data), maxManifest)
	}
	m := &Manifest{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(m); err != nil {
		if strings.Contains(err.Error(), `unknown field "hosts"`) {
			err = errors.New(`"hosts" cannot be asked for: ask for requests, ` +
				`as in "network": ["GET https://example.com/**"]`)
		}
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("manifest: there is something behind the object")
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return m, nil
}

func (m *Manifest) check() error {
	if err := tool.CheckName(m.Name); err != nil {
		return fmt.Errorf("name %q: %w", m.Name, err)
	}
	switch {
	case strings.TrimSpace(m.Description) == "":
		return errors.New("description is missing: it is what tells a model when to use the tool")
	case len(m.Description)+len(m.DisplayName)+len(m.Subtitle) > maxText:
		return fmt.Errorf("description, displayName and subtitle have more than %d bytes", maxText)
	}
	for _, s := range []struct {
		field  string
		schema json.RawMessage
	}{{"inputSchema", m.InputSchema}, {"outputSchema", m.OutputSchema}} {
		if s.schema == nil {
			continue
		}
		if _, err := schema.CompileObject(s.schema); err != nil {
			return fmt.Errorf("%s: %w", s.field, err)
		}
	}
	if m.SHA256 != "" {
		if sum, err := hex.DecodeString(m.SHA256); err != nil || len(sum) != 32 {
			return fmt.Errorf("sha256 %q is not a SHA-256 in hexadecimal", m.SHA256)
		}
	}
	if slices.Contains(m.Asks.Tools, m.Name) {
		return fmt.Errorf("asks: tools has %s itself, and a tool cannot call itself", m.Name)
	}
	return errors.Join(m.Limits.check(), m.Asks.check())
}

func (l Limits) check() error {
	switch {
	case l.Time < 0:
		return fmt.Errorf("limits: time is %v", time.Duration(l.Time))
	case l.Memory != 0 && (l.Memory < sandbox.MinMemory>>20 || l.Memory > sandbox.MaxMemory>>20):
		return fmt.Errorf("limits: memory is %d, and must be between %d and %d MiB",
			l.Memory, sandbox.MinMemory>>20, sandbox.MaxMemory>>20)
	case l.Work < 0:
		return fmt.Errorf("limits: work is %d", l.Work)
	case l.Output < 0:
		return fmt.Errorf("limits: output is %d", l.Output)
	}
	return nil
}

func (a Asks) check() error {
	if a.Files != "" && !slices.Contains(accesses, a.Files) {
		return fmt.Errorf("asks: files is %q, and must be none, read or write", a.Files)
	}
	if a.Folder != "" {
		if clean, err := vfs.Clean(a.Folder); err != nil || clean != a.Folder {
			return fmt.Errorf("asks: folder %q is not a path like /data", a.Folder)
		}
		if a.Files.rank() == 0 {
			return errors.New("asks: there is a folder, but files is none")
		}
	}
	if len(a.Env) > maxEnv {
		return fmt.Errorf("asks: env has more than %d names", maxEnv)
	}
	for _, name := range a.Env {
		if len(name) > maxEnvName || !envName().MatchString(name) {
			return fmt.Errorf("asks: env %q is not the name of an environment variable", name)
		}
	}
	if len(a.Tools) > maxTools {
		return fmt.Errorf("asks: tools has more than %d names", maxTools)
	}
	for _, name := range a.Tools {
		if err := tool.CheckName(name); err != nil {
			return fmt.Errorf("asks: tools: %q: %w", name, err)
		}
	}
	if len(a.Network) > maxRules {
		return fmt.Errorf("asks: network has more than %d rules", maxRules)
	}
	for _, rule := range a.Network {
		if _, err := network.ParseRule(rule); err != nil {
			return fmt.Errorf("asks: %w", err)
		}
	}
	return nil
}

// Grants are what the operator lets a module use, of what its manifest asks for. The zero value grants nothing.
type Grants struct {
	Files Access `json:"files,omitempty"`
	// Env are environment variables with their values.
	Env    map[string]string `json:"env,omitempty"`
	Clock  bool              `json:"clock,omitempty"`
	Random bool              `json:"random,omitempty"`
	// Tools are the tools that it may call, with the permissions of whoever calls the module.
	Tools []string `json:"tools,omitempty"`
	// Network has those of the rules of [Asks].Network by which it may make requests, if the project's network allows
	// them, too.
	Network []string `json:"network,omitempty"`
	// Limits grants limits above the defaults.
	Limits bool `json:"limits,omitempty"`
}

// check returns an error for grants of what is not asked for, which are mistakes.
func (g Grants) check(m *Manifest) error {
	switch {
	case g.Files != "" && !slices.Contains(accesses, g.Files):
		return fmt.Errorf("files=%s: files are none, read or write", g.Files)
	case g.Files.rank() > m.Asks.Files.rank():
		return fmt.Errorf("files=%s is more than the tool asks for, which is %s",
			g.Files, accesses[m.Asks.Files.rank()])
	case g.Clock && !m.Asks.Clock:
		return errors.New("the tool does not ask for the clock")
	case g.Random && !m.Asks.Random:
		return errors.New("the tool does not ask for randomness")
	}
	for name, value := range g.Env {
		if !slices.Contains(m.Asks.Env, name) {
			return fmt.Errorf("the tool does not ask for the environment variable %s", name)
		}
		if strings.ContainsRune(value, 0) {
			return fmt.Errorf("the value of the environment variable %s contains a NUL", name)
		}
	}
	for _, name := range g.Tools {
		if !slices.Contains(m.Asks.Tools, name) {
			return fmt.Errorf("the tool does not ask to call the tool %s", name)
		}
	}
	for _, rule := range g.Network {
		if !slices.Contains(m.Asks.Network, rule) {
			return fmt.Errorf("the tool does not ask for the requests %q", rule)
		}
	}
	return nil
}
