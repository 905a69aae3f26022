package intl

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const plainNumber = "en|latn|decimal||||||standard||auto|auto|1|0|3|||halfExpand|1|auto|auto"

func TestNumberFormatRefusesWhatThePreludeDoesNotMake(t *testing.T) {
	_, err := parseNumberFormat(plainNumber)
	require.NoError(t, err)
	for name, options := range map[string]string{
		"nothing":               "",
		"fewer fields":          "en|latn",
		"an unknown locale":     strings.Replace(plainNumber, "en", "xx", 1),
		"no digits":             strings.Replace(plainNumber, "|1|0|3|", "|0|0|3|", 1),
		"too many digits":       strings.Replace(plainNumber, "|1|0|3|", "|1|0|101|", 1),
		"a negative number":     strings.Replace(plainNumber, "|1|0|3|", "|1|-1|3|", 1),
		"an increment of zero":  strings.Replace(plainNumber, "|halfExpand|1|", "|halfExpand|0|", 1),
		"an unknown mode":       strings.Replace(plainNumber, "halfExpand", "up", 1),
		"a text that is long":   plainNumber + strings.Repeat("a", 1000),
		"fewer than the least":  strings.Replace(plainNumber, "|0|3|||", "|0|3|5|2|", 1),
		"neither kind of digit": strings.Replace(plainNumber, "|0|3|||", "|||||", 1),
	} {
		_, err := parseNumberFormat(options)
		require.ErrorIs(t, err, errOptions, name)
	}
}

func TestNumbersAreBounded(t *testing.T) {
	f, err := parseNumberFormat(plainNumber)
	require.NoError(t, err)
	text, err := f.Format(strings.Repeat("9", MaxNumber))
	require.NoError(t, err)
	require.Len(t, text, MaxNumber+(MaxNumber-1)/3)
	for _, number := range []string{strings.Repeat("9", MaxNumber+1), "1e5000", "1e-5000", "1e99999999999", "0x10",
		"1_0", "", "-", ".", "e5", "1e", "--1"} {
		_, err := f.Format(number)
		require.ErrorIs(t, err, errNumber, "%.20s", number)
	}
}

// TestCacheIsBounded makes more formatters than are kept.
func TestCacheIsBounded(t *testing.T) {
	var c cache[int]
	for i := range 3 * maxCached {
		text := strings.Repeat("a", i)
		got, err := c.get(text, func(text string) (int, error) { return len(text), nil })
		require.NoError(t, err)
		require.Equal(t, i, got)
		require.LessOrEqual(t, len(c.values), maxCached)
	}
	_, err := c.get("x", func(string) (int, error) { return 0, errOptions })
	require.ErrorIs(t, err, errOptions)
	require.NotContains(t, c.values, "x")
}

// TestEveryLocaleFormats decodes all data there is.
func TestEveryLocaleFormats(t *testing.T) {
	numberData.load()
	require.Greater(t, len(numberData.locales), 300)
	for i, locale := range slices.Sorted(maps.Keys(numberData.locales)) {
		if locale == root || i%7 != 0 && strings.Contains(locale, "-") { // all languages, and some of their regions
			continue
		}
		rest := "|" + defaultSystem(locale) +
			"|currency|USD|name|standard|||compact|long|auto|auto|1|0|3|||halfExpand|1|auto|auto"
		f, err := parseNumberFormat(locale + rest)
		require.NoError(t, err, locale)
		parts, err := f.Parts("1234567.5")
		require.NoError(t, err)
		require.Equal(t, "currency", f.partOf(parts, "currency"), "%s: %v", locale, parts)
		require.NotEmpty(t, Categories(locale, false))
		require.NotEmpty(t, ListPatterns(locale, "or-short")[0], locale)
		r, err := newRelativeFormat(locale + "|latn|narrow|always")
		require.NoError(t, err)
		text, err := r.Format("-5", "quarter")
		require.NoError(t, err)
		require.NotEmpty(t, text, locale)
		names, err := newDisplayNames(locale + "|region|long|dialect")
		require.NoError(t, err)
		name, ok := names.Of("DE")
		require.True(t, ok, locale)
		require.NotEqual(t, "DE", name, locale)
	}
}

// partOf returns a type if a part has it.
func (f *NumberFormat) partOf(parts []Part, kind string) string {
	for _, p := range parts {
		if p.Type == kind {
			return kind
		}
	}
	return ""
}

func FuzzNumberFormat(f *testing.F) {
	for _, options := range []string{
		plainNumber,
		"ar-EG|arab|currency|EGP|name|standard|||standard||always|auto|1|2|2|||ceil|25|auto|stripIfInteger",
		"hi|deva|unit||||mile-per-gallon|long|compact|long|exceptZero|min2|3|0|5|1|4|halfEven|1|lessPrecision|auto",
		"fr|latn|percent||||||engineering||negative|always|1|||1|3|trunc|1|auto|auto",
	} {
		f.Add(options, "-1234567.895", "5e-10")
		f.Add(options, "999999", "NaN")
	}
	f.Fuzz(func(t *testing.T, options, number, end string) {
		format, err := parseNumberFormat(options)
		if err != nil || len(number) > 1000 || len(end) > 1000 {
			return
		}
		text, err := format.Format(number)
		parts, again := format.Parts(number)
		require.Equal(t, err, again)
		require.Equal(t, text, joinParts(parts))
		text, err = format.FormatRange(number, end)
		parts, again = format.RangeParts(number, end)
		require.Equal(t, err, again)
		require.Equal(t, text, joinParts(parts))
		_, _ = format.Category(number, true)
	})
}
