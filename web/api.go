package web

import (
	"bytes"
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
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/budget"
	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/vfs"
)

// How large the JSON of a request may be: of most, of one without a token, and of one that has the input of a call or a
// file that is edited, which is at most maxEdit and may double in JSON.
const (
	usualBody    = 64 << 10
	strangerBody = 4 << 10
	largeBody    = 2*maxEdit + usualBody
	maxEdit      = 1 << 20
)

// How long a request's body may take, and that of one without a token.
const (
	bodyTime     = 30 * time.Second
	strangerTime = 10 * time.Second
)

// Limits of JSON: a body may have fewValues values and one for each bytesPerValue bytes, but no more than maxValues.
const (
	maxDepth      = 200
	fewValues     = 8 << 10
	bytesPerValue = 16
	maxValues     = 64 << 10
)

// A request is a request to the API.
type request struct {
	*http.Request
	w http.ResponseWriter
	*person
	place *place
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
	// body is how many bytes of JSON a request may have.
	body int64
	// cost is how many bytes the work takes, by estimate, beside what is made of the body. costOf, if not nil, is the
	// cost of what the parameters ask for.
	cost   int64
	costOf func(in any) int64
	use    use
	do     func(s *Server, r *request, in any) (any, error)
}

// costing returns a route that takes so much memory.
func (route route) costing(bytes int64) route {
	route.cost = bytes
	return route
}

// taking returns a route whose JSON may have so many bytes.
func (route route) taking(bytes int64) route {
	route.body = bytes
	return route
}

// forAll returns a route that needs no access, and takes little.
func (route route) forAll() route {
	route.open, route.body, route.cost = true, strangerBody, strangerBody
	return route
}

// forLong returns a route that lasts as long as its client needs to send or take a file.
func (route route) forLong() route {
	route.use, route.cost = lasting, costParts
	return route
}

// operation makes a route whose answer is JSON.
func operation[In, Out any](method, path, summary string, do func(s *Server, r *request, in In) (Out, error)) route {
	return route{method: method, path: path, summary: summary, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		body: usualBody, cost: costUsual,
		do: func(s *Server, r *request, in any) (any, error) { return do(s, r, *in.(*In)) }}
}

// stream makes a route that answers by itself. Its error is told if nothing has been written.
func stream[In any](path, kind, summary string, do func(s *Server, r *request, in In) error) route {
	use := quick
	if kind == "text/event-stream" {
		use = follows
	}
	return route{method: http.MethodGet, path: path, summary: summary, in: reflect.TypeFor[In](),
		kind: kind, cost: costUsual, use: use,
		do: func(s *Server, r *request, in any) (any, error) { return nil, do(s, r, *in.(*In)) }}
}

// upload makes a route whose body is bytes.
func upload[In, Out any](path, summary string, do func(s *Server, r *request, in In) (Out, error)) route {
	made := operation(http.MethodPost, path, summary, do).forLong()
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
		answerError(s, w, r, &failure{status: http.StatusNotFound, Code: "not_found",
			Message: "there is no such operation: see /api/openapi.json"})
		return
	case route == nil:
		var allowed []string
		for method := range methods {
			allowed = append(allowed, method)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		answerError(s, w, r, &failure{
			status: http.StatusMethodNotAllowed, Code: "method", Message: "this operation has another method",
		})
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
		answerError(s, w, r, &failure{status: http.StatusUnauthorized, Code: "unauthorized",
			Message: "show a token, or use a link that toolrun serve prints"})
		return
	}
	if route.method != http.MethodGet && who != nil && !who.maySend(r) {
		answerError(s, w, r, &failure{status: http.StatusForbidden, Code: "csrf",
			Message: "the header X-Toolrun-CSRF is missing or wrong: load the page again"})
		return
	}
	if who != nil {
		if err := who.access.enters(route); err != nil {
			answerError(s, w, r, err)
			return
		}
	}
	place, err := s.enter(r, who, route)
	if err != nil {
		answerError(s, w, r, err)
		return
	}
	defer place.leave()
	in, err := route.read(w, r, place)
	if err == nil && who != nil {
		err = who.access.mayAsk(route, in)
	}
	var out any
	if err == nil {
		out, err = route.do(s, &request{r, w, who, place}, in)
	}
	switch {
	case err != nil:
		answerError(s, w, r, err)
	case route.out != nil:
		answer(w, http.StatusOK, out, place)
	}
}

// read reads the parameters. It is the only place where a body is read but for the files of uploads, and waits until
// there is memory for all that the request needs.
func (route *route) read(w http.ResponseWriter, r *http.Request, place *place) (any, error) {
	in := reflect.New(route.in)
	control := http.NewResponseController(w)
	if route.method == http.MethodGet || route.bytes {
		if route.bytes {
			if err := checkType(r, "application/octet-stream",
				"send the file as application/octet-stream"); err != nil {
				return nil, err
			}
		} else if r.ContentLength == 0 {
			_ = control.SetReadDeadline(time.Time{}) // nothing comes, and the end of this time would end the request
		}
		if err := readQuery(in.Elem(), r); err != nil {
			return nil, err
		}
		cost := route.cost
		if route.costOf != nil {
			cost = route.costOf(in.Interface())
		}
		if !place.Decode(cost) {
			return nil, errBusy
		}
		return in.Interface(), nil
	}
	// Forms of other pages cannot have this type.
	if err := checkType(r, "application/json", "send application/json"); err != nil {
		return nil, err
	}
	tooLarge := &failure{status: http.StatusRequestEntityTooLarge, Code: "too_large",
		Message: fmt.Sprintf("a request may have %d bytes", route.body)}
	if r.ContentLength > route.body {
		return nil, tooLarge
	}
	if !route.open {
		_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	}
	body, more, err := budget.ReadAll(r.Body, r.ContentLength, route.body, &place.Holding)
	switch {
	case more != nil:
		return nil, tooLarge
	case errors.Is(err, budget.ErrBusy):
		return nil, errBusy
	case err != nil:
		return nil, &failure{status: http.StatusRequestTimeout, Code: "incomplete",
			Message: "the request did not come as a whole, or not in time"}
	}
	_ = control.SetReadDeadline(time.Time{})
	limits := jsontree.Limits{Depth: maxDepth, Values: min(fewValues+len(body)/bytesPerValue, maxValues)}
	if limit, ok := errors.AsType[*jsontree.LimitError](jsontree.Check(body, limits)); ok {
		return nil, &failure{status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Message: fmt.Sprintf("the request has more than %d %s", limit.Limit, limit.What)}
	}
	if !place.Decode(route.cost + costByte*int64(len(body)) + costValue*int64(jsontree.Separators(body))) {
		return nil, errBusy
	}
	return in.Interface(), readJSON(in.Elem(), body)
}

// A jsonObject is an object of JSON as it was sent.
type jsonObject []byte

// readJSON sets fields from the members of an object, each at most once.
func readJSON(in reflect.Value, body []byte) error {
	if !json.Valid(body) || !utf8.Valid(body) {
		return bad("", "malformed request: it is not JSON in UTF-8")
	}
	fields, given := map[string]reflect.Value{}, map[string]bool{}
	for i := range in.NumField() {
		name, _, _ := strings.Cut(in.Type().Field(i).Tag.Get("json"), ",")
		fields[name] = in.Field(i)
	}
	var problem error
	isObject := jsontree.Members(body, func(key, value []byte) {
		name := string(key)
		field, known := fields[name]
		switch {
		case problem != nil:
		case !known:
			name = plaintext.Clean(name, 100)
			problem = bad(name, "unknown parameter %q", name)
		case given[name]:
			problem = bad(name, "%s is there more than once", name)
		case field.Type() == reflect.TypeFor[jsonObject]() && value[0] == '{':
			field.SetBytes(value)
		case field.Type() == reflect.TypeFor[jsonObject]() && string(value) != "null":
			problem = bad(name, "%s is an object", name)
		case field.Type() != reflect.TypeFor[jsonObject]():
			decode := json.Unmarshal
			if field.Kind() == reflect.Map {
				decode = exactly
			}
			if decode(value, field.Addr().Interface()) != nil {
				problem = bad(name, "%s has the wrong type", name)
			}
		}
		given[name] = true
	})
	if !isObject {
		return bad("", "malformed request: send an object of JSON")
	}
	return problem
}

// exactly is json.Unmarshal with numbers as they were sent. It makes a copy of the text.
func exactly(value []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// checkType returns an error if the body of a request is of another type, or is compressed.
func checkType(r *http.Request, want, problem string) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != want {
		return &failure{status: http.StatusUnsupportedMediaType, Code: "type", Message: problem}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return &failure{status: http.StatusUnsupportedMediaType, Code: "type",
			Message: "send the body as it is, without Content-Encoding"}
	}
	return nil
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

// answer sends an answer. While the client takes it, the request holds no more memory than that. The place is nil for
// errors.
func answer(w http.ResponseWriter, status int, out any, place *place) {
	if long, ok := out.(longAnswer); ok {
		place.Keep(long.size())
		w.Header().Set("Content-Type", "application/json")
		_ = long.writeJSON(&slowWriter{ResponseWriter: w}) // the client is gone
		return
	}
	send := &answerWriter{ResponseWriter: w, status: status, place: place}
	if json.NewEncoder(send).Encode(out) != nil && !send.sent { // it escapes <, > and &, and writes all at once
		send.status = http.StatusInternalServerError
		_, _ = send.Write([]byte(`{"error":{"code":"internal","message":"the answer cannot be encoded"}}`))
	}
}

// A longAnswer is sent in parts, because its JSON can be several times as large.
type longAnswer interface {
	size() int64
	writeJSON(w io.Writer) error
}

// An answerWriter sends an answer that is written at once, without a copy of it.
type answerWriter struct {
	http.ResponseWriter
	status int
	place  *place
	sent   bool
}

func (w *answerWriter) Write(data []byte) (int, error) {
	w.sent = true
	if w.place != nil {
		w.place.Keep(int64(len(data)))
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(partTime))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(w.status)
	return w.ResponseWriter.Write(data)
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
	if f.Code == "busy" {
		w.Header().Set("Retry-After", "1")
	}
	answer(w, f.status, failed{f}, nil)
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
		return &failure{
			status: http.StatusNotFound, Code: "not_kept", Message: "the history does not have this version any more",
		}
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
