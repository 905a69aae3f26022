package web

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
)

// routes is the table of all operations.
func (s *Server) routes() []route {
	all := []route{
		stream("/api/openapi.json", "application/json", "This description.", func(s *Server,
			r *request, _ nothing) error {
			r.w.Header().Set("Content-Type", "application/json")
			_, err := r.w.Write(s.api.describe)
			return err
		}),
		operation("GET", "/api/about", "Who asks, what they may use, and what there is.", about),
		operation("POST", "/api/login", "Get a cookie for a token.", login).forAll(),
		operation("POST", "/api/logout", "Give up the cookie.", logout),
		operation("POST", "/api/links", "Make a one-time link for another browser.", newLink),
		operation("GET", "/api/projects", "List projects by name.", listProjects).costing(costList),
		operation("POST", "/api/projects", "Make a project.", makeProject),
		operation("GET", "/api/projects/one", "What a project holds.", showProject),
		operation("POST", "/api/projects/delete",
			"Delete a project. It can be restored for a while if the store keeps it.", deleteProject),
		operation("GET", "/api/projects/deleted", "List deleted projects that can be restored.", listDeleted),
		operation("POST", "/api/projects/restore", "Restore the project of this name that was deleted last.",
			restoreProject),
		stream("/api/projects/export", "application/octet-stream", "All files of a project as an archive.",
			exportProject).forLong().costing(costExport),
	}
	return slices.Concat(all, fileRoutes(), historyRoutes(), toolRoutes(), callRoutes(),
		approvalRoutes(), checkpointRoutes(), sessionRoutes(), networkRoutes())
}

// inProject is a parameter of most operations.
type inProject struct {
	Project string `json:"project" jsonschema:"the name of the project"`
}

type aboutAnswer struct {
	Name    string `json:"name"`
	Project string `json:"project,omitempty" jsonschema:"the only project that may be used; empty means all"`
	Version string `json:"version"`
	CSRF    string `json:"csrf,omitempty" jsonschema:"for the header X-Toolrun-CSRF"`
	Model   bool   `json:"model,omitempty" jsonschema:"a model's, for its tools, its own calls, and reading files"`
}

func about(s *Server, r *request, _ nothing) (aboutAnswer, error) {
	a := aboutAnswer{
		Name: r.access.Name, Project: r.access.Project, Version: s.options.Version, Model: r.access.Client != nil,
	}
	if r.visit != nil {
		a.CSRF = r.visit.csrf
	}
	return a, nil
}

type loginRequest struct {
	Token string `json:"token"`
}

func login(s *Server, r *request, in loginRequest) (nothing, error) {
	if !s.login(r.w, r.Request, in.Token) {
		return nothing{}, &failure{
			status: http.StatusUnauthorized, Code: "unauthorized", Field: "token", Message: "unknown token",
		}
	}
	return nothing{}, nil
}

func logout(s *Server, r *request, _ nothing) (nothing, error) {
	if r.visit != nil {
		s.doors.leave(r.cookie)
		s.setCookie(r.w, r.Request, "")
	}
	return nothing{}, nil
}

type linkAnswer struct {
	Path string `json:"path" jsonschema:"the link without the server"`
}

func newLink(s *Server, r *request, _ nothing) (linkAnswer, error) {
	if r.access != s.owner {
		return linkAnswer{}, &failure{
			status: http.StatusForbidden, Code: "forbidden", Message: "links are for those who came by one",
		}
	}
	return linkAnswer{s.Link("")}, nil
}

// store is the store of what somebody may use.
func (s *Server) store(r *request) vfs.Store {
	if r.access.Store != nil {
		return r.access.Store
	}
	return s.options.Store
}

// mayUse returns an error if a project is not somebody's to use. It is that of a project that does not exist.
func (r *request) mayUse(id string) error {
	if err := vfs.CheckID(id); err != nil {
		return bad("project", "%v", err)
	}
	if only := r.access.Project; only != "" && only != id {
		return missing(id)
	}
	return nil
}

func missing(id string) error {
	return &failure{status: http.StatusNotFound, Code: "not_found", Field: "project", Message: "no project named " + id}
}

// open opens a project that exists. The caller closes it.
func (s *Server) open(r *request, id string) (vfs.Project, error) {
	if err := r.mayUse(id); err != nil {
		return nil, err
	}
	p, err := s.store(r).OpenExisting(r.Context(), id)
	if errors.Is(err, fs.ErrNotExist) {
		if r.access.Project == id { // whose tokens make it
			return s.store(r).Open(r.Context(), id)
		}
		return nil, missing(id)
	}
	return p, err
}

// session opens a project as calls see it, with what it mounts. The caller closes it.
func (s *Server) session(r *request, id string) (*toolrun.Session, error) {
	access := r.access
	if access.Client != nil {
		if err := r.mayUse(id); err != nil {
			return nil, err
		}
		return access.Client.Session(r.Context())
	}
	options := &toolrun.SessionOptions{
		Client: client(access), Waiting: s.keeper(id), OpenMount: s.store(r).OpenExisting,
		Watched: s.store(r), Logger: s.options.Logger,
		SealKey: s.sealKey,
		Select: func(sel registry.Selection) registry.Selection {
			if s.options.Select != nil {
				sel = s.options.Select(sel)
			}
			if access.Select != nil {
				sel = access.Select(sel)
			}
			return sel
		},
	}
	if s.options.Dir != "" {
		if err := r.mayUse(id); err != nil {
			return nil, err
		}
		return s.dirSession(options)
	}
	p, err := s.open(r, id)
	if err != nil {
		return nil, err
	}
	return s.runner.ProjectSession(id, p, options)
}

// sealKey is the secret of the store, so that sessions go on elsewhere and in the next process.
func (s *Server) sealKey(ctx context.Context) ([]byte, error) {
	return vfs.SealKey(ctx, s.options.Store)
}

// client is who makes calls, for people.
func client(access *Access) string {
	if access.Name == "page" {
		return "page"
	}
	return "page (" + access.Name + ")"
}

// within calls do with the project's files, mounted ones included, as a call of its own, so that what a person does can
// be undone as what a model does. The id begins with what is done.
func within[Out any](s *Server, r *request, id, what string, do func(p vfs.Project) (Out, error)) (out Out, err error) {
	if what != "" {
		what = newCallID(what)
	}
	err = s.asCall(r, id, what, func(p vfs.Project) error {
		out, err = do(p)
		return err
	})
	return out, err
}

// asCall does what within does, as the call of an id. It is not generic, for a copy for each answer is much code.
func (s *Server) asCall(r *request, id, callID string, do func(p vfs.Project) error) error {
	session, err := s.session(r, id)
	if err != nil {
		return err
	}
	defer session.Close()
	p, err := session.Files(r.Context())
	if err != nil {
		return err
	}
	if callID == "" {
		return do(p)
	}
	call := p.WithCall(callID)
	defer call.EndCall()
	err = do(call)
	s.watches.changed(s.store(r), id)
	return err
}

// newCallID returns the id of a call that does something for a person.
func newCallID(what string) string { return what + "-" + strings.ToLower(rand.Text()[:8]) }

type projectsRequest struct {
	After string `json:"after,omitempty" jsonschema:"list those after this name"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many at most; the default is 100"`
}

type projectInfo struct {
	Name         string     `json:"name"`
	Bytes        int64      `json:"bytes"`
	Files        int64      `json:"files"`
	HistoryBytes int64      `json:"historyBytes"`
	MaxBytes     int64      `json:"maxBytes,omitempty" jsonschema:"how many bytes it may have"`
	MaxFiles     int64      `json:"maxFiles,omitempty"`
	Changed      *time.Time `json:"changed,omitempty" jsonschema:"the last change that the history has"`
	Problem      string     `json:"problem,omitempty" jsonschema:"why it cannot be read"`
}

type projectsAnswer struct {
	Projects []projectInfo `json:"projects"`
	Next     string        `json:"next,omitempty" jsonschema:"there are more after this name"`
}

// page returns how many entries an answer has.
func page(limit, usual, most int) int {
	if limit <= 0 {
		return usual
	}
	return min(limit, most)
}

func listProjects(s *Server, r *request, in projectsRequest) (projectsAnswer, error) {
	out := projectsAnswer{Projects: []projectInfo{}}
	ids := []string{r.access.Project}
	if r.access.Project == "" {
		limit := page(in.Limit, 100, 500)
		var err error
		if ids, err = s.store(r).List(r.Context(), in.After, limit+1); err != nil {
			return out, err
		}
		if len(ids) > limit {
			ids = ids[:limit]
			out.Next = ids[limit-1]
		}
	}
	for _, id := range ids {
		info, err := s.info(r, id)
		if err != nil && explain(err).status == http.StatusNotFound {
			continue // deleted meanwhile
		}
		if err != nil {
			info = projectInfo{Name: id, Problem: explain(err).Message}
		}
		out.Projects = append(out.Projects, info)
	}
	return out, r.Context().Err()
}

func (s *Server) info(r *request, id string) (projectInfo, error) {
	p, err := s.open(r, id)
	if err != nil {
		return projectInfo{}, err
	}
	defer p.Close()
	usage, err := p.Usage(r.Context())
	if err != nil {
		return projectInfo{}, err
	}
	info := projectInfo{Name: id, Bytes: usage.Bytes, Files: usage.Files, HistoryBytes: usage.HistoryBytes}
	if usage.Quota.Bytes != vfs.Unlimited {
		info.MaxBytes = usage.Quota.Bytes
	}
	if usage.Quota.Files != vfs.Unlimited {
		info.MaxFiles = usage.Quota.Files
	}
	if changes, err := p.LatestChanges(r.Context(), 1); err == nil && len(changes) > 0 {
		info.Changed = &changes[0].Time
	}
	return info, nil
}

func showProject(s *Server, r *request, in inProject) (projectInfo, error) {
	return s.info(r, in.Project)
}

func makeProject(s *Server, r *request, in inProject) (projectInfo, error) {
	if err := r.mayUse(in.Project); err != nil {
		return projectInfo{}, err
	}
	if p, err := s.store(r).OpenExisting(r.Context(), in.Project); err == nil {
		_ = p.Close()
		return projectInfo{}, &failure{status: http.StatusConflict, Code: "exists",
			Field: "project", Message: "there is a project of this name already"}
	}
	p, err := s.store(r).Open(r.Context(), in.Project)
	if err != nil {
		f := explain(err)
		f.Field = "project"
		return projectInfo{}, f
	}
	if err := p.Close(); err != nil {
		return projectInfo{}, err
	}
	s.watches.changed(s.store(r), in.Project)
	return s.info(r, in.Project)
}

// ownsAll returns an error for those whose token lets them use one project only: it is not theirs to delete, nor is
// what is the host's theirs to see.
func (s *Server) ownsAll(r *request) error {
	if r.access.Project == "" || r.access == s.owner {
		return nil
	}
	return &failure{
		status: http.StatusForbidden, Code: "forbidden", Message: "this token is for the use of one project",
	}
}

type deleteAnswer struct {
	Restorable bool `json:"restorable"`
}

func deleteProject(s *Server, r *request, in inProject) (deleteAnswer, error) {
	if err := errors.Join(s.ownsAll(r), r.mayUse(in.Project)); err != nil {
		return deleteAnswer{}, err
	}
	store := s.store(r)
	err := store.Discard(r.Context(), in.Project)
	if errors.Is(err, fs.ErrNotExist) {
		err = missing(in.Project)
	}
	if log := s.runner.Calls(); log != nil && err == nil {
		err = log.Forget(r.Context(), s.scope(in.Project))
	}
	if err == nil {
		err = s.keeper(in.Project).Forget(r.Context())
	}
	s.watches.changed(store, in.Project)
	if err != nil {
		return deleteAnswer{}, err
	}
	kept, err := store.Discarded(r.Context()) // a store without history keeps nothing
	return deleteAnswer{slices.ContainsFunc(kept, func(d vfs.Discarded) bool { return d.ID == in.Project })}, err
}

type deletedProject struct {
	Name    string    `json:"name"`
	Deleted time.Time `json:"deleted"`
	Until   time.Time `json:"until" jsonschema:"it can be restored until then"`
}

type deletedAnswer struct {
	Projects []deletedProject `json:"projects"`
}

func listDeleted(s *Server, r *request, _ nothing) (deletedAnswer, error) {
	out := deletedAnswer{Projects: []deletedProject{}}
	if err := s.ownsAll(r); err != nil {
		return out, err
	}
	all, err := s.store(r).Discarded(r.Context())
	for _, d := range all {
		out.Projects = append(out.Projects, deletedProject{d.ID, d.Time, d.Until})
	}
	return out, err
}

type restoreProjectRequest struct {
	Project string `json:"project"`
	As      string `json:"as,omitempty" jsonschema:"another name for it"`
}

func restoreProject(s *Server, r *request, in restoreProjectRequest) (projectInfo, error) {
	if in.As == "" {
		in.As = in.Project
	}
	if err := errors.Join(s.ownsAll(r), r.mayUse(in.Project), r.mayUse(in.As)); err != nil {
		return projectInfo{}, err
	}
	if err := s.store(r).Recover(r.Context(), in.Project, in.As); err != nil {
		return projectInfo{}, err
	}
	s.watches.changed(s.store(r), in.As)
	return s.info(r, in.As)
}

type exportRequest struct {
	Project string `json:"project"`
	Format  string `json:"format,omitempty" jsonschema:"zip, tar or tar.gz; the default is zip"`
}

func exportProject(s *Server, r *request, in exportRequest) error {
	if in.Format == "" {
		in.Format = "zip"
	}
	format, ok := archive.FormatOf("." + in.Format)
	if !ok {
		return bad("format", "the format is zip, tar or tar.gz")
	}
	p, err := s.open(r, in.Project)
	if err != nil {
		return err
	}
	defer p.Close()
	attach(r.w.Header(), "application/octet-stream", path.Base(in.Project)+"."+in.Format)
	w := &slowWriter{ResponseWriter: r.w}
	if err := archive.Export(r.Context(), p, w, format); err != nil {
		if w.began {
			panic(http.ErrAbortHandler) // so that what is broken does not look complete
		}
		r.w.Header().Del("Content-Disposition")
		return err
	}
	return nil
}

// attach sets the headers of content that a project has: a browser saves it, or shows it as an image of our own pages,
// and neither runs it nor guesses what it could be.
func attach(h http.Header, kind, name string) {
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'")
	h.Set("Content-Disposition",
		"attachment; filename*=UTF-8''"+strings.ReplaceAll(url.PathEscape(plainName(name)), "'", "%27"))
}

// plainName is a name that a file can be saved under, without characters that show it as another one.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// A slowWriter gives a client time for each part, and not for all together.
type slowWriter struct {
	http.ResponseWriter
	began bool
}

const partTime = 30 * time.Second

func (w *slowWriter) Write(data []byte) (int, error) {
	w.began = true
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(partTime))
	return w.ResponseWriter.Write(data)
}

// background is a context that outlasts a request, and ends with the server.
func (s *Server) background(r *request) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(s.ctx, func() { cancel(toolrun.ErrClosed) })
	return ctx, func(err error) {
		stop()
		cancel(err)
	}
}
