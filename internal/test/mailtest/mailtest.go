// Package mailtest has tools whose calls wait for a person, and code that uses them, for tests of what waits and goes
// on.
package mailtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
)

// Mail is the world outside, which counts what is sent and looked at.
type Mail struct {
	// Before, if not nil, is called when something is sent.
	Before func()
	// Send, if not nil, sends something. Otherwise it is added to Sent.
	Send   func(to string) error
	Sent   []string
	Looked int

	mu sync.Mutex
}

// Tools are send, which changes the world, and look.
func (m *Mail) Tools() []tool.Tool {
	type in struct {
		To string `json:"to"`
	}
	return []tool.Tool{
		tool.Func(tool.Spec{Name: "send", Description: "Sends.",
			Annotations: tool.Annotations{Destructive: true}},
			func(_ context.Context, in in, _ tool.Env) (string, error) {
				m.mu.Lock()
				defer m.mu.Unlock()
				if m.Before != nil {
					m.Before()
				}
				if m.Send != nil {
					return "sent to " + in.To, m.Send(in.To)
				}
				m.Sent = append(m.Sent, in.To)
				return "sent to " + in.To, nil
			}),
		tool.Func(tool.Spec{Name: "look", Description: "Looks.",
			Annotations: tool.Annotations{ReadOnly: true}},
			func(_ context.Context, in in, _ tool.Env) (string, error) {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.Looked++
				return fmt.Sprint("looked at ", in.To, " ", m.Looked), nil
			}),
	}
}

// Choose asks for what is sent, and lets code call tools.
func Choose(s registry.Selection) registry.Selection {
	s.Ask = []string{"send"}
	return s.WithOption(javascript.Name, code.OptionToolCalls, true)
}

// Ask makes a call in a session.
func Ask(t testing.TB, s *toolrun.Session, name string, input any) tool.Result {
	t.Helper()
	data, err := json.Marshal(input)
	require.NoError(t, err)
	results, err := s.DispatchAll(t.Context(), []tool.Call{{ID: "call_1", Tool: name, Input: data}})
	require.NoError(t, err)
	return results[0]
}

// Code is the input of a call that runs code.
func Code(text string) map[string]string { return map[string]string{"code": text} }

// Approve are decisions that let calls be made. The first that code makes in a call of [Ask] is call_1.1.
func Approve(ids ...string) map[string]registry.Decision {
	all := map[string]registry.Decision{}
	for _, id := range ids {
		all[id] = registry.Decision{Approved: true, By: "ada"}
	}
	return all
}

// Steps is code that makes calls, one by one and at once, and changes a file between them.
const Steps = `
	const told = [];
	const call = async (tool, to) => {
		try { told.push(await tools[tool]({to})) } catch (e) { told.push(e.code + ' ' + to) }
		fs.appendFileSync('/log', to + ' ');
	};
	await call('send', 'first');
	await Promise.all([call('send', 'a'), call('send', 'b'), call('look', 'c')]);
	await call('look', 'd');
	await call('send', 'last');
	fs.appendFileSync('/log', 'end');
	return told.sort().join('\n')`

// CheckSteps checks what [Steps] was told, and the file that it has changed, against what has happened. It returns of
// how many calls the outcome is unknown.
func CheckSteps(t *testing.T, text, log string, sent []string) (unknown int) {
	t.Helper()
	times := map[string]int{}
	for _, to := range sent {
		times[to]++
	}
	text, _, _ = strings.Cut(text, "\nTool calls:")
	lines := strings.Split(text, "\n")
	require.Len(t, lines, 6, text)
	for _, to := range []string{"first", "a", "b", "last"} {
		require.LessOrEqual(t, times[to], 1, "%s was sent twice", to)
		switch {
		case strings.Contains(text, "sent to "+to):
			require.Equal(t, 1, times[to], to)
		default:
			require.Contains(t, text, "outcome_unknown "+to)
			unknown++
		}
	}
	fields := strings.Fields(log)
	require.Len(t, fields, 7, "a change was lost or made twice: %s", log)
	require.ElementsMatch(t, []string{"first", "a", "b", "c", "d", "last", "end"}, fields)
	require.Equal(t, "end", fields[6])
	return unknown
}
