// Package web is the page: it shows people the projects, tools and calls of a [toolrun.Runner] in a browser, and lets
// them change files and undo what a model did.
//
//	runner, err := toolrun.Open(ctx, &toolrun.Options{NoteCalls: true})
//	server, err := web.New(runner, nil)
//	listener, err := net.Listen("tcp", "localhost:0")
//	fmt.Println(server.Link("http://" + listener.Addr().String()))
//	err = http.Serve(listener, server)
//
// # Who gets in
//
// A browser gets a cookie for a one-time link or a token. Programs send a token with each request. [Options] say what
// each token allows. Requests for another name of the server, and from other pages, are refused.
//
// # The API
//
// The page uses a JSON API under /api, which /api/openapi.json describes.
//
// # Isolation
//
// Contents of projects are data: the page shows them as text nodes. Its policy allows only its own scripts and styles,
// no other servers, and no frames. Files are served as attachments, which browsers may not run, and whose type they may
// not guess.
package web

import (
	"cmp"
	"container/list"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/net/sameorigin"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/vfs"
)

// Options configure a [Server]. The zero value is a page for one person, who gets in by a link.
type Options struct {
	// Store has the projects. Nil means the runner's.
	Store vfs.Store
	// Dir, if not "", is a directory of the host that the page shows instead of the store's projects, under its name:
	// see [toolrun.Runner.DirSession]. Tools cannot be chosen for it. Token must be nil.
	Dir        string
	DirOptions toolrun.DirOptions
	// Hosts are the names by which browsers and programs may reach the server, besides those of the loopback interface:
	// see mcpserver.HandlerOptions.
	Hosts []string
	// Token returns what the bearer token of a request lets its holder use, or nil: for one token the same Access,
	// until its rights change, which ends its streams of events. If Token is nil, there are no tokens.
	Token func(r *http.Request) *Access
	// Client returns the Access of a client of calls ([Access].Client), or nil: a call of theirs that has waited for
	// approval goes on within their limits, and otherwise within those of whoever has decided. It can be nil.
	Client func(client string) *Access
	// Everybody admits all who can reach the server, without a link or a token.
	Everybody bool
	// Admitted, if not nil, is called for each request of somebody who may use the page.
	Admitted func(r *http.Request)
	// Select, if not nil, changes what is chosen for a project, such as by flags, for calls of the page.
	Select func(registry.Selection) registry.Selection
	// Limits are those of the calls that the page makes.
	Limits registry.Limits
	// Modules are the modules that the page lists. Nil means none.
	Modules *module.Store
	// Version is shown to people.
	Version string
	// Logger gets records for the host. Nil logs nothing.
	Logger *slog.Logger
	// Now is the clock. Nil means [time.Now].
	Now func() time.Time
}

// An Access is what somebody may use: a token says it. The zero value is that of a model in all projects. Its fields:
//
//   - Name is for logs, and Client, which groups calls and limits, is a name as well.
//   - Role is what may be done. Project, if not empty, is the only project.
//   - Limits are those of calls; Select changes, for each call, which tools there are and their options.
//   - NoFiles hides files and what was changed in them; tools still read them.
//   - Until, if not nil, ends calls and streams of events when the access ends.
type Access = service.Access

// A Role is what somebody may do in the projects of their Access.
type Role = service.Role

// The roles. They can do more from one to the next.
const (
	Model    = service.Model    // runs tools and reads files
	Person   = service.Person   // also changes files, undoes, decides on calls that wait, and changes settings
	Operator = service.Operator // also makes and deletes projects, and sees what is the host's
)

// A Server is the page and its API. It is safe for concurrent use.
type Server struct {
	desk    *service.Desk
	options Options
	own     sameorigin.Server
	owner   *Access // of those who come by a link
	doors   *doors
	api     *api
	assets  map[string]asset
	tries   *tries // to log in
	// guests are the places of those who may use the page, and strangers those of others.
	guests, strangers *places
}

//go:embed assets
var files embed.FS

// New makes a page for a runner, which must outlast it.
func New(runner *toolrun.Runner, options *Options) (*Server, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Dir != "" && o.Token != nil {
		return nil, errors.New("tokens are for the projects of a store, not for a directory")
	}
	desk, err := service.New(runner, &service.Options{Store: o.Store, Dir: o.Dir, DirOptions: o.DirOptions,
		Client: o.Client, Select: o.Select, Limits: o.Limits, Modules: o.Modules, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{desk: desk, options: o, own: sameorigin.Server{Hosts: o.Hosts},
		owner: &Access{Name: "page", Client: "page", Role: Operator}, doors: newDoors(o.Now),
		tries:  &tries{from: map[netip.Prefix]*list.Element{}},
		guests: newPlaces(quickSizes), strangers: newPlaces(strangerSizes)}
	if s.assets, err = loadAssets(runner); err != nil {
		return nil, err
	}
	s.api, err = newAPI(routes())
	return s, err
}

// Link returns an address at which one person gets in, once, within ten minutes. The base is that of the server, such
// as http://localhost:8080.
func (s *Server) Link(base string) string { return base + "/open?key=" + s.doors.newLink() }

// Shutdown ends streams, lets no call begin, and waits for those that run until the context ends; then it stops them.
func (s *Server) Shutdown(ctx context.Context) error {
	return s.desk.Shutdown(ctx)
}

// policy is the Content-Security-Policy of the pages: nothing but their own files, and no markup from strings.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// Limits of the query of an address: its bytes, and how many parameters it has. A path may be escaped as a whole.
const (
	maxQuery      = 16 << 10
	maxParameters = 20
)

// ServeHTTP serves the page and its API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
	// also what is refused at once has a body, which is read
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(strangerTime))
	if len(r.URL.RawQuery) > maxQuery || strings.Count(r.URL.RawQuery, "&") > maxParameters {
		http.Error(w, "the parameters of the address are too long or too many", http.StatusRequestURITooLong)
		return
	}
	if problem := s.own.Refuse(r); problem != "" {
		http.Error(w, problem, http.StatusForbidden)
		return
	}
	if !s.ownRequest(r) {
		http.Error(w, "this server is not for other pages", http.StatusForbidden)
		return
	}
	switch {
	case r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/"):
		s.api.serve(s, w, r)
	case strings.HasPrefix(r.URL.Path, "/assets/"):
		s.serveAsset(w, r)
	default:
		s.servePage(w, r)
	}
}

// ownRequest reports whether a request comes from the server's own page, from a person who has entered or followed an
// address, or from a program. Pages at other ports of this machine count as others, though cookies do not tell them
// apart.
//
// https://www.w3.org/TR/fetch-metadata/
func (s *Server) ownRequest(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	if r.Header.Get("Origin") != "" { // which has been checked
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document" && !strings.HasPrefix(r.URL.Path, "/api")
}

// An asset is a file of the page.
type asset struct {
	data           []byte
	kind, identity string
}

func loadAssets(runner *toolrun.Runner) (map[string]asset, error) {
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml"}
	assets := map[string]asset{}
	add := func(name string, data []byte) {
		sum := sha256.Sum256(data)
		kind := cmp.Or(kinds[path.Ext(name)], mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
		assets["/"+name] = asset{data, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	languages, err := json.Marshal(samples(runner))
	if err != nil {
		return nil, err
	}
	add("assets/languages.js", slices.Concat([]byte("export const languages = "), languages, []byte(";\n")))
	return assets, fs.WalkDir(files, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		add(name, data)
		return err
	})
}

// A sample is a program to begin with on the page, in a dialect of a language.
type sample struct {
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Tool    string         `json:"tool"`
	Options map[string]any `json:"options,omitempty"`
	Example string         `json:"example"`
	Dialect bool           `json:"dialect"` // not the first of its language
	// Argument is the name of the tool's argument with the code, and Module what toolrun module add takes, if anything.
	Argument string `json:"argument"`
	Module   string `json:"module,omitempty"`
}

func samples(runner *toolrun.Runner) []sample {
	all := []sample{}
	if runner == nil {
		return all
	}
	for _, l := range runner.Languages() {
		for i, s := range l.Samples {
			all = append(all, sample{s.ID, s.Title, l.Name, s.Options, s.Code, i > 0, l.ArgumentName(), l.Module})
		}
	}
	return all
}

// serveAsset serves a file of the page, to everybody: they are public.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := s.assets[r.URL.Path]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache") // asked for anew each time, since the next version has the same addresses
	h.Set("ETag", a.identity)
	h.Set("Content-Type", a.kind)
	if r.Header.Get("If-None-Match") == a.identity {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", fmt.Sprint(len(a.data)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(a.data)
	}
}
