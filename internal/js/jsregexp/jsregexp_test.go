package jsregexp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/jsregexp"
)

func TestTranslate(t *testing.T) {
	sets := jsregexp.Flags{Unicode: true, Sets: true}
	for _, c := range []struct {
		pattern string
		flags   jsregexp.Flags
		want    string
	}{
		{`abc`, jsregexp.Flags{}, ""},
		{`(?<a>x)|(?:y)|\k<a>[\]^-]`, jsregexp.Flags{}, ""},
		{`(?<a>x)|(?<a>y)`, jsregexp.Flags{}, `(?<a>x)|(?<a>y)`},
		{`(?:(?<a>x)|(?<a>y))\k<a>`, jsregexp.Flags{}, `(?:(?<a>x)|(?<a>y))(?:\1\2)`},
		{`a(?i:bc)d`, jsregexp.Flags{}, `a(?:[bB][cC])d`},
		{`(?i:[a-cZ]\x41)`, jsregexp.Flags{}, `(?:[a-cZABCz][Aa])`},
		{`(?m:^a$)$`, jsregexp.Flags{}, `(?:(?:^|(?<=[\n\r\u2028\u2029]))a(?:$|(?=[\n\r\u2028\u2029])))$`},
		{`(?s-m:.^)`, jsregexp.Flags{Multiline: true}, `(?:[^](?<![^]))`},
		{`\p{Lu}[\p{Ll}]`, jsregexp.Flags{Unicode: true}, ""},
		{`\p{Lu}[\p{Ll}]`, jsregexp.Flags{Unicode: true, IgnoreCase: true}, `[\p{Lu}][\p{Ll}]`},
		{`[a-c]`, sets, `[a-c]`},
		{`[\w--[a-f]]`, sets, `(?:(?![a-f])[\w])`},
		{`[[a-z]&&[aeiou]]+`, sets, `(?:(?=[aeiou])[a-z])+`},
		{`[^[a-c]\d]`, sets, `[^a-c\d]`},
		{`[a\q{bc|d||bcd}]`, sets, `(?:bcd|bc|[ad]|)`},
		{`[\q{ab|c}--\q{ab}]`, sets, `(?:(?![])[c])`},
		{`[^a&&b]`, sets, `(?:(?!(?:(?=[b])[a]))[^])`},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			got, err := jsregexp.Translate(c.pattern, c.flags)
			require.NoError(t, err)
			if c.want == "" {
				require.False(t, got.Changed)
				require.Equal(t, c.pattern, got.Pattern)
				return
			}
			require.True(t, got.Changed)
			require.Equal(t, c.want, got.Pattern)
		})
	}
}

func TestWhatCannotBeTranslatedIsRefused(t *testing.T) {
	sets := jsregexp.Flags{Unicode: true, Sets: true}
	for _, c := range []struct {
		pattern string
		flags   jsregexp.Flags
		want    string
	}{
		{`(?<a>x)(?<a>y)`, jsregexp.Flags{}, "Duplicate capture group name"},
		{`(?-i:x)`, jsregexp.Flags{IgnoreCase: true}, "leave that flag out"},
		{`(?i-i:x)`, jsregexp.Flags{}, "Repeated flag in modifiers"},
		{`(?-:x)`, jsregexp.Flags{}, "Invalid flags"},
		{`(x)(?i:\1)`, jsregexp.Flags{}, "use the flag i"},
		{`(?i:\p{Lu})`, jsregexp.Flags{Unicode: true}, "use the flag i"},
		{`\p{RGI_Emoji}`, sets, "not available"},
		{`[a&&b--c]`, sets, "Invalid set operation"},
		{`[a-z&&b]`, sets, "Invalid set operation"},
		{`[a&&&b]`, sets, "Invalid character"},
		{`[(]`, sets, "Invalid character"},
		{`[a--]`, sets, "Invalid character"},
		{`[!!]`, sets, "Invalid set operation"},
		{`[^\q{ab}]`, sets, "may contain strings"},
		{`[a`, sets, "Unterminated"},
		{strings.Repeat("(", 5000), jsregexp.Flags{}, "too large"},
		{strings.Repeat("[", 5000), sets, "too large"},
		{`(?i:` + strings.Repeat(`[\0-\uffff]`, 5000) + `)`, jsregexp.Flags{Unicode: true}, "too large"},
		{strings.Repeat(`(?:`, 900) + strings.Repeat(`(?<a>)|`, 5000), jsregexp.Flags{}, "too large"},
	} {
		t.Run(c.pattern[:min(len(c.pattern), 20)], func(t *testing.T) {
			_, err := jsregexp.Translate(c.pattern, c.flags)
			var syntax *jsregexp.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestHugeSets translates sets that would take gigabytes and minutes if what was read was copied for each part.
func TestHugeSets(t *testing.T) {
	const n = 64 << 10
	var texts strings.Builder
	texts.WriteString(`\q{`)
	for i := range 1900 {
		fmt.Fprintf(&texts, "%03x|", i)
	}
	texts.WriteString(`no}`)
	deep := func(open, content string) string {
		return strings.Repeat(open, 900) + content + strings.Repeat("]", 900)
	}
	many := strings.Repeat(texts.String(), n/texts.Len())
	for name, c := range map[string]struct {
		pattern string
		refused bool
	}{
		"members":          {"[" + strings.Repeat("a", n) + "]", false},
		"escapes":          {"[" + strings.Repeat(`\w`, n/2) + "]", false},
		"properties":       {"[" + strings.Repeat(`\p{L}`, n/5) + "]", false},
		"members, deep":    {deep("[", strings.Repeat("a", n)), false},
		"complements":      {deep("[^", strings.Repeat("[^a]", n/4)), false},
		"intersections":    {"[" + strings.Repeat("a&&", n/3) + "a]", true},
		"differences":      {"[" + strings.Repeat("a--", n/3) + "a]", true},
		"strings":          {"[" + many + "]", false},
		"strings in both":  {"[[" + many + "]&&[" + many + "]]", false},
		"unfinished codes": {strings.Repeat(`\u{`, n/3) + "}", false}, // which the engine refuses
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			result, err := jsregexp.Translate(c.pattern, jsregexp.Flags{Unicode: true, Sets: true})
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(500<<20))
			if c.refused {
				require.EqualError(t, err, "Regular expression too large")
				return
			}
			require.NoError(t, err)
			require.Less(t, len(result.Pattern), 2*len(c.pattern))
		})
	}
}

func FuzzTranslate(f *testing.F) {
	for _, pattern := range []string{`(?<a>x)|(?<a>y)\k<a>`, `(?i-m:[a-z]\u{61}\cA)`, `[\q{ab|c}--[^\d&&\p{L}]]`, `\`,
		`[^a\q{bc|bc|}&&[^\w]--\q{d}]`, `[`, `(?`, `(?<`, `\u{`, `[\q`} {
		for flags := range 32 {
			f.Add(pattern, flags)
		}
	}
	f.Fuzz(func(t *testing.T, pattern string, flags int) {
		f := jsregexp.Flags{IgnoreCase: flags&1 > 0, Multiline: flags&2 > 0, DotAll: flags&4 > 0, Unicode: flags&24 > 0,
			Sets: flags&16 > 0}
		result, err := jsregexp.Translate(pattern, f)
		if err == nil && !result.Changed {
			require.Equal(t, pattern, result.Pattern)
		}
	})
}
