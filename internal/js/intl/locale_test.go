package intl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected results are those of Node 20 with CLDR 48.
func TestCanonicalTag(t *testing.T) {
	for tag, want := range map[string]string{
		"EN-us": "en-US", "zh-hant-tw": "zh-Hant-TW", "iw": "he", "in": "id", "tl": "fil", "mo": "ro", "sh": "sr-Latn",
		"art-lojban": "jbo", "cel-gaulish": "xtg", "hy-arevela": "hy", "en-us-posix": "en-US-u-va-posix",
		"de-u-co-phonebook": "", "en-u-ca-islamicc": "en-u-ca-islamic-civil", "en-u-kn-true": "en-u-kn",
		"en-u-nu-thai-ca-buddhist": "en-u-ca-buddhist-nu-thai", "en-x-foo-a": "en-x-foo-a", "ru-SU": "ru-RU",
		"hy-SU": "hy-AM", "en-t-iw-m0-true": "en-t-he-m0-true", "sl-rozaj-biske-1994": "sl-1994-biske-rozaj",
		"en-b-foo-a-bar": "en-a-bar-b-foo", "en-u-foo-bar": "en-u-bar-foo", "und-x-a": "und-x-a", "zh-cmn": "",
		"x_y": "", "": "", "e": "", "root": "", "zh-min-nan": "", "i-klingon": "", "en-": "", "-en": "", "en--us": "",
		"en-a": "", "en-u": "", "en-a-bb-a-cc": "", "de-1996-1996": "", "en-u-ca-gregory-ca-iso8601": "en-u-ca-gregory",
		"aaaaaaaaa": "", "en-US-GB": "", "fr-heploc": "fr-alalc97", "nb-u-rg-no23": "nb-u-rg-no50", "en\x00": "",
	} {
		got, ok := CanonicalTag(tag)
		require.Equal(t, want, got, tag)
		require.Equal(t, want != "", ok, tag)
	}
}

func TestResolve(t *testing.T) {
	number := func(data, value string) bool { _, ok := digitsOf(value); return ok }
	for _, c := range []struct{ requested, option, locale, nu, data string }{
		{"zh-TW", "", "zh-TW", "", "zh-Hant"}, {"zh-HK", "", "zh-HK", "", "zh-Hant-HK"}, {"zh-Hans-TW", "", "zh-Hans",
			"", "zh-Hans"},
		{"zh-CN", "", "zh-CN", "", "zh-Hans"}, {"en-XX", "", "en", "", "en"}, {"xx", "", "en-US", "", "en"},
		{"xx de", "", "de", "", "de"},
		{"en-US", "", "en-US", "", "en"}, {"und", "", "en-US", "", "en"}, {"de-DE-1996", "", "de-DE", "", "de"},
		{"sr-ME", "", "sr-ME", "", "sr-Latn-ME"}, {"en-Latn-US", "", "en", "", "en"}, {"hi-Latn", "", "hi-Latn", "",
			"hi-Latn"},
		{"ar-EG", "", "ar-EG", "", "ar-EG"}, {"es-VE", "", "es-VE", "", "es-VE"}, {"pt-BR", "", "pt-BR", "", "pt"},
		{"", "", "en-US", "", "en"},
		{"en-u-nu-arab", "", "en-u-nu-arab", "arab", "en"}, {"en-u-nu-arab", "latn", "en", "latn", "en"},
		{"en-u-nu-arab", "arab", "en-u-nu-arab", "arab", "en"}, {"en-u-nu-hebr", "", "en", "", "en"},
		{"th-u-ca-gregory-nu-thai", "", "th-u-nu-thai", "thai", "th"}, {"en-US-u-va-posix", "", "en-US-u-va-posix", "",
			"en"},
		{"de-u-co-phonebk", "", "de", "", "de"}, {"en-x-foo", "", "en", "", "en"}, {"no", "", "no", "", "no"},
	} {
		r := resolve(strings.Fields(c.requested), choice{key: "nu", option: c.option, allowed: number})
		require.Equal(t, c.locale, r.locale, c.requested)
		require.Equal(t, c.nu, r.keywords["nu"], c.requested)
		require.Equal(t, c.data, r.data, c.requested)
	}
	require.Equal(t, []string{"de", "zh-Hant-CN"}, Supported([]string{"de", "xx", "zh-Hant-CN", "und"}))
}

func TestMaximize(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "en-Latn-US en", "zh-TW": "zh-Hant-TW zh-TW", "und-Cyrl": "ru-Cyrl-RU ru", "sr-ME": "sr-Latn-ME sr-ME",
		"en-Shaw": "en-Shaw-GB en-Shaw", "xx": "xx xx", "und-US": "en-Latn-US en", "zh-Hant": "zh-Hant-TW zh-TW",
	} {
		full, ok := parseTag(tag)
		require.True(t, ok)
		full.maximize()
		short, _ := parseTag(full.String())
		short.minimize()
		require.Equal(t, want, full.String()+" "+short.String(), tag)
	}
}

func FuzzCanonicalTag(f *testing.F) {
	for _, tag := range []string{"en-US-u-nu-arab-ca-gregory-x-a", "sl-rozaj-biske-1994", "en-t-iw-m0-true",
		"art-lojban"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		canonical, ok := CanonicalTag(tag)
		if !ok {
			return
		}
		again, ok := CanonicalTag(canonical)
		require.True(t, ok, canonical)
		require.Equal(t, canonical, again, tag)
		require.NotEmpty(t, resolve([]string{canonical}).data)
	})
}
