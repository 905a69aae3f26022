package toolrun

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
)

// DefaultTurns is how often [Session.Loop] asks the model if [LoopOptions] do not say.
const DefaultTurns = 25

// LoopOptions configure [Session.Loop]. The zero value is fine.
type LoopOptions struct {
	// Turns is how often the model may be asked. Zero means [DefaultTurns]; a negative number is an error.
	Turns int
	// Definitions configure the definitions of tools.
	Definitions *provider.Options
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
	// them to the conversation, after the model's own message. They are nil in the first turn. Results are the same
	// results, for logs.
	Messages json.RawMessage
	Results  []registry.Result
}

// A TurnsError means that a model still made calls when it could not be asked again.
type TurnsError struct {
	// Turns is how often the model was asked.
	Turns int
}

// Error names the number of turns.
func (e *TurnsError) Error() string { return fmt.Sprintf("there is no answer after %d turns", e.Turns) }

// Loop asks a model, runs its calls, and asks again with their results, until the model makes no call. The caller
// keeps the conversation:
//
//	err := session.Loop(ctx, registry.Anthropic, func(ctx context.Context, turn toolrun.Turn) ([]registry.Call, error) {
//		conversation = append(conversation, turn.Messages...) // as the API's messages
//		response, err := request(ctx, turn.System, turn.Tools, conversation)
//		...
//		conversation = append(conversation, response.Message)
//		return provider.Calls(registry.Anthropic, response.Body) // or those of a provider.Stream
//	}, nil)
//
// A call that fails, or whose tool is unknown, has a result that says so, and the loop goes on. Loop ends with the
// error of ask; with a [*TurnsError] if there is no answer within the turns; with the context's error, without another
// request, when the context has ended; and otherwise as [Session.Do] does.
func (s *Session) Loop(
	ctx context.Context, api registry.API,
	ask func(ctx context.Context, turn Turn) ([]registry.Call, error), options *LoopOptions,
) error {
	var o LoopOptions
	if options != nil {
		o = *options
	}
	switch {
	case o.Turns < 0:
		return fmt.Errorf("the number of turns is negative: %d", o.Turns)
	case o.Turns == 0:
		o.Turns = DefaultTurns
	}
	var turn Turn
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
		if err != nil || len(calls) == 0 {
			return err
		}
		if turn.Results, err = s.DispatchAll(ctx, calls); err != nil {
			return err
		}
		if turn.Messages, err = provider.Results(api, turn.Results); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &TurnsError{o.Turns}
}
