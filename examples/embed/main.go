// The command embed shows how a program uses toolrun's tools, and one of its own, and runs a model's calls. It reads
// the model's response from standard input.
//
//	echo '{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}' | go run .
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
)

type place struct {
	City string `json:"city" jsonschema:"the city, in English"`
}

var weather = registry.Func(registry.Spec{
	Name:        "weather",
	Description: "Tells the weather of a city.",
	Annotations: registry.Annotations{ReadOnly: true, OpenWorld: true},
}, func(ctx context.Context, in place, env registry.Env) (string, error) {
	if in.City == "Atlantis" {
		return "", registry.Errorf("There is no weather in %s. Try a city above the sea.", in.City)
	}
	return "15 °C, light rain in " + in.City, nil
})

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	response, err := io.ReadAll(io.LimitReader(stdin, 64<<20))
	if err != nil {
		return err
	}
	runner, err := toolrun.Open(ctx, &toolrun.Options{Tools: []registry.Tool{weather}})
	if err != nil {
		return err
	}
	defer runner.Close()
	session, err := runner.Session(ctx, "notes", nil)
	if err != nil {
		return err
	}
	messages, err := session.Do(ctx, registry.Anthropic, response)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n", messages)
	return err
}
