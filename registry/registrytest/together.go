package registrytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/tool"
)

// atOnce is the number of concurrent calls with each input.
const atOnce = 4

// An effect is the outcome of a call.
type effect struct {
	code  tool.Code
	text  string
	files map[string]string
}

func (e effect) same(other effect) bool {
	return e.code == other.code && e.text == other.text && maps.Equal(e.files, other.files)
}

// effectOf makes a call on a project of its own.
func (s *subject) effectOf(input json.RawMessage) (effect, response) {
	r, project, ok := s.on(input, new(findings))
	if !ok {
		return effect{}, response{}
	}
	response := s.do(r)
	return effect{response.Code, response.Text(), tree(project)}, response
}

func checkIsolation(s *subject, f *findings) {
	samples, _ := s.samples()
	if len(samples) == 0 || s.project(f) == nil {
		f.noSamples()
		return
	}
	alone := make([]effect, len(samples))
	steady := make([]bool, len(samples))
	for i, input := range samples {
		first, _ := s.effectOf(input)
		second, _ := s.effectOf(input)
		alone[i], steady[i] = first, first.same(second)
		if !steady[i] {
			f.advise("Input %s comes to something else on another project with the same files. "+
				"If that is not for time or chance, the tool keeps state, which it must not.", short(string(input)))
		}
	}
	together := make([]effect, len(samples)*atOnce)
	responses := make([]response, len(together))
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range together {
		all.Go(func() {
			<-start
			together[i], responses[i] = s.effectOf(samples[i%len(samples)])
		})
	}
	close(start)
	all.Wait()
	for i, effect := range together {
		n := i % len(samples)
		about := fmt.Sprintf("Input %s, with %d other calls at once", short(string(samples[n])), len(together)-1)
		if s.broken(about, responses[i], f) || !steady[n] || effect.same(alone[n]) {
			continue
		}
		f.fault("%s on projects of their own, comes to something else than alone. Calls must share nothing: "+
			"keep no state in the tool or in variables of its package.\nalone:    %s\ntogether: %s",
			about, alone[n].show(), effect.show())
	}
}

// show describes an effect for a finding.
func (e effect) show() string {
	text := fmt.Sprintf("%q", short(e.text))
	if e.code != "" {
		text = string(e.code) + " " + text
	}
	return fmt.Sprintf("%s, %d files", text, len(e.files)-1)
}

func checkEnvironment(s *subject, f *findings) {
	samples, _ := s.samples()
	if len(samples) == 0 {
		f.noSamples()
	}
	for _, input := range samples {
		r, _, ok := s.on(slices.Clone(input), f)
		if !ok {
			return
		}
		s.do(r)
		about := "Input " + short(string(input))
		if !bytes.Equal(r.input, input) {
			f.fault("%s: the tool has changed the bytes of Call.Input, which are the host's. Copy them before.", about)
		}
	}
}

func checkAnnotations(s *subject, f *findings) {
	a := s.spec.Annotations
	if !a.ReadOnly && !a.Idempotent {
		return
	}
	samples, _ := s.samples()
	if len(samples) == 0 {
		f.noSamples()
	}
	for _, input := range samples {
		about := "Input " + short(string(input))
		r, project, ok := s.on(input, f)
		if !ok {
			return
		}
		if a.ReadOnly {
			before, history := details(project), changes(project)
			s.do(r)
			if after := details(project); !maps.Equal(before, after) || changes(project) != history {
				f.fault("%s: Spec.Annotations say ReadOnly, but the call has changed files: "+
					"%s. Hosts run such calls at once, and without asking anybody.", about, difference(before, after))
			}
			continue
		}
		s.do(r)
		once := tree(project)
		s.do(r)
		if twice := tree(project); !maps.Equal(once, twice) {
			f.fault("%s: Spec.Annotations say Idempotent, but the same call does "+
				"something more when it is made again: %s.", about, difference(once, twice))
		}
	}
}

// details returns the tree with the files' modes and modification times.
func details(files afero.Fs) map[string]string {
	found := tree(files)
	_ = afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err == nil {
			name = path.Clean("/" + name)
			found[name] = fmt.Sprintln(info.Mode(), info.ModTime().UTC().Format(time.RFC3339Nano)) + found[name]
		}
		return nil
	})
	return found
}

// difference names the files that differ between two trees.
func difference(before, after map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, there := before[name]; !there {
			all = append(all, name+" is new")
		} else if old != after[name] {
			all = append(all, name+" is changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[name]; !there {
			all = append(all, name+" is gone")
		}
	}
	switch n := len(all); {
	case n == 0:
		return "something was changed and changed back"
	case n > 5:
		all = append(all[:5], fmt.Sprintf("and %d more", n-5))
	}
	return strings.Join(all, ", ")
}

// frames returns the lines of a stack that show where the tool panicked.
func frames(stack []byte) string {
	_, below, found := strings.Cut(string(stack), "\npanic(")
	if !found {
		below = string(stack)
	} else if _, below, found = strings.Cut(below, "\n\t"); found {
		_, below, _ = strings.Cut(below, "\n") // the location of panic itself
	}
	lines := strings.Split(below, "\n")
	return strings.Join(lines[:min(len(lines), 8)], "\n")
}
