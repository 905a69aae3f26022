package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// jsOptions are the flags of toolrun js.
type jsOptions struct {
	code    string
	project projectFlags
	timeout time.Duration
	memory  int64
	json    bool
}

func newJS() *cobra.Command {
	var o jsOptions
	cmd := &cobra.Command{
		Use:   "js [-e CODE | FILE | -]",
		Short: "Run JavaScript",
		Long: "Run JavaScript in a fresh sandbox. The code is the body of an async function in strict mode:\n" +
			"return gives the result, await works. It comes from -e, from a file, or from standard input (-).\n\n" +
			"The output is the result; if the code wrote to the console, the console comes first. fs.readFile\n" +
			"and fs.writeFile work in the files of the project, or in the directory that --root names.",
		Example: "  toolrun js -e 'return 6 * 7'\n" +
			"  toolrun js --root . -e 'return (await fs.readFile(\"go.mod\", \"utf8\")).length'\n" +
			"  echo 'return 1 + 1' | toolrun js -",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed("eval")
			if given == (len(args) == 1) {
				return errors.New("give the code in one way: -e CODE, a file, or - for standard input")
			}
			if o.timeout <= 0 {
				return fmt.Errorf("--timeout must be positive, not %v", o.timeout)
			}
			if o.memory < sandbox.MinMemory>>20 || o.memory > sandbox.MaxMemory>>20 {
				return fmt.Errorf("--memory must be between %d and %d, not %d", sandbox.MinMemory>>20, sandbox.MaxMemory>>20, o.memory)
			}
			name := "script.js"
			if !given {
				var err error
				if o.code, name, err = readCode(cmd.Context(), args[0], cmd.InOrStdin()); err != nil {
					return err
				}
			}
			return runJS(cmd.Context(), o, name, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVarP(&o.code, "eval", "e", "", "run `CODE`")
	o.project.add(cmd)
	cmd.Flags().DurationVar(&o.timeout, "timeout", sandbox.DefaultTime, "stop the code after this time")
	cmd.Flags().Int64Var(&o.memory, "memory", sandbox.DefaultMemory>>20, "let the code use at most this much memory, in `MiB`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the whole result as JSON")
	return cmd
}

// readCode reads the code from a file or from standard input, and says what to call it in stack traces.
func readCode(ctx context.Context, file string, stdin io.Reader) (code, name string, err error) {
	if file != "-" {
		data, err := os.ReadFile(file)
		return string(data), filepath.Base(file), err
	}
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := io.ReadAll(stdin)
		read <- input{data, err}
	}()
	select {
	case in := <-read:
		return string(in.data), "script.js", in.err
	case <-ctx.Done(): // an interrupt must not wait for the end of the input
		return "", "", ctx.Err()
	}
}

func runJS(ctx context.Context, o jsOptions, name string, stdout io.Writer) error {
	options := &sandbox.RunOptions{
		Name:   name,
		Limits: sandbox.Limits{Time: o.timeout, Memory: o.memory << 20},
	}
	project, err := o.project.open()
	if err != nil && o.project.given() {
		return err
	}
	if err == nil { // code that needs no files should run where there is no place for them
		defer project.Close()
		options.Files = project.WithCall(newCall("js"))
	}
	engine, err := newEngine(ctx)
	if err != nil {
		return err
	}
	defer engine.Close(context.WithoutCancel(ctx))

	result, err := engine.Run(ctx, o.code, options)
	if err != nil && !sandbox.IsScriptFailure(err) && ctx.Err() == nil {
		return err
	}
	if printErr := printResult(stdout, o.json, result, err); printErr != nil {
		return printErr
	}
	if err != nil {
		return errToolFailed
	}
	return nil
}

// newEngine starts an engine with the compiled code kept in the user's cache directory. Where that cannot be had, it
// does without.
func newEngine(ctx context.Context) (*sandbox.Engine, error) {
	if dir, err := os.UserCacheDir(); err == nil {
		engine, err := sandbox.NewEngine(ctx, &sandbox.EngineOptions{CacheDir: filepath.Join(dir, "toolrun", "engine")})
		if err == nil || ctx.Err() != nil {
			return engine, err
		}
	}
	return sandbox.NewEngine(ctx, nil)
}

// printResult prints the result for a reader, or as JSON.
func printResult(w io.Writer, asJSON bool, result *sandbox.Result, failure error) error {
	if asJSON {
		return printJSON(w, result, failure)
	}
	text := result.Text
	if failure != nil {
		text = failure.Error()
	}
	var b strings.Builder
	if len(result.Console) > 0 {
		b.WriteString("=== Console output ===\n")
		for _, entry := range result.Console {
			fmt.Fprintf(&b, "[%v] %s\n", entry.Level, entry.Text)
		}
		b.WriteString("=== Result ===\n")
	}
	b.WriteString(text)
	b.WriteByte('\n')
	if note := result.Note(); note != "" {
		b.WriteString(note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonResult is the result as toolrun js --json prints it.
type jsonResult struct {
	Text      string          `json:"text"`
	Value     any             `json:"value,omitempty"`
	Error     *jsonError      `json:"error,omitempty"`
	Console   []sandbox.Entry `json:"console"`
	Truncated int64           `json:"truncatedBytes,omitempty"`
	Usage     jsonUsage       `json:"usage"`
}

type jsonError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

type jsonUsage struct {
	Milliseconds float64 `json:"milliseconds"`
	MemoryBytes  int64   `json:"memoryBytes"`
	Work         int64   `json:"work"`
}

func printJSON(w io.Writer, result *sandbox.Result, failure error) error {
	out := jsonResult{
		Text: result.Text, Value: result.Value, Console: result.Console, Truncated: result.Truncated,
		Usage: jsonUsage{
			Milliseconds: float64(result.Usage.Duration.Microseconds()) / 1000,
			MemoryBytes:  result.Usage.Memory, Work: result.Usage.Work,
		},
	}
	if out.Console == nil {
		out.Console = []sandbox.Entry{}
	}
	if failure != nil {
		out.Text = failure.Error()
		out.Error = describeFailure(failure)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // and no indentation, which deep values would make much of
	return encoder.Encode(out)
}

func describeFailure(failure error) *jsonError {
	out := &jsonError{Kind: "error", Message: failure.Error()}
	var script *sandbox.ScriptError
	var limit *sandbox.LimitError
	var exit *sandbox.ExitError
	switch {
	case errors.As(failure, &script):
		out.Kind, out.Line, out.Column = "exception", script.Line, script.Column
		if script.Syntax {
			out.Kind = "syntax"
		}
	case errors.As(failure, &limit):
		out.Kind = string(limit.Limit) + " limit"
	case errors.As(failure, &exit):
		out.Kind = "exit"
	case errors.Is(failure, sandbox.ErrNeverSettles):
		out.Kind = "never settles"
	case errors.Is(failure, context.Canceled):
		out.Kind = "interrupted"
	}
	return out
}
