package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/service"
)

// routes is the table of all operations.
func routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	const run, read, write, decide, settings, operate = service.Run, service.Read, service.Write, service.Decide,
		service.Settings, service.Operate
	text := operation(get, "/api/files/text", read, "A part of a text file, in whole lines.",
		(*service.Service).ReadText)
	text.costOf = func(in any) int64 { return service.MaxEdit + 3*in.(*service.TextRequest).Part() }
	call := operation(post, "/api/calls", run, "Call a tool, as a person: it need not be switched on for models.",
		(*service.Service).MakeCall).taking(largeBody)
	call.keeps = func(in any) int64 { return int64(len(in.(*service.MakeCallRequest).Input)) }
	return []route{
		stream("/api/openapi.json", "application/json", 0, "This description.",
			func(s *Server, r *request, _ service.Nothing) error { return answerBytes(r.w, s.api.describe) }),
		own(get, "/api/about", 0, "Who asks, what they may use, and what there is.", about),
		own(post, "/api/login", 0, "Get a cookie for a token.", login).forAll(),
		own(post, "/api/logout", 0, "Give up the cookie.", logout),
		own(post, "/api/links", operate, "Make a one-time link for another browser.", newLink),

		operation(get, "/api/projects", run, "List projects by name.",
			(*service.Service).ListProjects).costing(costList),
		operation(post, "/api/projects", write, "Make a project.", (*service.Service).MakeProject),
		operation(get, "/api/projects/one", run, "What a project holds.", (*service.Service).ShowProject),
		operation(post, "/api/projects/delete", operate,
			"Delete a project. It can be restored for a while if the store keeps it.",
			(*service.Service).DeleteProject),
		operation(get, "/api/projects/deleted", operate, "List deleted projects that can be restored.",
			(*service.Service).ListDeleted),
		operation(post, "/api/projects/restore", operate, "Restore the project of this name that was deleted last.",
			(*service.Service).RestoreProject),
		stream("/api/projects/export", "application/octet-stream", read|write, "All files of a project as an archive.",
			exportProject).forLong().costing(costExport),
		upload("/api/projects/import", write,
			"Put the files of an archive into a project, over those that are there: all of them, or none.",
			(*service.Service).Import).costing(costImport),

		operation(get, "/api/files", read, "List a folder, folders first, or a file alone.",
			(*service.Service).ListFiles).costing(costList),
		text,
		stream("/api/files/content", "application/octet-stream", read,
			"A whole file, to save it. Images have their own type.", readContent).forLong(),
		operation(post, "/api/files/save", write, "Write a text file, "+
			"unless it has changed since the version that was read.",
			(*service.Service).SaveText).taking(largeBody).costing(costReading),
		upload("/api/files/upload", write, "Put a file into the project.", (*service.Service).Upload),
		operation(post, "/api/files/folder", write, "Make a folder.", (*service.Service).MakeFolder),
		operation(post, "/api/files/move", write, "Rename or move a file or folder.", (*service.Service).MoveFile),
		operation(post, "/api/files/copy", write, "Copy a file or a folder with all in it.",
			(*service.Service).CopyFile),
		operation(post, "/api/files/delete", write, "Delete a file or a folder with all in it.",
			(*service.Service).DeleteFile),
		operation(get, "/api/files/search", read,
			"Lines of text files that contain a text, and files whose names do.",
			(*service.Service).Search).costing(costReading),

		operation(get, "/api/layer", read|write,
			"The changes that are kept apart from a directory until they are applied.",
			(*service.Service).ListLayer).costing(costDiff),
		operation(post, "/api/layer/apply", write,
			"Make the changes in the directory that were kept apart from it.", (*service.Service).ApplyLayer),
		operation(post, "/api/layer/discard", write, "Drop changes that were kept apart from a directory.",
			(*service.Service).DiscardLayer),

		operation(get, "/api/history", read|write, "Changes of a file or of all in a folder, the latest first.",
			(*service.Service).ListHistory).costing(costList),
		operation(get, "/api/history/diff", read|write, "What one change did to a file, as a unified diff.",
			(*service.Service).Diff).costing(costDiff),
		operation(get, "/api/history/compare", read|write,
			"How a file has changed since before a change, or until before another one, as a unified diff.",
			(*service.Service).CompareFile).costing(costDiff),
		operation(post, "/api/history/restore", write, "Take back one change, whatever came after it.",
			(*service.Service).RevertChange),
		operation(get, "/api/history/undo", write, "Whether all that a call changed can be taken back, and why not.",
			(*service.Service).CheckUndo),
		operation(post, "/api/history/undo", write, "Take back all that a call changed.",
			(*service.Service).UndoCall),
		operation(post, "/api/history/redo", write, "Do again what was undone.", (*service.Service).RedoCall),
		operation(post, "/api/history/purge", operate,
			"Remove all versions of a file or folder that the history keeps, for good.",
			(*service.Service).PurgeFile),
		operation(post, "/api/history/compact", operate,
			"Drop versions that the history keeps, as the retention tiered does all the time.",
			(*service.Service).CompactHistory),

		operation(get, "/api/tools", run, "The tools of a project: which are on, and their options.",
			(*service.Service).ListTools),
		stream("/api/tools/definitions", "application/json", run,
			"The enabled tools as an API of a provider wants them.", definitions),
		operation(get, "/api/servers", operate,
			"The MCP servers whose tools are added, and why one is not connected.", (*service.Service).ListServers),
		operation(get, "/api/modules", operate, "The WebAssembly modules that were added as tools or languages.",
			(*service.Service).ListModules),

		operation(get, "/api/calls", run, "Calls of a project, the latest first: those of this process, "+
			"and those of others that they share or that changed files.",
			(*service.Service).ListCalls).costing(costCalls),
		call,
		operation(get, "/api/calls/one", run, "All that is known of a call.",
			(*service.Service).ShowCall).costing(costCalls),
		stream("/api/calls/picture", "image/*", run, "A picture of a call's result.", readPicture),
		operation(post, "/api/calls/stop", run,
			"Stop a call, or ask the process that runs it to. A model is told that a person has stopped it.",
			(*service.Service).StopCall),
		stream("/api/calls/output", "text/event-stream", run,
			"What a call prints, as it prints it: events output, and one named done with the call.", followCall),
		stream("/api/events", "text/event-stream", run, "Events named changed when "+
			"files or settings of a project may have changed, and calls when its calls have.", followProject),

		operation(get, "/api/approvals", decide, "Calls that wait until a person approves or refuses them.",
			(*service.Service).ListApprovals).costing(costCalls),
		operation(get, "/api/approvals/loss", read|decide, "What a call that waits would replace or delete.",
			(*service.Service).ShowLoss),
		operation(post, "/api/approvals", decide,
			"Approve or refuse a call. It goes on when all that it waits for is decided.",
			(*service.Service).Decide).taking(largeBody),

		operation(get, "/api/checkpoints", write,
			"Checkpoints of a project, the latest first: all its files at one moment, under a name.",
			(*service.Service).ListCheckpoints),
		operation(post, "/api/checkpoints", write, "Keep all files of a project as they are now.",
			(*service.Service).MakeCheckpoint),
		operation(get, "/api/checkpoints/changes", read|write, "What has been changed since a checkpoint, "+
			"which restoring it would take back.", (*service.Service).CompareCheckpoint).costing(costReading),
		operation(post, "/api/checkpoints/restore", write,
			"Make all files what they were. It can be undone as a call.", (*service.Service).RestoreCheckpoint),
		operation(post, "/api/checkpoints/delete", write, "Drop a checkpoint. The files stay as they are.",
			(*service.Service).DeleteCheckpoint),

		operation(get, "/api/sessions", write, "Sessions of a project, whose variables stay from call to call.",
			(*service.Service).ListSessions),
		operation(get, "/api/sessions/one", run|read|write,
			"A session, and the variables that each tool has left there.", (*service.Service).ShowSession),
		operation(post, "/api/sessions/fork", write,
			"Copy a session under another name. Neither changes the other.", (*service.Service).ForkSession),
		operation(post, "/api/sessions/delete", write, "Delete a session with all its variables.",
			(*service.Service).DeleteSession),

		operation(get, "/api/settings", settings, "What a project has chosen, and what it can choose.",
			(*service.Service).ShowSettings),
		operation(post, "/api/settings", settings, "Change settings of a project in one step.",
			(*service.Service).ChangeSettings),
	}
}

type aboutAnswer struct {
	Name    string `json:"name"`
	Project string `json:"project,omitempty" jsonschema:"the only project that may be used; empty means all"`
	Version string `json:"version"`
	CSRF    string `json:"csrf,omitempty" jsonschema:"for the header X-Toolrun-CSRF"`
	Purges  bool   `json:"purges,omitempty" jsonschema:"the history of files may be purged"`
	Model   bool   `json:"model,omitempty" jsonschema:"a model's, for its tools, its own calls, and reading files"`
}

func about(s *Server, r *request, _ service.Nothing) (aboutAnswer, error) {
	a := aboutAnswer{
		Name: r.access.Name, Project: r.ops.Project(), Version: s.options.Version, Model: isModel(r.access),
		Purges: r.access.Has(service.Operate),
	}
	if r.visit != nil {
		a.CSRF = r.visit.csrf
	}
	return a, nil
}

// isModel reports whether an access is that of a model.
func isModel(a *Access) bool { return !a.Has(service.Write) }

type loginRequest struct {
	Token string `json:"token"`
}

func login(s *Server, r *request, in loginRequest) (service.Nothing, error) {
	if !s.login(r.w, r.Request, in.Token) {
		return service.Nothing{}, &service.Error{Code: "unauthorized", Field: "token", Message: "unknown token"}
	}
	return service.Nothing{}, nil
}

func logout(s *Server, r *request, _ service.Nothing) (service.Nothing, error) {
	if r.visit != nil {
		s.doors.leave(r.cookie)
		s.setCookie(r.w, r.Request, "")
	}
	return service.Nothing{}, nil
}

type linkAnswer struct {
	Path string `json:"path" jsonschema:"the link without the server"`
}

func newLink(s *Server, r *request, _ service.Nothing) (linkAnswer, error) {
	if r.access != s.owner {
		return linkAnswer{}, &service.Error{Code: "forbidden", Message: "links are for those who came by one"}
	}
	return linkAnswer{s.Link("")}, nil
}

func definitions(_ *Server, r *request, in service.DefinitionsRequest) error {
	data, err := r.ops.Definitions(r.Context(), in)
	if err != nil {
		return err
	}
	return answerBytes(r.w, data)
}

// answerBytes sends JSON as it is.
func answerBytes(w http.ResponseWriter, data json.RawMessage) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client is gone
	return nil
}

func exportProject(_ *Server, r *request, in service.ArchiveRequest) error {
	if in.Format == "" {
		in.Format = "zip"
	}
	attach(r.w.Header(), "application/octet-stream", path.Base(in.Project)+"."+in.Format)
	w := &slowWriter{ResponseWriter: r.w, ctx: r.Context()}
	if err := r.ops.Export(r.Context(), in, w); err != nil {
		if w.began {
			panic(http.ErrAbortHandler) // so that what is broken does not look complete
		}
		r.w.Header().Del("Content-Disposition")
		return err
	}
	return nil
}

func readContent(_ *Server, r *request, in service.ContentRequest) error {
	return r.ops.ReadContent(r.Context(), in, r.send)
}

func readPicture(_ *Server, r *request, in service.PictureRequest) error {
	return r.ops.ReadPicture(r.Context(), in, r.send)
}

// send sends content.
func (r *request) send(c service.Content) error {
	attach(r.w.Header(), c.Kind, path.Base(c.Path))
	r.w.Header().Set("Content-Length", fmt.Sprint(c.Size))
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(&slowWriter{ResponseWriter: r.w, ctx: r.Context()}, c); err != nil {
		panic(http.ErrAbortHandler) // the client is gone, or must see that something is missing
	}
	return nil
}

func followCall(s *Server, r *request, in service.OutputRequest) error {
	return r.ops.FollowCall(r.Context(), in, func() (service.Follower, error) { return s.newEvents(r) })
}

func followProject(s *Server, r *request, in service.InProject) error {
	return r.ops.FollowProject(r.Context(), in, func() (service.Follower, error) { return s.newEvents(r) })
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

// A slowWriter gives a client time for each part, and not for all together, until the context ends.
type slowWriter struct {
	http.ResponseWriter
	ctx   context.Context
	began bool
}

const (
	partTime   = 30 * time.Second
	uploadTime = 10 * time.Minute // of a whole file
)

func (w *slowWriter) Write(data []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	w.began = true
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(partTime))
	return w.ResponseWriter.Write(data)
}
