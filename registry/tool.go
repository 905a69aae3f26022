package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/afero"
)

// A Tool is something that a model can call. All that is needed is here; a tool that can do more implements
// [APIOverrider], [SystemPrompter], [InputChecker], [InputRenderer] or [OutputRenderer] as well. [New] makes a tool of a
// function.
//
// A tool holds no state of a call or of a project: what it may use comes with the call. Its methods are called by several
// goroutines at once.
type Tool interface {
	// Spec describes the tool. It is asked for once, when the tool becomes part of a registry.
	Spec() Spec
	// Execute does what a call asks for. The input has been checked against the tool's schema. When the context ends,
	// Execute should return soon; if it does not, it is left behind, without its files.
	//
	// What a model should know of a failure is a [Result] with a code, or a [*ModelError]. Any other error means that
	// the tool itself has failed; its text goes to the model, too. A panic is such an error.
	Execute(ctx context.Context, call Call, env Env) (Result, error)
}

// A Call is what a model, or a program, wants a tool to do.
type Call struct {
	// ID is how the provider calls it, and has no other meaning. It can be empty, and should otherwise not be used twice
	// in a project, since the project's history has it.
	ID string `json:"id,omitempty"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Input is the arguments as the model has sent them: what is no JSON object here gets a result that says so. Nothing
	// at all, or null, stands for no arguments. When a tool gets it, it is an object that fits the tool's schema.
	Input json.RawMessage `json:"input,omitempty"`
	// Parent is the id of the call that makes this one by [Env.Dispatch], which sets it. It is empty for all others.
	Parent string `json:"-"`
}

// An API is a provider's way of having tools, or another one.
type API string

// The APIs that package provider knows.
const (
	Anthropic       API = "anthropic"        // Anthropic's Messages API
	OpenAIChat      API = "openai-chat"      // OpenAI's Chat Completions API, and what is compatible with it
	OpenAIResponses API = "openai-responses" // OpenAI's Responses API
	Gemini          API = "gemini"           // Google's Gemini API
	Bedrock         API = "bedrock"          // Amazon Bedrock's Converse API
	MCP             API = "mcp"              // the Model Context Protocol
	XML             API = "xml"              // calls written as XML in a model's text
)

// APIOverrider is what tools implement that an API knows by itself.
type APIOverrider interface {
	// APIOverride returns the whole definition that the API gets instead of the one that is made of the tool's
	// description and schema, or nil if there is none. The tool's instructions and system prompt are left out then.
	APIOverride(api API, options Options) json.RawMessage
}

// SystemPrompter is what tools implement that have something to add to the system prompt of every request.
type SystemPrompter interface {
	// SystemPrompt returns the text, or "" if there is none.
	SystemPrompt(ctx context.Context, prompt PromptContext) (string, error)
}

// A PromptContext is what a system prompt may be made of.
type PromptContext struct {
	Offer
	// Project, Chat and Files are as in [Env]. Files is nil if there is no project.
	Project, Chat string
	Files         afero.Fs
}

// InputChecker is what tools implement that have words of their own for what can be wrong with an input. It is asked
// before the input is checked against the schema.
type InputChecker interface {
	// CheckInput returns an error whose text the model gets, or nil. Numbers are of type json.Number. The input must not be
	// changed.
	CheckInput(input map[string]any) error
}

// InputRenderer is what tools implement that can show an input to people better than as JSON.
type InputRenderer interface {
	// RenderInput returns plain text. The input is as the model has sent it, and perhaps invalid.
	RenderInput(input json.RawMessage) string
}

// OutputRenderer is what tools implement that can show a result to people better than what the model gets.
type OutputRenderer interface {
	// RenderOutput returns plain text.
	RenderOutput(result Result) string
}

// A ModelError is an error that the model should know of, and can do something about.
type ModelError struct {
	// Text is what the model gets, as it is.
	Text string
	// Code is what the result gets. Empty means [CodeTool].
	Code Code
	// Err is the cause, for the host; it can be nil.
	Err error
}

// Errorf returns a *[ModelError] with this text. What %w wraps is the cause.
func Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &ModelError{Text: err.Error(), Err: err}
}

// Error returns the text.
func (e *ModelError) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// Retryable marks an error of a tool as one that may not come again: the call is tried again, as often as
// Spec.Retries allows. A nil error stays nil.
func Retryable(err error) error {
	if err == nil {
		return nil
	}
	return &retryableError{err}
}

type retryableError struct{ error }

func (e *retryableError) Unwrap() error { return e.error }

// ToolFunc makes a tool of a function that takes its input as JSON. [Func] is for one that takes it as a value of its own type.
// A nil function is an error of [New].
func ToolFunc(spec Spec, execute func(ctx context.Context, call Call, env Env) (Result, error)) Tool {
	return &toolFunc{spec, execute}
}

type toolFunc struct {
	spec    Spec
	execute func(ctx context.Context, call Call, env Env) (Result, error)
}

var errNoFunction = errors.New("the function is nil")

func (t *toolFunc) Spec() Spec { return t.spec }

// madeOf returns what is wrong with what the tool has been made of.
func (t *toolFunc) madeOf() error {
	if t.execute == nil {
		return errNoFunction
	}
	return nil
}

func (t *toolFunc) Execute(ctx context.Context, call Call, env Env) (Result, error) {
	return t.execute(ctx, call, env)
}
