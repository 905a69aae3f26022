package service

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/toolrun/toolrun/internal/sessions"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
)

type SessionInfo struct {
	Name   string         `json:"name"`
	Bytes  int64          `json:"bytes"`
	Used   time.Time      `json:"used" jsonschema:"when a call has last left variables there"`
	States []SessionState `json:"states" jsonschema:"what each tool whose code has run in it has left there"`
}

type SessionState struct {
	Tool  string    `json:"tool"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"used"`
	// ListSessions leaves these out.
	Variables []sandbox.Variable `json:"variables,omitempty" jsonschema:"with short values, sorted by name"`
	Problem   string             `json:"problem,omitempty" jsonschema:"why the variables cannot be shown"`
}

type SessionsAnswer struct {
	Sessions []SessionInfo `json:"sessions"`
}

// ListSessions lists the sessions of a project, whose variables stay from call to call.
func (s *Service) ListSessions(ctx context.Context, in InProject) (SessionsAnswer, error) {
	return within(ctx, s, Write, in.Project, "", func(p vfs.Project) (SessionsAnswer, error) {
		out := SessionsAnswer{Sessions: []SessionInfo{}}
		all, err := sessions.List(ctx, p)
		for _, one := range all {
			out.Sessions = append(out.Sessions, newSessionInfo(one))
		}
		return out, err
	})
}

func newSessionInfo(s sessions.Session) SessionInfo {
	info := SessionInfo{Name: s.Name, Bytes: s.Size(), Used: s.Used()}
	for _, state := range s.States {
		info.States = append(info.States, SessionState{Tool: state.Tool, Bytes: state.Size, Used: state.Time})
	}
	return info
}

// variablesTime is how long the code of one language may take to list its variables.
const variablesTime = 2 * time.Second

// ShowSession returns one session with its variables. The languages list them themselves, in a sandbox, so this takes
// the place of a call, but changes nothing. That one of them cannot is no error.
func (s *Service) ShowSession(ctx context.Context, in SessionRequest) (SessionInfo, error) {
	const right = Run | Read | Write
	if err := s.may(right, in.Project); err != nil {
		return SessionInfo{}, err
	}
	env := registry.Env{Files: s.access.Files}
	if s.access.Files == nil {
		session, err := s.session(ctx, right, in.Project)
		if err != nil {
			return SessionInfo{}, err
		}
		defer session.Close()
		if env, err = s.env(ctx, session); err != nil {
			return SessionInfo{}, err
		}
	}
	one, err := sessions.Get(ctx, env.Files, in.Session)
	if err != nil {
		return SessionInfo{}, sessionError(err)
	}
	key, err := s.sealKey(ctx)
	if err != nil {
		return SessionInfo{}, err
	}
	from := sessions.Project{Files: env.Files, ID: in.Project, Key: key}
	info := newSessionInfo(one)
	err = s.atPlace(ctx, func(ctx context.Context) {
		for i := range info.States {
			state, err := &info.States[i], error(nil)
			if state.Variables, err = s.variables(ctx, from, one.States[i].StateID, env.Selection); err != nil {
				state.Problem = err.Error()
			}
		}
	})
	return info, err
}

// variables has a language list the variables of one of its states.
func (s *Service) variables(ctx context.Context, from sessions.Project, id vfs.StateID,
	selection registry.Selection) ([]sandbox.Variable, error) {
	language, err := s.runner.Interpreter(ctx, id.Tool)
	if err != nil {
		return nil, err
	}
	limits := sandbox.Limits{Time: variablesTime, Memory: sandbox.MaxMemory}
	if !s.choosesOptions() {
		options, err := s.runner.Registry().Options(id.Tool, selection)
		if err != nil {
			return nil, err
		}
		limits.Memory = int64(options.Number(code.OptionMemory) * (1 << 20))
	}
	state, err := sessions.Open(ctx, from, id, language.OpenState)
	if err != nil {
		return nil, err
	}
	return language.Variables(ctx, state, limits)
}

type ForkRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
	As      string `json:"as" jsonschema:"the name of the copy"`
}

// ForkSession copies a session under another name. Neither changes the other.
func (s *Service) ForkSession(ctx context.Context, in ForkRequest) (Nothing, error) {
	if err := s.may(Write, in.Project); err != nil {
		return Nothing{}, err
	}
	if err := vfs.CheckSession(in.As); err != nil {
		return Nothing{}, Bad("as", "%v", err)
	}
	return within(ctx, s, Write, in.Project, "page-fork", func(p vfs.Project) (Nothing, error) {
		key, err := s.sealKey(ctx)
		if err != nil {
			return Nothing{}, err
		}
		keeper := sessions.Project{Files: p, ID: in.Project, Key: key}
		err = sessions.Copy(ctx, keeper, in.Session, keeper, in.As)
		if errors.Is(err, fs.ErrExist) {
			return Nothing{}, &Error{Code: "exists",
				Field: "as", Message: "there is a session of this name already"}
		}
		return Nothing{}, sessionError(err)
	})
}

type SessionRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
}

// DeleteSession deletes a session with all its variables.
func (s *Service) DeleteSession(ctx context.Context, in SessionRequest) (RemovedAnswer, error) {
	call := newCallID("page-delete")
	err := s.asCall(ctx, Write, in.Project, call, func(p vfs.Project) error {
		return sessionError(sessions.Delete(ctx, p, in.Session))
	})
	return RemovedAnswer{call}, err
}

func sessionError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Code: "not_found", Field: "session",
			Message: "there is no session of this name"}
	}
	return err
}
