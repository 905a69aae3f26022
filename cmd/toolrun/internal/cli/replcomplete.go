package cli

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// complete completes a line: see [terminal.Completer].
func (s *session) complete(before string) (start int, words []string) {
	word := before[strings.LastIndexByte(before, ' ')+1:]
	start = len(before) - len(word)
	name, argument, ok := dotCommand(before)
	switch {
	case strings.HasPrefix(before, ".") && start == 0:
		for _, c := range replCommands() {
			words = append(words, "."+c.name)
		}
	case ok && name == "files":
		start = len(before) - len(argument)
		return start, s.paths(argument)
	case ok && (name == "tool" || name == "call") && !strings.Contains(argument, " "):
		for _, spec := range s.runner.Registry().Specs() {
			words = append(words, spec.Name)
		}
	case ok && name == "json":
		words = []string{"on", "off"}
	case !ok && s.language().Shell.LikeSh && (start > 0 || strings.Contains(word, "/")):
		return start, s.paths(word)
	case !ok:
		return s.names(before)
	}
	return start, startingWith(words, word)
}

// startingWith returns the words that have a prefix, in order.
func startingWith(words []string, prefix string) []string {
	var out []string
	for _, word := range words {
		if strings.HasPrefix(word, prefix) {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// paths returns the paths in the project that begin with a prefix.
func (s *session) paths(prefix string) []string {
	if s.files == nil {
		return nil
	}
	return pathsIn(s.files, prefix)
}

// pathsIn returns the paths that begin with a prefix, up to the next slash. Names with control characters are left out.
func pathsIn(files afero.Fs, prefix string) []string {
	dir, _ := path.Split(prefix)
	infos, err := afero.ReadDir(files, path.Join("/", dir))
	if err != nil {
		return nil
	}
	var words []string
	for _, info := range infos {
		name := info.Name()
		if terminal.Escape(name) != name || strings.ContainsAny(name, "\n\t") {
			continue
		}
		if info.IsDir() {
			name += "/"
		}
		words = append(words, dir+name)
	}
	return startingWith(words, prefix)
}

// dotted matches a name at the end of a line, with names and dots before it.
var dotted = lazyregexp.New(`(?:^|[^\w$.])((?:[A-Za-z_$][\w$]*\.)?)([\w$]*)$`)

// names completes the last name of a line with globals of the sandbox and their properties.
func (s *session) names(before string) (start int, words []string) {
	match := dotted().FindStringSubmatch(before)
	if match == nil || match[1]+match[2] == "" {
		return len(before), nil
	}
	if len(s.globals) == 0 { // not asked yet, or there was no answer in time
		s.globals = namesIn(s.ask(context.WithoutCancel(s.cmd.Context()))(s.language().Shell.Globals, ""))
	}
	start = len(before) - len(match[2])
	return start, startingWith(s.globals[strings.TrimSuffix(match[1], ".")], match[2])
}
