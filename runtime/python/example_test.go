package python_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/spf13/afero"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// The build of CPython is the caller's: toolrun module add python puts one into the data directory.
func Example() {
	ctx := context.Background()
	engine, err := sandbox.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	build, err := os.ReadFile("python.wasm")
	if err != nil {
		log.Fatal(err)
	}
	interpreter, err := python.New(ctx, engine, python.FromBytes(build))
	if err != nil {
		log.Fatal(err)
	}

	files := afero.NewMemMapFs()
	result, err := interpreter.Run(ctx, "open('/n.txt', 'w').write('42')\ndouble(21)", &python.RunOptions{
		Files: files,
		Functions: []python.Function{{Name: "double", Call: func(_ context.Context, args []any, _ map[string]any) (any,
			error) {
			n, ok := int64(0), len(args) == 1
			if ok {
				n, ok = args[0].(int64)
			}
			if !ok {
				return nil, &python.FunctionError{Name: "TypeError", Message: "double takes a number"}
			}
			return 2 * n, nil
		}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
}
