package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/vfs"
)

// keeper keeps calls of a project that wait.
func (d *Desk) keeper(project string) *waiting.Keeper {
	return d.options.Waiting.In(d.scope(project))
}

// scope is where the calls of a project wait, as sessions have it.
func (d *Desk) scope(project string) string {
	if d.options.Dir != "" {
		return waiting.DirectoryScope(d.options.Dir)
	}
	return waiting.ProjectScope(project)
}

type WaitingCall struct {
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Input   string `json:"input" jsonschema:"the input as JSON"`
	Rule    string `json:"rule,omitempty" jsonschema:"the rule that wants an approval"`
	Problem string `json:"problem,omitempty" jsonschema:"why a decision could not be used"`
}

type ApprovalInfo struct {
	Token  string        `json:"token"`
	Call   string        `json:"call" jsonschema:"the call of the model"`
	Tool   string        `json:"tool"`
	Input  string        `json:"input" jsonschema:"its input, such as the code that makes the calls that wait"`
	Client string        `json:"client,omitempty"`
	Since  time.Time     `json:"since"`
	Until  time.Time     `json:"until" jsonschema:"how long it is kept"`
	Code   bool          `json:"code" jsonschema:"code makes the calls that wait"`
	Busy   bool          `json:"busy" jsonschema:"it goes on now"`
	Waits  []WaitingCall `json:"waits" jsonschema:"the calls that need a decision"`
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
			if len(waits) == 0 && !run.Busy {
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
				Since: run.Since, Until: run.Until, Code: run.Code, Busy: run.Busy,
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
	Call     string `json:"call" jsonschema:"which of the calls that wait"`
	Approved bool   `json:"approved"`
	// Input takes the place of the call's input.
	Input  Object `json:"input,omitempty" jsonschema:"another input for the call; the model is told"`
	Reason string `json:"reason,omitempty" jsonschema:"tells the model why it was refused"`
}

// Decide approves or refuses a call. It goes on when all that it waits for is decided.
func (s *Service) Decide(ctx context.Context, in DecideRequest) (Nothing, error) {
	if err := s.may(Decide, in.Project); err != nil {
		return Nothing{}, err
	}
	none := &Error{Code: "not_found", Message: "this call does not wait any more"}
	keeper := s.keeper(in.Project)
	decision := registry.Decision{
		Approved: in.Approved, Reason: in.Reason, By: s.access.Name, Input: json.RawMessage(in.Input),
	}
	run, err := keeper.Decide(ctx, in.Token, map[string]registry.Decision{in.Call: decision})
	undecidable, isUndecidable := errors.AsType[*waiting.UndecidableError](err)
	switch {
	case errors.Is(err, waiting.ErrNone):
		return Nothing{}, none
	case isUndecidable:
		return Nothing{}, &Error{Code: "decided", Message: undecidable.Error()}
	case err != nil:
		return Nothing{}, err
	}
	s.changed(in.Project)
	if len(run.Waiting()) > 0 {
		return Nothing{}, nil
	}
	return Nothing{}, s.goOn(ctx, in.Project, run)
}

// goOn goes on with a call for the model, which gets the result when it makes the call again. Somebody else may do so
// first. The call is made as by whoever made it, within their limits, if it is known who that is.
func (s *Service) goOn(ctx context.Context, project string, run *waiting.Entry) error {
	if s.options.Client != nil {
		if access := s.options.Client(run.Client); access != nil && s.Desk.Open(access).MayUse(project) == nil {
			s = s.Desk.Open(access)
		}
	}
	session, err := s.session(ctx, Run, project)
	if err != nil {
		return err
	}
	env, err := session.Env(ctx)
	if err != nil {
		return errors.Join(err, session.Close())
	}
	env.Selection = run.Choice.In(env.Selection)
	if s.access.Session == nil {
		env.Limits = s.limits()
	}
	ctx, cancel := s.background(ctx)
	s.making.mu.Lock()
	if s.making.closed {
		s.making.mu.Unlock()
		cancel(nil)
		return errors.Join(context.Canceled, session.Close())
	}
	s.working.Add(1)
	s.making.mu.Unlock()
	go func() {
		defer s.working.Done()
		defer cancel(nil)
		var err error
		late := s.access.call(ctx, func(ctx context.Context) {
			_, err = s.options.Waiting.In(run.Scope).ResumeFor(ctx, s.runner.Registry(), env, run.Token, nil)
		})
		err = cmp.Or(late, err)
		if err != nil && !errors.Is(err, waiting.ErrBusy) && !errors.Is(err, waiting.ErrNone) {
			s.options.Logger.Warn("a call that was approved does not go on", "project",
				project, "call", run.Call.ID, "error", err)
		}
		_ = session.Close() // nothing is left to be written
		s.changed(project)
	}()
	return nil
}
