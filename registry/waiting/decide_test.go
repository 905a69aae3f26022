package waiting_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func no(id, reason string) map[string]registry.Decision {
	return map[string]registry.Decision{id: {Reason: reason, By: "bob"}}
}

// undecidable is an error that says what was decided before.
func undecidable(t *testing.T, err error) *waiting.UndecidableError {
	t.Helper()
	var wrong *waiting.UndecidableError
	require.ErrorAs(t, err, &wrong)
	return wrong
}

// TestTheFirstDecisionCounts has processes decide otherwise on the same call at once, and go on with it.
func TestTheFirstDecisionCounts(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) func() vfs.RecordStore{
		"memory": func(*testing.T) func() vfs.RecordStore {
			store := local.NewMemoryStore(nil)
			return func() vfs.RecordStore { return store }
		},
		"directory": func(t *testing.T) func() vfs.RecordStore {
			dir := t.TempDir()
			return func() vfs.RecordStore {
				store, err := local.OpenStore(dir, nil)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, store.Close()) })
				return store
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			w := newWorld(t)
			processes := []*waiting.Store{newRuns(t, store(), nil), newRuns(t, store(), nil)}
			for i := range 10 {
				text := strconv.Itoa(i)
				token := w.call(t, processes[0].In("p"), "act", note{text}).Pending.Token
				decisions := []map[string]registry.Decision{yes("1"), no("1", "not today")}
				var errs [2]error
				var deciding sync.WaitGroup
				for n := range errs {
					deciding.Go(func() {
						if _, errs[n] = processes[n].In("p").Decide(t.Context(), token, decisions[n]); errs[n] == nil {
							_, errs[n] = processes[n].In("p").ResumeFor(t.Context(), w.tools, env(nil), token, nil)
						}
					})
				}
				deciding.Wait()
				first := 0
				if errs[0] != nil {
					first = 1
				}
				require.NoError(t, errs[first])
				told := undecidable(t, errs[1-first]).Decision
				require.Equal(t, first == 0, told.Approved)
				require.Equal(t, decisions[first]["1"].By, told.By)
				require.Equal(t, first == 0, len(w.made) == 1 && w.made[0] == "act "+text, "%v", w.made)
				require.Contains(t, errs[1-first].Error(), []string{`the call "1" was approved by ada at 20`,
					`the call "1" was refused by bob at 20`}[first])
				w.made = nil
			}
		})
	}
}

// Decisions are the same if they let the same happen, and after the call has ended as before.
func TestDecidingAgain(t *testing.T) {
	w, r := newWorld(t), newRuns(t, local.NewMemoryStore(nil), nil)
	k := r.In("p")
	edit := func(input string) map[string]registry.Decision {
		return map[string]registry.Decision{"1": {Approved: true, By: "eve", Input: json.RawMessage(input)}}
	}
	later := map[string]registry.Decision{"1": {Later: true}}
	always := map[string]registry.Decision{"1": {Approved: true, Always: true}}
	for name, test := range map[string]struct {
		first     map[string]registry.Decision
		same, not []map[string]registry.Decision
		said      string
	}{
		"approved": {yes("1"), []map[string]registry.Decision{yes("1")}, []map[string]registry.Decision{no("1",
			""), edit(`{"text":"evil"}`), later, always}, "approved by ada at "},
		"approved, changed": {edit(`{"text":"b"}`), []map[string]registry.Decision{edit(` {"text": "b"}`)},
			[]map[string]registry.Decision{yes("1"), no("1", ""), edit(`{"text":"c"}`)},
			"approved with other arguments by eve at "},
		"refused": {no("1", "why"), []map[string]registry.Decision{no("1", "why"), no("1", "")},
			[]map[string]registry.Decision{yes("1"), no("1", "because"), later}, "refused by bob at "},
	} {
		t.Run(name, func(t *testing.T) {
			w.made = nil
			token := w.call(t, k, "act", note{name}).Pending.Token
			_, err := r.Decide(t.Context(), token, later)
			require.NoError(t, err)
			_, err = r.Decide(t.Context(), token, test.first)
			require.NoError(t, err)
			check := func() {
				t.Helper()
				for _, d := range test.same {
					_, err := r.Decide(t.Context(), token, d)
					require.NoError(t, err, "%v", d)
				}
				for _, d := range test.not {
					_, err := r.Decide(t.Context(), token, d)
					require.Contains(t, undecidable(t, err).Error(), test.said, "%v", d)
					_, err = k.Resume(t.Context(), w.tools, env(nil), token, d)
					require.Contains(t, undecidable(t, err).Error(), test.said, "%v", d)
					_, err = r.In("q").Decide(t.Context(), token, d)
					require.ErrorIs(t, err, waiting.ErrNone, "of another scope")
				}
				_, err := r.Decide(t.Context(), token, yes("2"))
				require.Nil(t, undecidable(t, err).Decision)
			}
			check()
			before, err := k.Resume(t.Context(), w.tools, env(nil), token, nil)
			require.NoError(t, err)
			made := w.made
			check()
			after, err := k.Resume(t.Context(), w.tools, env(nil), token, test.first)
			require.NoError(t, err)
			require.Equal(t, before, after)
			require.Equal(t, made, w.made)
			_, err = r.Get(t.Context(), token)
			require.ErrorIs(t, err, waiting.ErrNone)
			require.ErrorContains(t, err, test.said)
		})
	}
}

// Who is asked while the call goes on may be slower than somebody who decides elsewhere.
func TestSomebodyElseDecidesWhileAPersonIsAsked(t *testing.T) {
	for _, tool := range []string{"act", "code"} {
		for _, approved := range []bool{true, false} {
			w, r := newWorld(t), newRuns(t, local.NewMemoryStore(nil), nil)
			input, id := any(note{"a"}), "1"
			if tool == "code" {
				input, id = plan{[]string{"a"}}, "1.1"
			}
			token := w.call(t, r.In("p"), tool, input).Pending.Token
			asking := env(nil)
			asking.Approve = func(ctx context.Context, _ registry.ApprovalRequest) (registry.Decision, error) {
				elsewhere := no(id, "no")
				if approved {
					elsewhere = yes(id)
				}
				_, err := r.Decide(ctx, token, elsewhere)
				return registry.Decision{Approved: !approved, By: "carol"}, err
			}
			result, err := r.In("p").Resume(t.Context(), w.tools, asking, token, nil)
			require.NoError(t, err)
			require.Equal(t, approved, len(w.made) == 1, "%s: %s", tool, result.Text())
			// What was asked for is told to those who come later.
			_, err = r.Decide(t.Context(), token, map[string]registry.Decision{id: {Approved: !approved}})
			require.Equal(t, approved, undecidable(t, err).Decision.Approved)
			require.NotEqual(t, "carol", undecidable(t, err).Decision.By)
		}
	}
}

// TestRulesThatAreGone: a call that has begun to wait needs a decision, whatever the rules say now.
func TestRulesThatAreGone(t *testing.T) {
	rules := map[string]registry.Selection{"no rules": {}, "another rule": {Ask: []string{"look"}},
		"another condition": {AskIf: func(tool.Call, *tool.Spec) bool { return false }}}
	for name, selection := range rules {
		for _, one := range []string{"act", "code"} {
			for decided, want := range map[string]int{"approved": 1, "refused": 0, "undecided": 0} {
				t.Run(name+"/"+one+"/"+decided, func(t *testing.T) {
					w, r := newWorld(t), newRuns(t, local.NewMemoryStore(nil), nil)
					k := r.In("p")
					input, id := any(note{"a"}), "1"
					if one == "code" {
						input, id = plan{[]string{"a"}}, "1.1"
					}
					data, err := json.Marshal(input)
					require.NoError(t, err)
					made := registry.Env{Project: "p", Waiting: k,
						Selection: registry.Selection{Settings: registry.Settings{Ask: []string{"act"}}}}
					call := tool.Call{ID: "1", Tool: one, Input: data}
					token := w.tools.Dispatch(t.Context(), call, made).Pending.Token

					now := registry.Env{Project: "p", Waiting: k, Selection: selection}
					again := w.tools.Dispatch(t.Context(), call, now)
					require.Equal(t, tool.CodePending, again.Code, "the same call waits: %s", again.Text())
					require.Empty(t, w.made)
					decisions := map[string]map[string]registry.Decision{"approved": yes(id),
						"refused": no(id, "never")}[decided]
					result, err := k.ResumeFor(t.Context(), w.tools, now, token, decisions)
					require.NoError(t, err)
					require.Len(t, w.made, want, result.Text())
					switch decided {
					case "undecided":
						require.Equal(t, token, result.Pending.Token)
						run, err := r.Get(t.Context(), token)
						require.NoError(t, err)
						require.Equal(t, "act", run.Waiting()[0].Rule)
						return
					case "refused":
						require.Contains(t, result.Text(), "A person has refused the call of act: never")
					}
					if one == "act" {
						require.Equal(t, "act", result.Approval.Rule)
					}
					again = w.tools.Dispatch(t.Context(), call, now)
					require.Equal(t, token, again.Repeats, "its result, and not once more")
					require.Len(t, w.made, want)
				})
			}
		}
	}
}

// What a call's own selection asks for is asked for by those who go on with it, and so is what they ask for.
func TestRulesStayWithACall(t *testing.T) {
	w, r := newWorld(t), newRuns(t, local.NewMemoryStore(nil), nil)
	k := r.In("p")
	token := w.call(t, k, "code", plan{[]string{"a", "b"}}).Pending.Token
	result, err := k.ResumeFor(t.Context(), w.tools, registry.Env{Project: "p"}, token, yes("1.1"))
	require.NoError(t, err)
	require.Equal(t, tool.CodePending, result.Code, result.Text())
	require.Equal(t, []string{"act a"}, w.made)
	result, err = k.ResumeFor(t.Context(), w.tools, registry.Env{Project: "p"}, token, no("1.2", ""))
	require.NoError(t, err)
	require.Contains(t, result.Text(), "refused")
	require.Equal(t, []string{"act a"}, w.made)

	unasked := registry.Env{Project: "p", Waiting: k, Selection: registry.Selection{Ask: []string{"code"}}}
	call := tool.Call{ID: "1", Tool: "code", Input: json.RawMessage(`{"calls":["c"]}`)}
	token = w.tools.Dispatch(t.Context(), call, unasked).Pending.Token
	result, err = k.ResumeFor(t.Context(), w.tools, env(nil), token, yes("1"))
	require.NoError(t, err)
	require.True(t, result.Pending.Code, "who goes on asks for what the code does")
	require.Equal(t, []string{"act a"}, w.made)
}

// A function that asked for some calls is not kept. Who goes on without one is asked for all that the code does.
func TestAFunctionThatAskedIsNotLost(t *testing.T) {
	second := func(call tool.Call, _ *tool.Spec) bool { return strings.Contains(string(call.Input), "a") }
	for name, now := range map[string]registry.Selection{"none": {}, "its own": {AskIf: second}} {
		t.Run(name, func(t *testing.T) {
			w, r := newWorld(t), newRuns(t, local.NewMemoryStore(nil), nil)
			k := r.In("p")
			made := registry.Env{Project: "p", Waiting: k, Selection: registry.Selection{AskIf: func(call tool.Call,
				spec *tool.Spec) bool {
				return spec.Name == "act" && second(call, spec)
			}}}
			token := w.tools.Dispatch(t.Context(), tool.Call{ID: "1", Tool: "code",
				Input: json.RawMessage(`{"calls":["a","b"]}`)}, made).Pending.Token
			result, err := k.ResumeFor(t.Context(), w.tools, registry.Env{Project: "p", Selection: now}, token,
				yes("1.1"))
			require.NoError(t, err)
			if now.AskIf != nil {
				require.Empty(t, result.Code, result.Text())
				require.Equal(t, []string{"act a", "act b"}, w.made)
				return
			}
			require.Equal(t, tool.CodePending, result.Code, result.Text())
			require.Equal(t, []string{"act a"}, w.made)
		})
	}
}

// A store in which nothing waits gets no secret from calls that need no approval.
func TestNothingIsMadeForCallsThatNeedNoApproval(t *testing.T) {
	w, store := newWorld(t), local.NewMemoryStore(nil)
	result := w.tools.Dispatch(t.Context(), tool.Call{Tool: "act", Input: json.RawMessage(`{"text":"a"}`)},
		registry.Env{Project: "p", Waiting: newRuns(t, store, nil).In("p")})
	require.Empty(t, result.Code)
	for _, err := range store.AllRecords(t.Context()) {
		require.NoError(t, err)
		require.Fail(t, "something is kept")
	}
}

// A project that has the name of a deleted one gets neither its calls nor their results.
func TestCallsOfADeletedProjectAreForgotten(t *testing.T) {
	w, store := newWorld(t), local.NewMemoryStore(nil)
	r := newRuns(t, store, nil)
	require.NoError(t, r.In("p").Forget(t.Context()), "there is nothing yet")
	direct, code := w.call(t, r.In("p"), "act", note{"a"}).Pending.Token, w.call(t, r.In("p"), "code",
		plan{[]string{"a"}}).Pending.Token
	ended := w.call(t, r.In("p"), "act", note{"b"}).Pending.Token
	_, err := r.In("p").ResumeFor(t.Context(), w.tools, env(nil), ended, no("1", "no"))
	require.NoError(t, err)
	other := w.call(t, r.In("q"), "act", note{"a"}).Pending.Token
	require.NoError(t, r.In("p").Forget(t.Context()))
	for _, token := range []string{direct, code, ended} {
		_, err := r.Get(t.Context(), token)
		require.ErrorIs(t, err, waiting.ErrNone)
		_, err = r.In("p").Resume(t.Context(), w.tools, env(nil), token, nil)
		require.ErrorIs(t, err, waiting.ErrNone)
	}
	require.Empty(t, w.made)
	for kind, left := range map[string]int{"runs": 1, "run-states": 0, "run-results": 0, "run-lists": 1} {
		names, err := store.Records(kind).List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Len(t, names, left, kind)
	}
	_, err = r.Get(t.Context(), other)
	require.NoError(t, err)
	require.NotNil(t, w.call(t, r.In("p"), "act", note{"b"}).Pending, "a call of the new project waits anew")
}

// late has one of its records read as it was just before something happens.
type late struct {
	vfs.RecordStore
	kind    string
	happens func() // once
}

func (l *late) Records(kind string) vfs.Records {
	records := l.RecordStore.Records(kind)
	if kind == l.kind {
		return lateRecords{records, l}
	}
	return records
}

type lateRecords struct {
	vfs.Records
	of *late
}

func (r lateRecords) Get(ctx context.Context, name string) ([]byte, error) {
	data, err := r.Records.Get(ctx, name)
	if happens := r.of.happens; happens != nil {
		r.of.happens = nil
		happens()
	}
	return data, err
}

// TestCallsAgainWhileTheFirstEnds: whoever makes a call again at the moment in which it ends gets its result, and no
// other call begins to wait.
func TestCallsAgainWhileTheFirstEnds(t *testing.T) {
	for _, kind := range []string{"run-results", "runs"} {
		t.Run(kind, func(t *testing.T) {
			w, store := newWorld(t), &late{RecordStore: local.NewMemoryStore(nil), kind: kind}
			r := newRuns(t, store, nil)
			token := w.call(t, r.In("p"), "act", note{"a"}).Pending.Token
			_, err := r.Decide(t.Context(), token, yes("1"))
			require.NoError(t, err)
			store.happens = func() {
				_, err := r.In("p").Resume(t.Context(), w.tools, env(nil), token, nil)
				require.NoError(t, err)
			}
			again := w.call(t, r.In("p"), "act", note{"a"})
			require.Equal(t, token, again.Repeats, again.Text())
			require.Nil(t, again.Pending)
			require.Equal(t, []string{"act a"}, w.made)
			for entry, err := range r.In("p").All(t.Context()) {
				require.NoError(t, err)
				require.Fail(t, "a call waits", entry)
			}
		})
	}
}
