// The command embed shows how a program uses toolrun's tools, and one of its own, and runs a model's calls. It reads
// the model's response from standard input, and logs the calls to standard error.
//
//	echo '{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}' | go run .
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"sync/atomic"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/tool"
)

type place struct {
	City string `json:"city" jsonschema:"the city, in English"`
}

var weather = tool.Func(tool.Spec{
	Name:        "weather",
	Description: "Tells the weather of a city.",
	Annotations: tool.Annotations{ReadOnly: true, OpenWorld: true},
	Retries:     2,
}, func(ctx context.Context, in place, env tool.Env) (string, error) {
	text, err := forecast(in.City)
	if errors.Is(err, errBusy) {
		return "", tool.Retryable(err) // the call is made again, at most twice
	}
	if err != nil {
		return "", tool.Errorf("There is no weather in %s. Try a city above the sea.", in.City)
	}
	return text, nil
})

var (
	errBusy    = errors.New("the weather service is busy")
	errUnknown = errors.New("the weather service does not know this city")
)

var requests atomic.Int64

// forecast stands for a service on the network, which is busy now and then.
func forecast(city string) (string, error) {
	switch {
	case requests.Add(1)%2 == 1:
		return "", errBusy
	case city == "Atlantis":
		return "", errUnknown
	}
	return "15 °C, light rain in " + city, nil
}

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout, os.Stderr); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	response, err := io.ReadAll(io.LimitReader(stdin, 64<<20))
	if err != nil {
		return err
	}
	runner, err := toolrun.Open(ctx, &toolrun.Options{
		Tools:      []tool.Tool{weather},
		Middleware: []registry.Middleware{observe.Slog(slog.New(slog.NewTextHandler(stderr, nil)), nil)},
	})
	if err != nil {
		return err
	}
	defer runner.Close()
	session, err := runner.Session(ctx, "notes", nil)
	if err != nil {
		return err
	}
	messages, err := session.Do(ctx, tool.Anthropic, response)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n", messages)
	return err
}
