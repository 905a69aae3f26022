package intl

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCollator compares with what Node 20 gives.
func TestCollator(t *testing.T) {
	for _, c := range []struct {
		options string // as CachedCollator takes them
		a, b    string
		want    int
	}{
		{"de sort default variant false false false", "پ", "ạ", 1},
		{"bn sort default variant false false lower", "カ", "β", 1},
		{"fa sort default variant false false false", "file-3", "ol", -1},
		{"fa sort default variant false false false", "а", "strasse10", 1},
		{"tr sort default variant false false false", " ", " ", 0},
		{"it sort default variant false false false", "і ", "ت²一", -1},
		{"es sort trad variant false false false", "â ø", "aa", -1},
		{"tr sort default case false false false", "résuméa10", "ख", -1},
		{"he sort default case false false false", "A", "IZ-a10", -1},
		{"fr-CA sort default variant false false false", "äpfel", "b", -1},
		{"lv sort default variant true false false", "olเก", "côteе", 1},
		{"pt sort default variant false false false", "čas", "gz", -1},
		{"nb sort default variant false false false", "über", "aepfelі", 1},
		{"zh-TW sort default case false true false", ".a", "wÅ", -1},
		{"en sort default variant false true false", "oel", "llama", 1},
		{"sr sort default variant false false false", "z", "file 2", 1},
		{"fi sort default variant false false false", "e", "అ", -1},
		{"sl sort default case false false false", "þzebra", "Äpfel", 1},
		{"th sort default accent true false false", "džang", "DŽANG", 0},
		{"fr-CA sort default variant false false false", "z", "א.a", -1},
		{"hu sort default variant false false false", "côteaepfel", "lodz", -1},
		{"sl sort default variant false false false", "d", "á", 1},
		{"sv sort default base false false false", ".a", "か", -1},
		{"es sort default variant false false false", "aepfel", "hora", -1},
		{"da sort default base false false upper", "ol ő", "cincoü", 1},
		{"pt sort default variant true true false", "แก", "한", -1},
		{"es sort default variant false false false", "β", "côte", 1},
		{"hu sort default variant false false false", "lz", "co op", 1},
		{"ur sort default variant false false lower", "aaB", "a10ب", 1},
		{"sr sort default variant false false false", "ข", "gya2", 1},
		{"fa sort default variant false true lower", "Äpfelβ", "oelchico", -1},
		{"tr sort default accent false false false", "oel", "ꙇ", -1},
		{"ru sort default variant false false false", "aå", "يé", -1},
		{"cs sort default base false false false", "ά2", "爱coop", -1},
		{"tr sort default variant false false false", "あ", "ї", 1},
		{"it sort default variant false false false", "亜", "ї국", 1},
		{"et sort default variant false false false", "カア", "fi", 1},
		{"el sort default variant false false false", "ꙇپ", "Z", 1},
		{"nb sort default accent false true false", "かv", "co op", 1},
		{"lv sort default base false false false", "csꙇ", "CSꙆ", 0},
		{"fa sort default variant false false false", "각", "Åluz", 1},
		{"ko sort default variant false false false", "gzב", "?", 1},
		{"bn sort default variant false false false", "gy ❤", "apfelک", 1},
		{"te sort default base false false false", "یα", "ё", 1},
		{"de sort default case true false false", "zİ-α", "10", 1},
		{"el sort default variant false true false", "ång", "த", -1},
		{"es sort trad variant true false false", "е", "అ", -1},
		{"ko sort default variant false false false", "ạ", "иfi", -1},
		{"te sort default variant true false false", "résume", "lodz", 1},
		{"es sort trad variant false false false", "½", "½", 0},
		{"te sort default case false false false", "co-op", "êà", -1},
		{"ar sort default variant false false false", "ক", "résume", 1},
		{"is sort default variant false false false", "カア", "resumeت", 1},
		{"zh-TW sort default variant true false false", "ά", "file-3 zoe", 1},
		{"ja sort default variant false false false", "côtéfile_4", "à", 1},
		{"lv sort default variant false true false", "β", "β", 0},
		{"cs sort default variant false false false", "唖", "5", 1},
		{"da sort default variant false false upper", "aa", "file-3", 1},
		{"sl sort default variant false false false", "½", "ά", -1},
		{"sv sort default accent false false false", "chico", "!", 1},
		{"ja sort default variant false false false", "Appleluz", "їaå", -1},
		{"ar sort default variant true false false", "STRASSE", "STRASSE", 0},
		{"ja sort default variant false false false", "oel", "05STRASSE", 1},
		{"hr sort default variant false false false", "ăカ", "A", 1},
		{"fr-CA sort default variant false false false", "ক", "ข", -1},
		{"de sort phonebk variant false false false", "ı가", "I가", 1},
		{"es sort default variant true false false", "ł", "a1l", 1},
		{"sv sort default case false false false", "_aا", "แก½", -1},
		{"fi sort default variant false false false", "가şey", "แก", 1},
		{"th sort default base true false false", "カー", "05", 1},
	} {
		collator, err := CachedCollator(c.options)
		require.NoError(t, err)
		require.Equal(t, c.want, compared(t, collator, c.a, c.b), "%s: %q %q", c.options, c.a, c.b)
		require.Equal(t, -c.want, compared(t, collator, c.b, c.a), "%s: %q %q", c.options, c.b, c.a)
		require.Equal(t, c.want, bytes.Compare(collator.AppendKey(nil, c.a), collator.AppendKey(nil, c.b)),
			"keys, %s: %q %q", c.options, c.a, c.b)
	}
}

// TestCollatorOrder sorts with collations of several languages: each list is in order.
func TestCollatorOrder(t *testing.T) {
	for options, list := range map[string]string{
		"en sort default variant false false false": "_ - , ! . $ 0 1 10 2 a A á Á b é z Z α б א あ 一",
		"en sort default variant false true false":  "a1 a2 a10 a010b a100",
		"en sort default variant false false upper": "A a Á á B b",
		"de sort phonebk variant false false false": "ad ae ä af",
		"sv sort default variant false false false": "a z å ä ö",
		"da sort default variant false false upper": "A a z æ ø å aa",
		"cs sort default variant false false false": "c č d h ch i r ř s š",
		"es sort trad variant false false false":    "c cz ch d l lz ll m n ñ o",
		"hu sort default variant false false false": "c cz cs d gy",
		"zh sort default variant false false false": "阿 八 中 a",
		"ja sort default variant false false false": "a あ い カ 亜 唖 一",
		"ru sort default variant false false false": "а б я a z",
	} {
		c, err := CachedCollator(options)
		require.NoError(t, err)
		words := strings.Fields(list)
		for i := range words[1:] {
			require.Negative(t, compared(t, c, words[i], words[i+1]), "%s: %q %q", options, words[i], words[i+1])
		}
		reversed := slices.Clone(words)
		slices.Reverse(reversed)
		var sorted []string
		for _, i := range c.Order(reversed, math.MaxInt) {
			sorted = append(sorted, reversed[i])
		}
		require.Equal(t, words, sorted, options)
	}
}

// TestCollatorOrderIsStable sorts texts that are equal, and texts whose keys are longer than the limit.
func TestCollatorOrderIsStable(t *testing.T) {
	c, err := CachedCollator("en sort default base false false false")
	require.NoError(t, err)
	long := strings.Repeat("b", 20)
	texts := []string{long + "C", "á", "A", long, "", long + "c", "a", long + "ç", "Á", ""}
	require.Equal(t, []uint32{4, 9, 1, 2, 6, 8, 3, 0, 5, 7}, c.Order(texts, math.MaxInt))
	require.Equal(t, []uint32{}, c.Order(nil, 0))
	require.Nil(t, c.Order(texts, 10))
}

// FuzzCollator looks for texts that make a collator panic or contradict itself.
func FuzzCollator(f *testing.F) {
	f.Add("ja sort default variant false true upper", "カー\u0301", "が\u3099")
	f.Add("th sort default variant true false false", "เก\u0e31\u0e49", "\xff\u0f71\u0f72")
	f.Fuzz(func(t *testing.T, options, a, b string) {
		c, err := CachedCollator(options)
		if err != nil {
			return
		}
		require.Equal(t, compared(t, c, a, b), -compared(t, c, b, a))
		require.Equal(t, compared(t, c, a, b), bytes.Compare(c.AppendKey(nil, a), c.AppendKey(nil, b)))
	})
}

func compared(t *testing.T, c *Collator, a, b string) int {
	result, err := c.Compare(a, b)
	require.NoError(t, err)
	return result
}

// TestLongTexts compares long texts, of which some have many elements for a character.
func TestLongTexts(t *testing.T) {
	for _, key := range []string{"en sort default variant false true false",
		"fr-CA sort default variant true false false"} {
		c, err := CachedCollator(key)
		require.NoError(t, err)
		lines := strings.Repeat("One and the same line.\n", 200)
		require.Equal(t, -1, compared(t, c, lines+"a", lines+"b"))
		require.Equal(t, 1, compared(t, c, lines+"a\u0301", lines+"a"))
		require.Equal(t, -1, compared(t, c, lines, lines[:len(lines)-2]+"\u0301.\n"))
		for _, long := range []string{strings.Repeat("\ufdfa", maxElements/16), strings.Repeat("a", 5*maxElements)} {
			for _, other := range []string{"a", long + "a"} {
				_, err := c.Compare(long, other)
				require.ErrorIs(t, err, errLongText)
			}
		}
	}
}
