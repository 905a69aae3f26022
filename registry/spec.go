package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// A Spec describes a tool. Only Name and Description are needed.
type Spec struct {
	// Name is what models call the tool: 1 to 64 ASCII letters, digits, "-" and "_", not beginning with a digit or
	// "-", which is what every provider accepts.
	Name string
	// DisplayName and Subtitle are for people. Models do not get them, except that MCP clients show the name.
	DisplayName, Subtitle string
	// Description tells a model what the tool does. DescriptionFor, if not nil, makes it for each offer.
	Description    string
	DescriptionFor func(Offer) string
	// Schema is the JSON Schema of the input, draft 2020-12 unless it says otherwise, of type object. SchemaFor, if not
	// nil, makes it of the options; it must return the same for the same options. Without both the tool takes no arguments.
	Schema    json.RawMessage
	SchemaFor func(Options) json.RawMessage
	// OutputSchema is the JSON Schema of Result.Data, of type object, or nil if there is none.
	OutputSchema json.RawMessage
	// Options are what users can set.
	Options []Option
	// Category is for listing tools, and Source says where the tool comes from, for [Registry.Without]. Both can be empty.
	Category Category
	Source   string
	// Modes are the ways of use in which the tool is offered. None means all.
	Modes []Mode
	// Requires is what must have been granted for the tool to be offered and called.
	Requires []Capability
	// Annotations say what calls do.
	Annotations Annotations
	// Instructions tell a model how to behave with the tool. They are part of the system prompt, once if several tools have the same.
	Instructions string
	// ReadsFiles says how a model reads a part of a file of the project with this tool, as in "the filesystem tool's view
	// command and view_range". It is told where a result is too long and has been put into a file. Most tools have none.
	ReadsFiles string
	// Icons are for people's eyes.
	Icons Icons
	// Timeout is how long a call may take. Zero means [DefaultTimeout], and [NoTimeout] that it may take forever.
	Timeout time.Duration
	// KeepsTime says that the tool ends by itself after Env.Timeout, and has better words for that. It is
	// stopped a second later.
	KeepsTime bool
	// Retries is how often a call is tried again after an error that the tool has marked as [Retryable]. Zero means never.
	Retries int
	// AtOnce is how many calls of the tool another tool's call can make at once by [Env.Dispatch]; more of them wait. It is for tools
	// that need a lot of memory. Zero means any number.
	AtOnce int
	// OffByDefault leaves the tool off unless it is chosen. AlwaysEnabled leaves no choice.
	OffByDefault, AlwaysEnabled bool
	// NeedsProject says that the tool can do nothing without files.
	NeedsProject bool
	// Internal hides the tool from models and users: it is not offered or listed, and called only by a host whose
	// Selection.Internal says so.
	Internal bool
}

// The time that a call of a tool may take.
const (
	DefaultTimeout               = 10 * time.Second
	NoTimeout      time.Duration = -1
)

// A Category is a kind of tools.
type Category string

// Categories that tools commonly have. There can be others.
const (
	CategorySearch Category = "search"
	CategoryTime   Category = "time"
	CategoryFile   Category = "file"
	CategoryMedia  Category = "media"
	CategoryCode   Category = "code"
	CategoryMCP    Category = "mcp"
	CategoryCustom Category = "custom"
)

// A Mode is a way of using tools.
type Mode string

// Modes that hosts commonly have. There can be others.
const (
	ModeMCP           Mode = "mcp"            // an MCP server
	ModeHistory       Mode = "history"        // an agent that is sent its messages so far
	ModeWorkingMemory Mode = "working-memory" // an agent that is sent what it has noted
)

// A Capability is something that a tool can do to the world, and that a host must allow.
type Capability string

// Capabilities that tools commonly require. There can be others.
const (
	CapabilityNetwork Capability = "network"
	CapabilityProcess Capability = "process"
)

// Annotations say what the calls of a tool do. They are what its author says, not what is enforced. The zero value is
// that of a tool that changes things, but destroys none.
type Annotations struct {
	// ReadOnly calls change nothing; [Registry.DispatchAll] runs several of them at once.
	ReadOnly bool
	// Destructive calls may remove or replace what is there.
	Destructive bool
	// Idempotent calls do nothing more when they are made again.
	Idempotent bool
	// OpenWorld calls reach things beyond the project.
	OpenWorld bool
}

// Icons are names or data URLs that a user interface knows how to show; toolrun gives them no meaning.
type Icons struct {
	Input, Output string
}

// A ToolError says what is wrong with a tool, or with what has been set for it.
type ToolError struct {
	// Tool is the tool's name.
	Tool string
	Err  error
}

// Error names the tool.
func (e *ToolError) Error() string { return fmt.Sprintf("tool %q: %v", e.Tool, e.Err) }

// Unwrap returns what is wrong.
func (e *ToolError) Unwrap() error { return e.Err }

var validName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// CheckName checks a tool's name. The error says what a name may be.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return errors.New("a tool's name has 1 to 64 ASCII letters, digits, - and _, and does not begin with a digit or -")
	}
	return nil
}

// check checks everything but schemas.
func (s *Spec) check() error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	switch {
	case s.Description == "" && s.DescriptionFor == nil:
		return errors.New("there is no description")
	case s.Description != "" && s.DescriptionFor != nil:
		return errors.New("there are both Description and DescriptionFor")
	case s.Schema != nil && s.SchemaFor != nil:
		return errors.New("there are both Schema and SchemaFor")
	case s.Timeout < NoTimeout:
		return fmt.Errorf("the timeout is negative: %v", s.Timeout)
	case s.Retries < 0:
		return fmt.Errorf("the number of retries is negative: %d", s.Retries)
	case s.AtOnce < 0:
		return fmt.Errorf("the number of calls at once is negative: %d", s.AtOnce)
	case s.OffByDefault && s.AlwaysEnabled:
		return errors.New("it is both OffByDefault and AlwaysEnabled")
	}
	return checkOptions(s.Options)
}

// clone copies what could be changed from outside.
func (s Spec) clone() Spec {
	s.Options = slices.Clone(s.Options)
	for i := range s.Options {
		s.Options[i].Choices = slices.Clone(s.Options[i].Choices)
		if when := s.Options[i].VisibleWhen; when != nil {
			s.Options[i].VisibleWhen = &Condition{when.Option, when.Equals}
		}
		s.Options[i].Min, s.Options[i].Max = copied(s.Options[i].Min), copied(s.Options[i].Max)
	}
	s.Schema, s.OutputSchema = slices.Clone(s.Schema), slices.Clone(s.OutputSchema)
	s.Modes, s.Requires = slices.Clone(s.Modes), slices.Clone(s.Requires)
	return s
}

func copied(n *float64) *float64 {
	if n == nil {
		return nil
	}
	return new(*n)
}
