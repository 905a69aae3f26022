package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/calls"
	"github.com/toolrun/toolrun/vfs"
)

func callRoutes() []route {
	return []route{
		operation("GET", "/api/calls", "Calls of a project, the latest first: those of this process, "+
			"and those of others that they share or that changed files.", listCalls).costing(costCalls),
		operation("POST", "/api/calls", "Call a tool, as a person: it need not be switched on for models.",
			makeCall).taking(largeBody),
		operation("GET", "/api/calls/one", "All that is known of a call.", showCall).costing(costCalls),
		operation("POST", "/api/calls/stop",
			"Stop a call that runs in this process. A model is told that a person has stopped it.", stopCall),
		stream("/api/calls/output", "text/event-stream",
			"What a call prints, as it prints it: events output, and one named done with the call.", followCall),
		stream("/api/events", "text/event-stream", "Events named changed when "+
			"files or settings of a project may have changed, and calls when its calls have.", followProject),
	}
}

type callsRequest struct {
	Project string `json:"project"`
	Offset  int    `json:"offset,omitempty"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many at most; the default is 100"`
}

type callsAnswer struct {
	Calls []callInfo `json:"calls"`
	More  bool       `json:"more"`
}

func listCalls(s *Server, r *request, in callsRequest) (callsAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (callsAnswer, error) {
		out := callsAnswer{Calls: []callInfo{}}
		h := s.recents.of(s.store(r), in.Project)
		h.mu.Lock()
		defer h.mu.Unlock()
		if err := h.update(r.Context(), p); err != nil {
			return out, err
		}
		limit, leaveOut := page(in.Limit, 100, 1000), max(0, in.Offset)
		add := func(c callInfo) bool {
			switch {
			case !r.access.sees(c):
				return true
			case leaveOut > 0:
				leaveOut--
			case len(out.Calls) == limit:
				out.More = true
			default:
				out.Calls = append(out.Calls, c)
			}
			return !out.More
		}
		shared, err := s.elsewhere(r, in.Project)
		s.log.merge(in.Project, h, shared, add)
		return out, err
	})
}

// elsewhere returns the calls of a project that other processes share, the latest first.
func (s *Server) elsewhere(r *request, project string) ([]calls.Call, error) {
	log := s.runner.Calls()
	if log == nil {
		return nil, nil
	}
	all, err := log.Latest(r.Context(), s.scope(project))
	return slices.DeleteFunc(all, func(c calls.Call) bool { return c.Process == log.Process() }), err
}

type callRequest struct {
	Project string `json:"project"`
	Call    string `json:"call"`
}

// maxFiles is how many changes a call is shown with.
const maxFiles = 1000

func showCall(s *Server, r *request, in callRequest) (callDetail, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (callDetail, error) {
		d, known := s.log.find(in.Project, in.Call)
		if !known {
			d = callDetail{callInfo: callInfo{Call: in.Call, Project: in.Project}, Console: []line{}}
			shared, err := s.elsewhere(r, in.Project)
			if err != nil {
				return d, err
			}
			if i := slices.IndexFunc(shared, func(c calls.Call) bool { return c.ID == in.Call }); i >= 0 {
				known = true
				d.callInfo, d.Input, d.Result = infoOf(&shared[i], in.Project), shared[i].Input, shared[i].Result
				d.Known, d.Elsewhere = true, true
			}
		}
		none := &failure{
			status: http.StatusNotFound, Code: "not_found", Field: "call", Message: "nothing is known of this call",
		}
		d.Files = []changeInfo{}
		if !r.access.sees(d.callInfo) {
			return callDetail{}, none
		}
		if !r.access.has(readingClients) {
			return d, nil
		}
		changes, err := s.changes(r, in.Project, p)
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

type makeCallRequest struct {
	Project string         `json:"project"`
	Tool    string         `json:"tool"`
	Input   jsonObject     `json:"input"`
	Options map[string]any `json:"options,omitempty" jsonschema:"options of the tool for this call"`
	Seconds float64        `json:"seconds,omitempty" jsonschema:"how long it may take; the default is the tool's"`
}

type madeCall struct {
	Call string `json:"call"`
}

// made are the calls that were made by the API, and still run.
type made struct {
	mu     sync.Mutex
	closed bool
	by     map[*Access]int
}

// maxRuns is how many calls somebody can have the page make at once.
const maxRuns = 16

func newMade() *made {
	return &made{by: map[*Access]int{}}
}

func (a *made) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// runAsPerson lets a call do what a person may who makes it.
func (s *Server) runAsPerson(r *request, tool string, options map[string]any, want time.Duration, env *registry.Env) {
	if r.access.Select == nil { // what a person runs may run
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
		return registry.Decision{Approved: len(asked.Callers) == 0, Later: len(asked.Callers) > 0, By: r.access.Name},
			nil
	}
	env.Limits = s.options.Limits
	if r.access.Limits != (registry.Limits{}) {
		env.Limits = r.access.Limits
	}
	if want > 0 && (r.access.Limits.Timeout == 0 || want < r.access.Limits.Timeout) {
		env.Limits.Timeout = want
	}
}

func makeCall(s *Server, r *request, in makeCallRequest) (madeCall, error) {
	spec, ok := s.runner.Registry().Spec(in.Tool)
	if !ok {
		return madeCall{}, bad("tool", "no tool named %s", in.Tool)
	}
	if in.Seconds < 0 || in.Seconds > 3600 {
		return madeCall{}, bad("seconds", "a call may take from 0 to 3600 seconds")
	}
	options := map[string]any{}
	for id, value := range in.Options {
		parsed, err := parseValue(spec, id, value)
		if err != nil {
			return madeCall{}, err
		}
		options[id] = parsed
	}
	input := json.RawMessage(in.Input)
	if input == nil {
		input = json.RawMessage("null")
	}
	r.place.Keep(int64(len(input))) // it may wait for a place among the calls
	session, err := s.session(r, in.Project)
	if err != nil {
		return madeCall{}, err
	}
	env, err := s.env(r, session)
	if err == nil {
		err = s.mayChoose(r, spec, env.Selection, options)
	}
	if err != nil {
		return madeCall{}, errors.Join(err, session.Close())
	}
	want := time.Duration(in.Seconds * float64(time.Second))
	if r.access.Client != nil {
		shorten(&env.Limits, spec, want)
	} else {
		s.runAsPerson(r, in.Tool, options, want, &env)
	}
	call := registry.Call{ID: "page-" + in.Tool + "-" + strings.ToLower(rand.Text()[:8]), Tool: in.Tool, Input: input}
	ctx, cancel := s.background(r)
	s.runs.mu.Lock()
	if s.runs.closed || s.runs.by[r.access] >= maxRuns {
		closed := s.runs.closed
		s.runs.mu.Unlock()
		cancel(nil)
		err := error(&failure{
			status:  http.StatusTooManyRequests,
			Code:    "busy",
			Message: fmt.Sprintf("%d calls run already: wait for one, or stop one", maxRuns),
		})
		if closed {
			err = context.Canceled
		}
		return madeCall{}, errors.Join(err, session.Close())
	}
	s.runs.by[r.access]++
	s.working.Add(1)
	s.runs.mu.Unlock()
	store := s.store(r)
	dispatch := s.runner.Registry().Dispatch
	if s.ownLog { // otherwise it is among the runner's middleware
		dispatch = s.log.Middleware(dispatch)
	}
	var decided atomic.Bool // that it begins, or that it does not
	began := make(chan error, 1)
	go func() {
		defer s.working.Done()
		err := r.access.call(ctx, func(ctx context.Context) {
			if decided.CompareAndSwap(false, true) {
				ctx, begun := s.log.begin(ctx, call, env)
				ctx = context.WithValue(ctx, begunKey{}, begun)
				began <- nil
				dispatch(ctx, call, env)
			}
		})
		if err != nil {
			began <- errors.Join(context.Canceled, err) // the server ends
		}
		_ = session.Close() // nothing is left to be written
		s.runs.mu.Lock()
		if s.runs.by[r.access]--; s.runs.by[r.access] == 0 {
			delete(s.runs.by, r.access)
		}
		s.runs.mu.Unlock()
		cancel(nil)
		s.watches.changed(store, in.Project)
	}()
	late := time.NewTimer(placeTime)
	defer late.Stop()
	select {
	case err = <-began:
		return madeCall{call.ID}, err
	case <-r.Context().Done():
		err = context.Canceled
	case <-late.C:
		err = &failure{status: http.StatusTooManyRequests, Code: "busy",
			Message: "as many calls run as the token may make at once: wait for one, or stop one"}
	}
	if decided.CompareAndSwap(false, true) {
		cancel(err)
		return madeCall{}, err
	}
	return madeCall{call.ID}, <-began
}

// placeTime is how long a call waits for a place, if somebody has only so many.
const placeTime = 10 * time.Second

func stopCall(s *Server, r *request, in callRequest) (nothing, error) {
	if err := r.mayUse(in.Project); err != nil {
		return nothing{}, err
	}
	if !s.log.stop(in.Project, in.Call, r.access.sees) {
		return nothing{}, &failure{
			status: http.StatusNotFound, Code: "not_found", Field: "call", Message: "no such call runs here",
		}
	}
	return nothing{}, nil
}

type outputRequest struct {
	Project string `json:"project"`
	Call    string `json:"call"`
	After   int    `json:"after,omitempty" jsonschema:"how many lines the client has"`
}

type outputEvent struct {
	Lines   []line `json:"lines"`
	Dropped int64  `json:"dropped,omitempty"`
}

// outputPause is how often output is sent at most: a browser that is told of each line would do nothing else.
const outputPause = 50 * time.Millisecond

func followCall(s *Server, r *request, in outputRequest) error {
	if err := r.mayUse(in.Project); err != nil {
		return err
	}
	if c, known := s.log.find(in.Project, in.Call); !known || !r.access.sees(c.callInfo) {
		return &failure{
			status: http.StatusNotFound, Code: "not_found", Field: "call", Message: "nothing is known of this call",
		}
	}
	events, err := s.newEvents(r)
	if err != nil {
		return err
	}
	after, dropped := max(0, in.After), int64(0)
	for {
		news := s.log.next()
		more, lost, running, ok := s.log.output(in.Project, in.Call, after)
		if !ok {
			return nil
		}
		if len(more) > 0 || lost != dropped {
			after += len(more)
			dropped = lost
			if more == nil {
				more = []line{}
			}
			if events.send("output", fmt.Sprint(after), outputEvent{more, lost}) != nil {
				return nil
			}
		}
		if !running {
			_ = events.send("done", "", madeCall{in.Call})
			return nil
		}
		if !events.wait(news, outputPause) {
			return nil
		}
	}
}

func followProject(s *Server, r *request, in inProject) error {
	if err := r.mayUse(in.Project); err != nil {
		return err
	}
	session, err := s.session(r, in.Project)
	if err != nil {
		return err
	}
	defer session.Close()
	events, err := s.newEvents(r)
	if err != nil {
		return err
	}
	watch, leave := s.watches.join(s.store(r), in.Project, session)
	defer leave()
	_ = events.send("ready", "", nothing{})
	seen, calls := watch.state(), s.log.state(in.Project)
	for {
		news, changed := s.log.next(), watch.next()
		if now := watch.state(); now != seen && r.access.has(readingClients) {
			seen = now
			if events.send("changed", "", nothing{}) != nil {
				return nil
			}
		}
		if now := s.log.state(in.Project); now != calls {
			calls = now
			if events.send("calls", "", nothing{}) != nil {
				return nil
			}
		}
		if !events.wait2(news, changed, 200*time.Millisecond) {
			return nil
		}
	}
}
