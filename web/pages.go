package web

import (
	_ "embed"
	"io"
	"net/http"
	"net/url"

	"github.com/toolrun/toolrun/internal/net/clientaddr"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/text/fill"
)

// A view is a page. Its module of JavaScript has its name.
type view struct {
	Path, Name, Title string
	project           bool // it is one of a project
	right             service.Right
}

var views = []view{
	{"/", "projects", "Projects", false, service.Run},
	{"/files", "files", "Files", true, service.Read},
	{"/run", "run", "Run", true, service.Run},
	{"/calls", "calls", "Calls", true, service.Run},
	{"/history", "history", "History", true, service.Read | service.Write},
	{"/tools", "tools", "Tools", true, service.Run},
	{"/servers", "servers", "Servers", false, service.Operate},
}

// A link is one to another view.
type link struct {
	Title, Address string
	Here           bool
}

//go:embed page.html
var frameText string

var frame = fill.New(frameText)

// pageData is what the frame of a page is filled with.
type pageData struct {
	Title, View, Project, Shown, CSRF, Message string
	Links, Projects                            []link
	Login, LoggedIn, ByLink, Welcome           bool
	Model                                      bool // it is the token of a model
}

// servePage serves the frame of a page. What is in it comes through the API.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pages are for reading", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/open" {
		s.serveLink(w, r)
		return
	}
	if r.URL.Path == "/favicon.ico" {
		http.Redirect(w, r, "/assets/icon.svg", http.StatusMovedPermanently)
		return
	}
	who := s.admits(r)
	if who == nil && s.options.Everybody {
		s.setCookie(w, r, s.doors.admit("", clientaddr.Network(r.RemoteAddr)))
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusSeeOther)
		return
	}
	if who == nil {
		data := pageData{Title: "Sign in", View: "login", Login: s.options.Token != nil}
		s.render(w, http.StatusUnauthorized, data)
		return
	}
	if !who.access.Allows() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, errRate.Message, http.StatusTooManyRequests)
		return
	}
	data := pageData{LoggedIn: true, ByLink: who.access == s.owner, Model: isModel(who.access)}
	if who.visit != nil {
		data.CSRF = who.visit.csrf
	}
	ops := s.desk.Open(who.access)
	only, project := ops.Project(), r.URL.Query().Get("project")
	if project == "" {
		project = only
	}
	if err := ops.MayUse(project); project != "" && err != nil {
		data.Title, data.Message = "No such project", "There is no project of this name."
		s.render(w, http.StatusNotFound, data)
		return
	}
	var here *view
	for i := range views {
		v := &views[i]
		if !who.access.Has(v.right) {
			continue
		}
		l := link{v.Title, v.Path, v.Path == r.URL.Path}
		if l.Here {
			here = v
		}
		switch {
		case v.Name == "projects" && s.options.Dir != "":
		case !v.project:
			data.Links = append(data.Links, l)
		case project != "":
			l.Address += "?" + url.Values{"project": {project}}.Encode()
			data.Projects = append(data.Projects, l)
		}
	}
	switch {
	case here != nil && here.Name == "projects" && s.options.Dir != "":
		http.Redirect(w, r, "/files?"+url.Values{"project": {project}}.Encode(), http.StatusSeeOther)
		return
	case here == nil:
		data.Title, data.Message = "No such page", "There is no page at this address."
		s.render(w, http.StatusNotFound, data)
		return
	case here.project && project == "":
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	data.Title, data.View = here.Title, here.Name
	if project != "" {
		data.Project, data.Shown = project, shown(project)
	}
	s.render(w, http.StatusOK, data)
}

// serveLink admits somebody who has a link. The answer is a page that leads on, so that the key does not stay in the
// address: a redirection that began elsewhere would come without the cookie, which is for requests of our own pages.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !s.doors.useLink(r.URL.Query().Get("key")) {
		if who := s.admits(r); who != nil { // again, by going back
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		s.render(w, http.StatusForbidden,
			pageData{Title: "This link is used up", View: "login", Login: s.options.Token != nil,
				Message: "A link opens the page once, within ten minutes. " +
					"Start toolrun serve again for a new one, or make one on the page where it is open."})
		return
	}
	s.setCookie(w, r, s.doors.admit("", nil))
	s.render(w, http.StatusOK, pageData{Title: "Welcome", View: "welcome", Welcome: true})
}

func (s *Server) render(w http.ResponseWriter, status int, data pageData) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, frame.HTML(data))
}
