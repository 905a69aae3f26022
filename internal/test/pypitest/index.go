// Package pypitest has an index of packages for tests, and a Python that they can be added for.
package pypitest

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// URL is the index's.
const URL = "https://index.example/simple/"

// Pure are the tags of wheels of pure Python.
const Pure = "py3-none-any"

// An Index answers requests as an index of packages does: it is the transport. Add nothing while it does.
type Index struct {
	lists  map[string][]map[string]any // by the names of packages
	wheels map[string][]byte           // by their paths

	mu    sync.Mutex
	asked []string
}

// New returns an index without packages.
func New() *Index {
	return &Index{lists: map[string][]map[string]any{}, wheels: map[string][]byte{}}
}

// Asked returns the URLs of all requests.
func (i *Index) Asked() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.asked)
}

// RoundTrip implements [http.RoundTripper].
func (i *Index) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	i.asked = append(i.asked, r.URL.String())
	i.mu.Unlock()
	answer := func(status int, body []byte) (*http.Response, error) {
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Request: r,
			Body: io.NopCloser(bytes.NewReader(body))}, nil
	}
	if wheel, ok := i.wheels[r.URL.Path]; ok && r.URL.Host == "files.example" {
		return answer(200, wheel)
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/simple/")
	if list, known := i.lists[strings.TrimSuffix(name, "/")]; ok && known && r.Header.Get("Accept") != "" {
		data, err := json.Marshal(map[string]any{"files": list})
		if err != nil {
			return nil, err
		}
		return answer(200, data)
	}
	return answer(404, nil)
}

// Add adds a wheel with files, beside its metadata. It returns the wheel's entry, which can be changed.
func (i *Index) Add(name, version, tags string, files map[string]string, requires ...string) map[string]any {
	module := strings.ReplaceAll(name, "-", "_")
	info := module + "-" + version + ".dist-info/"
	metadata := "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"
	for _, r := range requires {
		metadata += "Requires-Dist: " + r + "\n"
	}
	all := map[string]string{info + "METADATA": metadata + "\nText: of the package\n",
		info + "WHEEL": "Wheel-Version: 1.0\n", info + "RECORD": "something,else,"}
	maps.Copy(all, files)
	return i.AddFile(name, module+"-"+version+"-"+tags+".whl", Pack(all))
}

// AddFile adds a file of a package.
func (i *Index) AddFile(name, filename string, data []byte) map[string]any {
	i.wheels["/"+filename] = data
	entry := map[string]any{"filename": filename, "url": "https://files.example/" + filename,
		"hashes": map[string]string{"sha256": fmt.Sprintf("%x", sha256.Sum256(data))}}
	i.lists[name] = append(i.lists[name], entry)
	return entry
}

// Pack makes a zip archive.
func Pack(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, files[name])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Python is a language with the name of Python and its installer, of which packages are all that works: its code gives
// the version.
func Python(installer func(code.Loader, []string, code.PackageIndex) code.Installer) code.Language {
	return code.Language{
		Name: "python", Title: "Python", Guest: "Python", Packages: []string{"numpy 2.3.5"},
		PackagesMemory: sandbox.DefaultMemory, Installer: installer,
		Describe: func(tool.Offer, code.Facts) string { return "Runs Python." },
		Open: func(context.Context, *sandbox.Engine, script.Module) (code.Interpreter, error) {
			return interpreter{}, nil
		},
		Samples: []code.Sample{{ID: "python", Title: "Python", Code: "1"}},
		Console: func([]sandbox.Entry) code.Pieces { return func(func(string)) {} },
	}
}

type interpreter struct{ code.Interpreter }

func (interpreter) Run(context.Context, string, *code.Run) (*script.Result, error) {
	return &script.Result{Value: "3.11.2", Text: "3.11.2"}, nil
}
