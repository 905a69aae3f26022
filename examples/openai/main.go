// The command openai is an agent: it gives a model the tools of toolrun through OpenAI's Chat Completions API or, with
// -responses, the Responses API, and runs its calls until the model has an answer. It works with any server that
// speaks one of these APIs.
//
//	export OPENAI_API_KEY=... OPENAI_BASE_URL=...
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

	"github.com/openai/openai-go/v3"

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
		fmt.Fprintln(os.Stderr, "openai:", printable(err.Error()))
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("openai", flag.ContinueOnError)
	flags.SetOutput(stderr)
	model := flags.String("model", string(openai.ChatModelGPT5_4), "the model's `name`")
	dir := flags.String("dir", "",
		"work on the files in this `directory`, and nothing outside of it (default none that last)")
	cache := flags.String("cache", "", "keep compiled code in this `directory`, to start faster")
	respond := flags.Bool("responses", false, "use the Responses API")
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
	a := &agent{client: openai.NewClient(), runner: runner, model: *model, stdout: stdout, log: log.New(stderr, "", 0)}
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
	question := strings.Join(flags.Args(), " ")
	if *respond {
		return a.respond(ctx, question, *turns)
	}
	return a.answer(ctx, question, *turns)
}

type agent struct {
	client  openai.Client // set by the environment: OPENAI_API_KEY, OPENAI_BASE_URL
	runner  *toolrun.Runner
	session *toolrun.Session
	model   string
	stdout  io.Writer
	log     *log.Logger // several calls can report progress at once
}

// answer asks the model and runs its calls, until it makes no more.
func (a *agent) answer(ctx context.Context, question string, turns int) error {
	messages := []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}
	return a.session.Loop(ctx, tool.OpenAIChat, func(ctx context.Context,
		turn toolrun.Turn) ([]tool.Call, error) {
		a.logResults(turn)
		if turn.Messages != nil {
			var results []openai.ChatCompletionMessageParamUnion
			if err := json.Unmarshal(turn.Messages, &results); err != nil {
				return nil, err
			}
			messages = append(messages, results...)
		}
		message, calls, err := a.ask(ctx, turn, messages)
		if err != nil {
			return nil, err
		}
		messages = append(messages, message.ToParam())
		a.logCalls(calls)
		return calls, nil
	}, &toolrun.LoopOptions{Turns: turns})
}

var (
	errNoStream = errors.New("asking the model: the stream is not as it must be")
	errCut      = fmt.Errorf("asking the model: the stream ended before the message did: %w", io.ErrUnexpectedEOF)
)

// ask makes a request, and prints the text that comes. The calls are returned when the model has finished: what
// breaks off is an error, and nothing of it is done.
func (a *agent) ask(ctx context.Context, turn toolrun.Turn, messages []openai.ChatCompletionMessageParamUnion) (
	*openai.ChatCompletionMessage, []tool.Call, error) {
	if turn.System != "" {
		messages = append([]openai.ChatCompletionMessageParamUnion{openai.SystemMessage(turn.System)}, messages...)
	}
	params := openai.ChatCompletionNewParams{Model: a.model, Messages: messages}
	if err := json.Unmarshal(turn.Tools, &params.Tools); err != nil {
		return nil, nil, err
	}

	calls, err := provider.NewStream(tool.OpenAIChat)
	if err != nil {
		return nil, nil, err
	}
	var whole openai.ChatCompletionAccumulator
	stream := a.client.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	for stream.Next() {
		chunk := stream.Current()
		if err := calls.Add([]byte(chunk.RawJSON())); err != nil {
			return nil, nil, err
		}
		if !whole.AddChunk(chunk) {
			return nil, nil, errNoStream
		}
		if len(chunk.Choices) > 0 {
			fmt.Fprint(a.stdout, printable(chunk.Choices[0].Delta.Content))
		}
	}
	if err := cmp.Or(ctx.Err(), stream.Err()); err != nil { // an interrupt can also look like the end of the stream
		return nil, nil, fmt.Errorf("asking the model: %w", err)
	}
	if len(whole.Choices) == 0 || whole.Choices[0].FinishReason == "" {
		return nil, nil, errCut
	}
	choice := whole.Choices[0]
	if choice.Message.Content != "" {
		fmt.Fprintln(a.stdout)
	}
	list, err := calls.Calls()
	if err != nil {
		return nil, nil, err
	}
	if len(list) != len(choice.Message.ToolCalls) { // there would be one without an answer
		return nil, nil, errNoStream
	}
	for i, call := range list {
		choice.Message.ToolCalls[i].ID = call.ID // small servers send none
	}
	return &choice.Message, list, nil
}

// logCalls tells what the model is about to do, and logResults what has come of it.
func (a *agent) logCalls(calls []tool.Call) {
	for _, call := range calls {
		a.log.Printf("> %s %s", printable(call.Tool), firstLine(a.runner.Registry().RenderInput(call)))
	}
}

func (a *agent) logResults(turn toolrun.Turn) {
	for _, result := range turn.Results {
		a.log.Printf("< %s %s", printable(result.Tool), firstLine(result.Text()))
	}
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
