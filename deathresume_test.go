package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// dyingStore is the store of a process that dies after a number of steps: then nothing of what it keeps arrives any
// more.
type dyingStore struct {
	vfs.Store
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

// always says that all is approved.
func always(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
	return registry.Decision{Approved: true, Always: true, By: "ada"}, nil
}

// outside makes what this process keeps for good and bubbles must not own: channels of the compressor of states.
var outside = sync.OnceFunc(func() {
	runner, err := toolrun.Open(context.Background(), &toolrun.Options{Tools: (&mailtest.Mail{}).Tools(),
		EngineOptions: sandbox.EngineOptions{CacheDir: enginetest.CacheDir()}})
	if err != nil {
		panic(err)
	}
	defer runner.Close()
	session, err := runner.Session(context.Background(), "p", &toolrun.SessionOptions{Select: mailtest.Choose})
	if err != nil {
		panic(err)
	}
	_, err = session.DispatchAll(context.Background(), []tool.Call{{Tool: "javascript",
		Input: json.RawMessage(`{"code": "return await tools.send({to: 'x'})"}`)}})
	if err != nil {
		panic(err)
	}
})

// inBubble runs a test in a bubble. Engines are opened in it: each belongs to one bubble.
func inBubble(t *testing.T, test func(t *testing.T)) {
	outside()
	synctest.Test(t, test)
}

// A process can die at every step, and the next one goes on, when the claim of the other is over.
func TestEveryStepCanBeTheLast(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		engine := open(t, toolrun.Options{}) // one for all of them
		_, err := engine.Interpreter(t.Context(), "javascript")
		require.NoError(t, err)
		unknown := 0
		step := func(steps int64, late bool) (died bool) {
			t.Log("step", steps, late)
			base := local.NewMemoryStore(nil)
			m := &mailtest.Mail{}
			process := func(store vfs.Store, o toolrun.SessionOptions) *toolrun.Session {
				options := toolrun.Options{Store: store, Tools: m.Tools(), Engine: engine.Engine()}
				o.Select = mailtest.Choose
				return openSession(t, open(t, options), "p", &o)
			}
			token := mailtest.Ask(t, process(base, toolrun.SessionOptions{}), "javascript",
				mailtest.Code(mailtest.Steps)).Pending.Token
			left := &atomic.Int64{}
			left.Store(steps)
			dying := process(dyingStore{base, left, late}, toolrun.SessionOptions{Approve: always})
			_, err := dying.Resume(t.Context(), token, nil)
			died = left.Load() <= 0
			if !died {
				require.NoError(t, err)
			}
			next := process(base, toolrun.SessionOptions{Approve: always})
			result, err := resumeWhenFree(t, next, token)
			require.NoError(t, err)
			require.Empty(t, result.Code, result.Text())
			log, err := afero.ReadFile(next.Project(), "/log")
			require.NoError(t, err)
			unknown += mailtest.CheckSteps(t, result.Text(), string(log), m.Sent)
			return died
		}
		for steps := int64(1); steps <= 40; steps++ {
			for _, late := range []bool{false, true} {
				step(steps, late)
			}
		}
		require.Positive(t, unknown, "no call was under way when its process died")
		require.False(t, step(1000, false))
	})
}

// slowStore takes its time for each change, as a disk does that others use.
type slowStore struct {
	vfs.Store
	wait *atomic.Pointer[func() time.Duration]
}

func (s slowStore) Records(kind string) vfs.Records {
	return slowRecords{s.Store.Records(kind), s.wait}
}

type slowRecords struct {
	vfs.Records
	wait *atomic.Pointer[func() time.Duration]
}

func (r slowRecords) Change(
	ctx context.Context, name string, keep time.Duration, change func([]byte) ([]byte, error),
) error {
	if wait := (*r.wait.Load())(); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return r.Records.Change(ctx, name, keep, change)
}

// A store that is slow loses neither code that begins to wait nor the answers of its calls.
func TestSlowStore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var wait atomic.Pointer[func() time.Duration]
		takes := func(f func() time.Duration) { wait.Store(&f) }
		takes(func() time.Duration { return 2 * time.Second })
		m := &mailtest.Mail{}
		runner := open(t, toolrun.Options{Store: slowStore{local.NewMemoryStore(nil), &wait}, Tools: m.Tools()})
		session := openSession(t, runner, "p", &toolrun.SessionOptions{Select: mailtest.Choose})
		result := mailtest.Ask(t, session, "javascript", mailtest.Code(`return await tools.send({to: 'x'})`))
		require.NotNil(t, result.Pending, "%s %v", result.Text(), result.Err)
		stopped, cancel := context.WithCancel(t.Context())
		m.Before = func() { // while the call is made
			cancel()
			var changes atomic.Int64
			takes(func() time.Duration {
				if changes.Add(1) == 1 { // the answer
					return 0
				}
				return time.Minute // too long for giving the claim up
			})
		}
		_, err := session.Resume(stopped, result.Pending.Token, mailtest.Approve("call_1.1"))
		require.ErrorIs(t, err, context.Canceled)
		m.Before = nil
		takes(func() time.Duration { return 0 })
		result, err = resumeWhenFree(t, session, result.Pending.Token)
		require.NoError(t, err)
		require.Contains(t, result.Text(), "sent to x")
		require.Equal(t, []string{"x"}, m.Sent)
	})
}

// resumeWhenFree goes on with what waits as soon as nobody else has the claim. It is for bubbles.
func resumeWhenFree(t *testing.T, session *toolrun.Session, token string) (tool.Result, error) {
	for {
		result, err := session.Resume(t.Context(), token, nil)
		if !errors.Is(err, waiting.ErrBusy) {
			return result, err
		}
		time.Sleep(time.Second)
	}
}

// Writes that go through to the disk are what going on costs most: the claim, that the call is made, its answer, the
// result, and that the run and its state are removed.
func TestHowOftenResumeWrites(t *testing.T) {
	store, m := local.NewMemoryStore(nil), &mailtest.Mail{}
	left := &atomic.Int64{}
	left.Store(1000)
	runner := open(t, toolrun.Options{Store: dyingStore{store, left, false}, Tools: m.Tools()})
	session := openSession(t, runner, "p", &toolrun.SessionOptions{Select: mailtest.Choose})
	input := mailtest.Code(`return await tools.send({to: 'x'})`)
	token := mailtest.Ask(t, session, "javascript", input).Pending.Token
	before := left.Load()
	result, err := session.Resume(t.Context(), token, mailtest.Approve("call_1.1"))
	require.NoError(t, err)
	require.Empty(t, result.Code, result.Text())
	require.EqualValues(t, 6, before-left.Load())
	require.NotEqual(t, token, mailtest.Ask(t, session, "javascript", input).Pending.Token,
		"it has been delivered, so this is another call")
}
