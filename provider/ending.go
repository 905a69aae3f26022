package provider

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// An EndError means that a response ended early, so that it is neither an answer nor calls to make. [Calls] and
// [Stream.Calls] return it; no call of the response may be made then.
type EndError struct {
	API  tool.API
	Kind EndKind
	// Reason is the provider's own word for it, such as "pause_turn" or "MALFORMED_FUNCTION_CALL".
	Reason string
	// Text is what the provider says about it, or the model when it refuses. It can be empty.
	Text string
}

// An EndKind is a way in which a response ends early.
type EndKind string

// The ways in which a response ends early.
const (
	// EndPaused means that the provider has paused a long turn. Append the model's message to the conversation, and
	// send that again.
	EndPaused EndKind = "paused"
	// EndMalformed means that the provider has rejected what the model wrote as a call. The model can be asked again.
	EndMalformed EndKind = "malformed"
	// EndCut means that the answer reached a limit of tokens before it was complete.
	EndCut EndKind = "cut"
	// EndRefused means that the model has refused to answer.
	EndRefused EndKind = "refused"
	// EndBlocked means that the provider has blocked the prompt or the answer.
	EndBlocked EndKind = "blocked"
	// EndFailed means that the provider could not complete the response, or has not completed it yet.
	EndFailed EndKind = "failed"
)

// endings says what the providers' words mean, in lower case. All other words are those of usual ends. No two APIs use
// one word for different things, and compatible servers pass on words of others.
var endings = map[string]EndKind{
	"pause_turn": EndPaused, "compaction": EndPaused,

	"malformed_function_call": EndMalformed, "unexpected_tool_call": EndMalformed, "too_many_tool_calls": EndMalformed,
	"malformed_response": EndMalformed, "malformed_tool_use": EndMalformed, "malformed_model_output": EndMalformed,

	"max_tokens": EndCut, "max_output_tokens": EndCut, "length": EndCut, "model_length": EndCut,
	"model_context_window_exceeded": EndCut,

	"refusal": EndRefused,

	"content_filter": EndBlocked, "content_filtered": EndBlocked, "guardrail_intervened": EndBlocked,
	"sensitive": EndBlocked,
	"safety":    EndBlocked, "recitation": EndBlocked, "language": EndBlocked, "blocklist": EndBlocked,
	"prohibited_content": EndBlocked, "spii": EndBlocked, "model_armor": EndBlocked, "image_safety": EndBlocked,
	"image_prohibited_content": EndBlocked, "image_recitation": EndBlocked,

	"other": EndFailed, "image_other": EndFailed, "no_image": EndFailed, "missing_thought_signature": EndFailed,
	"error": EndFailed, "insufficient_system_resource": EndFailed,
	"failed": EndFailed, "cancelled": EndFailed, "incomplete": EndFailed, "queued": EndFailed, "in_progress": EndFailed,
}

// maxEndText limits the text of an EndError, in bytes.
const maxEndText = 500

// Error says how the response ended, with the provider's word and text.
func (e *EndError) Error() string {
	what := map[EndKind]string{
		EndPaused:    "the provider has paused the answer: send the conversation again with the message so far",
		EndMalformed: "the provider has rejected what the model wrote as a call: ask again",
		EndCut:       "the answer was cut off at a limit of tokens: allow more of them, or ask for less",
		EndRefused:   "the model has refused to answer",
		EndBlocked:   "the provider has blocked the prompt or the answer",
		EndFailed:    "the provider has not completed the response",
	}[e.Kind]
	text := fmt.Sprintf("%s: %s (%s)", e.API, what, e.Reason)
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// Again returns what to append to the conversation before the model is asked again, as a JSON array of messages: for
// [EndMalformed] a message of the user that tells the model what happened, and nil for [EndPaused]. For all other
// kinds, ok is false, because the same request would end in the same way.
//
// Append the model's own message first, unless it is empty: providers refuse empty messages.
func (e *EndError) Again() (messages json.RawMessage, ok bool) {
	d, err := dialectOf(e.API)
	if err != nil || e.Kind != EndMalformed {
		return nil, e.Kind == EndPaused
	}
	messages, err = jsontree.Marshal([]any{d.say("Your last call could not be read, and nothing was run. " +
		"Make it again as a single call of one of the tools, with arguments that are valid JSON.")})
	return messages, err == nil
}

// The texts of calls that are answered but not made.
var (
	errCut = &tool.ModelError{
		Code: tool.CodeInvalidInput,
		Text: "This call was not run, because your answer was cut off at its limit of tokens before " +
			"the call was complete. Make it again with less in it, and write a long content in several smaller parts.",
	}
	errEarly = &tool.ModelError{
		Code: tool.CodeInvalidInput,
		Text: "This call was not run, because your answer ended before the call was complete. " +
			"Make it again, and write a long content in several smaller parts.",
	}
	errBesideMalformed = &tool.ModelError{Code: tool.CodeInvalidInput, Text: "This call was not run, because " +
		"another call of the same answer could not be read. Make your calls again, " +
		"one at a time, with arguments that are valid JSON."}
)

// An ending is how a response ended, as far as it says so.
type ending struct {
	ended        bool // the response says that it has ended
	kind         EndKind
	reason, text string
	after        bool // something else follows the last call
}

// because notes the provider's word for the end, which can be empty, and a text about it. Of several words the first
// one that says something unusual counts.
func (e *ending) because(word, text string) {
	if word == "" {
		return
	}
	e.ended = true
	// "function_call_filter: MALFORMED_FUNCTION_CALL"
	name := strings.ToLower(word[strings.LastIndexAny(word, " :")+1:])
	if kind := endings[name]; kind != "" && e.kind == "" {
		e.kind, e.reason, e.text = kind, plaintext.Cut(word, 100), plaintext.Cut(text, maxEndText)
	}
}

// merge adds what another ending says.
func (e *ending) merge(other ending) {
	e.ended = e.ended || other.ended
	if e.kind == "" {
		e.kind, e.reason, e.text = other.kind, other.reason, other.text
	}
}

// outcome returns the calls, or the error if the response is neither an answer nor calls to make. Calls that are not
// whole get an Err.
//
// A limit of tokens cuts what the model writes last. If that is a call, it counts as cut off even if its arguments are
// valid JSON: Anthropic, Bedrock and some other servers complete what is missing. All calls before it are whole.
func (e *ending) outcome(api tool.API, calls []tool.Call) ([]tool.Call, error) {
	switch {
	case e.kind == "", e.kind == EndPaused && len(calls) > 0: // the results let the model go on
	case e.kind == EndCut && len(calls) > 0:
		for i, c := range calls {
			if i == len(calls)-1 && !e.after || len(c.Input) > 0 && !json.Valid(c.Input) {
				calls[i].Err = errCut
			}
		}
	case e.kind == EndMalformed && len(calls) > 0: // each needs an answer
		for i := range calls {
			calls[i].Err = errBesideMalformed
		}
	default:
		return nil, &EndError{API: api, Kind: e.kind, Reason: e.reason, Text: e.text}
	}
	return calls, nil
}
