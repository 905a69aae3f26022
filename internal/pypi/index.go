package pypi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/net/download"
)

// DefaultIndex is PyPI's.
const DefaultIndex = "https://pypi.org/simple"

// Bounds of what is downloaded, in bytes.
const (
	maxList  = 64 << 20
	maxWheel = 64 << 20
)

// An Index is where packages come from: a server with the JSON form of the simple API, over https.
//
// See https://packaging.python.org/en/latest/specifications/simple-repository-api.
type Index struct {
	// URL is the index's; empty means DefaultIndex.
	URL string
	// Transport makes the requests. Nil means [http.DefaultTransport]. Redirects are followed to https only.
	Transport http.RoundTripper
}

// file is one that the index has of a package.
type file struct {
	Filename       string            `json:"filename"`
	URL            string            `json:"url"`
	Hashes         map[string]string `json:"hashes"`
	RequiresPython string            `json:"requires-python"`
	Yanked         any               `json:"yanked"` // a reason, or whether there is one
}

func (f *file) isYanked() bool { return f.Yanked != nil && f.Yanked != false }

// files returns what the index has of a package. The error is errUnknown if it does not know it.
func (i *Index) files(ctx context.Context, name string) ([]file, error) {
	base := i.URL
	if base == "" {
		base = DefaultIndex
	}
	page, err := url.Parse(strings.TrimSuffix(base, "/") + "/" + name + "/")
	if err != nil {
		return nil, fmt.Errorf("the index: %w", err)
	}
	data, err := i.get(ctx, page, "application/vnd.pypi.simple.v1+json", maxList)
	if err != nil {
		return nil, err
	}
	var list struct {
		Files []file `json:"files"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s is no index of packages in JSON: %w", page.Redacted(), err)
	}
	for n := range list.Files {
		at, err := page.Parse(list.Files[n].URL)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.Redacted(), err)
		}
		list.Files[n].URL = at.String()
	}
	return list.Files, nil
}

var errUnknown = errors.New("there is no such package")

// wheel downloads a wheel, which must have the SHA-256.
func (i *Index) wheel(ctx context.Context, f *file, want string) ([]byte, error) {
	at, err := url.Parse(f.URL)
	if err != nil {
		return nil, err
	}
	data, err := i.get(ctx, at, "", maxWheel)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); want == "" || !strings.EqualFold(hex.EncodeToString(sum[:]), want) {
		return nil, fmt.Errorf("%s has the SHA-256 %x, and not %q: it is not the file that was meant", f.Filename, sum,
			want)
	}
	return data, nil
}

// get returns what is at a URL, of most bytes.
func (i *Index) get(ctx context.Context, at *url.URL, accept string, most int64) ([]byte, error) {
	if at.Scheme != "https" {
		return nil, fmt.Errorf("%s: packages are downloaded by https only", at.Redacted())
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := download.Client(i.Transport).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound && accept != "":
		return nil, errUnknown
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: %s", at.Redacted(), response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d MiB", at.Redacted(), most>>20)
	}
	return data, err
}

// A candidate is a wheel that could be taken.
type candidate struct {
	*file
	version
	text string // of the version
	pure bool   // without native code
}

// optional are packages whose native code only makes them faster: they have the same in Python, and use that if the
// other is not there. Their wheels are unpacked without it.
var optional = map[string]bool{"lazy-object-proxy": true, "markupsafe": true, "msgpack": true, "pyyaml": true,
	"simplejson": true, "wrapt": true, "zope-interface": true}

const nativeOnly = "it has wheels with native code only, which cannot run in the sandbox"

// candidates returns the wheels of a package that a Python can use, the newest first, and what else there is of it.
func candidates(name string, files []file, python version) (found []candidate, others string) {
	kinds := map[string]bool{}
	for n := range files {
		f := &files[n]
		stem, isWheel := strings.CutSuffix(f.Filename, ".whl")
		parts := strings.Split(stem, "-")
		if !isWheel || len(parts) < 5 || len(parts) > 6 || normalize(parts[0]) != name {
			kinds["source"] = kinds["source"] || !isWheel
			continue
		}
		v, ok := parseVersion(parts[1])
		if !ok || f.isYanked() {
			continue
		}
		tags := parts[len(parts)-3:]
		pure := tags[1] == "none" && tags[2] == "any"
		if !pure && !(optional[name] && strings.HasPrefix(tags[2], "manylinux")) {
			kinds["native"] = true
			continue
		}
		conditions, err := parseSpecifiers(f.RequiresPython)
		if !slices.ContainsFunc(strings.Split(tags[0], "."), python.runs) || err != nil ||
			!allowAll(conditions, python, "") {
			kinds["other"] = true
			continue
		}
		found = append(found, candidate{f, v, parts[1], pure})
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		if order := b.compare(a.version); order != 0 || a.pure == b.pure {
			return order
		}
		if a.pure {
			return -1
		}
		return 1
	})
	switch {
	case len(found) > 0 && kinds["native"]:
		return found, "no version without native code, which cannot run in the sandbox, is all of that"
	case len(found) > 0:
		return found, "no version for this version of Python is all of that"
	case kinds["other"]:
		return found, "it has no wheel of pure Python for this version of Python"
	case kinds["native"]:
		return found, nativeOnly
	case kinds["source"]:
		return found, "it has no wheel, and is not built here, since that runs its code"
	}
	return found, "it has no files"
}

// runs reports whether a Python of this version can use a wheel with a tag, such as py3.
func (v version) runs(tag string) bool {
	if tag == "py3" || len(v.release) < 3 || v.release[1] != 3 {
		return tag == "py3"
	}
	minor := fmt.Sprint(v.release[2])
	if tag == "cp3"+minor {
		return true
	}
	rest, ok := strings.CutPrefix(tag, "py3")
	least, err := strconv.Atoi(rest)
	return ok && err == nil && int64(least) <= v.release[2]
}
