package module

import (
	"context"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// newerSyntax matches JavaScript that may have syntax which the engine does not know: declarations with using, and
// decorators. Most tags of comments and addresses in texts do not match.
var newerSyntax = lazyregexp.New(
	`\busing\s+[\p{L}_$][\p{L}\p{N}_$]*\s*(?:=|of\b)|(?m:^|[{};()=]|\bexport)[ \t]*@[\p{L}_$(]`)

// IsNewer reports whether code has declarations with using, or decorators. [LowerModule] and [LowerBody] turn them into
// what the engine knows.
func IsNewer(code string) bool {
	if !newerSyntax().MatchString(code) {
		return false
	}
	l := newLexer(code)
	var one, two token // the latest before t, which is the latest
	for {
		t := l.next()
		switch {
		case t.kind == endOfFile || t.kind == broken:
			return false
		case l.is(t, "@"):
			return true
		case l.is(two, "using") && !two.member && one.kind == word && !one.newline && (l.is(t, "=") || l.is(t, "of")):
			return true
		}
		one, two = t, one
	}
}

// LowerModule is [StripTypes] for JavaScript.
func LowerModule(ctx context.Context, code, name string) (js string, m *Map, err error) {
	return compileModule(ctx, code, name, api.LoaderJS)
}

// LowerBody is [StripBody] for JavaScript.
func LowerBody(ctx context.Context, code, name string) (js string, m *Map, err error) {
	return compileBody(ctx, code, name, api.LoaderJS)
}
