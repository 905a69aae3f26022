package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

type CallsRequest struct {
	Project string `json:"project"`
	Offset  int    `json:"offset,omitempty"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many at most; the default is 100"`
}

type CallsAnswer struct {
	Calls []CallInfo `json:"calls"`
	More  bool       `json:"more"`
}

// A CallInfo is a call as the API has it.
type CallInfo struct {
	Call    string    `json:"call"`
	Project string    `json:"project"`
	Tool    string    `json:"tool,omitempty" jsonschema:"empty for calls of which only the changes are known"`
	Client  string    `json:"client,omitempty" jsonschema:"who made it"`
	Parent  string    `json:"parent,omitempty" jsonschema:"the call whose code made it"`
	Began   time.Time `json:"began"`
	// State is Ended, too, for calls of which only the changes are known.
	State registry.State `json:"state" jsonschema:"begun, waiting for a person, running or ended"`
	// Milliseconds is how long it took.
	Milliseconds float64 `json:"milliseconds"`
	Code         string  `json:"code,omitempty" jsonschema:"how it failed, or pending if it is put off"`
	Status       string  `json:"status,omitempty"`
	Changes      int     `json:"changes" jsonschema:"how many changes the history has of it"`
	Undone       bool    `json:"undone,omitempty" jsonschema:"its changes have been undone, and not redone since"`
}

// A CallDetail is all that is known of a call.
type CallDetail struct {
	CallInfo
	Input     string       `json:"input"`
	Result    string       `json:"result"`
	Data      any          `json:"data,omitempty" jsonschema:"the result for programs, such as what code has used"`
	Pictures  int          `json:"pictures,omitempty" jsonschema:"how many pictures the result has"`
	Console   []Line       `json:"console"`
	Dropped   int64        `json:"dropped,omitempty" jsonschema:"bytes of the console that are not kept"`
	Elsewhere bool         `json:"elsewhere,omitempty" jsonschema:"by another process: its texts are cut"`
	Known     bool         `json:"known" jsonschema:"its input and result are known"`
	Files     []ChangeInfo `json:"files" jsonschema:"what it changed"`
}

// A Line is what code has printed.
type Line = calls.Line

func newCallInfo(c calls.Call, project string) CallInfo {
	return CallInfo{Call: c.ID, Project: project, Tool: c.Tool, Client: c.Client, Parent: c.Parent, Began: c.Began,
		State: c.State, Milliseconds: float64(c.Took.Microseconds()) / 1000, Code: string(c.Code), Status: c.Status}
}

// ListCalls lists calls of a project, the latest first: those of this process, those of others that they share, and
// those that changed files.
func (s *Service) ListCalls(ctx context.Context, in CallsRequest) (CallsAnswer, error) {
	return within(ctx, s, Run, in.Project, "", func(p vfs.Project) (CallsAnswer, error) {
		out := CallsAnswer{Calls: []CallInfo{}}
		h := s.recents.of(s.store(), in.Project)
		h.mu.Lock()
		defer h.mu.Unlock()
		if err := h.update(ctx, p); err != nil {
			return out, err
		}
		limit, leaveOut := page(in.Limit, 100, 1000), max(0, in.Offset)
		list, err := s.log.List(ctx, s.calls(in.Project), leaveOut+limit+1, s.access.sees)
		if err != nil {
			return out, err
		}
		latest := map[string]*calls.Call{} // of several with one id the one to which the changes count
		for i, c := range slices.Backward(list) {
			latest[c.ID] = &list[i]
		}
		add := func(c CallInfo) bool {
			switch {
			case leaveOut > 0:
				leaveOut--
			case len(out.Calls) == limit:
				out.More = true
			default:
				out.Calls = append(out.Calls, c)
			}
			return !out.More
		}
		rest := h.calls
		if !s.access.sees(calls.Call{}) {
			rest = nil
		}
		// others adds the calls that only the history knows, down to a time.
		others := func(until time.Time) bool {
			for ; len(rest) > 0 && rest[len(rest)-1].began.After(until); rest = rest[:len(rest)-1] {
				c := rest[len(rest)-1]
				if latest[c.id] == nil && !s.log.Has(in.Project, c.id) && !add(CallInfo{Call: c.id, Project: in.Project,
					Began: c.began, State: registry.Ended, Changes: c.changes, Undone: c.undone}) {
					return false
				}
			}
			return true
		}
		for i, c := range list {
			info := newCallInfo(c, in.Project)
			if n, changed := h.byID[c.ID]; changed && latest[c.ID] == &list[i] {
				info.Changes, info.Undone = h.calls[n].changes, h.calls[n].undone
			}
			if !others(c.Began) || !add(info) {
				return out, nil
			}
		}
		others(time.Time{}.Add(-1))
		return out, nil
	})
}

// ListSharedCalls returns the calls of a project that processes with its store share, the latest first, as they are
// kept.
func (s *Service) ListSharedCalls(ctx context.Context, in InProject) ([]calls.Call, error) {
	if err := s.may(Run, in.Project); err != nil {
		return nil, err
	}
	all, err := s.log.Shared(ctx, s.scope(in.Project))
	return slices.DeleteFunc(all, func(c calls.Call) bool { return !s.access.sees(c) }), err
}

type CallRequest struct {
	Project string `json:"project"`
	Call    string `json:"call"`
}

// maxFiles is how many changes a call is shown with.
const maxFiles = 1000

// ShowCall returns all that is known of a call.
func (s *Service) ShowCall(ctx context.Context, in CallRequest) (CallDetail, error) {
	return within(ctx, s, Run, in.Project, "", func(p vfs.Project) (CallDetail, error) {
		found, known, err := s.log.Find(ctx, s.calls(in.Project), in.Call)
		if err != nil {
			return CallDetail{}, err
		}
		if !known {
			found.Call = calls.Call{ID: in.Call, State: registry.Ended}
		}
		none := &Error{Code: "not_found", Field: "call", Message: "nothing is known of this call"}
		if !s.access.sees(found.Call) {
			return CallDetail{}, none
		}
		d := CallDetail{CallInfo: newCallInfo(found.Call, in.Project), Input: found.Input, Result: found.Result,
			Pictures: len(found.Pictures), Console: append([]Line{}, found.Console...), Dropped: found.Dropped,
			Elsewhere: found.Elsewhere, Known: known, Files: []ChangeInfo{}}
		if found.Data != nil {
			d.Data = found.Data
		}
		if !s.access.Has(Read) {
			return d, nil
		}
		changes, err := s.changes(ctx, in.Project, p)
		if err != nil {
			return d, err
		}
		decided := in.Call == "" // by the latest that was done with it
		for _, c := range slices.Backward(changes) {
			if undoes := c.Op == vfs.OpUndone && c.Undoes == in.Call; !decided && (undoes || c.Redoes == in.Call) {
				d.Undone, decided = undoes, true
			}
			if c.Call == in.Call && c.Call != "" {
				d.Changes++
				if !known {
					d.Began = c.Time
				}
				if len(d.Files) < maxFiles {
					d.Files = append(d.Files, newChangeInfo(c))
				}
			}
		}
		if !known && d.Changes == 0 {
			return d, none
		}
		return d, nil
	})
}

type PictureRequest struct {
	Project string `json:"project"`
	Call    string `json:"call"`
	Number  int    `json:"number" jsonschema:"from 1"`
}

// ReadPicture calls send with a picture of a call's result.
func (s *Service) ReadPicture(ctx context.Context, in PictureRequest, send func(Content) error) error {
	_, err := within(ctx, s, Run, in.Project, "", func(vfs.Project) (Nothing, error) {
		found, _, _ := s.log.Output(in.Project, in.Call, 0) // other processes share no pictures
		if in.Number < 1 || in.Number > len(found.Pictures) || !s.access.sees(found.Call) {
			return Nothing{}, &Error{Code: "not_found", Field: "number", Message: "the call has no such picture"}
		}
		p := found.Pictures[in.Number-1]
		if !images[p.MIME] {
			p.MIME = "application/octet-stream"
		}
		name := fmt.Sprint("picture-", in.Number)
		return Nothing{}, send(Content{bytes.NewReader(p.Data), name, p.MIME, int64(len(p.Data))})
	})
	return err
}

type MakeCallRequest struct {
	Project string         `json:"project"`
	Tool    string         `json:"tool"`
	Input   Object         `json:"input"`
	Options map[string]any `json:"options,omitempty" jsonschema:"options of the tool for this call"`
	Seconds float64        `json:"seconds,omitempty" jsonschema:"how long it may take; the default is the tool's"`
}

type MadeCall struct {
	Call string `json:"call"`
}

// made are the calls that were made by the API, and still run.
type made struct {
	mu     sync.Mutex
	closed bool
	by     map[any]int // by the holder of an access
}

// maxRuns is how many calls somebody can have the page make at once.
const maxRuns = 16

func newMade() *made {
	return &made{by: map[any]int{}}
}

func (a *made) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// runAsPerson lets a call do what a person may who makes it.
func (s *Service) runAsPerson(tool string, options map[string]any, env *registry.Env) {
	if s.access.Select == nil { // what a person runs may run
		enable := map[string]bool{}
		maps.Copy(enable, env.Selection.Enable)
		enable[tool] = true
		env.Selection.Enable = enable
	}
	for id, value := range options {
		if value != nil {
			env.Selection = env.Selection.WithOption(tool, id, value)
		}
	}
	env.Approve = func(_ context.Context, asked registry.ApprovalRequest) (registry.Decision, error) {
		// Who makes a call approves of it, but not of the calls that its code makes.
		return registry.Decision{Approved: len(asked.Callers) == 0, Later: len(asked.Callers) > 0, By: s.access.Name},
			nil
	}
}

// limits are those of somebody's calls.
func (s *Service) limits() registry.Limits {
	if s.access.Limits != (registry.Limits{}) {
		return s.access.Limits
	}
	return s.options.Limits
}

// MakeCall calls a tool. What a person calls need not be switched on for models. It returns when the call has begun.
func (s *Service) MakeCall(ctx context.Context, in MakeCallRequest) (MadeCall, error) {
	if err := s.may(Run, in.Project); err != nil {
		return MadeCall{}, err
	}
	spec, ok := s.runner.Registry().Spec(in.Tool)
	if !ok {
		return MadeCall{}, Bad("tool", "no tool named %s", in.Tool)
	}
	if in.Seconds < 0 || in.Seconds > 3600 {
		return MadeCall{}, Bad("seconds", "a call may take from 0 to 3600 seconds")
	}
	options := map[string]any{}
	for id, value := range in.Options {
		var parsed any
		name, err := in.Tool+"."+id, error(nil)
		switch value.(type) {
		case nil:
			_, _, err = FindOption(s.runner.Registry(), name, "")
		case string, bool, json.Number:
			_, id, parsed, err = ParseOption(s.runner.Registry(), fmt.Sprintf("%s=%v", name, value), "")
		default:
			err = errors.New("this is neither a text nor a number nor true or false")
		}
		if err != nil {
			return MadeCall{}, Bad(strings.TrimPrefix(name, in.Tool+"."), "%v", err)
		}
		options[id] = parsed
	}
	input := json.RawMessage(in.Input)
	if input == nil {
		input = json.RawMessage("null")
	}
	session, err := s.session(ctx, Run, in.Project)
	if err != nil {
		return MadeCall{}, err
	}
	env, err := s.env(ctx, session)
	if err == nil {
		err = s.mayChoose(spec, env.Selection, options)
	}
	if err != nil {
		return MadeCall{}, errors.Join(err, session.Close())
	}
	want := time.Duration(in.Seconds * float64(time.Second))
	if s.access.Session != nil {
		shorten(&env.Limits, spec, want)
	} else if env.Limits = s.limits(); want > 0 && (env.Limits.Timeout <= 0 || want < env.Limits.Timeout) {
		env.Limits.Timeout = want
	}
	if s.access.role() != Model {
		s.runAsPerson(in.Tool, options, &env)
	}
	call := tool.Call{ID: newCallID("page-" + in.Tool), Tool: in.Tool, Input: input}
	holder := s.access.Holder()
	running, cancel := s.background(ctx)
	s.making.mu.Lock()
	if s.making.closed || s.making.by[holder] >= maxRuns {
		closed := s.making.closed
		s.making.mu.Unlock()
		cancel(nil)
		err := error(&Error{Code: "busy", Own: true,
			Message: fmt.Sprintf("%d calls run already: wait for one, or stop one", maxRuns)})
		if closed {
			err = context.Canceled
		}
		return MadeCall{}, errors.Join(err, session.Close())
	}
	s.making.by[holder]++
	s.working.Add(1)
	s.making.mu.Unlock()
	tools := s.runner.Registry()
	if s.ownLog {
		tools = tools.Using(s.log.Middleware)
	}
	var decided atomic.Bool // that it begins, or that it does not
	began := make(chan error, 1)
	go func() {
		defer s.working.Done()
		err := s.atPlace(running, func(ctx context.Context) {
			if decided.CompareAndSwap(false, true) {
				ctx = s.log.Begin(ctx, call, env)
				began <- nil
				tools.Dispatch(ctx, call, env)
			}
		})
		switch {
		case err == errNoPlace:
			began <- err
		case err != nil:
			began <- errors.Join(context.Canceled, err) // the server ends
		}
		_ = session.Close() // nothing is left to be written
		s.making.mu.Lock()
		if s.making.by[holder]--; s.making.by[holder] == 0 {
			delete(s.making.by, holder)
		}
		s.making.mu.Unlock()
		cancel(nil)
		s.changed(in.Project)
	}()
	select {
	case err = <-began:
		return MadeCall{call.ID}, err
	case <-ctx.Done():
	}
	if decided.CompareAndSwap(false, true) {
		cancel(context.Canceled)
		return MadeCall{}, context.Canceled
	}
	return MadeCall{call.ID}, <-began
}

// StopCall stops a call, or asks the process that runs it to stop it. A model is told that a person has stopped it.
func (s *Service) StopCall(ctx context.Context, in CallRequest) (Nothing, error) {
	if err := s.mayIn(ctx, Run, in.Project); err != nil {
		return Nothing{}, err
	}
	found, err := s.log.Stop(ctx, s.calls(in.Project), in.Call, s.access.sees)
	if err == nil && !found {
		err = &Error{Code: "not_found", Field: "call", Message: "no such call runs"}
	}
	return Nothing{}, err
}

type OutputRequest struct {
	Project string `json:"project"`
	Call    string `json:"call"`
	After   int    `json:"after,omitempty" jsonschema:"how many lines the client has"`
}

type OutputEvent struct {
	Lines   []Line `json:"lines"`
	Dropped int64  `json:"dropped,omitempty"`
}

// outputPause is how often output is sent at most: a browser that is told of each line would do nothing else.
const outputPause = 50 * time.Millisecond

// FollowCall tells what a call prints, as it prints it: events output, and one named done with the call.
func (s *Service) FollowCall(ctx context.Context, in OutputRequest, begin func() (Follower, error)) error {
	if err := s.mayIn(ctx, Run, in.Project); err != nil {
		return err
	}
	if d, _, known := s.log.Output(in.Project, in.Call, 0); !known || !s.access.sees(d.Call) {
		return &Error{Code: "not_found", Field: "call", Message: "nothing is known of this call"}
	}
	follower, err := begin()
	if err != nil {
		return err
	}
	after, dropped := max(0, in.After), int64(0)
	for {
		news := s.log.Next()
		d, live, ok := s.log.Output(in.Project, in.Call, after)
		if !ok {
			return nil
		}
		if len(d.Console) > 0 || d.Dropped != dropped {
			after, dropped = after+len(d.Console), d.Dropped
			event := OutputEvent{append([]Line{}, d.Console...), dropped}
			if follower.Send("output", fmt.Sprint(after), event) != nil {
				return nil
			}
		}
		if !live {
			_ = follower.Send("done", "", MadeCall{in.Call})
			return nil
		}
		if !follower.Wait(outputPause, news, nil) {
			return nil
		}
	}
}

// FollowProject sends events named changed when files or settings of a project may have changed, and calls when its
// calls have.
func (s *Service) FollowProject(ctx context.Context, in InProject, begin func() (Follower, error)) error {
	if err := s.may(Run, in.Project); err != nil {
		return err
	}
	session, err := s.session(ctx, Run, in.Project)
	if err != nil {
		return err
	}
	defer session.Close()
	follower, err := begin()
	if err != nil {
		return err
	}
	watch, leave := s.watches.join(s.store(), in.Project, session)
	defer leave()
	seen, calls := watch.state(), s.log.State(in.Project) // before the follower looks: what comes after that is news
	_ = follower.Send("ready", "", Nothing{})
	for {
		news, changed := s.log.Next(), watch.next()
		if now := watch.state(); now != seen && s.access.Has(Read) {
			seen = now
			if follower.Send("changed", "", Nothing{}) != nil {
				return nil
			}
		}
		if now := s.log.State(in.Project); now != calls {
			calls = now
			if follower.Send("calls", "", Nothing{}) != nil {
				return nil
			}
		}
		if !follower.Wait(200*time.Millisecond, news, changed) {
			return nil
		}
	}
}

// env returns what a call of somebody gets.
func (s *Service) env(ctx context.Context, session *toolrun.Session) (registry.Env, error) {
	env, err := session.Env(ctx)
	if s.access.role() == Model {
		env.Selection.Mode = tool.ModeMCP
	}
	return env, err
}

// shorten gives a call of a model less time than it has.
func shorten(limits *registry.Limits, spec tool.Spec, want time.Duration) {
	most := cmp.Or(limits.Timeout,
		tool.ModeMCP.Timeout(cmp.Or(spec.Timeout, tool.DefaultTimeout)))
	if want > 0 && (most == tool.NoTimeout || want < most) {
		limits.Timeout = want
	}
}

// choosesOptions reports whether somebody may give the options of a call any value.
func (s *Service) choosesOptions() bool { return s.access.Select == nil && s.access.role() != Model }

// mayChoose returns an error if somebody, whose options others choose, wants another value of one.
func (s *Service) mayChoose(spec tool.Spec, selection registry.Selection, options map[string]any) error {
	if s.choosesOptions() {
		return nil
	}
	chosen, err := s.runner.Registry().Options(spec.Name, selection)
	if err != nil {
		return Bad("", "%v", err)
	}
	for id, value := range options {
		if value != nil && fmt.Sprint(value) != fmt.Sprint(chosen.Map()[id]) {
			return &Error{Code: "forbidden", Field: id,
				Message: fmt.Sprintf("the token decides on the options of its tools: leave %s out", id)}
		}
	}
	return nil
}

// placeTime is how long a call waits for a place, if somebody has only so many.
const placeTime = 10 * time.Second

// atPlace calls do when somebody has a place for another call.
func (s *Service) atPlace(ctx context.Context, do func(ctx context.Context)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(placeTime, func() { cancel(errNoPlace) })
	defer late.Stop()
	err := s.access.call(ctx, func(ctx context.Context) {
		if late.Stop() {
			do(ctx)
		}
	})
	if context.Cause(ctx) == errNoPlace {
		return errNoPlace
	}
	return err
}

// errNoPlace is the error of a call for which there has been no place.
var errNoPlace error = &Error{Code: "busy", Own: true,
	Message: "as many calls run as the token may make at once: wait for one, or stop one"}

// An Object is an object of JSON as it was sent.
type Object []byte
