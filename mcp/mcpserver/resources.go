package mcpserver

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/filetype"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

const (
	resourcePage    = 500 // resources in one answer
	completionLimit = 100 // the protocol's limit
	maxWalkDepth    = vfs.MaxDepth
)

// private keeps what belongs to a project out of caches that others use.
var private = sdk.Cacheable{CacheScope: "private"}

// prefix is what all URIs of the project's resources begin with.
func prefix(env registry.Env) string { return "toolrun://" + url.PathEscape(env.Project) + "/" }

// uri returns the URI of a file.
func uri(env registry.Env, name string) string {
	names := strings.Split(strings.TrimPrefix(name, "/"), "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return prefix(env) + strings.Join(names, "/")
}

// pathOf returns the path that a URI stands for, if it is one of the project's.
func pathOf(env registry.Env, uri string) (string, bool) {
	escaped, ok := strings.CutPrefix(uri, prefix(env))
	if !ok || env.Files == nil || len(escaped) > 3*vfs.MaxPath {
		return "", false
	}
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return "", false
	}
	name, err = vfs.Clean(name)
	return name, err == nil
}

// noFiles is what there is if the server has no resources.
func (s *Server) noFiles(env registry.Env) bool { return s.options.NoResources || env.Files == nil }

// linkTo returns a link to a file that has all of a result.
func linkTo(env registry.Env, name string) *sdk.ResourceLink {
	link := &sdk.ResourceLink{URI: uri(env, name), Name: path.Base(name),
		Description: "The whole result, which was too long to be shown"}
	if info, err := env.Files.Stat(name); err == nil {
		size := info.Size()
		link.Size = &size
	}
	link.MIMEType, _ = filetype.Of(name, nil)
	return link
}

// listResources lists files in the order of their paths, a page at a time. The cursor is the last path of the page
// before: files that come and go meanwhile do no harm.
func (s *Server) listResources(ctx context.Context, params *sdk.ListResourcesParams,
	env registry.Env) (*sdk.ListResourcesResult, error) {
	result := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: private}
	if s.noFiles(env) {
		return result, nil
	}
	var after []string
	if params != nil && params.Cursor != "" {
		last, err := base64.RawURLEncoding.DecodeString(params.Cursor)
		if err != nil || !utf8.Valid(last) {
			return nil, invalidParams("the cursor is not one that resources/list has returned")
		}
		after = strings.Split(string(last), "/")
	}
	l := &lister{ctx: ctx, files: env.Files}
	if err := l.list("/", after, 0); err != nil && !errors.Is(err, errPageFull) {
		return nil, s.fileError(ctx, "the files cannot be listed", err)
	}
	for _, f := range l.found {
		mime, _ := filetype.Of(f.name, nil)
		if mime == "text/plain" { // judged by nothing
			mime = ""
		}
		result.Resources = append(result.Resources, &sdk.Resource{
			URI: uri(env, f.name), Name: strings.TrimPrefix(f.name, "/"), MIMEType: mime, Size: f.info.Size(),
			Annotations: &sdk.Annotations{LastModified: f.info.ModTime().UTC().Format("2006-01-02T15:04:05Z")},
		})
	}
	if l.more {
		result.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(strings.TrimPrefix(l.found[len(l.found)-1].name,
			"/")))
	}
	return result, nil
}

var errPageFull = errors.New("there is a page's worth")

type foundFile struct {
	name string
	info fs.FileInfo
}

// A lister finds the files of a page.
type lister struct {
	ctx   context.Context
	files afero.Fs
	found []foundFile
	more  bool
}

// list lists a directory and all below it, behind the names of a path in it.
func (l *lister) list(dir string, after []string, depth int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	infos, err := afero.ReadDir(l.files, dir)
	if errors.Is(err, fs.ErrNotExist) && dir != "/" { // somebody has removed it
		return nil
	}
	if err != nil {
		return err
	}
	slices.SortFunc(infos, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	for _, info := range infos {
		name := path.Join(dir, info.Name())
		var rest []string
		if len(after) > 0 {
			if info.Name() < after[0] || info.Name() == after[0] && len(after) == 1 && !info.IsDir() {
				continue
			}
			if info.Name() == after[0] {
				rest = after[1:]
			}
		}
		switch {
		case info.IsDir() && depth < maxWalkDepth:
			if err := l.list(name, rest, depth+1); err != nil {
				return err
			}
		case info.Mode().IsRegular():
			if len(l.found) == resourcePage {
				l.more = true
				return errPageFull
			}
			l.found = append(l.found, foundFile{name, info})
		}
	}
	return nil
}

// listTemplates has the one template that all files fit.
func (s *Server) listTemplates(env registry.Env) (*sdk.ListResourceTemplatesResult, error) {
	result := &sdk.ListResourceTemplatesResult{ResourceTemplates: []*sdk.ResourceTemplate{}, Cacheable: private}
	if !s.noFiles(env) {
		result.ResourceTemplates = append(result.ResourceTemplates, &sdk.ResourceTemplate{
			Name: "file", Title: "File", Description: "A file of the project, by its path", URITemplate: prefix(env) +
				"{+path}",
		})
	}
	return result, nil
}

func (s *Server) readResource(ctx context.Context, request sdk.Request, params *sdk.ReadResourceParams,
	env registry.Env) (*sdk.ReadResourceResult, error) {
	name, ok := pathOf(env, params.URI)
	if !ok || s.noFiles(env) {
		return nil, notFound(params.URI)
	}
	content, err := s.read(env.Files, name)
	_, answered := errors.AsType[*jsonrpc.Error](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound(params.URI)
	case answered:
		return nil, err
	case err != nil:
		return nil, s.fileError(ctx, "the file cannot be read", err)
	}
	contents := &sdk.ResourceContents{URI: params.URI}
	contents.MIMEType, _ = filetype.Of(name, content)
	if filetype.IsText(content) {
		contents.Text = string(content)
	} else {
		contents.Blob = content
	}
	result := newResult[sdk.ReadResourceResult](request)
	result.Contents, result.Cacheable = []*sdk.ResourceContents{contents}, private
	return result, nil
}

// read reads a file. It is an error of the client if it is a directory, or too large to be sent at once.
func (s *Server) read(files afero.Fs, name string) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, invalidParams("this is a directory: resources/list has the files in it")
	}
	content, err := io.ReadAll(io.LimitReader(file, s.options.Resource+1))
	if int64(len(content)) > s.options.Resource {
		return nil, invalidParams("the file has more than %d bytes: read it in parts with a tool", s.options.Resource)
	}
	return content, err
}

// notFound says that there is no such resource, or none that a client of this project may see.
func notFound(uri string) error { return sdk.ResourceNotFoundError(strings.ToValidUTF8(uri, "\uFFFD")) }

// fileError says what is wrong with files without saying more than that: errors of file systems can name what is the
// host's.
func (s *Server) fileError(ctx context.Context, text string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.options.Logger.ErrorContext(ctx, text, "error", err)
	return errors.New(text)
}

// completePath completes paths of files, name by name.
func (s *Server) completePath(ctx context.Context, request *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	result := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	_, env, err := s.current(ctx)
	if err != nil {
		return nil, errSource
	}
	ref := request.Params.Ref
	if s.noFiles(env) || ref == nil || ref.Type != "ref/resource" || request.Params.Argument.Name != "path" {
		return result, nil
	}
	dir, begun := path.Split(request.Params.Argument.Value)
	clean, err := vfs.Clean(dir)
	if err != nil {
		return result, nil
	}
	infos, err := afero.ReadDir(env.Files, clean)
	if err != nil { // there is nothing there
		return result, nil
	}
	details := &result.Completion
	for _, info := range infos {
		if !strings.HasPrefix(info.Name(), begun) {
			continue
		}
		value := dir + info.Name()
		if info.IsDir() {
			value += "/"
		}
		if details.Total++; len(details.Values) < completionLimit {
			details.Values = append(details.Values, value)
		}
	}
	details.HasMore = details.Total > len(details.Values)
	return result, nil
}
