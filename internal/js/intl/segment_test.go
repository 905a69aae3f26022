package intl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSegments compares with what Node 20 gives: the lengths of segments, negative for those that are like words.
func TestSegments(t *testing.T) {
	for _, c := range []struct {
		locale, granularity, text string
		want                      []int
	}{
		{"sk", "sentence", "... .über각 foo_bar 😀 क्षि。", []int{27}},
		{"pt", "grapheme", ";\u2028 \t ?! צה״ל 🏴󠁧󠁢󠁥󠁮󠁧󠁿தமிழ்", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 14,
			1, 2, 2}},
		{"el", "sentence", "\u05e6\u05d4\u05f4\u05dc B\u201d $5 \uac01 na\u00efve ", []int{19}},
		{"bg", "word", "? ", []int{1, 1}},
		{"tr", "grapheme", "...", []int{1, 1, 1}},
		{"uk", "sentence", "\uac01\r\n", []int{3}},
		{"bg", "word", "foo_barfoo_bar ", []int{-14, 1}},
		{"hu", "grapheme", "?!1 1,000 \u0395\u03bb\u03bb\u03ac\u03b4\u03b1", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
			1, 1, 1, 1}},
		{"hi", "grapheme", "\tक्षि 3.14 X 👍🏽한국어   ", []int{1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 1, 1}},
		{"sv", "word", "a.b \u00abx;\n ", []int{-3, 1, 1, -1, 1, 1, 1}},
		{"cs", "word", "2nd3.14", []int{-7}},
		{"sv", "word", "\u3002\u00bb\u201d \u0130 Mr. ", []int{1, 1, 1, 1, -1, 1, -2, 1, 1}},
		{"nl", "word", "a:b ", []int{-3, 1}},
		{"de", "sentence", "über 👍🏽 ", []int{10}},
		{"en", "sentence", "\u2764\ufe0f \u00bb\u201d\u0130 \u0995\u09cd\u09b7 #tag ...", []int{19}},
		{"bn", "grapheme", "\u00fcber()__\u00ab ", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{"bn", "sentence", "a:b \u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd\u00ab ( a.b", []int{18}},
		{"bn", "grapheme", "über ᄀ 한국어 \u00a0 ᆨ🏴󠁧󠁢󠁥󠁮󠁧󠁿", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 14}},
		{"ru", "grapheme", "\u00a0\"Ελλάδα 🇩🇪🇫🇷🇪 x a:bג׳)", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 4, 2, 1, 1, 1, 1, 1, 1,
			1, 1, 1}},
		{"hi", "word", "\u3002http://x.y/z?q=1 \t \u2026\u200d \uac01 U.S.A. ", []int{1, -4, 1, 1, 1, -3, 1, -1, 1, -1,
			1, -1, 1, 1, 1, 2, 1, -1, 1, -5, 1, 1}},
		{"ar", "grapheme", "\u05d2\u05f3a:b\u00df  ", []int{1, 1, 1, 1, 1, 1, 1, 1}},
		{"et", "sentence", "“ ג׳😀 Mr. ", []int{11}},
		{"hr", "word", "Hello \u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u0995\u09cd\u09b7", []int{-5, 1, -7, 1, -3}},
		{"da", "word", "😀 \tüber«שָׁלוֹם 한국어 ", []int{2, 1, 1, -4, 1, -7, 1, -3, 1}},
		{"ar", "grapheme", ")\u2026\uff01", []int{1, 1, 1}},
		{"ru", "sentence", "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd\u00bb", []int{6}},
		{"ar", "grapheme", "\u0ba4\u0bae\u0bbf\u0bb4\u0bcdworld ", []int{1, 2, 2, 1, 1, 1, 1, 1, 1}},
		{"fi", "grapheme", "(\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u2026\u1100\u0ba4\u0bae\u0bbf\u0bb4\u0bcd; ",
			[]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1}},
		{"fa", "grapheme", "\u200d .\u2764\ufe0f \u0130   \u11a8 ", []int{1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1}},
		{"pt", "word", "\u201d \u0928\u092e\u0938\u094d\u0924\u0947Mr. \uff01?\u2026\u00fcber ",
			[]int{1, 1, -8, 1, 1, 1, 1, 1, -4, 1}},
		{"ru", "word", "🏴󠁧󠁢󠁥󠁮󠁧󠁿привет", []int{14, -6}},
		{"ar", "sentence", "\u11a8..", []int{3}},
		{"hi", "word", "a.b\u00df\u0130 \u200d \r\n \" ", []int{-5, 2, 1, 2, 1, 1, 1}},
		{"da", "sentence", "🏴󠁧󠁢󠁥󠁮󠁧󠁿é \"👍🏽 __", []int{25}},
		{"ko", "word", "\u201c\u05e6\u05d4\u05f4\u05dcuser@example.com\u05d2\u05f3 \u1100",
			[]int{1, -8, 1, -13, 1, -1}},
		{"hr", "word", "a.b é 1,000 👨\u200d👩\u200d👧привет ", []int{-3, 1, -2, 1, -5, 1, 8, -6, 1}},
		{"hu", "word", ". ", []int{1, 1}},
		{"fi", "grapheme", "a.buser@example.com ᄀüber 👨\u200d👩\u200d👧각", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
			1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1}},
		{"tr", "word", "\u2028 \"Smith1user@example.com can't \u0130 e.g. ", []int{1, 1, 1, -10, 1, -11, 1, -5, 1, -1,
			1, -3, 1, 1}},
		{"es", "word", ")A.   ", []int{1, -1, 1, 3}},
	} {
		require.Equal(t, c.want, lengths(Segments(c.locale, c.granularity, c.text, true)), "%s %s: %q", c.locale,
			c.granularity, c.text)
	}
}

// TestMostSegments divides a text of more segments than are given at once.
func TestMostSegments(t *testing.T) {
	for granularity, text := range map[string]string{"grapheme": "a", "word": "a-", "sentence": "A. "} {
		for _, final := range []bool{false, true} {
			got := Segments("en", granularity, strings.Repeat(text, maxSegments+10), final)
			require.Len(t, got, maxSegments)
			require.LessOrEqual(t, cap(got), 2*maxSegments)
		}
	}
}

func lengths(segments []Segment) []int {
	list := make([]int, len(segments))
	for i, s := range segments {
		list[i] = s.Units
		if s.WordLike {
			list[i] = -s.Units
		}
	}
	return list
}

// FuzzSegments checks that segments are the whole text, and that a text that goes on is divided in the same way.
func FuzzSegments(f *testing.F) {
	f.Add("Hello, wörld. 3.5 a.b 👨‍👩‍👧 क्षि\r\n", uint8(7), uint8(1))
	f.Add("Mr. smith (is it?) no. 한국 ภาษา \xff", uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, text string, at, which uint8) {
		granularity := []string{"grapheme", "word", "sentence"}[which%3]
		whole := lengths(Segments("en", granularity, text, true))
		units := 0
		for _, r := range text {
			units++
			if r > 0xffff {
				units++
			}
		}
		for _, n := range whole {
			units -= max(n, -n)
		}
		require.Zero(t, units)
		cut := min(int(at), len(text))
		for cut < len(text) && cut > 0 && text[cut]&0xc0 == 0x80 {
			cut++
		}
		first := lengths(Segments("en", granularity, text[:cut], false))
		require.LessOrEqual(t, len(first), len(whole))
		require.Equal(t, whole[:len(first)], first)
	})
}
