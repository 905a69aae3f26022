// The command anthropic is an agent: it gives an Anthropic model the tools of toolrun, and runs its calls until the
// model has an answer.
//
//	export ANTHROPIC_API_KEY=...
//	go run . -dir ~/reports 'Which of these files has the most rows?'
//
// The answer goes to standard output; the model's calls go to standard error.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"unicode"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "anthropic:", printable(err.Error()))
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("anthropic", flag.ContinueOnError)
	flags.SetOutput(stderr)
	model := flags.String("model", string(anthropic.ModelClaudeSonnet5_5), "the model's `name`")
	dir := flags.String("dir", "",
		"work on the files in this `directory`, and nothing outside of it (default none that last)")
	cache := flags.String("cache", "", "keep compiled code in this `directory`, to start faster")
	turns := flags.Int("turns", 25, "how often the model may be asked")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("there is no question")
	}

	runner, err := toolrun.Open(ctx, &toolrun.Options{EngineOptions: runtime.EngineOptions{CacheDir: *cache}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	a := &agent{client: anthropic.NewClient(), runner: runner, model: *model, stdout: stdout,
		log: log.New(stderr, "", 0)}
	options := &toolrun.SessionOptions{Progress: func(p tool.Progress) {
		a.log.Printf("%s: %s", p.Tool,
			printable(p.Message))
	}}
	if *dir == "" {
		a.session, err = runner.Session(ctx, "default", options)
	} else {
		a.session, err = runner.DirSession(*dir, options)
	}
	if err != nil {
		return err
	}
	return a.answer(ctx, strings.Join(flags.Args(), " "), *turns)
}

type agent struct {
	client  anthropic.Client // set by the environment: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
	runner  *toolrun.Runner
	session *toolrun.Session
	model   string
	stdout  io.Writer
	log     *log.Logger // several calls can report progress at once
}

// answer asks the model and runs its calls, until it makes no more.
func (a *agent) answer(ctx context.Context, question string, turns int) error {
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))}
	return a.session.Loop(ctx, tool.Anthropic, func(ctx context.Context,
		turn toolrun.Turn) ([]tool.Call, error) {
		for _, result := range turn.Results {
			a.log.Printf("< %s %s", printable(result.Tool), firstLine(result.Text()))
		}
		if turn.Messages != nil {
			var results []anthropic.MessageParam
			if err := json.Unmarshal(turn.Messages, &results); err != nil {
				return nil, err
			}
			messages = append(messages, results...)
		}
		message, calls, err := a.ask(ctx, turn, messages)
		if message != nil {
			messages = append(messages, message.ToParam())
		}
		for _, call := range calls {
			a.log.Printf("> %s %s", printable(call.Tool), firstLine(a.runner.Registry().RenderInput(call)))
		}
		return calls, err
	}, &toolrun.LoopOptions{Turns: turns})
}

// ask makes a request, and prints the text that comes. The calls are returned when the model has finished: what
// breaks off is an error, and nothing of it is done. The message comes with an error if the model has paused.
func (a *agent) ask(ctx context.Context, turn toolrun.Turn, messages []anthropic.MessageParam) (
	*anthropic.Message, []tool.Call, error) {
	params := anthropic.MessageNewParams{Model: a.model, MaxTokens: 16_000, Messages: messages}
	if err := json.Unmarshal(turn.Tools, &params.Tools); err != nil {
		return nil, nil, err
	}
	if turn.System != "" {
		params.System = []anthropic.TextBlockParam{{Text: turn.System}}
	}

	calls, err := provider.NewStream(tool.Anthropic)
	if err != nil {
		return nil, nil, err
	}
	var message anthropic.Message
	stream := a.client.Messages.NewStreaming(ctx, params)
	defer stream.Close()
	for stream.Next() {
		event := stream.Current()
		if err := errors.Join(message.Accumulate(event), calls.Add([]byte(event.RawJSON()))); err != nil {
			return nil, nil, err
		}
		fmt.Fprint(a.stdout, printable(event.Delta.Text))
		if event.Type == "content_block_stop" && message.Content[event.Index].Type == "text" {
			fmt.Fprintln(a.stdout)
		}
	}
	if err := cmp.Or(ctx.Err(), stream.Err()); err != nil { // an interrupt can also look like the end of the stream
		return nil, nil, fmt.Errorf("asking the model: %w", err)
	}
	if message.StopReason == "" {
		return nil, nil, fmt.Errorf("asking the model: the stream ended before the message did: %w",
			io.ErrUnexpectedEOF)
	}
	list, err := calls.Calls()
	return &message, list, err
}

// firstLine is enough of a text for a line of the log.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 100 {
		line = string(runes[:100]) + "..."
	}
	return printable(line)
}

// printable leaves out what could control a terminal: a model's words can be anybody's.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) || r == '\n' || r == '\t' {
			return r
		}
		return -1
	}, text)
}
