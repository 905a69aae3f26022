package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// keeper keeps calls of a project that wait.
func (d *Desk) keeper(project string) *waiting.Keeper {
	return d.waiting.In(d.scope(project))
}

// scope is where the calls of a project wait, as sessions have it.
func (d *Desk) scope(project string) string { return scopeOf(project, d.options.Dir) }

// calls says where the calls of a project are.
func (d *Desk) calls(project string) calls.Where {
	return calls.Where{Project: project, Scope: d.scope(project)}
}

func scopeOf(project, dir string) string {
	if dir != "" {
		return waiting.DirectoryScope(dir)
	}
	return waiting.ProjectScope(project)
}

// Keeper keeps calls that wait on a project or, if dir is not "", on a directory of the host, whose path is absolute.
func Keeper(store vfs.RecordStore, project, dir string) *waiting.Keeper {
	all, err := waiting.New(store, nil)
	if err != nil { // no options can be wrong
		panic(err)
	}
	return all.In(scopeOf(project, dir))
}

// waits are the calls that wait in a project or, without one, in all that somebody may use.
func (s *Service) waits(project string) (interface {
	All(ctx context.Context) iter.Seq2[*waiting.Entry, error]
	Get(ctx context.Context, token string) (*waiting.Entry, error)
}, error) {
	if project = cmp.Or(project, s.Project()); project == "" {
		return s.waiting, s.allowed(Decide | Operate) // directories of the host included
	}
	return s.keeper(project), s.may(Decide, project)
}

// A Waiting is a call that waits, as it is kept.
type Waiting = waiting.Entry

// WaitsOn returns the project or the directory of the host on which a call waits.
func WaitsOn(w *Waiting) (project, dir string) {
	if dir, ok := strings.CutPrefix(w.Scope, waiting.DirectoryScope("")); ok {
		return "", dir
	}
	return strings.TrimPrefix(w.Scope, waiting.ProjectScope("")), ""
}

// ListWaiting returns the calls that wait in a project or, without one, in all that somebody may use, as they are kept.
// Those that are damaged are left out: the error is about them.
func (s *Service) ListWaiting(ctx context.Context, in InProject) ([]*Waiting, error) {
	all := []*Waiting{}
	waits, err := s.waits(in.Project)
	if err != nil {
		return all, err
	}
	var damaged []error
	for run, err := range waits.All(ctx) {
		if err == nil {
			all = append(all, run)
		} else if damaged = append(damaged, err); !errors.Is(err, waiting.ErrForged) {
			break
		}
	}
	return all, errors.Join(damaged...)
}

type WaitingRequest struct {
	Project string `json:"project,omitempty" jsonschema:"empty means all"`
	Token   string `json:"token"`
}

// ShowWaiting returns a call that waits in a project or, without one, in any that somebody may use, as it is kept.
func (s *Service) ShowWaiting(ctx context.Context, in WaitingRequest) (*Waiting, error) {
	waits, err := s.waits(in.Project)
	if err != nil {
		return nil, err
	}
	run, err := waits.Get(ctx, in.Token)
	if err == waiting.ErrNone { // and not one that says what was decided
		err = &Error{Code: "not_found", Field: "token", Message: "no call waits with this token"}
	}
	return run, err
}

type WaitingCall struct {
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Input   string `json:"input" jsonschema:"the input as JSON"`
	Rule    string `json:"rule,omitempty" jsonschema:"the rule that wants an approval"`
	Problem string `json:"problem,omitempty" jsonschema:"why a decision could not be used"`
}

type ApprovalInfo struct {
	Token  string         `json:"token"`
	Call   string         `json:"call" jsonschema:"the call of the model"`
	Tool   string         `json:"tool"`
	Input  string         `json:"input" jsonschema:"its input, such as the code that makes the calls that wait"`
	Client string         `json:"client,omitempty"`
	Since  time.Time      `json:"since"`
	Until  time.Time      `json:"until" jsonschema:"how long it is kept"`
	Code   bool           `json:"code" jsonschema:"code makes the calls that wait"`
	State  registry.State `json:"state" jsonschema:"running if it goes on now, otherwise waiting"`
	Waits  []WaitingCall  `json:"waits" jsonschema:"the calls that need a decision"`
	// Changes are what others have changed since it waits.
	Changes []ChangeInfo `json:"changes"`
	// Own is what the code that waits has changed so far, the latest first.
	Own []ChangeInfo `json:"own"`
}

type ApprovalsAnswer struct {
	Approvals []ApprovalInfo `json:"approvals"`
	Problem   string         `json:"problem,omitempty" jsonschema:"one of them is damaged"`
	More      bool           `json:"more,omitempty" jsonschema:"more wait, too large to show: decide on these first"`
}

const (
	maxShown  = 100     // changes with each call that waits
	maxInputs = 2 << 20 // bytes of inputs, but for those of the first call
)

// ListApprovals lists the calls that wait until a person approves or refuses them.
func (s *Service) ListApprovals(ctx context.Context, in InProject) (ApprovalsAnswer, error) {
	return within(ctx, s, Decide, in.Project, "", func(p vfs.Project) (ApprovalsAnswer, error) {
		out := ApprovalsAnswer{Approvals: []ApprovalInfo{}}
		keeper := s.keeper(in.Project)
		inputs := 0
		for run, err := range keeper.All(ctx) {
			if err != nil {
				if ctx.Err() != nil {
					return out, err
				}
				out.Problem = "one of the calls that wait is damaged, and left out"
				continue
			}
			waits := run.Waiting()
			if len(waits) == 0 && run.State == registry.Waiting {
				continue
			}
			inputs += len(run.Call.Input)
			for _, c := range waits {
				inputs += len(c.Input)
			}
			if out.More = inputs > maxInputs && len(out.Approvals) > 0; out.More {
				break
			}
			info := ApprovalInfo{Token: run.Token, Call: run.Call.ID, Tool: run.Call.Tool,
				Input: string(run.Call.Input), Client: run.Client,
				Since: run.Since, Until: run.Until, Code: run.Code, State: run.State,
				Waits: []WaitingCall{}, Changes: []ChangeInfo{}, Own: []ChangeInfo{}}
			for _, c := range waits {
				info.Waits = append(info.Waits, WaitingCall{c.ID, c.Tool, string(c.Input), c.Rule, c.Problem})
			}
			reads := s.access.Has(Read)
			for _, c := range run.ChangedSince(ctx, p) {
				if reads && len(info.Changes) < maxShown {
					info.Changes = append(info.Changes, newChangeInfo(c))
				}
			}
			if reads && run.Code {
				changes, err := s.changes(ctx, in.Project, p)
				if err != nil {
					return out, err
				}
				for _, c := range slices.Backward(changes) {
					if run.Owns(c.Call) && len(info.Own) < maxShown {
						info.Own = append(info.Own, newChangeInfo(c))
					}
				}
			}
			out.Approvals = append(out.Approvals, info)
		}
		return out, nil
	})
}

type DecideRequest struct {
	Project  string `json:"project"`
	Token    string `json:"token"`
	Call     string `json:"call,omitempty" jsonschema:"which of the calls that wait"`
	Approved bool   `json:"approved"`
	// Input takes the place of the call's input.
	Input  Object `json:"input,omitempty" jsonschema:"another input for the call; the model is told"`
	Reason string `json:"reason,omitempty" jsonschema:"tells the model why it was refused"`
	Always bool   `json:"always,omitempty" jsonschema:"approve later calls of the tool by the same code, too"`
	// Calls are decided on together: if one of them cannot be, none is.
	Calls []string `json:"calls,omitempty" jsonschema:"several of the calls that wait, instead of call"`
	// Only does not go on with the call: whoever has made it does, by making it again.
	Only bool `json:"only,omitempty" jsonschema:"go on when the call is made again"`
}

// Decide approves or refuses a call. It goes on when all that it waits for is decided.
func (s *Service) Decide(ctx context.Context, in DecideRequest) (Nothing, error) {
	run, err := s.decide(ctx, in)
	if err != nil || in.Only || len(run.Waiting()) > 0 {
		return Nothing{}, err
	}
	return Nothing{}, s.goOn(ctx, in.Project, run)
}

// DecideNow does what Decide does, and waits for the call, which goes on as far as it is decided. The result is that
// which the model gets when it makes the call again.
func (s *Service) DecideNow(ctx context.Context, in DecideRequest) (tool.Result, error) {
	run, err := s.decide(ctx, in)
	if err != nil {
		return tool.Result{}, err
	}
	resume, end, err := s.resume(ctx, in.Project, run)
	if err != nil {
		return tool.Result{}, err
	}
	defer end()
	defer s.changed(in.Project)
	return resume(ctx)
}

func (s *Service) decide(ctx context.Context, in DecideRequest) (*waiting.Entry, error) {
	if err := s.mayIn(ctx, Decide, in.Project); err != nil {
		return nil, err
	}
	ids := in.Calls
	if in.Call != "" || ids == nil {
		ids = []string{in.Call}
	}
	if in.Input != nil && len(ids) != 1 {
		return nil, Bad("input", "an input is for one call")
	}
	decisions := map[string]registry.Decision{}
	for _, id := range ids {
		decisions[id] = registry.Decision{Approved: in.Approved, Reason: in.Reason, Always: in.Always,
			By: s.access.Name, Input: json.RawMessage(in.Input)}
	}
	run, err := s.keeper(in.Project).Decide(ctx, in.Token, decisions)
	undecidable, isUndecidable := errors.AsType[*waiting.UndecidableError](err)
	switch {
	case errors.Is(err, waiting.ErrNone):
		return nil, errNotWaiting
	case isUndecidable:
		return nil, &Error{Code: "decided", Message: undecidable.Error()}
	case err != nil:
		return nil, err
	}
	s.changed(in.Project)
	return run, nil
}

var errNotWaiting = &Error{Code: "not_found", Message: "this call does not wait any more"}

// resume returns what goes on with a call for the model, which gets the result when it makes the call again, and what
// is to be called then. The call is made as by whoever made it, within their limits, if it is known who that is.
func (s *Service) resume(ctx context.Context, project string,
	run *waiting.Entry) (goOn func(context.Context) (tool.Result, error), end func() error, err error) {
	if s.options.Client != nil {
		if access := s.options.Client(run.Client); access != nil && s.Desk.Open(access).MayUse(project) == nil {
			s = s.Desk.Open(access)
		}
	}
	session, err := s.session(ctx, Run, project)
	if err != nil {
		return nil, nil, err
	}
	env, err := session.Env(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, session.Close())
	}
	env.Selection = run.Choice.In(env.Selection)
	if s.access.Session == nil {
		env.Limits = s.limits()
	}
	return func(ctx context.Context) (result tool.Result, err error) {
		late := s.access.call(ctx, func(ctx context.Context) {
			result, err = s.waiting.In(run.Scope).ResumeFor(ctx, s.runner.Registry(), env, run.Token, nil)
		})
		return result, cmp.Or(late, err)
	}, session.Close, nil
}

// goOn goes on with a call that nobody waits for. Somebody else may do so first.
func (s *Service) goOn(ctx context.Context, project string, run *waiting.Entry) error {
	resume, end, err := s.resume(ctx, project, run)
	if err != nil {
		return err
	}
	ctx, cancel := s.background(ctx)
	s.making.mu.Lock()
	if s.making.closed {
		s.making.mu.Unlock()
		cancel(nil)
		return errors.Join(context.Canceled, end())
	}
	s.working.Add(1)
	s.making.mu.Unlock()
	go func() {
		defer s.working.Done()
		defer cancel(nil)
		_, err := resume(ctx)
		if err != nil && !errors.Is(err, waiting.ErrBusy) && !errors.Is(err, waiting.ErrNone) {
			s.options.Logger.Warn("a call that was approved does not go on", "project",
				project, "call", run.Call.ID, "error", err)
		}
		_ = end() // nothing is left to be written
		s.changed(project)
	}()
	return nil
}
