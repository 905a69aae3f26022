package toolrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

// maxMalformed is how often in a row [Session.Loop] asks again because a provider rejected what the model wrote as a
// call.
const maxMalformed = 3

// LoopOptions configure [Session.Loop]. The zero value is fine.
type LoopOptions struct {
	// Turns is how often the model may be asked. Zero means 25; a negative number is an error.
	Turns int
	// Definitions configure the definitions of tools.
	Definitions *provider.Options
	// Transcript, if not nil, leaves out of [Turn].Messages the content of resources, such as the files that the tool
	// read_files shows, that the conversation has shown before, and refers to it. It is one for each conversation,
	// which can have several loops. If ask drops messages of the conversation, it makes the Transcript empty again.
	Transcript *provider.Transcript
}

// A Turn is what one request of [Session.Loop] needs.
type Turn struct {
	// Number counts the requests, from 1.
	Number int
	// Tools are the definitions of the tools that are enabled now, and System is what they add to the system prompt,
	// or "".
	Tools  json.RawMessage
	System string
	// Messages are the messages with the results of the calls that the model has just made, as a JSON array. Append
	// them to the conversation, after the model's own message. They are nil in the first turn, and after a pause.
	// Results are the same results, for logs, with all content.
	Messages json.RawMessage
	Results  []tool.Result
}

// A TurnsError means that a model still had no answer when it could not be asked again.
type TurnsError struct {
	// Turns is how often the model was asked.
	Turns int
}

// Error names the number of turns.
func (e *TurnsError) Error() string { return fmt.Sprintf("there is no answer after %d turns", e.Turns) }

// Loop asks a model, runs its calls, and asks again with their results, until the model makes no call. The caller
// keeps the conversation:
//
//	err := session.Loop(ctx, tool.Anthropic, func(ctx context.Context, turn toolrun.Turn) ([]tool.Call, error) {
//		conversation = append(conversation, turn.Messages...) // as the API's messages
//		response, err := request(ctx, turn.System, turn.Tools, conversation)
//		...
//		conversation = append(conversation, response.Message) // unless it has no content
//		return provider.Calls(tool.Anthropic, response.Body) // or those of a provider.Stream
//	}, nil)
//
// A call that fails, that was cut off, or whose tool is unknown, has a result that says so, and the loop goes on. It
// also goes on if the error of ask is a [*provider.EndError] after which the model can be asked again: after a pause,
// and at most three times in a row after a call that the provider has rejected. [Turn].Messages then has a message of
// the user that tells the model so. Bedrock's messages take turns: if the last one is the user's, add the content of
// this one to it.
//
// Loop ends with every other error of ask, such as an EndError for a refusal or for an answer that was cut off; with a
// [*TurnsError] if there is no answer within the turns; with the context's error, without another request, when the
// context has ended; and otherwise as [Session.Do] does.
func (s *Session) Loop(
	ctx context.Context, api tool.API,
	ask func(ctx context.Context, turn Turn) ([]tool.Call, error), options *LoopOptions,
) error {
	var o LoopOptions
	if options != nil {
		o = *options
	}
	switch {
	case o.Turns < 0:
		return fmt.Errorf("the number of turns is negative: %d", o.Turns)
	case o.Turns == 0:
		o.Turns = 25
	}
	var turn Turn
	malformed := 0 // answers in a row
	for turn.Number = 1; turn.Number <= o.Turns; turn.Number++ {
		var err error
		if turn.Tools, err = s.Definitions(ctx, api, o.Definitions); err != nil {
			return err
		}
		if turn.System, err = s.SystemPrompt(ctx, api); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		calls, err := ask(ctx, turn)
		if end, ok := errors.AsType[*provider.EndError](err); ok {
			if end.Kind == provider.EndMalformed {
				malformed++
			}
			messages, again := end.Again()
			if !again || malformed > maxMalformed {
				return err
			}
			turn.Messages, turn.Results = messages, nil
			continue
		}
		if err != nil || len(calls) == 0 {
			return err
		}
		malformed = 0
		if turn.Results, err = s.DispatchAll(ctx, calls); err != nil {
			return err
		}
		if turn.Messages, err = provider.Results(api, o.Transcript.Render(turn.Results)); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &TurnsError{o.Turns}
}
