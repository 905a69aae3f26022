package web

import (
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/toolrun/toolrun/tools/sessions"
	"github.com/toolrun/toolrun/vfs"
)

func sessionRoutes() []route {
	return []route{
		operation("GET", "/api/sessions", "Sessions of a project, whose variables stay from call to call.",
			listSessions),
		operation("POST", "/api/sessions/fork",
			"Copy a session under another name. Neither changes the other.", forkSession),
		operation("POST", "/api/sessions/delete", "Delete a session with all its variables.", deleteSession),
	}
}

type sessionInfo struct {
	Name  string    `json:"name"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"used" jsonschema:"when a call has last left variables there"`
	Tools []string  `json:"tools" jsonschema:"whose code has run in it"`
}

type sessionsAnswer struct {
	Sessions []sessionInfo `json:"sessions"`
}

func listSessions(s *Server, r *request, in inProject) (sessionsAnswer, error) {
	return within(s, r, in.Project, "", func(p vfs.Project) (sessionsAnswer, error) {
		out := sessionsAnswer{Sessions: []sessionInfo{}}
		all, err := sessions.List(r.Context(), p)
		for _, one := range all {
			info := sessionInfo{Name: one.Name, Bytes: one.Size(), Used: one.Used(), Tools: []string{}}
			for _, state := range one.States {
				info.Tools = append(info.Tools, state.Tool)
			}
			out.Sessions = append(out.Sessions, info)
		}
		return out, err
	})
}

type forkRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
	As      string `json:"as" jsonschema:"the name of the copy"`
}

func forkSession(s *Server, r *request, in forkRequest) (nothing, error) {
	if err := vfs.CheckSession(in.As); err != nil {
		return nothing{}, bad("as", "%v", err)
	}
	return within(s, r, in.Project, "page-fork", func(p vfs.Project) (nothing, error) {
		key, err := s.sealKey(r.Context())
		if err != nil {
			return nothing{}, err
		}
		place := sessions.Place{Files: p, Project: in.Project, Key: key}
		err = sessions.Copy(r.Context(), place, in.Session, place, in.As)
		if errors.Is(err, fs.ErrExist) {
			return nothing{}, &failure{status: http.StatusConflict, Code: "exists",
				Field: "as", Message: "there is a session of this name already"}
		}
		return nothing{}, sessionError(err)
	})
}

type sessionRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
}

func deleteSession(s *Server, r *request, in sessionRequest) (removedAnswer, error) {
	call := newCallID("page-delete")
	err := s.asCall(r, in.Project, call, func(p vfs.Project) error {
		return sessionError(sessions.Delete(r.Context(), p, in.Session))
	})
	return removedAnswer{call}, err
}

func sessionError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &failure{status: http.StatusNotFound, Code: "not_found", Field: "session",
			Message: "there is no session of this name"}
	}
	return err
}
