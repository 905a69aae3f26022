package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// Rules of [Selection].Ask that are no names of tools. A rule that begins with AskSource is for the tools of a source:
// "source:github".
const (
	AskAll         = "all"         // every tool
	AskWrites      = "writes"      // tools that are not ReadOnly
	AskDestructive = "destructive" // tools that are Destructive
	AskExternal    = "external"    // tools that are OpenWorld
	AskNetwork     = "network"     // requests over the network: see [NetworkTool]; and a tool of that name
	AskSource      = "source:"
)

// askRules are the rules that are neither names nor sources.
var askRules = []string{AskAll, AskWrites, AskDestructive, AskExternal, AskNetwork, NetworkTool}

// CheckAsk returns what is wrong with a rule of [Selection].Ask, or nil. It does not know which tools there are:
// [Registry.CheckAsk] does.
func CheckAsk(rule string) error {
	source, isSource := strings.CutPrefix(rule, AskSource)
	if isSource && source != "" || slices.Contains(askRules, rule) {
		return nil
	}
	if _, _, ok := commandRule(rule); ok {
		return nil
	}
	if err := tool.CheckName(rule); err != nil {
		return fmt.Errorf("%q is no rule for approvals: %s", plaintext.Cut(rule, 100), thereAre)
	}
	return nil
}

const thereAre = "there are " + AskAll + ", " + AskWrites + ", " + AskDestructive +
	", " + AskExternal + ", " + AskSource +
	"SOURCE, and the names of tools"

// An UnknownRuleError means that a rule of [Selection].Ask names a tool or a source that there is not. Until there is,
// calls of all tools whose names look like it need approval.
type UnknownRuleError struct {
	Rule string
	// Like is the rule that may have been meant, or "".
	Like string
}

// Error says which rule it is, and what may have been meant.
func (e *UnknownRuleError) Error() string {
	if e.Like != "" {
		return fmt.Sprintf("unknown approval rule %q: did you mean %s?", plaintext.Cut(e.Rule, 100), e.Like)
	}
	return fmt.Sprintf("unknown approval rule %q: %s", plaintext.Cut(e.Rule, 100), thereAre)
}

// CheckAsk returns what is wrong with a rule of [Selection].Ask, or nil. The error is an [*UnknownRuleError] for the
// name of a tool or a source that the registry does not have.
func (r *Registry) CheckAsk(rule string) error {
	if err := CheckAsk(rule); err != nil || r.knows(rule) {
		return err
	}
	e, least := &UnknownRuleError{Rule: rule}, mistakes+1
	propose := func(other string) {
		if n := distance(letters(rule), letters(other)); n < least && n <= allowed(letters(rule), letters(other)) {
			e.Like, least = other, n
		}
	}
	for _, other := range askRules {
		propose(other)
	}
	for _, entry := range r.entries {
		propose(entry.spec.Name)
		if entry.spec.Source != "" {
			propose(AskSource + entry.spec.Source)
		}
	}
	return e
}

// knows reports whether there is what a rule is for. A nil registry knows no tools.
func (r *Registry) knows(rule string) bool {
	if slices.Contains(askRules, rule) || r == nil {
		return slices.Contains(askRules, rule)
	}
	if source, ok := strings.CutPrefix(rule, AskSource); ok {
		return slices.ContainsFunc(r.entries, func(e *entry) bool { return e.spec.Source == source && source != "" })
	}
	if name, _, ok := commandRule(rule); ok {
		e := r.byName[name]
		return e != nil && e.spec.AsksForCommands
	}
	return r.byName[rule] != nil
}

// asks returns the rule by which a call needs approval. A rule that is for nothing that there is could be misspelt: it
// is taken to be for all tools and rules that it looks like, and one that is no rule at all for everything. The
// registry can be nil.
func (r *Registry) asks(s *Selection, call *tool.Call, spec *tool.Spec) (rule string, ok bool) {
	for _, rules := range [][]string{s.Settings.Ask, s.Ask} {
		for _, rule := range rules {
			if isFor(rule, spec) || r.isForPart(rule, spec) || !r.knows(rule) && mayBeFor(rule, spec) {
				return rule, true
			}
		}
	}
	return "", s.AskIf != nil && s.AskIf(*call, spec)
}

// isFor reports whether a rule is for calls of a tool. The name of a tool is for its parts, too.
func isFor(rule string, spec *tool.Spec) bool {
	switch rule {
	case AskAll, spec.Name:
		return true
	case AskWrites:
		return !spec.Annotations.ReadOnly
	case AskDestructive:
		return spec.Annotations.Destructive
	case AskExternal:
		return spec.Annotations.OpenWorld
	case AskNetwork:
		return spec.Name == NetworkTool
	}
	source, isSource := strings.CutPrefix(rule, AskSource)
	return rule == spec.PartOf || isSource && source == spec.Source
}

// isForPart reports whether a rule names a part of a tool, which as a whole does what its parts do.
func (r *Registry) isForPart(rule string, spec *tool.Spec) bool {
	return r != nil && r.byName[rule] != nil && r.byName[rule].spec.PartOf == spec.Name
}

// mayBeFor reports whether a rule that is for nothing may have been meant for a tool.
func mayBeFor(rule string, spec *tool.Spec) bool {
	if CheckAsk(rule) != nil {
		return true
	}
	for _, other := range askRules {
		if misspelt(rule, other) && isFor(other, spec) {
			return true
		}
	}
	if name, _, ok := commandRule(rule); ok && name == spec.Name {
		return true
	}
	return looksLike(rule, spec.Name) || spec.PartOf != "" && looksLike(rule, spec.PartOf) ||
		spec.Source != "" && looksLike(rule, AskSource+spec.Source)
}

// looksLike reports whether two names are the same but for case and punctuation, differ as a misspelt one does, or one
// is a part of the other, such as create_issue of github_create_issue.
func looksLike(a, b string) bool {
	const least = 4 // characters of a part
	a, b = letters(a), letters(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= least && strings.Contains(b, a) || distance(a, b) <= allowed(a, b)
}

func misspelt(a, b string) bool {
	a, b = letters(a), letters(b)
	return distance(a, b) <= allowed(a, b)
}

// letters reduces a name to its letters and digits in lower case.
func letters(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c > '\x7f':
			return c
		}
		return -1
	}, name)
}

// mistakes is how many mistakes a misspelt name has at most.
const mistakes = 2

// allowed is how many mistakes may make one name of the other.
func allowed(a, b string) int {
	switch n := max(len(a), len(b)); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return mistakes
}

// distance is how many mistakes make b of a: bytes that are missing, too many or wrong, and neighbours that are
// swapped. More than mistakes is mistakes+1.
func distance(a, b string) int {
	if len(a)-len(b) > mistakes || len(b)-len(a) > mistakes {
		return mistakes + 1
	}
	// before, last and now are rows of the table of distances between beginnings of a and b.
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now[0] = i + 1
		for j := range len(b) {
			n := last[j]
			if a[i] != b[j] {
				n++
			}
			n = min(n, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, before[j-1]+1)
			}
			now[j+1] = n
		}
		before, last, now = last, now, before
	}
	return min(last[len(b)], mistakes+1)
}
