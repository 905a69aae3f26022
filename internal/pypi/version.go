package pypi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A version is one of a package, as PEP 440 defines it. Local versions, such as 1.0+local, are those without that.
//
// See https://packaging.python.org/en/latest/specifications/version-specifiers.
type version struct {
	release   []int64 // with the epoch first, without zeros at the end
	pre       [2]int64
	post, dev int64
	parts     int // how many numbers the release was written with
}

// What a version without a pre-release, a post-release or a development release has in their place.
const (
	noPre  = 3
	noPost = -1
	noDev  = 1<<63 - 1
)

var versionPattern = lazyregexp.New(`^v?(?:([0-9]{1,18})!)?([0-9]{1,18}(?:\.[0-9]{1,18}){0,20})` +
	`(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?([0-9]{0,18}))?` +
	`(?:-([0-9]{1,18})|[-_.]?(post|rev|r)[-_.]?([0-9]{0,18}))?(?:[-_.]?(dev)[-_.]?([0-9]{0,18}))?` +
	`(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$`)

func parseVersion(text string) (v version, ok bool) {
	m := versionPattern().FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return v, false
	}
	number := func(text string) int64 { n, _ := strconv.ParseInt("0"+text, 10, 64); return n }
	v = version{release: []int64{number(m[1])}, pre: [2]int64{noPre, 0}, post: noPost, dev: noDev}
	for part := range strings.SplitSeq(m[2], ".") {
		v.release = append(v.release, number(part))
		v.parts++
	}
	for len(v.release) > 1 && v.release[len(v.release)-1] == 0 {
		v.release = v.release[:len(v.release)-1]
	}
	switch {
	case m[3] == "":
	case m[3][0] == 'a':
		v.pre = [2]int64{0, number(m[4])}
	case m[3][0] == 'b':
		v.pre = [2]int64{1, number(m[4])}
	default:
		v.pre = [2]int64{2, number(m[4])}
	}
	if m[5] != "" || m[6] != "" {
		v.post = number(m[5] + m[7])
	}
	if m[8] != "" {
		if v.dev = number(m[9]); v.pre[0] == noPre && v.post == noPost {
			v.pre[0] = -1 // before all of its pre-releases
		}
	}
	return v, true
}

func (v version) isPre() bool { return v.pre[0] != noPre || v.dev != noDev }

func (v version) compare(w version) int {
	return cmp.Or(slices.Compare(v.release, w.release), slices.Compare(v.pre[:], w.pre[:]), cmp.Compare(v.post, w.post),
		cmp.Compare(v.dev, w.dev))
}

// begins reports whether the release begins with the first n numbers of w's.
func (v version) begins(w version, n int) bool {
	at := func(v version, i int) int64 {
		if i < len(v.release) {
			return v.release[i]
		}
		return 0
	}
	for i := range n + 1 {
		if at(v, i) != at(w, i) {
			return false
		}
	}
	return true
}

// A specifier is a condition on versions, such as >=1.2.
type specifier struct {
	op   string
	text string
	version
	prefix bool // the version ends with .*
}

var operators = []string{"===", "==", "!=", "<=", ">=", "~=", "<", ">"}

// parseSpecifiers parses conditions with commas between them. No text is no condition.
func parseSpecifiers(text string) (all []specifier, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		i := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(part, op) })
		if i < 0 {
			return nil, fmt.Errorf("%.50q is not a condition on versions, such as >=1.2", part)
		}
		s := specifier{op: operators[i], text: strings.TrimSpace(part[len(operators[i]):])}
		number := s.text
		if s.op == "==" || s.op == "!=" {
			number, s.prefix = strings.CutSuffix(s.text, ".*")
		}
		var ok bool
		if s.version, ok = parseVersion(number); !ok && s.op != "===" || s.op == "~=" && s.parts < 2 {
			return nil, fmt.Errorf("%.50q is not a condition on versions, such as >=1.2", part)
		}
		all = append(all, s)
	}
	return all, nil
}

// allows reports whether a version, which was written as text, is what the condition wants.
func (s specifier) allows(v version, text string) bool {
	order := v.compare(s.version)
	switch s.op {
	case "===":
		return strings.EqualFold(s.text, text)
	case "==":
		return s.prefix && v.begins(s.version, s.parts) || !s.prefix && order == 0
	case "!=":
		return !(s.prefix && v.begins(s.version, s.parts) || !s.prefix && order == 0)
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	case "~=":
		return order >= 0 && v.begins(s.version, s.parts-1)
	case "<": // its pre-releases are no earlier versions
		return order < 0 && (s.isPre() || !v.isPre() || slices.Compare(v.release, s.release) != 0)
	default: // and its post-releases no later ones
		return order > 0 && (s.post != noPost || slices.Compare(v.release, s.release) != 0)
	}
}

// allowAll reports whether a version is what all conditions want.
func allowAll(all []specifier, v version, text string) bool {
	return !slices.ContainsFunc(all, func(s specifier) bool { return !s.allows(v, text) })
}
