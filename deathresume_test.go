package toolrun_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/runs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var soak = flag.Bool("soak", false, "run the long versions of tests")

// dyingStore is the store of a process that dies after a number of steps: then nothing of what it keeps arrives any
// more.
type dyingStore struct {
	*local.Store
	left *atomic.Int64
	late bool // the last step still arrives, and nobody hears of it
}

var errDead = errors.New("the process is dead")

func (s dyingStore) Records(kind string) vfs.Records { return dyingRecords{s.Store.Records(kind), s} }

type dyingRecords struct {
	vfs.Records
	store dyingStore
}

func (r dyingRecords) Get(ctx context.Context, name string) ([]byte, error) {
	if r.store.left.Load() <= 0 {
		return nil, errDead
	}
	return r.Records.Get(ctx, name)
}

func (r dyingRecords) Change(ctx context.Context, name string, keep time.Duration, change func([]byte) ([]byte,
	error)) error {
	left := r.store.left.Add(-1)
	if left < 0 || left == 0 && !r.store.late {
		return errDead
	}
	err := r.Records.Change(ctx, name, keep, change)
	if left == 0 {
		return errDead
	}
	return err
}

// stepsScript makes calls, one by one and at once, and changes a file between them.
const stepsScript = `
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

// checkSteps checks what a script was told, and the file that it has changed, against what has happened.
func checkSteps(t *testing.T, text, log string, sent []string) (unknown int) {
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

// always says that all is approved.
func always(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
	return registry.Decision{Approved: true, Always: true, By: "ada"}, nil
}

// A process can die at every step, and the next one goes on.
func TestEveryStepCanBeTheLast(t *testing.T) {
	runner := map[string]*toolrun.Runner{} // one engine for all of them
	runner[""] = open(t, toolrun.Options{})
	_, err := runner[""].JavaScript(t.Context())
	require.NoError(t, err)
	var unknown atomic.Int64
	step := func(t *testing.T, steps int64, late bool) (died bool) {
		base := local.NewMemoryStore(nil)
		m := &mail{}
		process := func(store vfs.Store, o toolrun.SessionOptions) *toolrun.Session {
			options := toolrun.Options{Store: store, Tools: m.tools(), Engine: runner[""].Engine(),
				Runs: runs.Options{Lease: 30 * time.Millisecond}}
			o.Select = choosesSend
			return openSession(t, open(t, options), "p", &o)
		}
		token := ask(t, process(base, toolrun.SessionOptions{}), "javascript", codeInput(stepsScript)).Pending.Token
		left := &atomic.Int64{}
		left.Store(steps)
		dying := process(dyingStore{base, left, late}, toolrun.SessionOptions{Approve: always})
		_, err := dying.Resume(t.Context(), token, nil)
		died = left.Load() <= 0
		if !died {
			require.NoError(t, err)
		}
		next := process(base, toolrun.SessionOptions{Approve: always})
		var result registry.Result
		for { // until nobody has the claim any more
			result, err = next.Resume(t.Context(), token, nil)
			if !errors.Is(err, runs.ErrBusy) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, err)
		require.Empty(t, result.Code, result.Text())
		log, err := afero.ReadFile(next.Project(), "/log")
		require.NoError(t, err)
		unknown.Add(int64(checkSteps(t, result.Text(), string(log), m.sent)))
		return died
	}
	t.Run("all", func(t *testing.T) {
		for steps := int64(1); steps <= 40; steps++ {
			for _, late := range []bool{false, true} {
				if !*soak && (steps+map[bool]int64{true: 3}[late])%7 != 0 {
					continue
				}
				t.Run(fmt.Sprint(steps, late), func(t *testing.T) {
					t.Parallel()
					step(t, steps, late)
				})
			}
		}
	})
	require.True(t, !*soak || unknown.Load() > 0, "no call was under way when its process died")
	require.False(t, step(t, 1000, false))
}

// slowStore takes its time for each change, as a disk does that others use.
type slowStore struct {
	*local.Store
	wait *atomic.Int64
}

func (s slowStore) Records(kind string) vfs.Records {
	return slowRecords{s.Store.Records(kind), s.wait}
}

type slowRecords struct {
	vfs.Records
	wait *atomic.Int64
}

func (r slowRecords) Change(ctx context.Context, name string, keep time.Duration, change func([]byte) ([]byte,
	error)) error {
	select {
	case <-time.After(time.Duration(r.wait.Load())):
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.Records.Change(ctx, name, keep, change)
}

// A store that is slow loses neither code that begins to wait nor the answers of its calls.
func TestSlowStore(t *testing.T) {
	wait := &atomic.Int64{}
	wait.Store(int64(10 * time.Millisecond))
	if *soak {
		wait.Store(int64(6 * time.Second))
	}
	m := &mail{}
	runner := open(t, toolrun.Options{Store: slowStore{local.NewMemoryStore(nil), wait}, Tools: m.tools()})
	session := openSession(t, runner, "p", &toolrun.SessionOptions{Select: choosesSend})
	result := ask(t, session, "javascript", codeInput(`return await tools.send({to: 'x'})`))
	require.NotNil(t, result.Pending, "%s %v", result.Text(), result.Err)
	stopped, cancel := context.WithCancel(t.Context())
	m.before = cancel // while the call is made
	_, err := session.Resume(stopped, result.Pending.Token, approve("call_1.1"))
	require.ErrorIs(t, err, context.Canceled)
	m.before = nil
	wait.Store(0)
	token := result.Pending.Token
	require.Eventually(t, func() bool { // giving the claim up may have taken too long, too
		result, err = session.Resume(t.Context(), token, nil)
		return !errors.Is(err, runs.ErrBusy)
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, err)
	require.Contains(t, result.Text(), "sent to x")
	require.Equal(t, []string{"x"}, m.sent)
}

// Writes that go through to the disk are what going on costs most: the claim, that the call is made, its answer, the
// result, and that the run and its state are removed.
func TestHowOftenResumeWrites(t *testing.T) {
	store, m := local.NewMemoryStore(nil), &mail{}
	left := &atomic.Int64{}
	left.Store(1000)
	runner := open(t, toolrun.Options{Store: dyingStore{store, left, false}, Tools: m.tools()})
	session := openSession(t, runner, "p", &toolrun.SessionOptions{Select: choosesSend})
	input := codeInput(`return await tools.send({to: 'x'})`)
	token := ask(t, session, "javascript", input).Pending.Token
	before := left.Load()
	result, err := session.Resume(t.Context(), token, approve("call_1.1"))
	require.NoError(t, err)
	require.Empty(t, result.Code, result.Text())
	require.EqualValues(t, 6, before-left.Load())
	require.NotEqual(t, token, ask(t, session, "javascript", input).Pending.Token,
		"it has been delivered, so this is another call")
}
