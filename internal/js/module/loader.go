package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/progress"
)

// Limits on the files that a [Loader] loads, in bytes. The TypeScript compiler cannot be stopped, and its stack grows
// with the size. Smaller code that could take longer than a second or two is refused as well.
const (
	MaxSource     = 16 << 20
	MaxTypeScript = 128 << 10
)

// A Loader finds modules among the files of a project. Do not change its fields while it is in use; then it is safe
// for concurrent use, if Files is. It caches nothing: each call reads the files again.
//
// Calls take as long as Files takes. If Files may hang, run them where they can be abandoned.
type Loader struct {
	// Files are the project's files. If nil, only the built-in modules exist.
	Files afero.Fs
	// Builtins are the names of modules that are not files, such as "fs" and "fs/promises".
	Builtins []string
	// Absent are the names of Node's modules that do not exist here. A file in a folder node_modules gets a
	// placeholder for one, because most packages that require it work without it.
	Absent []string
	// Instead names replacements for modules of other systems, for errors. Keys have no "node:".
	Instead map[string]string
	// Require resolves for CommonJS: packages with several forms give the one for require.
	Require bool
}

// absentPrefix begins what [Loader.Resolve] returns for a module in Absent.
const absentPrefix = "absent:"

// A Source is the content of a module, ready for the engine.
type Source struct {
	Path string
	Kind Kind
	// Code is JavaScript, or the JSON text. It is valid UTF-8 without a byte order mark. In JavaScript, a leading
	// #! has become //.
	Code string
	// Map translates positions in Code to positions in the file. It is nil if they are the same.
	Map *Map
	// UMD means that a CommonJS module checks how it is run: it may also run as a script that defines a global.
	UMD bool
}

// IsTypeScript reports whether a file is TypeScript by its name.
func IsTypeScript(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return true
	}
	return false
}

// notCode contains the extensions of files that are not code. A table, for example, could run without an error and do
// nothing, or anything.
var notCode = wordSet(".csv .tsv .txt .md .log .html .htm .css .svg .xml .yaml .yml .toml .ini .sql .jsonl .ndjson " +
	".png .jpg .jpeg .gif .webp .pdf .zip .gz .tar .wasm .node")

// Load reads and prepares the file at a path that Resolve returned. The errors are a *fileError, a *SyntaxError, a
// *ComplexityError, ErrBusy or that of the context.
func (l *Loader) Load(ctx context.Context, name string) (*Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if notCode[strings.ToLower(path.Ext(name))] {
		return nil, &fileError{path: name, reason: "by its name it is neither code nor JSON; fs.readFile gives its " +
			"content"}
	}
	limit, what := int64(MaxSource), "a source file"
	typed := IsTypeScript(name)
	if typed {
		limit, what = MaxTypeScript, "a TypeScript file"
	}
	data, err := l.read(name, limit, what)
	if err != nil {
		return nil, err
	}
	s := &Source{Path: name, Code: toText(data)}
	if path.Ext(name) == ".json" {
		s.Kind = JSON
		return s, nil
	}
	if strings.HasPrefix(s.Code, "#!") {
		s.Code = "//" + s.Code[2:]
	}
	kind, universal := detect(s.Code)
	if typed {
		written := kind
		if s.Code, s.Map, err = StripTypes(ctx, s.Code, name); err != nil {
			return nil, err
		}
		// Compiling can remove all imports and exports, if they are types, and turns export = into an assignment.
		if kind, universal = detect(s.Code); kind == Script {
			kind = written
		}
	}
	if !typed && len(s.Code) <= MaxTypeScript && IsNewer(s.Code) {
		switch code, m, err := LowerModule(ctx, s.Code, name); {
		case err == nil:
			s.Code, s.Map = code, m
		case ctx.Err() != nil || errors.Is(err, ErrBusy):
			return nil, err
		}
		// Otherwise the engine says what is wrong.
	}
	s.Code = WithoutAttributes(s.Code)
	if s.Kind, s.UMD = l.kind(name, kind, universal); s.Kind == ES {
		s.Code = withoutStrings(s.Code)
	}
	return s, nil
}

// kind returns the kind of a file. The name and the package count where the content is ambiguous.
func (l *Loader) kind(name string, detected Kind, universal bool) (kind Kind, umd bool) {
	switch path.Ext(name) {
	case ".mjs", ".mts":
		return ES, false
	case ".cjs", ".cts":
		return CommonJS, detected == CommonJS && universal
	}
	if detected == Script && l.packageType(path.Dir(name)) == "module" {
		return ES, false
	}
	return detected, universal
}

// toText converts a file's content to valid text.
func toText(data []byte) string {
	return strings.ToValidUTF8(strings.TrimPrefix(string(data), "\uFEFF"), "\uFFFD")
}

// read reads a file of at most limit bytes. what says for errors which files the limit is for.
func (l *Loader) read(name string, limit int64, what string) ([]byte, error) {
	if err := checkPath(name); err != "" || !path.IsAbs(name) {
		return nil, &fileError{path: quote(name), reason: "this is no path of a file"}
	}
	if l.Files == nil {
		return nil, &fileError{path: name, reason: "there are no files", err: fs.ErrNotExist}
	}
	// Opening another kind of file can block forever.
	info, err := l.Files.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &fileError{path: name, reason: "there is no such file", err: err}
	case err != nil:
		return nil, &fileError{path: name, reason: "the file cannot be read", err: err}
	case info.IsDir():
		return nil, &fileError{path: name, reason: "it is a directory"}
	case !info.Mode().IsRegular():
		return nil, &fileError{path: name, reason: "it is no regular file"}
	}
	tooLarge := &fileError{path: name, reason: fmt.Sprintf("it is larger than %d bytes, the most that %s may have",
		limit, what)}
	if info.Size() > limit {
		return nil, tooLarge
	}
	f, err := l.Files.Open(name)
	if err != nil {
		return nil, &fileError{path: name, reason: "the file cannot be opened", err: err}
	}
	defer f.Close()
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := content.ReadFrom(progress.Reader(io.LimitReader(f, limit+1))); err != nil {
		return nil, &fileError{path: name, reason: "the file cannot be read", err: err}
	}
	if int64(content.Len()) > limit {
		return nil, tooLarge
	}
	return content.Bytes(), nil
}
