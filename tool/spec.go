package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A Spec describes a tool. Only Name and Description are required.
type Spec struct {
	// Name is the tool's name for models: 1 to 64 ASCII letters, digits, "-" and "_", not beginning with a digit or
	// "-". Every provider accepts such names.
	Name string
	// DisplayName and Subtitle are for people. Models do not get them, except that MCP clients show the name.
	DisplayName, Subtitle string
	// Description tells a model what the tool does. DescriptionFor, if not nil, makes it for each offer.
	Description    string
	DescriptionFor func(Offer) string
	// Schema is the JSON Schema of the input, draft 2020-12 unless it says otherwise, of type object. SchemaFor, if
	// not nil, makes it from the options; it must return the same schema for the same options. Without both the
	// tool takes no arguments.
	Schema    json.RawMessage
	SchemaFor func(Options) json.RawMessage
	// SchemaNotes says what of another program's schema is not used in Schema, for people.
	SchemaNotes []string
	// OutputSchema is the JSON Schema of Result.Data, of type object. Nil means none.
	OutputSchema json.RawMessage
	// TextOutput means that the text of a result says everything, and that OutputSchema, which must not require any
	// properties then, is for the data that some results have. MCP clients, which insist on an object if there is a
	// schema, get one for results without Data: it contains the text, and the name of the file if the text is too long.
	// It has no effect without OutputSchema.
	TextOutput bool
	// Options are the settings that users can change.
	Options []Option
	// Category groups tools in lists. Source is where the tool comes from, such as a server. Both can be empty.
	Category Category
	Source   string
	// Modes lists the modes in which the tool is offered. None means all.
	Modes []Mode
	// Requires lists the capabilities that must be granted before the tool is offered and called.
	Requires []Capability
	// Annotations describe the effects of calls.
	Annotations Annotations
	// Instructions tell a model how to behave with the tool. They are part of the system prompt, once if several
	// tools share them.
	Instructions string
	// ReadsFiles tells a model how to read part of a file with this tool, such as "the filesystem tool's view command
	// and view_range". It is used when a long result is in a file. Most tools leave it empty.
	ReadsFiles string
	// Icons are for user interfaces.
	Icons Icons
	// Timeout limits the time of a call. Zero means [DefaultTimeout], and [NoTimeout] no limit. In [ModeMCP], a timeout
	// of up to a minute is [MCPTimeout] at most.
	Timeout time.Duration
	// KeepsTime means that the tool itself ends after Env.Limits.Timeout, with a better message. The registry stops it
	// a second later.
	KeepsTime bool
	// AsksForCommands means that the tool has commands of its code approved, by [Env.ApproveCommand], if a rule names
	// them: "bash:rm".
	AsksForCommands bool
	// Retries limits how often a call is repeated after errors marked as [Retryable]. Zero means never.
	Retries int
	// AtOnce limits how many calls of this tool one call of another tool can run at the same time with [Env.Dispatch];
	// further ones wait. Set it for tools that need much memory. Zero means no limit.
	AtOnce int
	// PartOf names the tool that this one is a part of, or is empty. A tool can be offered whole or as its parts, which
	// do the same with separate annotations. If the whole tool has an option [OptionSplit] that is true, its parts are
	// enabled in its place; otherwise the parts are disabled. A choice that names a part takes precedence.
	PartOf string
	// Forms are the values of the whole tool's option [OptionForm] with which this part is enabled in its place, along
	// with the other parts that have the value. [OptionSplit] stands for the option of that name, which the empty form
	// leaves to decide. None means [OptionSplit].
	Forms []string
	// OffByDefault disables the tool unless it is chosen. AlwaysEnabled makes it impossible to disable.
	OffByDefault, AlwaysEnabled bool
	// NeedsProject means that the tool is useless without files.
	NeedsProject bool
}

// Limits on the time of a call.
const (
	DefaultTimeout               = 10 * time.Second
	NoTimeout      time.Duration = -1
	// MCPTimeout is the time limit of tools in [ModeMCP] whose own limit is longer, but not longer than a minute, for
	// which most clients wait.
	MCPTimeout = 50 * time.Second
)

// A Category is a kind of tool.
type Category string

// Common categories. Others are allowed.
const (
	CategorySearch Category = "search"
	CategoryFile   Category = "file"
	CategoryCode   Category = "code"
	CategoryMCP    Category = "mcp"
	CategoryCustom Category = "custom"
)

// A Mode is a way of using tools.
type Mode string

// Common modes. Others are allowed.
const (
	ModeMCP           Mode = "mcp"            // an MCP server
	ModeHistory       Mode = "history"        // an agent that receives its messages so far
	ModeWorkingMemory Mode = "working-memory" // an agent that receives its notes instead
)

// Timeout returns the time limit in this mode of calls without a limit of their own, for a tool whose Spec.Timeout is
// own, which is not zero. Most MCP clients wait for a minute, which is a common limit of tools as well: the answer of a
// tool that was stopped would come too late. A tool with a longer limit has been given that by somebody who knows how
// long the client waits.
func (m Mode) Timeout(own time.Duration) time.Duration {
	if m == ModeMCP && own > MCPTimeout && own <= time.Minute {
		return MCPTimeout
	}
	return own
}

// A Capability is something that a tool can do to the world and that a host must allow.
type Capability string

// Common capabilities. Others are allowed.
const (
	CapabilityNetwork Capability = "network"
	CapabilityProcess Capability = "process"
)

// Annotations describe the effects of a tool's calls. They are the author's claims and are not enforced. The zero value
// means a tool that changes things but destroys nothing.
type Annotations struct {
	// ReadOnly calls change nothing; registries run several of them concurrently.
	ReadOnly bool
	// Destructive calls may remove or replace something.
	Destructive bool
	// Idempotent calls have no further effect when they are repeated.
	Idempotent bool
	// OpenWorld calls reach things beyond the project.
	OpenWorld bool
}

// Icons are names or data URLs that a user interface can show; toolrun does not interpret them. The built-in tools use
// the names of icons at lucide.dev.
type Icons struct {
	Input, Output string
}

var validName = lazyregexp.New(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// CheckName checks a tool's name. The error says which names are allowed.
func CheckName(name string) error {
	if !validName().MatchString(name) {
		return errors.New("a tool's name has 1 to 64 ASCII letters, digits, - and _, " +
			"and does not begin with a digit or -")
	}
	return nil
}

// Check returns what is wrong with the Spec of a tool, schemas left out, and with the function of a tool that [Func] or
// [JSONFunc] has made. Registries call it.
func Check(t Tool, s *Spec) error {
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
	if err := checkOptions(s.Options); err != nil {
		return err
	}
	if made, ok := t.(interface{ madeOf() error }); ok {
		return made.madeOf()
	}
	return nil
}

// Clone returns a copy that shares nothing which can be modified.
func (s Spec) Clone() Spec {
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
	s.SchemaNotes, s.Forms = slices.Clone(s.SchemaNotes), slices.Clone(s.Forms)
	return s
}

func copied(n *float64) *float64 {
	if n == nil {
		return nil
	}
	return new(*n)
}
