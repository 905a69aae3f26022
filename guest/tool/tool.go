// Package tool is for tools that are written in Go and compiled to WebAssembly:
//
//	type input struct {
//		City string `json:"city" jsonschema:"the city"`
//	}
//
//	func main() {
//		tool.Main(tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
//			func(ctx context.Context, in input) (string, error) { return "15 °C in " + in.City, nil })
//	}
//
// Compile it with
//
//	GOOS=wasip1 GOARCH=wasm go build -o weather.wasm
//
// and add it with "toolrun module add weather.wasm". The schemas of input and output come from the Go types, as
// tool.Func makes them, with the same struct tags; a program that is run with the argument --describe prints them,
// with its Spec.
//
// # Faster
//
// A Go program takes some milliseconds to start, for each call. A reactor is started before it is called, and answers
// in less than one. For that, register the function in init, and serve in main:
//
//	func init() { tool.Register(spec, do) }
//	func main() { tool.Serve() }
//
// and compile it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o weather.wasm
//
// Without -buildmode=c-shared the same program is an ordinary one. Each call of a reactor starts from the same memory,
// so numbers of math/rand are the same in each call. Those of crypto/rand differ, if randomness was granted.
//
// # What a tool can use
//
// The files of the project, or of one of its folders, are at "/", if [Asks] asks for them and the operator grants them.
// [Call] calls other tools, and package toolhttp makes requests over the network; both must be asked for and granted,
// too. Standard error is the log, whose end a model reads if the tool fails. There are no processes.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
)

// A Spec says what a tool is. Name and Description are required. It becomes the manifest, tool.json.
type Spec struct {
	// Name is the tool's name for models: 1 to 64 ASCII letters, digits, "-" and "_", not beginning with a digit or
	// "-".
	Name string `json:"name"`
	// Description tells a model what the tool does, and when to use it.
	Description string `json:"description"`
	// DisplayName and Subtitle are for people.
	DisplayName string `json:"displayName,omitempty"`
	Subtitle    string `json:"subtitle,omitempty"`
	// InputSchema and OutputSchema are JSON Schemas, of type object. Nil means that they come from the function's
	// types, which for the output must be a struct; otherwise it has none.
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	// Limits are the limits that the tool wants.
	Limits Limits `json:"limits,omitzero"`
	// Asks is what the tool wants to use, which the operator may grant.
	Asks Asks `json:"asks,omitzero"`
}

// Limits of each call. Zero means the default; the operator must grant more.
type Limits struct {
	Time   string `json:"time,omitempty"`   // such as "10s"
	Memory int64  `json:"memory,omitempty"` // MiB
	Work   int64  `json:"work,omitempty"`   // units; a turn of a loop is about one
	Output int    `json:"output,omitempty"` // bytes
}

// Asks is what a tool wants to use beside its input.
type Asks struct {
	// Files is "read", "write" (and read), or "" for none.
	Files string `json:"files,omitempty"`
	// Folder is the folder of the project that is "/" to the tool, such as "/data". Empty means the whole project.
	Folder string `json:"folder,omitempty"`
	// Env are the names of environment variables.
	Env    []string `json:"env,omitempty"`
	Clock  bool     `json:"clock,omitempty"`
	Random bool     `json:"random,omitempty"`
	// Tools are the names of the tools that it calls with [Call].
	Tools []string `json:"tools,omitempty"`
	// Network has rules for the requests that it makes with package toolhttp, such as "GET https://api.example.com/**".
	Network []string `json:"network,omitempty"`
}

// Main serves a tool: it does the call that standard input has, or describes the tool if the program's first argument
// is --describe, and ends the program. Call it from main.
//
// In is a struct, whose fields are the arguments. A string that the function returns is the text of the result; any
// other value is encoded as JSON. The text of an error is for the model to read.
func Main[In, Out any](spec Spec, do func(ctx context.Context, in In) (Out, error)) {
	Register(spec, do)
	Serve()
}

// Register makes a function the program's tool, as [Main] says. Call it once, from an init function.
func Register[In, Out any](spec Spec, do func(ctx context.Context, in In) (Out, error)) {
	if registered.call != nil {
		panic("tool: Register is called twice")
	}
	defaults, err := defaultsOf[In]()
	// What encoding/json learns of the types is in the image from which the calls of a reactor start.
	_ = json.Unmarshal([]byte("{}"), new(In))
	if t := reflect.TypeFor[Out](); t.Kind() == reflect.Struct && !marshals(t) {
		_, _ = json.Marshal(*new(Out))
	}
	registered = handler{
		describe: func() ([]byte, error) { return describe[In, Out](spec) },
		call: func(input []byte) ([]byte, error) {
			if err != nil {
				return nil, err
			}
			in, err := decode[In](input, defaults)
			if err != nil {
				return nil, err
			}
			out, err := do(context.Background(), in)
			if err != nil {
				return nil, err
			}
			return encode(out)
		},
	}
}

// Serve serves the tool that was registered: see [Main]. It does not return.
func Serve() {
	f := registered.call
	if len(os.Args) > 1 && os.Args[1] == "--describe" {
		f = func([]byte) ([]byte, error) { return registered.describe() }
	} else if registered.call == nil {
		f = func([]byte) ([]byte, error) { return nil, errNothing }
	}
	os.Exit(respond(f))
}

var errNothing = errors.New("the program has registered no tool")

// registered is the program's tool.
var registered handler

type handler struct {
	describe func() ([]byte, error)
	call     func(input []byte) ([]byte, error)
}

// Exit statuses.
const (
	exitOK = iota
	exitFailed
)

// respond reads the input, calls f and writes the result, or the error, to standard output. It returns the exit status.
func respond(f func(input []byte) ([]byte, error)) int {
	input, err := io.ReadAll(os.Stdin)
	var output []byte
	if err == nil {
		output, err = f(input)
	}
	status := exitOK
	if err != nil {
		output, status = []byte(err.Error()), exitFailed
	}
	if _, err := os.Stdout.Write(output); err != nil {
		return exitFailed
	}
	return status
}

// defaultsOf returns the defaults that the struct tags of the input give.
func defaultsOf[In any]() ([]fieldDefault, error) {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		return nil, nil // it needs a schema of its own
	}
	var r inferrer
	_, err := r.schema(t, []int{}, true)
	if errors.Is(err, errNoSchema) {
		err = nil
	}
	return r.defaults, err
}

// decode reads the input, whose fields have defaults.
func decode[In any](input []byte, defaults []fieldDefault) (in In, err error) {
	for _, d := range defaults {
		reflect.ValueOf(&in).Elem().FieldByIndex(d.index).Set(d.value)
	}
	if len(bytes.TrimSpace(input)) == 0 {
		input = []byte("{}")
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if err := decoder.Decode(&in); err != nil {
		return in, errors.New("Failed to parse parameters: " + err.Error())
	}
	return in, nil
}

func encode(out any) ([]byte, error) {
	if text, ok := out.(string); ok {
		return []byte(text), nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return nil, errors.New("the result is not JSON: " + err.Error())
	}
	return b.Bytes(), nil
}

// describe returns the manifest.
func describe[In, Out any](spec Spec) ([]byte, error) {
	var err error
	if spec.InputSchema == nil {
		if spec.InputSchema, err = schemaOf(reflect.TypeFor[In](), true); err != nil {
			return nil, err
		}
	}
	if t := reflect.TypeFor[Out](); spec.OutputSchema == nil && t.Kind() == reflect.Struct && !marshals(t) {
		if spec.OutputSchema, err = schemaOf(t, false); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(spec.Name) == "" || strings.TrimSpace(spec.Description) == "" {
		return nil, errors.New("the Spec needs a Name and a Description")
	}
	return json.MarshalIndent(spec, "", "  ")
}

func marshals(t reflect.Type) bool {
	m := reflect.TypeFor[json.Marshaler]()
	return t.Implements(m) || reflect.PointerTo(t).Implements(m)
}
