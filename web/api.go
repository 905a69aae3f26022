package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
)

// maxBody is how large the JSON of a request may be. A file that is edited is at most maxEdit, which may double in JSON.
const (
	maxBody = 4 << 20
	maxEdit = 1 << 20
)

// A request is a request to the API.
type request struct {
	*http.Request
	w http.ResponseWriter
	*person
}

// A route is an operation of the API. The table of routes is what is served, and what the description is made of.
type route struct {
	method, path, summary string
	// in has the parameters: those of the query for GET and for bodies that are bytes, else the members of the body.
	in reflect.Type
	// out is the answer, or nil if that is bytes or events, whose type is kind.
	out  reflect.Type
	kind string
	// bytes says that the body is a file and not JSON; open that no access is needed.
	bytes, open bool
	do          func(s *Server, r *request, in any) (any, error)
}

// operation makes a route whose answer is JSON.
func operation[In, Out any](method, path, summary string, do func(s *Server, r *request, in In) (Out, error)) route {
	return route{method: method, path: path, summary: summary, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		do: func(s *Server, r *request, in any) (any, error) { return do(s, r, *in.(*In)) }}
}

// stream makes a route that answers by itself. Its error is told if nothing has been written.
func stream[In any](path, kind, summary string, do func(s *Server, r *request, in In) error) route {
	return route{method: http.MethodGet, path: path, summary: summary, in: reflect.TypeFor[In](), kind: kind,
		do: func(s *Server, r *request, in any) (any, error) { return nil, do(s, r, *in.(*In)) }}
}

// upload makes a route whose body is bytes.
func upload[In, Out any](path, summary string, do func(s *Server, r *request, in In) (Out, error)) route {
	made := operation(http.MethodPost, path, summary, do)
	made.bytes = true
	return made
}

// Nothing is an answer or a request without content.
type nothing struct{}

// An api is the routes by their paths and methods.
type api struct {
	routes   []route
	byPath   map[string]map[string]*route
	describe []byte
}

func newAPI(routes []route) (*api, error) {
	a := &api{routes: routes, byPath: map[string]map[string]*route{}}
	for i := range routes {
		r := &routes[i]
		if a.byPath[r.path] == nil {
			a.byPath[r.path] = map[string]*route{}
		}
		a.byPath[r.path][r.method] = r
	}
	var err error
	a.describe, err = describe(routes)
	return a, err
}

// name is the route's in tables: its method and its path.
func (route *route) name() string { return route.method + " " + route.path }

// A failure is an error of the API.
type failure struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
	// Field is the parameter that is wrong, if it is one.
	Field string `json:"field,omitempty"`
	// Reasons are why a call cannot be undone.
	Reasons []string `json:"reasons,omitempty"`
	// Version and Diff are the present version of a file that has been changed meanwhile, and how it differs from what
	// was sent.
	Version string `json:"version,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

func (f *failure) Error() string { return f.Message }

func bad(field, format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, Code: "invalid", Field: field, Message: fmt.Sprintf(format, args...)}
}

// failed is the body of answers that are errors.
type failed struct {
	Error *failure `json:"error"`
}

// serve serves a request for the API.
func (a *api) serve(s *Server, w http.ResponseWriter, r *http.Request) {
	methods := a.byPath[r.URL.Path]
	route := methods[r.Method]
	if r.Method == http.MethodHead {
		route = methods[http.MethodGet]
	}
	switch {
	case methods == nil:
		answerError(s, w, r, &failure{status: http.StatusNotFound, Code: "not_found", Message: "there is no such operation: see /api/openapi.json"})
		return
	case route == nil:
		var allowed []string
		for method := range methods {
			allowed = append(allowed, method)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		answerError(s, w, r, &failure{status: http.StatusMethodNotAllowed, Code: "method", Message: "this operation has another method"})
		return
	}
	who := s.admits(r)
	if who == nil && s.options.Everybody && r.Header.Get("Authorization") == "" {
		who = &person{access: s.owner}
		if s.options.Admitted != nil {
			s.options.Admitted(r)
		}
	}
	if who == nil && !route.open {
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolrun"`)
		answerError(s, w, r, &failure{status: http.StatusUnauthorized, Code: "unauthorized", Message: "show a token, or use a link that toolrun serve prints"})
		return
	}
	if route.method != http.MethodGet && who != nil && !who.maySend(r) {
		answerError(s, w, r, &failure{status: http.StatusForbidden, Code: "csrf", Message: "the header X-Toolrun-CSRF is missing or wrong: load the page again"})
		return
	}
	if who != nil {
		if err := who.access.enters(route); err != nil {
			answerError(s, w, r, err)
			return
		}
	}
	in, err := route.read(w, r)
	if err == nil && who != nil {
		err = who.access.mayAsk(route, in)
	}
	var out any
	if err == nil {
		out, err = route.do(s, &request{r, w, who}, in)
	}
	switch {
	case err != nil:
		answerError(s, w, r, err)
	case route.out != nil:
		answer(w, http.StatusOK, out)
	}
}

// read reads the parameters.
func (route *route) read(w http.ResponseWriter, r *http.Request) (any, error) {
	in := reflect.New(route.in)
	if route.method == http.MethodGet || route.bytes {
		if route.bytes {
			if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/octet-stream" {
				return nil, &failure{status: http.StatusUnsupportedMediaType, Code: "type", Message: "send the file as application/octet-stream"}
			}
		}
		return in.Interface(), readQuery(in.Elem(), r)
	}
	// Forms of other pages cannot have this type.
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil, &failure{status: http.StatusUnsupportedMediaType, Code: "type", Message: "send application/json"}
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	err := decoder.Decode(in.Interface())
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("there is more after the object")
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &failure{status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: fmt.Sprintf("a request may have %d bytes", tooLarge.Limit)}
	}
	if err != nil {
		return nil, bad("", "malformed request: %v", err)
	}
	return in.Interface(), nil
}

// readQuery sets fields from the query, each at most once.
func readQuery(in reflect.Value, r *http.Request) error {
	query := r.URL.Query()
	for i := range in.NumField() {
		name, _, _ := strings.Cut(in.Type().Field(i).Tag.Get("json"), ",")
		values, given := query[name]
		delete(query, name)
		if !given {
			continue
		}
		if len(values) > 1 {
			return bad(name, "%s is there more than once", name)
		}
		switch field := in.Field(i); field.Kind() {
		case reflect.String:
			field.SetString(values[0])
		case reflect.Int, reflect.Int64:
			n, err := strconv.ParseInt(values[0], 10, 64)
			if err != nil {
				return bad(name, "%s is not a number", name)
			}
			field.SetInt(n)
		case reflect.Bool:
			b, err := strconv.ParseBool(values[0])
			if err != nil {
				return bad(name, "%s is neither true nor false", name)
			}
			field.SetBool(b)
		default:
			return fmt.Errorf("the type of %s cannot be in a query", name)
		}
	}
	for name := range query {
		return bad(name, "unknown parameter")
	}
	return nil
}

func answer(w http.ResponseWriter, status int, out any) {
	data, err := json.Marshal(out) // escapes <, > and &
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer cannot be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// answerError tells an error. What is the host's is logged, and its text is not told.
func answerError(s *Server, w http.ResponseWriter, r *http.Request, err error) {
	f := explain(err)
	if f.status == http.StatusInternalServerError {
		id := strings.ToLower(rand.Text()[:8])
		f.Message = "something went wrong; the log has it as " + id
		s.options.Logger.LogAttrs(r.Context(), slog.LevelError, "the page failed", slog.String("id", id),
			slog.String("path", r.URL.Path), slog.Any("error", err))
	}
	if f.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	answer(w, f.status, failed{f})
}

// explain makes a failure of an error.
func explain(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	as := func(status int, code string) *failure {
		return &failure{status: status, Code: code, Message: err.Error()}
	}
	if undo, ok := errors.AsType[*vfs.UndoError](err); ok {
		f := as(http.StatusConflict, "cannot_undo")
		f.Message, f.Reasons = "files have been changed since", undo.Reasons
		return f
	}
	if unavailable, ok := errors.AsType[*vfs.UnavailableError](err); ok {
		return &failure{status: http.StatusServiceUnavailable, Code: "unavailable", Message: unavailable.Unavailable()}
	}
	if quota, ok := errors.AsType[*vfs.QuotaError](err); ok {
		return &failure{status: http.StatusUnprocessableEntity, Code: "quota", Message: quota.Error()}
	}
	_, name := errors.AsType[*vfs.NameConflictError](err)
	pathError, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, vfs.ErrDeleted):
		return as(http.StatusNotFound, "deleted")
	case errors.Is(err, vfs.ErrNotKept):
		return &failure{status: http.StatusNotFound, Code: "not_kept", Message: "the history does not have this version any more"}
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{status: http.StatusServiceUnavailable, Code: "busy", Message: "this took too long: try again"}
	case errors.Is(err, context.Canceled), errors.Is(err, toolrun.ErrClosed):
		return &failure{status: http.StatusServiceUnavailable, Code: "canceled", Message: "this was stopped"}
	case name:
		return as(http.StatusConflict, "name")
	case !isPath && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrInvalid):
		return as(http.StatusInternalServerError, "internal")
	}
	f := as(http.StatusInternalServerError, "internal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f = as(http.StatusNotFound, "not_found")
	case errors.Is(err, fs.ErrExist):
		f = as(http.StatusConflict, "exists")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EBUSY):
		f = as(http.StatusForbidden, "forbidden")
	case errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG),
		errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENOTEMPTY):
		f = as(http.StatusBadRequest, "invalid")
	}
	if isPath && f.status != http.StatusInternalServerError { // without the operation, which is the program's word
		f.Message = pathError.Path + ": " + pathError.Err.Error()
	}
	return f
}
