package calls_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A process has a log, and a tool that echoes, fails, panics or waits.
type process struct {
	*calls.Log
	runs  *waiting.Store
	tools *registry.Registry
}

func begin(t *testing.T, store vfs.RecordStore, failed func(error)) *process {
	t.Helper()
	echo := tool.Func(tool.Spec{Name: "echo", Description: "Echoes."},
		func(ctx context.Context, in struct {
			Text string        `json:"text"`
			Wait time.Duration `json:"wait,omitempty"`
		}, _ tool.Env) (string, error) {
			time.Sleep(in.Wait)
			if in.Text == "fail" {
				return "", tool.Errorf("it failed")
			}
			return in.Text, nil
		})
	tools, err := registry.New(echo)
	require.NoError(t, err)
	waiting, err := waiting.New(store, nil)
	require.NoError(t, err)
	p := &process{calls.New(store, failed), waiting, nil}
	p.tools = tools.Using(p.Middleware)
	return p
}

func (p *process) call(scope, id, text string, wait time.Duration) tool.Result {
	input, _ := json.Marshal(map[string]any{"text": text, "wait": wait})
	return p.tools.Dispatch(context.Background(), tool.Call{ID: id, Tool: "echo", Input: input},
		registry.Env{Project: "p", Client: "tester", Waiting: p.runs.In(scope),
			Limits: registry.Limits{Timeout: tool.NoTimeout}})
}

// latest returns calls as texts, the latest first.
func (p *process) latest(t *testing.T, scope string) (out []string) {
	t.Helper()
	list, err := p.Shared(context.Background(), scope)
	require.NoError(t, err)
	for _, c := range list {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %v %s %s", c.ID, c.State, c.Result, c.Code)))
	}
	return out
}

func TestProcessesSeeEachOthersCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := local.NewMemoryStore(nil)
		a, b := begin(t, store, nil), begin(t, store, nil)
		ctx, stop := context.WithCancel(t.Context())
		var news atomic.Int64
		var watching sync.WaitGroup
		watching.Go(func() { _ = b.Watch(ctx, "scope", func() { news.Add(1) }) })
		a.call("scope", "1", "one", 0)
		var group sync.WaitGroup
		group.Go(func() { a.call("scope", "2", "two", time.Minute) })
		a.call("other", "x", "elsewhere", 0)
		time.Sleep(2 * time.Second)
		require.Equal(t, []string{"2 running", "1 ended one"}, b.latest(t, "scope"))
		require.Equal(t, []string{"x ended elsewhere"}, b.latest(t, "other"))
		require.Positive(t, news.Load())

		b.call("scope", "3", "fail", 0)
		time.Sleep(55 * time.Second) // call 2 still runs, and is said to
		require.Equal(t, []string{"3 ended it failed tool_error", "2 running", "1 ended one"}, a.latest(t, "scope"))
		group.Wait()
		time.Sleep(2 * time.Second)
		list, err := b.Shared(t.Context(), "scope")
		require.NoError(t, err)
		require.Equal(t, "two", list[1].Result)
		require.Equal(t, time.Minute, list[1].Took)
		require.Equal(t, "tester", list[1].Client)
		require.Equal(t, "echo", list[1].Tool)
		require.JSONEq(t, `{"text":"two","wait":60000000000}`, list[1].Input)
		require.NotEqual(t, list[1].Process, list[0].Process)

		// A log that need not remember calls has those that run, and what others tell.
		list, err = a.List(t.Context(), calls.Where{Project: "p", Scope: "scope"}, 10, nil)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "3", list[0].ID)

		require.NoError(t, b.Forget(t.Context(), calls.Where{Project: "p", Scope: "scope"}))
		require.Empty(t, b.latest(t, "scope"))
		require.NotEmpty(t, b.latest(t, "other"))
		stop()
		watching.Wait()
		a.Close()
		b.Close()
	})
}

// A process that ends tells what it has not told yet. One that dies is found out.
func TestProcessesThatEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := local.NewMemoryStore(nil)
		a, b := begin(t, store, nil), begin(t, store, nil)
		a.call("scope", "1", "one", 0)
		require.Empty(t, b.latest(t, "scope"))
		go a.call("scope", "2", "two", time.Hour)
		synctest.Wait()
		a.Close()
		require.Equal(t, []string{"2 running", "1 ended one"}, b.latest(t, "scope"))
		time.Sleep(time.Minute)
		require.Equal(t, []string{"2 ended  outcome_unknown", "1 ended one"}, b.latest(t, "scope"))
		time.Sleep(time.Hour)
		b.Close()
	})
}

// What is kept is bounded, whatever is called.
func TestWhatIsKeptIsBounded(t *testing.T) {
	store := local.NewMemoryStore(nil)
	a := begin(t, store, nil)
	for i := range calls.Most + 100 {
		a.call("scope", fmt.Sprint(i), "x", 0)
	}
	long := strings.Repeat("\x00<é", 10_000)
	for i := range 100 {
		a.call("large", strings.Repeat("i", 1000)+fmt.Sprint(i), long, 0)
	}
	a.Close()
	list, err := a.Shared(t.Context(), "scope")
	require.NoError(t, err)
	require.Len(t, list, calls.Most)
	require.Equal(t, fmt.Sprint(calls.Most+99), list[0].ID)
	list, err = a.Shared(t.Context(), "large")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	size := 0
	for _, c := range list {
		require.LessOrEqual(t, len(c.Result), calls.MaxText+len("..."))
		require.LessOrEqual(t, len(c.Input), calls.MaxText+len("..."))
		size += len(c.Result) + len(c.Input)
	}
	require.LessOrEqual(t, size, calls.MaxBytes)
	whole := 0
	for info, err := range store.AllRecords(t.Context()) {
		require.NoError(t, err)
		if info.Kind == "calls" {
			data, err := store.Records("calls").Get(t.Context(), info.Name)
			require.NoError(t, err)
			require.LessOrEqual(t, len(data), calls.MaxBytes)
			whole++
		}
	}
	require.Equal(t, 2, whole)
}

// What somebody else has put into the store breaks nothing, and calls without a scope are nobody's business.
func TestDamagedRecords(t *testing.T) {
	store := local.NewMemoryStore(nil)
	a := begin(t, store, nil)
	a.call("scope", "1", "one", 0)
	a.Close()
	for info, err := range store.AllRecords(t.Context()) {
		require.NoError(t, err)
		if info.Kind == "calls" {
			require.NoError(t, store.Records("calls").Change(t.Context(), info.Name, 0, func(data []byte) ([]byte,
				error) {
				return append([]byte("{\n[]\nnull\n\x00\n{\"process\":7}\n"+
					"{\"process\":\"p\",\"number\":1,\"began\":\"2020-01-01T00:00:00Z\",\n"+
					"{\"process\":\"old\",\"id\":\"0\"}\n"), data...), nil
			}))
		}
	}
	b := begin(t, store, nil)
	require.Equal(t, []string{"1 ended one", "0 ended"}, b.latest(t, "scope"))
	b.call("scope", "2", "two", 0)
	b.tools.Dispatch(t.Context(), tool.Call{ID: "3", Tool: "echo", Input: []byte(`{"text":"x"}`)},
		registry.Env{Project: "scope"})
	b.Close()
	require.Equal(t, []string{"2 ended two", "1 ended one", "0 ended"}, b.latest(t, "scope"))
}

type brokenStore struct{ vfs.RecordStore }

func (s brokenStore) Records(kind string) vfs.Records {
	if kind == "calls" {
		return brokenRecords{s.RecordStore.Records(kind)}
	}
	return s.RecordStore.Records(kind)
}

type brokenRecords struct{ vfs.Records }

var errBroken = errors.New("broken")

func (brokenRecords) Change(context.Context, string, time.Duration, func([]byte) ([]byte, error)) error {
	return errBroken
}

func TestStoresThatFail(t *testing.T) {
	var failed error
	a := begin(t, brokenStore{local.NewMemoryStore(nil)}, func(err error) { failed = err })
	require.Equal(t, "one", a.call("scope", "1", "one", 0).Text())
	a.Close()
	require.ErrorIs(t, failed, errBroken)
}
