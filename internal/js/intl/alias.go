package intl

import (
	"slices"
	"strings"
)

// typeAliases are the types of the Unicode extension that have another canonical form, by key and type. CLDR's JSON
// does not have them.
var typeAliases = map[string]string{
	"ca/ethiopic-amete-alem": "ethioaa", "ca/islamicc": "islamic-civil",
	"ks/primary": "level1", "ks/secondary": "level2", "ks/tertiary": "level3", "ks/quaternary": "level4",
	"ks/quarternary": "level4", "ks/identical": "identic", "ka/non-ignorable": "noignore",
	"ms/imperial": "uksystem", "nu/traditional": "traditio",
	"co/dictionary": "dict", "co/phonebook": "phonebk", "co/traditional": "trad", "co/gb2312han": "gb2312",
	"tz/aqams": "nzakl", "tz/cnckg": "cnsha", "tz/cnhrb": "cnsha", "tz/cnkhg": "cnurc", "tz/cuba": "cuhav",
	"tz/egypt": "egcai", "tz/eire": "iedub", "tz/est": "papty", "tz/gaza": "gazastrp", "tz/gmt0": "gmt",
	"tz/hongkong": "hkhkg", "tz/hst": "ushnl", "tz/iceland": "isrey", "tz/iran": "irthr", "tz/israel": "jeruslm",
	"tz/jamaica": "jmkin", "tz/japan": "jptyo", "tz/libya": "lytip", "tz/mst": "usphx", "tz/navajo": "usden",
	"tz/poland": "plwaw", "tz/portugal": "ptlis", "tz/prc": "cnsha", "tz/roc": "twtpe", "tz/rok": "krsel",
	"tz/turkey": "trist", "tz/uct": "utc", "tz/usnavajo": "usden", "tz/zulu": "utc",
	"tz/camtr": "cator", "tz/canpg": "cator", "tz/capnt": "caiql", "tz/cathu": "cator", "tz/cayzf": "caedm",
	"tz/caffs": "cawnp", "tz/mxstis": "mxtij", "tz/uaozh": "uaiev", "tz/uauzh": "uaiev", "tz/umjon": "ushnl",
}

// yesKeys are the keys whose type yes means true.
const yesKeys = "kb kc kh kk kn"

// canonicalType returns the canonical form of a type of the Unicode extension: empty if it is true.
func canonicalType(key, text string) string {
	text = strings.ToLower(text)
	if text == "true" || text == "yes" && strings.Contains(yesKeys, key) {
		return ""
	}
	if alias := typeAliases[key+"/"+text]; alias != "" {
		return alias
	}
	if key == "rg" || key == "sd" {
		if alias := supplemental().text("alias/subdivision/" + text); alias != "" {
			alias, _, _ = strings.Cut(strings.ToLower(alias), " ")
			if len(alias) == 2 {
				alias += "zzzz"
			}
			return alias
		}
	}
	return text
}

// replaceAliases replaces deprecated and overlong parts, as UTS 35 says.
func (t *localeTag) replaceAliases() {
	data := supplemental()
	for range 8 { // a replacement may have an alias itself
		if !t.replaceLanguage(data) {
			break
		}
	}
	if script := data.text("alias/script/" + t.script); script != "" {
		t.script = script
	}
	if regions := data.text("alias/region/" + t.region); regions != "" {
		t.region = t.chooseRegion(strings.Fields(regions))
	}
	for i, variant := range t.variants {
		if alias := data.text("alias/variant/" + variant); alias != "" {
			t.variants[i] = alias
		}
	}
	slices.Sort(t.variants)
	t.variants = slices.Compact(t.variants)
	if len(t.variants) == 1 && t.variants[0] == "posix" { // as ICU has it
		t.variants = nil
		if _, ok := t.keyword("va"); !ok {
			t.setKeyword("va", "posix")
		}
	}
}

// chooseRegion returns the one of several regions where the language is likely.
func (t *localeTag) chooseRegion(regions []string) string {
	if len(regions) > 1 {
		likely := localeTag{language: t.language, script: t.script}
		likely.maximize()
		if slices.Contains(regions, likely.region) {
			return likely.region
		}
	}
	return regions[0]
}

// replaceLanguage applies the first rule that fits, and reports whether there was one.
func (t *localeTag) replaceLanguage(data *table) bool {
	rule, with := "", ""
	// Rules of several parts come first: those of the language and those of any language.
	for _, language := range []string{t.language, root} {
		data.each("alias/language/"+language+"-", func(parts, replacement string) {
			if len(parts) > len(rule) && t.has(strings.Split(parts, "-")) {
				rule, with = parts, replacement
			}
		})
		if rule != "" {
			break
		}
	}
	if rule == "" {
		if with = data.text("alias/language/" + t.language); with == "" || with == t.language {
			return false
		}
	}
	replacement := &localeTag{}
	if _, ok := replacement.parseLanguage(strings.Split(strings.ToLower(with), "-")); !ok {
		return false
	}
	var removed localeTag
	if rule != "" {
		removed = localeTag{}
		for part := range strings.SplitSeq(rule, "-") {
			switch {
			case part == t.script:
				removed.script, t.script = part, ""
			case part == t.region:
				removed.region, t.region = part, ""
			default:
				t.variants = slices.DeleteFunc(slices.Clone(t.variants), func(v string) bool { return v == part })
			}
		}
	}
	if replacement.language != root {
		t.language = replacement.language
	}
	if t.script == "" {
		t.script = replacement.script
	}
	if t.region == "" {
		t.region = replacement.region
	}
	for _, variant := range replacement.variants {
		if !slices.Contains(t.variants, variant) {
			t.variants = append(t.variants, variant)
		}
	}
	return true
}

// has reports whether a tag has all parts: scripts, regions or variants.
func (t *localeTag) has(parts []string) bool {
	for _, part := range parts {
		if part != t.script && part != t.region && !slices.Contains(t.variants, part) {
			return false
		}
	}
	return true
}
