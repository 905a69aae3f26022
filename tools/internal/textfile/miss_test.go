package textfile

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissesAreExplained(t *testing.T) {
	for name, test := range map[string]struct{ text, old, want string }{
		"blanks at the end of a line": {"a\nfoo \nbar\n", "foo\nbar",
			" Apart from blanks at the end of lines it is there: line 2 has a space where old_str has a line break."},
		"blanks at the end of a line of old": {"a\nfoo\nbar\n", "foo \nbar",
			" Apart from blanks at the end of lines it is there: line 2 has a line break where old_str has a space."},
		"blanks at the end of old": {"a\nfoo\nbar\n", "foo  ",
			" Apart from blanks at the end of lines it is there: line 2 has a line break where old_str has a space."},
		"a blank line with blanks": {"a\n\t\nb", "a\n\nb",
			" Apart from blanks at the end of lines it is there: line 2 has a tab where old_str has a line break."},
		"tabs for spaces": {"if x {\n\treturn\n}\n", "if x {\n    return\n}",
			" Apart from the indentation it is there: line 2 has a tab where old_str has a space."},
		"no indentation": {"if x {\n\treturn\n}\n", "if x {\nreturn\n}",
			" Apart from the indentation it is there: line 2 has a tab where old_str has r."},
		"more indentation": {"x\n  a\n  b\n", "    a\n    b",
			" Apart from the indentation it is there: line 2 has a where old_str has a space."},
		"indentation behind a line break": {"x\n\n\ta\n", "\n  a",
			" Apart from the indentation it is there: line 3 has a tab where old_str has a space."},
		"a tab between words": {"a\tb", "a b",
			" Apart from tabs or the number of spaces it is there: line 1 has a tab where old_str has a space."},
		"two spaces": {"1\na  b c", "a b c",
			" Apart from tabs or the number of spaces it is there: line 2 has a space where old_str has b."},
		"a no-break space": {"10\u00a0km", "10 km", " Apart from no-break or other special spaces it is " +
			"there: line 1 has a no-break space (U+00A0) where old_str has a space."},
		"a no-break space in old": {"10 km", "10\u202fkm", " Apart from no-break or other special spaces it is " +
			"there: line 1 has a space where old_str has the space U+202F."},
		"curly quotes": {"say “hi”", `say "hi"`,
			` Apart from curly or straight quotes it is there: line 1 has “ (U+201C) where old_str has ".`},
		"straight quotes": {"1\n2\nit's", "it’s",
			" Apart from curly or straight quotes it is there: line 3 has ' where old_str has ’ (U+2019)."},
		"dashes": {"1–2", "1-2",
			" Apart from the kind of dashes or dots it is there: line 1 has – (U+2013) where old_str has -."},
		"dots": {"wait…", "wait...",
			" Apart from the kind of dashes or dots it is there: line 1 has … (U+2026) where old_str has .."},
		"an invisible character": {"a\u200bb", "ab", " Apart from invisible characters it is there: line 1 " +
			"has the invisible character U+200B where old_str has b."},
		"an invisible character in old": {"ab", "\ufeffab", " Apart from invisible characters it is there: line 1 " +
			"has a where old_str has the invisible character U+FEFF."},
		"one at the end of old": {"ab c", "ab\u2060", " Apart from invisible characters it is there: line 1 has a " +
			"space where old_str has the invisible character U+2060."},
		"decomposed letters": {"cafe\u0301 au lait", "caf\u00e9 au",
			" Apart from composed or decomposed letters it is there: line 1 has e where old_str has é (U+00E9)."},
		"composed letters": {"\n\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af",
			" Apart from composed or decomposed letters it is there: line 2 has 한 (U+D55C) where old_str has ᄒ " +
				"(U+1112)."},
		"no line break at the end": {"a\nb", "a\nb\n", " Apart from a line break at the end of the file it is there: " +
			"line 2 has the end where old_str has a line break."},
		"several": {"x\n\t“a” \nb", "  \"a\"\nb",
			` Apart from the indentation and curly or straight quotes ` +
				`and blanks at the end of lines it is there: line 2 has a tab where old_str has a space.`},
		"behind what is not alike": {"café\ncafe\tau", "cafe au",
			" Apart from tabs or the number of spaces it is there: line 2 has a tab where old_str has a space."},

		"numbers of lines": {"a\nb\nc\n", "     2\tb\n     3\tc",
			" Without the line numbers that view shows, which are not in the file, it is there from line 2 on."},
		"numbers of lines, and a break": {"a\n\nc\n", "     2\t\n     3\tc\n",
			" Without the line numbers that view shows, which are not in the file, it is there from line 2 on."},
		"numbers in other ways": {"func a() {\n\treturn\n}\n", "1: func a() {\n2: \treturn",
			" Without the line numbers that view shows, which are not in the file, it is there from line 1 on."},
		"numbers that are not successive": {"b\nc\n", "2\tb\n4\tc", ""},

		"nothing like it":             {"abc", "abd", ""},
		"another case":                {"abc", "ABC", ""},
		"no blank":                    {"foo(a)", "foo( a)", ""},
		"a blank where old ends":      {"foo(a)", "foo ", ""},
		"a blank line":                {"a\nb", "a\n\nb", ""},
		"a mark":                      {"café", "cafe", ""},
		"a mark, at the end":          {"cafe", "café", ""},
		"blanks alone":                {"a", " \t ", ""},
		"more line breaks at the end": {"a\nb", "a\n\n", ""},
		"no text":                     {"", "a", ""},
		"numbers of other lines":      {"a\nb", "3\tx\n4\ty", ""},
		"a beginning of dots":         {"....", "…x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.NotContains(t, test.text, test.old)
			require.Equal(t, test.want, ExplainMiss([]byte(test.text), []byte(test.old), "old_str"))
		})
	}
}

// TestMissesOfLongTexts takes forever if the time grows with the product of lengths.
func TestMissesOfLongTexts(t *testing.T) {
	const size = 1 << 19
	for _, part := range []string{"a", " ", "\t \n", "a ", "“\u200b", "e\u0301", "\u0301", "…", "a\u00a0\n"} {
		text := strings.Repeat(part, size/len(part))
		ExplainMiss([]byte(text), []byte("  x"+text[:len(text)/2/len(part)*len(part)]+"y"), "old_str")
		ExplainMiss([]byte(text+"x"), []byte(text[:len(text)/2/len(part)*len(part)]+"y"), "old_str")
	}
}

// TestRandomMisses makes texts look different in ways that cannot be seen.
func TestRandomMisses(t *testing.T) {
	pieces := [][]string{{"a"}, {"b"}, {"é", "e\u0301"}, {"'", "’"}, {"-", "–"}, {"...", "…"}, {"x y", "x  y", "x\ty",
		"x\u00a0y"}, {"\n", " \n"}, {"\n", "\n\t"}, {"z", "z\u200b"}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var text, old strings.Builder
		for range 1 + random.IntN(8) {
			piece := pieces[random.IntN(len(pieces))]
			text.WriteString(piece[random.IntN(len(piece))])
			old.WriteString(piece[random.IntN(len(piece))])
		}
		whole := "before\n" + text.String() + "\nafter"
		if core := strings.TrimSpace(old.String()); core == "" || core != old.String() ||
			strings.Contains(whole, core) {
			continue
		}
		require.Contains(t, ExplainMiss([]byte(whole), []byte(old.String()), "old_str"), " it is there: line ",
			"%q, %q", whole,
			old.String())
	}
}
