package runtime

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// counterModule has a number in its memory and one in a global variable. Its export "count" adds 1 to both, and
// returns a thousand times the first one and the second one.
func counterModule() []byte {
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	code := []byte{
		0x41, 0, 0x41, 0, 0x28, 2, 0, 0x41, 1, 0x6a, 0x36, 2, 0, // i32.store at 0 of the i32.load there + 1
		0x23, 0, 0x41, 1, 0x6a, 0x24, 0, // global.set 0 to global.get 0 + 1
		0x41, 0, 0x28, 2, 0, 0x41, 0xe8, 0x07, 0x6c, 0x23, 0, 0x6a, 0x0b, // the sum
	}
	return slices.Concat([]byte{0, 'a', 's', 'm', 1, 0, 0, 0},
		section(1, 1, 0x60, 0, 1, 0x7f), section(3, 1, 0), section(5, 1, 0, 1), section(6, 1, 0x7f, 1, 0x41, 0, 0x0b),
		section(7, slices.Concat([]byte{1, 5}, []byte("count"), []byte{0, 0})...),
		section(10, append([]byte{1, byte(len(code) + 1), 0}, code...)...))
}

// counter drives it. It is idle unless a test says otherwise.
type counter struct {
	in     *Instance
	busy   bool
	broken error // what Resume returns
}

func (c *counter) Start() error     { return nil }
func (c *counter) State() any       { return nil }
func (c *counter) Resume(any) error { return c.broken }
func (c *counter) Idle() bool       { return !c.busy }

func (c *counter) count(t testing.TB) int {
	result, err := c.in.Module().ExportedFunction("count").Call(c.in.Context())
	require.NoError(t, err)
	return int(result[0])
}

func loadCounter(t testing.TB, options EngineOptions) (*Engine, *Program) {
	engine, err := New(&options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	program, err := engine.Load(t.Context(), Guest{
		Name:   "counter",
		Module: func() ([]byte, error) { return Meter(counterModule()) },
		Digest: sha256.Sum256(counterModule()),
		New:    func(in *Instance) (Driver, error) { return &counter{in: in}, nil },
	})
	require.NoError(t, err)
	return engine, program
}

// begin begins a run in a sandbox. The caller ends it.
func begin(t testing.TB, program *Program, image *Image) (*Run, *counter) {
	r, err := program.Begin(context.Background(), RunOptions{})
	require.NoError(t, err)
	in, err := r.Start(image)
	require.NoError(t, err)
	return r, in.Driver().(*counter)
}

func TestSandboxesAreUsedAgainAndBeginAnew(t *testing.T) {
	engine, program := loadCounter(t, EngineOptions{MaxIdle: 1})
	var first *counter
	for range 3 {
		r, c := begin(t, program, nil)
		require.Equal(t, 1001, c.count(t))
		require.Equal(t, 2002, c.count(t))
		if first == nil {
			first = c
		}
		require.Same(t, first, c)
		r.End()
		require.Equal(t, 1, engine.Stats().Idle)
	}
	r, c := begin(t, program, nil)
	c.busy = true
	r.End()
	engine.pool.work.Wait()
	require.Equal(t, 1, engine.Stats().Idle, "another one takes its place")
	r, c = begin(t, program, nil)
	defer r.End()
	require.NotSame(t, first, c)
	require.Equal(t, 1001, c.count(t))
}

// TestSandboxesThatHaveGrownAreUsedAgain with the memory that they had before, and nothing of what was in the rest.
func TestSandboxesThatHaveGrownAreUsedAgain(t *testing.T) {
	_, program := loadCounter(t, EngineOptions{MaxIdle: 1})
	var first *counter
	for _, pages := range []uint32{1, 4, 5, 300, 1} {
		r, c := begin(t, program, nil)
		if first == nil {
			first = c
		}
		require.Same(t, first, c)
		memory := c.in.Module().Memory()
		before := memory.Size()
		require.EqualValues(t, c.in.image.memory.Size(), before)
		_, ok := memory.Read(before-3, 4)
		require.False(t, ok, "there is no more")
		_, ok = memory.Grow(pages)
		require.True(t, ok)
		rest, ok := memory.Read(before, pages*linearmem.PageSize)
		require.True(t, ok)
		for i, b := range rest {
			if b != 0 {
				require.Zero(t, b, i)
			}
			rest[i] = 7
		}
		require.Equal(t, 1001, c.count(t))
		r.End()
	}
}

func TestRunsBeginFromImages(t *testing.T) {
	engine, program := loadCounter(t, EngineOptions{})
	key := sha256.Sum256([]byte("key"))
	require.Nil(t, program.Kept(key))
	r, c := begin(t, program, nil)
	c.count(t)
	image, err := c.in.Capture()
	require.NoError(t, err)
	require.Equal(t, 2002, c.count(t))
	work := c.in.Work()
	r.End()
	program.Keep(key, image, 0)
	require.Equal(t, 1, engine.Stats().Images)
	for range 3 {
		r, c := begin(t, program, program.Kept(key))
		require.Equal(t, 2002, c.count(t))
		require.Equal(t, work, c.in.Work(), "the work before the image counts")
		r.End()
	}
	r, c = begin(t, program, nil)
	require.Equal(t, 1001, c.count(t))
	r.End()

	// An image that another one has replaced has no sandboxes any more, and begins no runs.
	idle := engine.Stats().Idle
	r, c = begin(t, program, nil)
	other, err := c.in.Capture()
	require.NoError(t, err)
	r.End()
	program.Keep(key, other, 0)
	require.Less(t, engine.Stats().Idle, idle)
	r, err = program.Begin(t.Context(), RunOptions{})
	require.NoError(t, err)
	_, err = r.Start(image)
	require.Error(t, err)
	r.End()
}

func TestSandboxesThatCannotBeginAnew(t *testing.T) {
	engine, program := loadCounter(t, EngineOptions{MaxIdle: 1})
	r, c := begin(t, program, nil)
	c.broken = errors.New("broken")
	r.End()
	engine.pool.work.Wait()
	require.Equal(t, 1, engine.Stats().Idle)
	r, again := begin(t, program, nil)
	require.NotSame(t, c, again)
	r.End()
}

func TestPool(t *testing.T) {
	t.Run("keeps no more than it may", func(t *testing.T) {
		engine, program := loadCounter(t, EngineOptions{MaxIdle: 2, MaxRuns: 8})
		var runs []*Run
		for range 8 {
			r, _ := begin(t, program, nil)
			runs = append(runs, r)
		}
		for _, r := range runs {
			r.End()
		}
		require.Equal(t, 2, engine.Stats().Idle)
	})
	t.Run("is emptied when there are no runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine, program := loadCounter(t, EngineOptions{})
			r, _ := begin(t, program, nil)
			r.End()
			time.Sleep(idleTime - time.Nanosecond)
			require.Equal(t, 1, engine.Stats().Idle)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Zero(t, engine.Stats().Idle)
			r, _ = begin(t, program, nil)
			r.End()
		})
	})
	t.Run("closes while runs end", func(t *testing.T) {
		for range 20 {
			engine, program := loadCounter(t, EngineOptions{MaxRuns: 8})
			var runs sync.WaitGroup
			for i := range 8 {
				runs.Go(func() {
					for {
						r, err := program.Begin(context.Background(), RunOptions{})
						if err != nil {
							require.ErrorIs(t, err, ErrClosed)
							return
						}
						if in, err := r.Start(nil); err == nil {
							in.Driver().(*counter).busy = i%2 == 0
						}
						r.End()
					}
				})
			}
			require.NoError(t, engine.Close(context.Background()))
			runs.Wait()
			require.Zero(t, engine.Stats().Idle)
		}
	})
}

func TestEngineOptions(t *testing.T) {
	for name, options := range map[string]EngineOptions{"MaxRuns": {MaxRuns: -2}, "MaxIdle": {MaxIdle: -1},
		"ImageMemory": {ImageMemory: -1}} {
		_, err := New(&options)
		require.ErrorContains(t, err, name)
	}
}

// TestModulesThatAreNoGuests says what is wrong with them.
func TestModulesThatAreNoGuests(t *testing.T) {
	engine, err := New(nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	for want, module := range map[string][]byte{
		"the thing is not metered": counterModule(),
		"compiling the thing":      []byte("nothing"),
	} {
		_, err := engine.Load(t.Context(), Guest{
			Name: "thing", Module: func() ([]byte, error) { return module, nil }, Digest: sha256.Sum256(module),
			New: func(in *Instance) (Driver, error) { return &counter{in: in}, nil },
		})
		require.ErrorContains(t, err, want)
	}
}

func TestARunCanStartAgain(t *testing.T) {
	engine, program := loadCounter(t, EngineOptions{MaxIdle: 2})
	r, c := begin(t, program, nil)
	require.Equal(t, 1001, c.count(t))
	image, err := c.in.Capture()
	require.NoError(t, err)
	program.Keep([32]byte{1}, image, 0)
	first := r.Usage().Work

	require.NoError(t, c.in.Spend(100*HostBytes))
	files := afero.NewMemMapFs()
	in, err := r.Restart(nil, files)
	require.NoError(t, err)
	require.Zero(t, r.Usage().Work)
	require.Equal(t, 1001, in.Driver().(*counter).count(t), "in a fresh sandbox")
	require.Equal(t, first, r.Usage().Work)

	in, err = r.Restart(image, files)
	require.NoError(t, err)
	require.Equal(t, first, r.Usage().Work, "the image has been worked on")
	require.Equal(t, 2002, in.Driver().(*counter).count(t), "in the state of the image")
	r.End()
	require.Equal(t, 1, engine.Stats().Idle, "all in one sandbox")
}
