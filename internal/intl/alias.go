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
func (t *Tag) replaceAliases() {
	data := supplemental()
	for range 8 { // a replacement may have an alias itself
		if !t.replaceLanguage(data) {
			break
		}
	}
	if script := data.text("alias/script/" + t.Script); script != "" {
		t.Script = script
	}
	if regions := data.text("alias/region/" + t.Region); regions != "" {
		t.Region = t.chooseRegion(strings.Fields(regions))
	}
	for i, variant := range t.Variants {
		if alias := data.text("alias/variant/" + variant); alias != "" {
			t.Variants[i] = alias
		}
	}
	slices.Sort(t.Variants)
	t.Variants = slices.Compact(t.Variants)
	if len(t.Variants) == 1 && t.Variants[0] == "posix" { // as ICU has it
		t.Variants = nil
		if _, ok := t.Keyword("va"); !ok {
			t.SetKeyword("va", "posix")
		}
	}
}

// chooseRegion returns the one of several regions where the language is likely.
func (t *Tag) chooseRegion(regions []string) string {
	if len(regions) > 1 {
		likely := Tag{Language: t.Language, Script: t.Script}
		likely.Maximize()
		if slices.Contains(regions, likely.Region) {
			return likely.Region
		}
	}
	return regions[0]
}

// replaceLanguage applies the first rule that fits, and reports whether there was one.
func (t *Tag) replaceLanguage(data *table) bool {
	rule, with := "", ""
	// Rules of several parts come first: those of the language and those of any language.
	for _, language := range []string{t.Language, root} {
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
		if with = data.text("alias/language/" + t.Language); with == "" || with == t.Language {
			return false
		}
	}
	replacement := &Tag{}
	if _, ok := replacement.parseLanguage(strings.Split(strings.ToLower(with), "-")); !ok {
		return false
	}
	var removed Tag
	if rule != "" {
		removed = Tag{}
		for part := range strings.SplitSeq(rule, "-") {
			switch {
			case part == t.Script:
				removed.Script, t.Script = part, ""
			case part == t.Region:
				removed.Region, t.Region = part, ""
			default:
				t.Variants = slices.DeleteFunc(slices.Clone(t.Variants), func(v string) bool { return v == part })
			}
		}
	}
	if replacement.Language != root {
		t.Language = replacement.Language
	}
	if t.Script == "" {
		t.Script = replacement.Script
	}
	if t.Region == "" {
		t.Region = replacement.Region
	}
	for _, variant := range replacement.Variants {
		if !slices.Contains(t.Variants, variant) {
			t.Variants = append(t.Variants, variant)
		}
	}
	return true
}

// has reports whether a tag has all parts: scripts, regions or variants.
func (t *Tag) has(parts []string) bool {
	for _, part := range parts {
		if part != t.Script && part != t.Region && !slices.Contains(t.Variants, part) {
			return false
		}
	}
	return true
}
