package toolrun

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
)

// runs keeps the session's calls that wait, or is nil.
func (s *Session) runs() *waiting.Keeper {
	if s.options.Waiting != nil {
		return s.options.Waiting
	}
	if s.scope == "" {
		return nil
	}
	return s.runner.runs.In(s.scope)
}

// ErrCannotWait means that the calls of a session cannot wait: see [SessionOptions].Waiting.
var ErrCannotWait = errors.New("toolrun: calls of this session cannot wait for approval: its store keeps no records")

// Resume goes on with a call of the session's project that waits for approval ([tool.CodePending]), as far as there
// are decisions: those given, by the ids of the calls that wait; those of [waiting.Store.Decide]; and those of the
// session's Approve. The call may have been made by another session, process or machine. Calls that its code has made
// are not made again, and the time for which it waited does not count.
//
// The result is that of the call, for whoever has made it, or one that waits again. If the call has ended, it is the
// same each time, as long as it is kept. The errors are those of [waiting.Keeper.Resume], ErrCannotWait, and those of
// [Session.DispatchAll].
func (s *Session) Resume(ctx context.Context, token string,
	decisions map[string]registry.Decision) (tool.Result, error) {
	keeper := s.runs()
	if keeper == nil {
		return tool.Result{}, ErrCannotWait
	}
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	defer end()
	env, err := s.Env(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	return keeper.Resume(ctx, s.runner.Registry(), env, token, decisions)
}

// CheckAsk returns what is wrong with a rule of [registry.Selection].Ask, as [registry.Registry.CheckAsk] does for the
// tools that there are now. Servers that are configured count as sources, even while they are not connected.
func (r *Runner) CheckAsk(rule string) error {
	if source, ok := strings.CutPrefix(rule, registry.AskSource); ok {
		if slices.ContainsFunc(r.Servers(), func(s mcpclient.Status) bool { return s.Server == source }) {
			return nil
		}
	}
	return r.Registry().CheckAsk(rule)
}

// checkAsk returns what is wrong with the rules of a program for a project, and warns once of what may be wrong: the
// rules that a project has are not of one program, servers can bring tools later, and sessions with other tools can
// have the same Select.
func (r *Runner) checkAsk(project string, s *registry.Selection) error {
	for _, rule := range s.Ask {
		if err := r.CheckAsk(rule); err != nil {
			unknown, ok := errors.AsType[*registry.UnknownRuleError](err)
			if !ok || len(r.Servers()) == 0 && (unknown.Like != "" || strings.HasPrefix(rule, registry.AskSource)) {
				return fmt.Errorf("toolrun: Selection.Ask: %w", err)
			}
			r.warnOfRule(err)
		}
	}
	for _, rule := range s.Settings.Ask {
		if err := r.CheckAsk(rule); err != nil {
			r.warnOfRule(fmt.Errorf("project %s: %w", project, err))
		}
	}
	return nil
}

// maxWarned is how many warnings are kept so that they are not given again.
const maxWarned = 1000

func (r *Runner) warnOfRule(err error) {
	r.mu.Lock()
	before := r.warned[err.Error()]
	if !before {
		if r.warned == nil || len(r.warned) >= maxWarned {
			r.warned = map[string]bool{}
		}
		r.warned[err.Error()] = true
	}
	r.mu.Unlock()
	if !before {
		r.given.Warn(err)
	}
}
