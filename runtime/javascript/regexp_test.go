package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewRegularExpressions has what V8 answers. Node 20, which TestSameAsNode asks, does not know all of it.
func TestNewRegularExpressions(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		// The flag v.
		{`/\p{L}+/v.exec('1éa')[0]`, "éa"},
		{`/^.$/v.test('😀')`, "true"},
		{`'😀a'.replace(/./gv, 'x')`, "xx"},
		{`/a/v.unicode + ' ' + /a/v.unicodeSets + ' ' + /a/giv.flags`, "false true giv"},
		{`/a/u.unicode + ' ' + /a/u.unicodeSets + ' ' + /a/giu.flags`, "true false giu"},
		{`new RegExp('a', 'uv')`, "SyntaxError"},
		{`new RegExp('a', 'vu')`, "SyntaxError"},
		{`new RegExp('a', 'vv')`, "SyntaxError"},
		{`'aBcé1'.match(/[\p{L}--[a-z]]/gv)`, "B,é"},
		{`'hello'.match(new RegExp('[[a-z]&&[aeiou]]', 'gv'))`, "e,o"},
		{`/[[a-z]&&[aeiou]]/v.source`, "[[a-z]&&[aeiou]]"},
		{`'a1_-'.match(/[[a-z][0-9]]/gv)`, "a,1"},
		{`'abc.de'.match(/[\w--\q{b|de}]+/gv)`, "a,c,de"},
		{`'x🇯🇵y'.match(/[\q{🇯🇵|y}]/gv)`, "🇯🇵,y"},
		{`/^[\q{abc|a|}]$/v.exec('')[0] === '' && /[\q{a|abc}]/v.exec('abcd')[0]`, "abc"},
		{`/(?<=[\w--a])x/v.exec('axbx').index`, "3"},
		{`/[^\P{Lu}]/iv.test('a') + ' ' + /\P{Lu}/iv.test('a') + ' ' + /[^\P{Lu}]/v.test('a')`, "true false false"},
		{`/[\p{Lu}&&[a-z]]/iv.test('q')`, "true"},
		{`/[k--\u212a]/iv.test('k')`, "false"},
		{`new RegExp('[a&&b--c]', 'v')`, "SyntaxError"},
		{`new RegExp('[(]', 'v')`, "SyntaxError"},
		{`new RegExp('[a-z&&b]', 'v')`, "SyntaxError"},
		{`new RegExp('\\p{RGI_Emoji}', 'v')`, "SyntaxError"},
		{`'x1️⃣#️⃣2'.match(/\p{Emoji_Keycap_Sequence}|[\p{Emoji_Keycap_Sequence}--\q{1️⃣}]/gv)`, "1️⃣,#️⃣"},
		{`'😀'.split(new RegExp('', 'v')).length`, "1"},
		{`'😀'.match(/(?:)/gv).length + ' ' + [...'😀'.matchAll(/(?:)/gv)].length + ' ' + '😀'.replace(/(?:)/gv, '-')`,
			"2 2 -😀-"},
		{`'😀'.match(/(?:)/g).length + ' ' + [...'😀'.matchAll(/(?:)/gu)].length + ' ' + '😀'.split(/(?:)/).length`,
			"3 2 2"},

		// Modifiers.
		{`'aA bB Bb AB'.match(/a(?i:b)|(?i:B)b/g)`, "Bb"},
		{`/^(?i:straße)$/.test('STRAßE') + ' ' + /(?i:[a-c]x)/.test('BX') + ' ' + /(?i:k)/u.test('\u212a')`,
			"true true true"},
		{`new RegExp('(?i:[^a])').test('A')`, "false"},
		{`'a\nb'.match(/(?m:^)b/) + ' ' + /(?s:a.)b/.test('a\nb') + ' ' + /(?-s:a.)b/s.test('a\nb')`, "b true false"},
		{`/(?i:a)/.source + ' ' + /(?i:a)/g.flags`, "(?i:a) g"},
		{`new RegExp('(?-i:a)', 'i')`, "SyntaxError"},
		{`new RegExp('(?i-i:a)')`, "SyntaxError"},

		// Groups of one name.
		{`JSON.stringify('2024-05 06/2023'.replace(/(?<y>\d{4})-(?<m>\d\d)|(?<m>\d\d)\/(?<y>\d{4})/g, '$<m>.$<y>'))`,
			`"05.2024 06.2023"`},
		{`JSON.stringify(/(?:(?<a>x)|(?<a>y))/.exec('y').groups) +
			JSON.stringify(/(?:(?<a>x)|(?<a>y))/.exec('x').groups)`,
			`{"a":"y"}{"a":"x"}`},
		{`/(?:(?<a>x)|(?<a>y))\k<a>/.test('xy') + ' ' + /^(?:(?<a>x)|(?<a>y))\k<a>$/.test('yy')`, "false true"},
		{`JSON.stringify(/(?<a>x)|(?<a>y)/d.exec('zx').indices.groups)`, `{"a":[1,2]}`},
		{`new RegExp('(?<a>x)(?<a>y)')`, "SyntaxError"},
		{`/(?<a>x)|(?<a>y)/; new RegExp('(?<a>x)(?<a>y)')`, "SyntaxError"},
		{`(() => { try { new RegExp('(?<a>x)|(?<a>y)[') } catch {} return new RegExp('(?<a>x)(?<a>y)') })()`,
			"SyntaxError"},

		// Properties, where case is ignored.
		{`/^\p{Lu}\P{Lu}$/iu.test('aB') + ' ' + /\p{Lu}/u.test('a') + ' ' + /\p{Ll}/iu.source`, `true false \p{Ll}`},
	} {
		t.Run(c.script, func(t *testing.T) {
			require.Equal(t, c.want, run(t, `try { return String(eval(`+"String.raw`"+c.script+"`"+
				`)) } catch (e) { return e.name }`).Text)
		})
	}
}

// TestLastMatchIsThatOfTheRun looks at what RegExp says of matches in runs before.
func TestLastMatchIsThatOfTheRun(t *testing.T) {
	for range 3 {
		require.Equal(t, `["","","",""] secret`, run(t, `
			const before = JSON.stringify([RegExp.$1, RegExp.input, RegExp.lastMatch, RegExp.leftContext]);
			/(secret)/.test('a secret ' + Math.random());
			return before + ' ' + RegExp.$1`).Text)
	}
}
