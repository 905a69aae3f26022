package python

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// instance is a sandbox with CPython in it. It implements [sandbox.Driver].
type instance struct {
	*sandbox.Instance
	vm *python.VM

	session
}

// session is the host's state of the present run. Nothing of it may reach the next one.
type session struct {
	run    *run
	answer []byte // to the last request of the guest that has one
	broken bool   // a call into the guest has not returned

	missing []string // see imageState
}

// errReady ends the call of the guest that starts it.
var errReady = errors.New("python: ready")

// Start implements [sandbox.Driver]: it runs the boot code.
func (in *instance) Start() error {
	err := in.Reason(in.vm.Start(in.Context()))
	if err == errReady {
		return nil
	}
	var said []string
	console, _ := in.Instance.Run().Output().End()
	for _, entry := range console {
		said = append(said, entry.Text)
	}
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok || err == nil {
		status := 0
		if ok {
			status = exit.Code
		}
		err = fmt.Errorf("it is not a build of CPython that can be used here: it ended with status %d", status)
	}
	if len(said) > 0 {
		err = fmt.Errorf("%w, and printed: %.2000s", err, strings.Join(said, "\n"))
	}
	return fmt.Errorf("python: %w", err)
}

// Verify implements [sandbox.Verifier].
func (in *instance) Verify() error {
	for _, check := range python.Checks() {
		r := newRun(in.Instance.Run(), RunOptions{Name: "verify.py"})
		r.code = check.Code
		in.begin(r)
		if err := in.execute(); err != nil {
			return fmt.Errorf("python: verifying the build of CPython: %.100q: %w", check.Code, err)
		}
		if err := check.Failed(&r.report); err != nil {
			return err
		}
	}
	return nil
}

// State implements [sandbox.Driver].
func (in *instance) State() any { return &imageState{VM: in.vm.State(), Missing: in.missing} }

func decodeState(data []byte) (any, error) {
	var state imageState
	return &state, json.Unmarshal(data, &state)
}

// deepStack is how much of the C stack a run may use before its instance's native stack, which grows with it, is freed.
const deepStack = 128 << 10 // bytes

// Resume implements [sandbox.Driver].
func (in *instance) Resume(state any) error {
	in.session = session{}
	vm := state.(*imageState).VM
	// all images of a program have the same boot code
	if known := in.vm.State(); known != vm && known != (python.State{}) {
		return errors.New("python: the state of another image")
	}
	in.vm.Resume(vm)
	if in.Touched(in.vm.Stack(), python.StackSize) > deepStack {
		in.vm.Forget()
	}
	return nil
}

// Idle implements [sandbox.Driver].
func (in *instance) Idle() bool { return !in.broken }

// begin makes the instance, which is in the state of its image, the sandbox of a run.
func (in *instance) begin(r *run) { in.session = session{run: r} }

// execute does the run.
func (in *instance) execute() error {
	in.broken = true
	ok, err := in.vm.Run(in.Context())
	if in.vm.StackUsedUp() && (err == nil || in.isDamage(err)) {
		return &sandbox.LimitError{Limit: sandbox.LimitRecursion}
	}
	if err != nil {
		return in.reason(err)
	}
	in.broken = false
	if report := &in.run.report; !report.Ended || !ok || report.Suspended && !in.run.calls.left {
		if in.Refused() {
			return in.MemoryError()
		}
		return ErrNoReport
	}
	return nil
}

// rescue prints what code that was stopped has printed of a line that it has not ended.
func (in *instance) rescue() {
	if !in.broken {
		return
	}
	for i, level := range []sandbox.Level{sandbox.LevelLog, sandbox.LevelError} {
		in.PrintLast(level, in.vm.Unwritten(i))
	}
}

// isDamage reports whether the error of a call may come from a stack that has overwritten other data: it is a trap, or
// the memory is full, by sizes that were none.
func (in *instance) isDamage(err error) bool {
	err = in.Reason(err)
	_, crash := errors.AsType[*sandbox.CrashError](err)
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	return crash || ok && limit.Limit == sandbox.LimitMemory
}

// reason turns the error of a call into the guest into the error of the run.
func (in *instance) reason(err error) error {
	err = in.Reason(err)
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		return exitStatus(exit.Code)
	}
	return err
}

// called serves every call of the guest to the host.
func (in *instance) called(number uint32) uint64 {
	op, payload, ok := in.vm.Request(number)
	if !ok {
		return 0
	}
	if err := in.Spend(len(payload)); err != nil {
		panic(err)
	}
	if op == python.OpReady && in.run == nil {
		if err := in.vm.Ready(payload); err != nil {
			panic(&sandbox.Stop{Err: err})
		}
		panic(&sandbox.Stop{Err: errReady})
	}
	if op == python.OpStreams && in.run == nil {
		if err := in.vm.Streams(payload); err != nil {
			panic(&sandbox.Stop{Err: err})
		}
	}
	if op == python.OpPackages && in.run == nil {
		in.vm.Packages(payload)
	}
	if in.run == nil {
		return 0
	}
	switch op {
	case python.OpBegin:
		if in.run.begun { // the task has what is not the same in all runs
			in.SetImpure()
		}
		in.run.begun = true
		task, err := in.run.task(in.RandomSeed())
		if err != nil {
			panic(&sandbox.Stop{Err: err})
		}
		return in.reply(task)
	case python.OpCode:
		in.SetImpure()
		return in.reply([]byte(in.run.code))
	case python.OpFill:
		in.fill(payload)
	case python.OpText, python.OpData, python.OpExit, python.OpException, python.OpEnd,
		python.OpImported, python.OpSuspended:
		in.run.add(op, payload)
	case python.OpCall:
		return in.reply(in.call(payload))
	case python.OpStart:
		return uint64(in.start(payload)) * second
	case python.OpWait:
		return in.reply(in.wait(payload))
	case python.OpFiles:
		return uint64(in.OpenFiles()) * second
	case python.OpDuplicate:
		return in.duplicate(payload)
	case python.OpPicture:
		return in.reply(in.run.show(payload))
	case python.OpKey:
		return in.reply(in.key(payload))
	case python.OpZone:
		return in.reply(zone(string(payload)))
	case python.OpZoneNames:
		return in.reply([]byte(zoneNames))
	}
	return 0
}

// duplicate gives an open file a second number.
func (in *instance) duplicate(payload []byte) uint64 {
	fd, to, ok := python.ParseDuplicate(payload)
	if !ok {
		fd = -1
	}
	number, errno := in.Duplicate(fd, to)
	if errno != 0 {
		number = python.DuplicateError + uint32(errno)
	}
	return uint64(number) * second
}

// second is how a number is answered: as that many seconds.
const second = 1e9

// reply keeps an answer until the guest has room for it, and returns the answer of its size.
func (in *instance) reply(answer []byte) uint64 {
	in.answer = answer
	return uint64(len(answer)) * second
}

// fill gives the guest the last answer.
func (in *instance) fill(payload []byte) {
	room, ok := in.vm.Fill(payload, len(in.answer))
	if !ok {
		return
	}
	for part := range slices.Chunk(in.answer, sandbox.PieceSize) {
		if err := in.Spend(len(part)); err != nil {
			panic(err)
		}
		room = room[copy(room, part):]
	}
	in.answer = nil
}
