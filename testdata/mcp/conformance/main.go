// Command conformance serves the tools that the protocol's conformance suite calls, as any host would serve its own. It is for
// checks only.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/vfs/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	address := flag.String("http", "", "serve HTTP at this address instead of standard input and output")
	stateless := flag.Bool("stateless", false, "keep no sessions")
	flag.Parse()

	store := local.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open(context.Background(), "conformance")
	if err != nil {
		return err
	}
	tools, err := registry.New(append(fixtures(), filesystem.New())...)
	if err != nil {
		return err
	}
	server, err := mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{Project: "conformance", Files: project}), nil)
	if err != nil {
		return err
	}
	if *address == "" {
		return server.ServeStdio(ctx, os.Stdin, os.Stdout)
	}
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
		&mcpserver.HandlerOptions{Stateless: *stateless})
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "url=http://%s/mcp\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	s := &http.Server{Handler: mux}
	go func() {
		<-ctx.Done()
		_ = s.Close()
	}()
	return errors.Join(s.Serve(listener), ctx.Err())
}

// step is how long the tools wait that report something several times.
const step = 60 * time.Millisecond

// fixtures are what the suite's scenarios ask for, and a tool with a schema of its output.
func fixtures() []tool.Tool {
	return []tool.Tool{
		content("test_simple_text", tool.Part{Text: "This is a simple text response for testing."}),
		content("test_image_content", tool.Part{Data: redDot(), MIME: "image/png"}),
		content("test_audio_content", tool.Part{Data: silence(), MIME: "audio/wav"}),
		content("test_embedded_resource", tool.Part{
			Data: []byte("This is an embedded resource content."), MIME: "text/plain",
		}),
		content("test_multiple_content_types",
			tool.Part{Text: "Multiple content types test:"},
			tool.Part{Data: redDot(), MIME: "image/png"},
			tool.Part{Data: []byte(`{"test":"data","value":123}`), MIME: "application/json"}),
		tool.Func(tool.Spec{Name: "test_tool_with_logging", Description: "Logs three times."},
			func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
				for i, message := range []string{
					"Tool execution started", "Tool processing data", "Tool execution completed",
				} {
					if i > 0 {
						time.Sleep(step)
					}
					env.Logger.Info(message)
				}
				return "It has logged three times.", nil
			}),
		tool.Func(tool.Spec{Name: "test_tool_with_progress", Description: "Reports progress three times."},
			func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
				for done := 0; done <= 100; done += 50 {
					env.Report("", float64(done), 100)
					// after the last one, too: clients forget who wants to know of it when the result is there
					time.Sleep(step)
				}
				return "It has reported progress.", nil
			}),
		tool.Func(tool.Spec{Name: "test_error_handling", Description: "Fails."},
			func(context.Context, struct{}, tool.Env) (string, error) {
				return "", tool.Errorf("This tool intentionally returns an error for testing")
			}),
		tool.JSONFunc(tool.Spec{Name: "json_schema_2020_12_tool",
			Description: "Has a schema of the newest draft.", Schema: json.RawMessage(`{
			"$schema": "https://json-schema.org/draft/2020-12/schema",
			"type": "object",
			"$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
			"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
			"additionalProperties": false
		}`)}, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			return tool.Text(string(call.Input)), nil
		}),
		tool.Func(tool.Spec{Name: "divide", Description: "Divides.", OutputSchema: json.RawMessage(
			`{"type": "object", "properties": {"quotient": {"type": "number"}}, "required": ["quotient"], "additionalProperties": false}`)},
			func(_ context.Context, in division, _ tool.Env) (quotient, error) {
				if in.Divisor == 0 {
					return quotient{}, tool.Errorf("Nothing can be divided by 0.")
				}
				return quotient{in.Dividend / in.Divisor}, nil
			}),
	}
}

type division struct {
	Dividend float64 `json:"dividend"`
	Divisor  float64 `json:"divisor"`
}

type quotient struct {
	Quotient float64 `json:"quotient"`
}

// content makes a tool that returns the same every time.
func content(name string, parts ...tool.Part) tool.Tool {
	return tool.JSONFunc(tool.Spec{
		Name: name, Description: "Returns the same every time.", Schema: json.RawMessage(`{"type": "object"}`),
	},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Content: parts}, nil
		})
}

// redDot is an image of one pixel.
func redDot() []byte {
	dot := image.NewRGBA(image.Rect(0, 0, 1, 1))
	dot.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, dot); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// silence is a WAV file of eight samples.
func silence() []byte {
	const samples, rate = 8, 8000
	header := []any{
		[]byte("RIFF"), uint32(36 + samples), []byte("WAVE"), []byte("fmt "), uint32(16),
		uint16(1), uint16(1), uint32(rate), uint32(rate), uint16(1), uint16(8), []byte("data"), uint32(samples),
	}
	var b bytes.Buffer
	for _, field := range append(header, bytes.Repeat([]byte{128}, samples)) {
		_ = binary.Write(&b, binary.LittleEndian, field) // a buffer takes everything
	}
	return b.Bytes()
}
