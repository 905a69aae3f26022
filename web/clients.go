package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
)

// A Client is a client of an MCP server, such as a model, whose token opens the page, too. On the page and its API it
// may do what it may do by the protocol and nothing else, and both ways count for the same limits: it calls its tools,
// sees its own calls and reads files. It decides nothing that a call waits for. All fields but NoFiles are required.
type Client struct {
	// Name is who makes its calls: see [toolrun.SessionOptions].Client.
	Name string
	// NoFiles means that it may not read files but with its tools.
	NoFiles bool
	// Session opens its project with what its calls may do, as its MCP server has it. The page closes the session.
	Session func(ctx context.Context) (*toolrun.Session, error)
	// Allow counts a request, and reports whether it may be made now.
	Allow func() bool
	// Call calls do when there is a place for another call, or returns the error that kept it from that.
	Call func(ctx context.Context, do func(ctx context.Context)) error
}

// A clientRight says which clients may use an operation or a view. The zero value is for what no client may use.
type clientRight int

const (
	noClients clientRight = iota
	allClients
	readingClients // those that may read files
)

// clientRoutes are the operations that clients may use, and with which parameters they may not. What is not here is not
// for clients: what MCP does not offer, a token does not get on the page.
var clientRoutes = map[string]struct {
	right   clientRight
	without []string
}{
	"GET /api/openapi.json": {right: allClients},
	"GET /api/about":        {right: allClients},
	"POST /api/login":       {right: allClients},
	"POST /api/logout":      {right: allClients},
	"GET /api/projects":     {right: allClients}, // its own, with the quota
	"GET /api/projects/one": {right: allClients},

	"GET /api/files":         {right: readingClients},
	"GET /api/files/text":    {right: readingClients, without: []string{"change"}}, // files as they are, and no history
	"GET /api/files/content": {right: readingClients, without: []string{"change"}},

	"GET /api/tools":             {right: allClients},
	"GET /api/tools/definitions": {right: allClients},

	"POST /api/calls":       {right: allClients},
	"POST /api/calls/stop":  {right: allClients},
	"GET /api/calls":        {right: allClients},
	"GET /api/calls/one":    {right: allClients},
	"GET /api/calls/output": {right: allClients},
	"GET /api/events":       {right: allClients},
}

// clientViews are the views that clients may open, by name.
var clientViews = map[string]clientRight{
	"projects": allClients, "files": readingClients, "run": allClients, "calls": allClients, "tools": allClients,
}

// has reports whether somebody has a right.
func (a *Access) has(right clientRight) bool {
	switch {
	case a.Client == nil:
		return true
	case right == readingClients:
		return !a.Client.NoFiles
	}
	return right == allClients
}

// enters returns why somebody may not use an operation now, before it is begun.
func (a *Access) enters(route *route) error {
	if a.Client == nil {
		return nil
	}
	if !a.Client.Allow() {
		return &failure{status: http.StatusTooManyRequests, Code: "busy", Message: tooManyRequests}
	}
	right := clientRoutes[route.name()].right
	if a.has(right) {
		return nil
	}
	message := "this token is a model's: it may call its tools and read files; " +
		"the rest is for a person, who uses toolrun's commands, or toolrun serve, where the projects are"
	if right == readingClients {
		message = "this token may not read files"
	}
	return &failure{status: http.StatusForbidden, Code: "forbidden", Message: message}
}

const tooManyRequests = "too many requests: try again later"

// mayAsk returns an error if somebody may not use one of an operation's parameters.
func (a *Access) mayAsk(route *route, in any) error {
	if a.Client == nil {
		return nil
	}
	without := clientRoutes[route.name()].without
	parameters := reflect.ValueOf(in).Elem()
	for i := range parameters.NumField() {
		name, _, _ := strings.Cut(parameters.Type().Field(i).Tag.Get("json"), ",")
		if slices.Contains(without, name) && !parameters.Field(i).IsZero() {
			return &failure{status: http.StatusForbidden, Code: "forbidden", Field: name,
				Message: fmt.Sprintf("this token is a model's, and may not use %s here", name)}
		}
	}
	return nil
}

// sees reports whether somebody may see a call: a client sees its own.
func (a *Access) sees(c callInfo) bool { return a.Client == nil || c.Client == a.Client.Name }

// call does a call, which waits for a place if somebody has only so many.
func (a *Access) call(ctx context.Context, do func(ctx context.Context)) error {
	if a.Client == nil {
		do(ctx)
		return nil
	}
	return a.Client.Call(ctx, do)
}

// env returns what a call of somebody gets.
func (s *Server) env(r *request, session *toolrun.Session) (registry.Env, error) {
	env, err := session.Env(r.Context())
	if r.access.Client != nil {
		env.Selection.Mode = registry.ModeMCP
	}
	return env, err
}

// shorten gives a call of a client less time than it has.
func shorten(limits *registry.Limits, spec registry.Spec, want time.Duration) {
	most := cmp.Or(limits.Timeout,
		registry.Offer{Mode: registry.ModeMCP}.Timeout(cmp.Or(spec.Timeout, registry.DefaultTimeout)))
	if want > 0 && (most == registry.NoTimeout || want < most) {
		limits.Timeout = want
	}
}

// mayChoose returns an error if somebody, whose options others choose, wants another value of one.
func (s *Server) mayChoose(r *request, spec registry.Spec, selection registry.Selection, options map[string]any) error {
	if r.access.Select == nil && r.access.Client == nil {
		return nil
	}
	chosen, err := s.runner.Registry().Options(spec.Name, selection)
	if err != nil {
		return bad("", "%v", err)
	}
	for id, value := range options {
		if value != nil && fmt.Sprint(value) != fmt.Sprint(chosen.Map()[id]) {
			return &failure{status: http.StatusForbidden, Code: "forbidden", Field: id,
				Message: fmt.Sprintf("the token decides on the options of its tools: leave %s out", id)}
		}
	}
	return nil
}
