package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/afero"
)

// A Tool is something that a model can call. A tool that can do more also implements [APIOverrider],
// [SystemPrompter], [InputChecker], [InputRenderer] or [OutputRenderer]. [Func] makes a tool from a function.
//
// A tool keeps no state about calls or projects: everything that it may use comes with the call. Its methods must
// be safe for concurrent use.
type Tool interface {
	// Spec describes the tool. It is called once, when the tool becomes part of a registry.
	Spec() Spec
	// Execute runs a call, whose input has been checked against the tool's schema. It should return soon after the
	// context ends; otherwise it is left behind, without its files.
	//
	// To tell the model of a failure, return a [Result] with a code, or a [*ModelError]. Any other error, and a
	// panic, means that the tool itself has failed. The model gets its text as well, as "Tool execution failed: TEXT",
	// unless [Env].HideErrors is set: keep secrets out of errors.
	Execute(ctx context.Context, call Call, env Env) (Result, error)
}

// A Call is a request by a model or a program to run a tool.
type Call struct {
	// ID is the provider's id of the call. It can be empty. Otherwise it should be unique in a project, because the
	// project's history records it.
	ID string `json:"id,omitempty"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Input is the arguments as the model sent them. Anything but a JSON object gets a result that says so; empty
	// input and null mean no arguments. A tool receives an object that fits its schema.
	Input json.RawMessage `json:"input,omitempty"`
	// Parent is the id of the call that made this one with [Env.Dispatch], which sets it. It is empty otherwise.
	Parent string `json:"-"`
	// Number says which of the calls of the calling tool the call is, from 1, if the tool counts them in an order that
	// is the same whenever its code does the same. Recordings tell calls apart by it. Zero means that it is unknown.
	Number int `json:"-"`
	// Item is the type of the item in which the provider's API has sent the call, if that is not the usual one of the
	// API: apply_patch_call, shell_call, local_shell_call or agent.tool_use. The result is answered in kind. Behind a
	// space, it can have more that only package provider needs.
	Item string `json:"item,omitempty"`
	// Err, if not nil, is why the call cannot be made, for example because the response ended before the call was
	// complete. Dispatch does not run the tool then: the result fails with Err as if the tool had returned it.
	Err error `json:"-"`
}

// An API identifies a provider's API, or another way to offer tools.
type API string

// The APIs that package provider supports.
const (
	Anthropic       API = "anthropic"        // Anthropic's Messages API
	AnthropicAgents API = "anthropic-agents" // Anthropic's managed agents, in an environment that you host
	OpenAIChat      API = "openai-chat"      // OpenAI's Chat Completions API, and what is compatible with it
	OpenAIResponses API = "openai-responses" // OpenAI's Responses API
	Gemini          API = "gemini"           // Google's Gemini API
	Bedrock         API = "bedrock"          // Amazon Bedrock's Converse API
	MCP             API = "mcp"              // the Model Context Protocol
	XML             API = "xml"              // calls written as XML in a model's text
)

// APIOverrider is an optional interface of tools that an API defines itself.
type APIOverrider interface {
	// APIOverride returns the definition to send to the API instead of the usual one, or nil for the usual one. With an
	// override, the tool's instructions and system prompt are omitted.
	APIOverride(api API, options Options) json.RawMessage
}

// SystemPrompter is an optional interface of tools that add to the system prompt of every request.
type SystemPrompter interface {
	// SystemPrompt returns the text, or "" if there is none.
	SystemPrompt(ctx context.Context, prompt PromptContext) (string, error)
}

// A PromptContext is the context for which a system prompt is made.
type PromptContext struct {
	Offer
	// Project, Chat and Files are as in [Env]. Files is nil if there is no project.
	Project, Chat string
	Files         afero.Fs
}

// InputChecker is an optional interface of tools that report invalid inputs in their own words. It is called before
// the input is checked against the schema.
type InputChecker interface {
	// CheckInput returns an error whose text the model gets, or nil. Numbers have the type json.Number. It must not
	// change the input.
	CheckInput(input map[string]any) error
}

// Loader is an optional interface of tools that have to load something before they can run. Load is called before each
// run, which has all its time for itself then. If loading fails, the run tells why.
type Loader interface {
	// Load does nothing if it has succeeded before. The context is that of the call.
	Load(ctx context.Context) error
}

// InputRenderer is an optional interface of tools that format inputs for people better than JSON does.
type InputRenderer interface {
	// RenderInput returns plain text. The input is as the model sent it, and may be invalid.
	RenderInput(input json.RawMessage) string
}

// OutputRenderer is an optional interface of tools that format results for people better than the model's text
// does.
type OutputRenderer interface {
	// RenderOutput returns plain text.
	RenderOutput(result Result) string
}

// A ModelError is an error that the model should see and can correct.
type ModelError struct {
	// Text is the text for the model.
	Text string
	// Code is the code of the result. Empty means [CodeTool].
	Code Code
	// Err is the cause, for the host; it can be nil.
	Err error
}

// Errorf returns a *[ModelError] with this text. An error wrapped with %w is the cause.
func Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &ModelError{Text: err.Error(), Err: err}
}

// Error returns the text.
func (e *ModelError) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// Retryable marks a tool's error as temporary: the call is repeated, as often as Spec.Retries allows. A nil error
// stays nil.
func Retryable(err error) error {
	if err == nil {
		return nil
	}
	return &retryableError{err}
}

// IsRetryable reports whether an error has been marked by [Retryable].
func IsRetryable(err error) bool {
	_, ok := errors.AsType[*retryableError](err)
	return ok
}

type retryableError struct{ error }

func (e *retryableError) Unwrap() error { return e.error }

// JSONFunc makes a tool from a function that takes its input as JSON. [Func] is for functions with typed inputs.
// With a nil function, the tool is malformed.
func JSONFunc(spec Spec, execute func(ctx context.Context, call Call, env Env) (Result, error)) Tool {
	return &jsonFunc{spec, execute}
}

type jsonFunc struct {
	spec    Spec
	execute func(ctx context.Context, call Call, env Env) (Result, error)
}

var errNoFunction = errors.New("the function is nil")

func (t *jsonFunc) Spec() Spec { return t.spec }

func (t *jsonFunc) madeOf() error {
	if t.execute == nil {
		return errNoFunction
	}
	return nil
}

func (t *jsonFunc) Execute(ctx context.Context, call Call, env Env) (Result, error) {
	return t.execute(ctx, call, env)
}
