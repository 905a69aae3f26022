package service

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/toolrun/toolrun/internal/sessions"
	"github.com/toolrun/toolrun/vfs"
)

type SessionInfo struct {
	Name   string         `json:"name"`
	Bytes  int64          `json:"bytes"`
	Used   time.Time      `json:"used" jsonschema:"when a call has last left variables there"`
	Tools  []string       `json:"tools" jsonschema:"whose code has run in it"`
	States []SessionState `json:"states" jsonschema:"what each tool has left there"`
}

type SessionState struct {
	Tool  string    `json:"tool"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"used"`
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
		info.Tools = append(info.Tools, state.Tool)
		info.States = append(info.States, SessionState{state.Tool, state.Size, state.Time})
	}
	return info
}

// ShowSession returns one session.
func (s *Service) ShowSession(ctx context.Context, in SessionRequest) (SessionInfo, error) {
	return within(ctx, s, Write, in.Project, "", func(p vfs.Project) (SessionInfo, error) {
		one, err := sessions.Get(ctx, p, in.Session)
		return newSessionInfo(one), sessionError(err)
	})
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
