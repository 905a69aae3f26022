package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/budget"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// How large the JSON of a request may be: of most, of one without a token, and of one that has the input of a call or a
// file that is edited, which may double in JSON.
const (
	usualBody    = 64 << 10
	strangerBody = 4 << 10
	largeBody    = 2*service.MaxEdit + usualBody
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
	ops   *service.Service
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
	// keeps, if not nil, is how many bytes are kept while the operation waits for its turn.
	keeps func(in any) int64
	use   use
	// right is what an operation needs, which it checks itself, too: those who do not have it are not listened to.
	right service.Right
	do    func(s *Server, r *request, in any) (any, error)
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
func operation[In, Out any](method, path string, right service.Right, summary string,
	do func(s *service.Service, ctx context.Context, in In) (Out, error)) route {
	return own(method, path, right, summary, func(_ *Server, r *request, in In) (Out, error) {
		return do(r.ops, r.Context(), in)
	})
}

// own makes a route for what only the page has.
func own[In, Out any](method, path string, right service.Right, summary string,
	do func(s *Server, r *request, in In) (Out, error)) route {
	return route{method: method, path: path, right: right, summary: summary,
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), body: usualBody, cost: costUsual,
		do: func(s *Server, r *request, in any) (any, error) { return do(s, r, *in.(*In)) }}
}

// stream makes a route that answers by itself. Its error is told if nothing has been written.
func stream[In any](path, kind string, right service.Right, summary string,
	do func(s *Server, r *request, in In) error) route {
	use := quick
	if kind == "text/event-stream" {
		use = follows
	}
	return route{method: http.MethodGet, path: path, right: right, summary: summary, in: reflect.TypeFor[In](),
		kind: kind, cost: costUsual, use: use,
		do: func(s *Server, r *request, in any) (any, error) { return nil, do(s, r, *in.(*In)) }}
}

// upload makes a route whose body is bytes.
func upload[In, Out any](path string, right service.Right, summary string,
	do func(s *service.Service, ctx context.Context, in In, content io.Reader) (Out, error)) route {
	made := own(http.MethodPost, path, right, summary, func(_ *Server, r *request, in In) (Out, error) {
		_ = http.NewResponseController(r.w).SetReadDeadline(time.Now().Add(uploadTime))
		return do(r.ops, r.Context(), in, r.Body)
	}).forLong()
	made.bytes = true
	return made
}

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

// failed is the body of answers that are errors.
type failed struct {
	Error *service.Error `json:"error"`
}

// statuses are those of HTTP for the codes of errors.
var statuses = map[string]int{
	"invalid": http.StatusBadRequest, "unauthorized": http.StatusUnauthorized, "forbidden": http.StatusForbidden,
	"csrf": http.StatusForbidden, "not_found": http.StatusNotFound, "deleted": http.StatusNotFound,
	"not_kept": http.StatusNotFound, "method": http.StatusMethodNotAllowed, "incomplete": http.StatusRequestTimeout,
	"exists": http.StatusConflict, "changed": http.StatusConflict, "cannot_undo": http.StatusConflict,
	"decided": http.StatusConflict, "damaged": http.StatusConflict, "name": http.StatusConflict,
	"too_large": http.StatusRequestEntityTooLarge, "type": http.StatusUnsupportedMediaType,
	"quota": http.StatusUnprocessableEntity, "busy": http.StatusServiceUnavailable,
	"unavailable": http.StatusServiceUnavailable, "canceled": http.StatusServiceUnavailable,
	"internal": http.StatusInternalServerError,
}

// status is that of HTTP for an error.
func status(e *service.Error) int {
	if e.Own {
		return http.StatusTooManyRequests
	}
	return statuses[e.Code]
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
		answerError(s, w, r, &service.Error{Code: "not_found",
			Message: "there is no such operation: see /api/openapi.json"})
		return
	case route == nil:
		var allowed []string
		for method := range methods {
			allowed = append(allowed, method)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		answerError(s, w, r, &service.Error{Code: "method", Message: "this operation has another method"})
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
		answerError(s, w, r, &service.Error{Code: "unauthorized",
			Message: "show a token, or use a link that toolrun serve prints"})
		return
	}
	if route.method != http.MethodGet && who != nil && !who.maySend(r) {
		answerError(s, w, r, &service.Error{Code: "csrf",
			Message: "the header X-Toolrun-CSRF is missing or wrong: load the page again"})
		return
	}
	if who != nil {
		err := error(errRate)
		if who.access.Allows() {
			err = who.access.May(route.right)
		}
		if err != nil {
			answerError(s, w, r, err)
			return
		}
	}
	if who != nil && who.access.Until != nil {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(who.access.Until, func() {
			cancel()
			if route.bytes { // a file that comes
				_ = http.NewResponseController(w).SetReadDeadline(time.Now())
			}
		})()
		r = r.WithContext(ctx)
	}
	place, err := s.enter(r, who, route)
	if err != nil {
		answerError(s, w, r, err)
		return
	}
	defer place.leave()
	in, err := route.read(w, r, place)
	var out any
	if err == nil {
		request := &request{r, w, who, place, nil}
		if who != nil {
			request.ops = s.desk.Open(who.access)
		}
		if route.keeps != nil {
			place.Keep(route.keeps(in))
		}
		out, err = route.do(s, request, in)
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
	tooLarge := &service.Error{Code: "too_large",
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
		return nil, &service.Error{Code: "incomplete",
			Message: "the request did not come as a whole, or not in time"}
	}
	_ = control.SetReadDeadline(time.Time{})
	limits := jsontree.Limits{Depth: maxDepth, Values: min(fewValues+len(body)/bytesPerValue, maxValues)}
	if limit, ok := errors.AsType[*jsontree.LimitError](jsontree.Check(body, limits)); ok {
		return nil, &service.Error{Code: "too_large",
			Message: fmt.Sprintf("the request has more than %d %s", limit.Limit, limit.What)}
	}
	if !place.Decode(route.cost + costByte*int64(len(body)) + costValue*int64(jsontree.Separators(body))) {
		return nil, errBusy
	}
	return in.Interface(), readJSON(in.Elem(), body)
}

// readJSON sets fields from the members of an object, each at most once.
func readJSON(in reflect.Value, body []byte) error {
	if !json.Valid(body) || !utf8.Valid(body) {
		return service.Bad("", "malformed request: it is not JSON in UTF-8")
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
			problem = service.Bad(name, "unknown parameter %q", name)
		case given[name]:
			problem = service.Bad(name, "%s is there more than once", name)
		case field.Type() == reflect.TypeFor[service.Object]() && value[0] == '{':
			field.SetBytes(value)
		case field.Type() == reflect.TypeFor[service.Object]() && string(value) != "null":
			problem = service.Bad(name, "%s is an object", name)
		case field.Type() != reflect.TypeFor[service.Object]():
			decode := json.Unmarshal
			if field.Kind() == reflect.Map {
				decode = exactly
			}
			if decode(value, field.Addr().Interface()) != nil {
				problem = service.Bad(name, "%s has the wrong type", name)
			}
		}
		given[name] = true
	})
	if !isObject {
		return service.Bad("", "malformed request: send an object of JSON")
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
		return &service.Error{Code: "type", Message: problem}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return &service.Error{Code: "type",
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
			return service.Bad(name, "%s is there more than once", name)
		}
		switch field := in.Field(i); field.Kind() {
		case reflect.String:
			field.SetString(values[0])
		case reflect.Int, reflect.Int64:
			n, err := strconv.ParseInt(values[0], 10, 64)
			if err != nil {
				return service.Bad(name, "%s is not a number", name)
			}
			field.SetInt(n)
		case reflect.Bool:
			b, err := strconv.ParseBool(values[0])
			if err != nil {
				return service.Bad(name, "%s is neither true nor false", name)
			}
			field.SetBool(b)
		default:
			return fmt.Errorf("the type of %s cannot be in a query", name)
		}
	}
	for name := range query {
		return service.Bad(name, "unknown parameter")
	}
	return nil
}

// answer sends an answer. While the client takes it, the request holds no more memory than that. The place is nil for
// errors.
func answer(w http.ResponseWriter, status int, out any, place *place) {
	if text, ok := out.(service.TextAnswer); ok {
		place.Keep(int64(len(text.Text)))
		w.Header().Set("Content-Type", "application/json")
		_ = writeText(&slowWriter{ResponseWriter: w, ctx: context.Background()}, text) // the client is gone
		return
	}
	send := &answerWriter{ResponseWriter: w, status: status, place: place}
	if json.NewEncoder(send).Encode(out) != nil && !send.sent { // it escapes <, > and &, and writes all at once
		send.status = http.StatusInternalServerError
		_, _ = send.Write([]byte(`{"error":{"code":"internal","message":"the answer cannot be encoded"}}`))
	}
}

// writeText writes an answer with a text in parts, because its JSON can be several times as large.
func writeText(w io.Writer, a service.TextAnswer) error {
	text := a.Text
	a.Text = ""
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	const empty = `"text":""` // which no value can contain
	end := bytes.Index(data, []byte(empty)) + len(empty) - 1
	write := func(data []byte) {
		if err == nil {
			_, err = w.Write(data)
		}
	}
	write(data[:end])
	for len(text) > 0 && err == nil {
		n := len(text)
		if n > textPart {
			n = cmp.Or(plaintext.Boundary(text, textPart), textPart)
		}
		part, _ := json.Marshal(text[:n])
		write(part[1 : len(part)-1])
		text = text[n:]
	}
	write(data[end:])
	return err
}

const textPart = 32 << 10

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
	f := service.Explain(err)
	if f.Code == "internal" {
		id := strings.ToLower(rand.Text()[:8])
		f = &service.Error{Code: f.Code, Message: "something went wrong; the log has it as " + id}
		s.options.Logger.LogAttrs(r.Context(), slog.LevelError, "the page failed", slog.String("id", id),
			slog.String("path", r.URL.Path), slog.Any("error", err))
	}
	if f.Code == "busy" {
		w.Header().Set("Retry-After", "1")
	}
	answer(w, status(f), failed{f}, nil)
}
