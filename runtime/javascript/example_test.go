package javascript_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// cacheDir keeps what has been compiled, for the next process.
var cacheDir = enginetest.CacheDir()

func Example() {
	ctx := context.Background()
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: cacheDir})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	scripts, err := javascript.New(ctx, engine)
	if err != nil {
		log.Fatal(err)
	}

	result, err := scripts.Run(ctx, `return 6 * 7`, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output: 42
}

// Limits end a run for certain. The error says which one it was, and what the script had printed is kept.
func ExampleInterpreter_Run_limits() {
	result, err := engine.Run(context.Background(), `console.log('starting'); for (;;);`,
		&javascript.RunOptions{Limits: sandbox.Limits{Time: time.Second}})

	var limit *sandbox.LimitError
	fmt.Println(errors.As(err, &limit), limit.Limit, time.Duration(limit.Value))
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(result.Console[0].Text)
	// Output:
	// true time 1s
	// true
	// starting
}

// Exceptions come with the script's own line numbers.
func ExampleScriptError() {
	_, err := engine.Run(context.Background(), "const user = null;\nreturn user.name", nil)
	var e *javascript.ScriptError
	if errors.As(err, &e) {
		fmt.Println(e.Name, e.Line)
		fmt.Println(e)
	}
	// Output:
	// TypeError 2
	// TypeError: Cannot read properties of null (reading 'name')
	//     at <anonymous> (script.js:2:1)
}

// Scripts can call Go functions, and find values from Go as globals.
func ExampleFunction() {
	search := javascript.Function{
		Name:  "tools.search",
		Async: true,
		Call: func(ctx context.Context, args []any) (any, error) {
			return []any{fmt.Sprintf("a result for %v", args[0])}, nil
		},
	}
	result, err := engine.Run(context.Background(), `
		const found = await Promise.all(queries.map((q) => tools.search(q)));
		return found.flat().join('\n')`,
		&javascript.RunOptions{
			Functions: []javascript.Function{search},
			Globals:   map[string]any{"queries": []any{"wasm", "sandbox"}},
		})
	fmt.Println(result.Text, err)
	// Output:
	// a result for wasm
	// a result for sandbox <nil>
}

// Files are those of a file system that the run is given, and no others.
func ExampleRunOptions_files() {
	files := afero.NewMemMapFs()
	_ = afero.WriteFile(files, "/in.txt", []byte("hello"), 0o600)
	_, err := engine.Run(context.Background(), `
		const text = await fs.readFile('/in.txt', 'utf8');
		await fs.writeFile('/out/shout.txt', text.toUpperCase());`, &javascript.RunOptions{Files: files})
	out, _ := afero.ReadFile(files, "/out/shout.txt")
	fmt.Println(string(out), err)
	// Output: HELLO <nil>
}

// The console can be shown while a script runs.
func ExampleRunOptions_console() {
	result, err := engine.Run(context.Background(), `console.log('working'); return 42`, &javascript.RunOptions{
		Console: func(e sandbox.Entry) { fmt.Println(e.Level, e.Text) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output:
	// LOG working
	// 42
}
