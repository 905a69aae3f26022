package code

import (
	"context"
	"net/http"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/tool"
)

// A PackageIndex is a server that has packages of a language, such as PyPI. The zero value is the language's usual one.
type PackageIndex struct {
	// URL is the index's, over https. PyPI's, which is the usual one for Python, is https://pypi.org/simple: an index
	// for Python has the JSON form of the simple API.
	URL string
	// Transport makes the requests. Nil means [http.DefaultTransport].
	Transport http.RoundTripper
}

// An Installer adds packages of a language to projects. It is safe for concurrent use.
type Installer interface {
	// Install puts packages into a project's files, each with all that it needs, and returns all packages that there
	// are then, as "NAME VERSION". They are named as the language's own installer takes them. Without names, there
	// are those that the project's lock file has.
	Install(ctx context.Context, files afero.Fs, names []string) (packages []string, err error)
	// Tool returns the tool with which models add packages. It is off unless it is chosen: it makes requests to the
	// index that no rule of the network has allowed.
	Tool() tool.Tool
}
