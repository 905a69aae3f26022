// Package host is how Go serves JavaScript: what a capability of scripts consists of, and the calls that it answers.
//
// A capability, such as compression or Intl, is a folder beside this one with one [Feature]: its JavaScript, which
// defines what scripts see, and the functions in Go that the JavaScript calls by host(name, ...). Scripts
// cannot call these functions themselves, unless they find a way around the JavaScript; so a function takes each of its
// arguments for one that an attacker chose, and charges its work (see [Call.Spend]).
//
// # Experimental
//
// Only runtime/javascript needs this package.
package host

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// A Feature is a capability of scripts. None of its fields must be changed once it is in a [Set].
type Feature struct {
	Name string

	// Scripts has the JavaScript. Each file is a function of the kernel (prelude/kernel.js of the feature language),
	// and of a CommonJS module's require, module and exports. It is a built-in module with the file's name, without
	// .js, which is loaded when it is first used; only other built-in modules can require one in the folder internal.
	// Those in the folder prelude are no modules.
	Scripts fs.FS

	// Prelude has the names of the files in the folder prelude, which run in this order when the engine starts, so
	// that all images have them. They get the kernel and the host primitive only, and may use what those of features
	// before this one put into the kernel.
	Prelude []string

	// Globals are global variables, separated by spaces, by the module that exports them. Using one loads the module.
	Globals map[string]string

	// Words are texts in a script, separated by spaces, that mean that it will probably use a module, though it names
	// neither the module nor a global of it. Such modules are loaded before the script begins, and kept in images. A
	// word has at least 4 bytes.
	Words map[string]string

	// Functions are the functions of the host, by names that begin in that of what they belong to, and a dot.
	// docs/host-operations.md has a row for each.
	Functions map[string]Function

	// Effects are functions, too, with an effect beyond the script's memory or with results that another run may not
	// get. What has called one cannot be kept in an image, and what is loaded for several scripts must not call it.
	Effects map[string]Function
}

// A Function serves one kind of call. If it neither returns a value nor fails, the script gets undefined. The call is
// not valid after that.
type Function func(c *Call)

// A Set is features together. It is safe for concurrent use.
type Set struct {
	prelude   []quickjs.Script
	modules   map[string]fs.FS // by name
	names     []string         // of modules that scripts can require
	globals   map[string]string
	words     map[string]string
	functions map[string]function
	starts    func() *wordTable
}

type function struct {
	serve  Function
	effect bool
}

const (
	preludeFolder  = "prelude"
	internalFolder = "internal/"
	scriptSuffix   = ".js"
)

// NewSet returns the features together, which have been built into the program: it panics if a file is missing, or two
// features have something of the same name.
func NewSet(features ...Feature) *Set {
	s := &Set{
		modules: map[string]fs.FS{}, globals: map[string]string{}, words: map[string]string{},
		functions: map[string]function{},
	}
	for _, f := range features {
		add(s.globals, ByName(f.Globals), f.Name)
		add(s.words, ByName(f.Words), f.Name)
		for name, serve := range f.Functions {
			add(s.functions, map[string]function{name: {serve, false}}, f.Name)
		}
		for name, serve := range f.Effects {
			add(s.functions, map[string]function{name: {serve, true}}, f.Name)
		}
		if f.Scripts == nil {
			continue
		}
		for _, name := range f.Prelude {
			source, err := fs.ReadFile(f.Scripts, preludeFolder+"/"+name+scriptSuffix)
			must(err)
			s.prelude = append(s.prelude, quickjs.Script{Name: name, Source: string(source)})
		}
		must(fs.WalkDir(f.Scripts, ".", func(file string, entry fs.DirEntry, err error) error {
			if name, ok := strings.CutSuffix(file, scriptSuffix); ok && err == nil {
				add(s.modules, map[string]fs.FS{name: f.Scripts}, f.Name)
			} else if file == preludeFolder {
				return fs.SkipDir
			}
			return err
		}))
	}
	for name := range s.modules {
		if !strings.HasPrefix(name, internalFolder) {
			s.names = append(s.names, name)
		}
	}
	slices.Sort(s.names)
	s.starts = sync.OnceValue(s.wordsByStart)
	return s
}

func add[T any](all, more map[string]T, feature string) {
	for name, value := range more {
		if _, taken := all[name]; taken {
			panic(fmt.Sprintf("host: %s has %s, which another feature has", feature, name))
		}
		all[name] = value
	}
}

// ByName turns lists of names, separated by spaces, by what they stand for into that by the names.
func ByName(lists map[string]string) map[string]string {
	all := map[string]string{}
	for value, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = value
		}
	}
	return all
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("host: %v", err))
	}
}

// Prelude returns what runs when the engine starts.
func (s *Set) Prelude() quickjs.PreludeSource {
	globals, err := json.Marshal(s.globals)
	must(err)
	return quickjs.PreludeSource{Scripts: s.prelude, Globals: string(globals)}
}

// PreludeSHA256 hashes what runs when the engine starts.
func (s *Set) PreludeSHA256() [sha256.Size]byte {
	hash := sha256.New()
	source := s.Prelude()
	for _, script := range source.Scripts {
		fmt.Fprintln(hash, script.Name, len(script.Source))
		hash.Write([]byte(script.Source))
	}
	hash.Write([]byte(source.Globals))
	return [sha256.Size]byte(hash.Sum(nil))
}

// ModuleNames returns the sorted names of the modules that scripts can require, without "node:". Do not change it.
func (s *Set) ModuleNames() []string { return s.names }

// Module returns the source of a module, and the name of its file in stack traces, which users do not see. It is false
// if there is no module with the name.
func (s *Set) Module(name string) (source, file string, ok bool) {
	scripts := s.modules[name]
	if scripts == nil {
		return "", "", false
	}
	data, err := fs.ReadFile(scripts, name+scriptSuffix)
	must(err)
	return string(data), path.Join(quickjs.PreludeName+"node", name+scriptSuffix), true
}

// Functions returns the sorted names of the functions.
func (s *Set) Functions() []string { return slices.Sorted(maps.Keys(s.functions)) }
