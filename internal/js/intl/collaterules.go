package intl

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A tailoredText is a step of a tailoring: text differs from what is before it at a level.
type tailoredText struct {
	reset     bool
	before    int // of a reset: the level before whose weight the next text goes; 0 for after
	level     int // 1 primary, 2 secondary, 3 tertiary, 4 the same
	prefix    []rune
	text      []rune
	extension []rune
	special   string // of a reset: a position such as last regular
}

// tailoring is a parsed set of rules.
type tailoring struct {
	relations []tailoredText
	reorder   []string
	suppress  map[rune]bool
	shifted   bool
	upper     bool // upper case first
	backwards bool // the second level is compared from the end
}

var rulesData = newArea("rules")

// collationRules returns the text of a set of rules by the name that imports use.
func collationRules(name string) (string, bool) { return rulesData.table(root).get(name) }

const maxImports = 8

// parseRules reads rules in CLDR's syntax into t. They are data of ours: what is unknown is skipped.
//
// See https://www.unicode.org/reports/tr35/tr35-collation.html#Rules
func (t *tailoring) parseRules(rules string, depth int) {
	p := &ruleParser{text: []rune(rules)}
	for {
		p.space()
		if p.at >= len(p.text) {
			return
		}
		switch c := p.text[p.at]; {
		case c == '[':
			t.setting(p.bracket(), depth)
		case c == '&':
			p.at++
			t.reset(p)
		case c == '<' || c == '=':
			t.relate(p)
		default:
			p.at++
		}
	}
}

func (t *tailoring) setting(text string, depth int) {
	name, value, _ := strings.Cut(text, " ")
	switch name {
	case "import":
		if name := strings.TrimSpace(value); depth < maxImports {
			if name == "ja-u-co-private-kana" {
				t.parseRules(kanaRules(), depth+1)
			} else if name == "zh-u-co-private-pinyin" {
				t.parseRules(pinyinRules, depth+1)
			} else if rules, ok := collationRules(name); ok {
				t.parseRules(rules, depth+1)
			}
		}
	case "reorder":
		t.reorder = strings.Fields(value)
	case "caseFirst":
		t.upper = value == "upper"
	case "alternate":
		t.shifted = value == "shifted"
	case "backwards":
		t.backwards = true
	case "suppressContractions":
		if t.suppress == nil {
			t.suppress = map[rune]bool{}
		}
		set := []rune(strings.Trim(value, "[] "))
		for i := 0; i < len(set); i++ {
			if i+2 < len(set) && set[i+1] == '-' {
				for r := set[i]; r <= set[i+2]; r++ {
					t.suppress[r] = true
				}
				i += 2
			} else if set[i] != ' ' {
				t.suppress[set[i]] = true
			}
		}
	}
}

func (t *tailoring) reset(p *ruleParser) {
	r := tailoredText{reset: true}
	p.space()
	for p.at < len(p.text) && p.text[p.at] == '[' {
		text := p.bracket()
		if n, ok := strings.CutPrefix(text, "before "); ok && n != "" {
			r.before = int(n[0] - '0')
		} else {
			r.special = text
		}
		p.space()
	}
	if r.special == "" {
		r.text = p.word()
	}
	t.relations = append(t.relations, r)
}

func (t *tailoring) relate(p *ruleParser) {
	r := tailoredText{level: 4}
	if p.text[p.at] == '=' {
		p.at++
	} else {
		r.level = 0
		for p.at < len(p.text) && p.text[p.at] == '<' {
			r.level++
			p.at++
		}
		r.level = min(r.level, 4) // a fourth level is below all that JavaScript compares
	}
	if p.at < len(p.text) && p.text[p.at] == '*' {
		p.at++
		list := p.word()
		for i := 0; i < len(list); i++ {
			if list[i] == '-' && i > 0 && i+1 < len(list) {
				for c := list[i-1] + 1; c <= list[i+1]; c++ {
					t.relations = append(t.relations, tailoredText{level: r.level, text: decompose(string(c))})
				}
				i++
				continue
			}
			t.relations = append(t.relations, tailoredText{level: r.level, text: decompose(string(list[i]))})
		}
		return
	}
	r.text = p.word()
	if p.at < len(p.text) && p.text[p.at] == '|' {
		p.at++
		r.prefix, r.text = r.text, p.word()
	}
	p.space()
	if p.at < len(p.text) && p.text[p.at] == '/' {
		p.at++
		r.extension = p.word()
	}
	t.relations = append(t.relations, r)
}

func decompose(text string) []rune { return []rune(norm.NFD.String(text)) }

// A ruleParser takes the text of rules apart.
type ruleParser struct {
	text []rune
	at   int
}

func (p *ruleParser) space() {
	for p.at < len(p.text) && isRuleSpace(p.text[p.at]) {
		p.at++
	}
}

func isRuleSpace(r rune) bool {
	return r >= '\t' && r <= '\r' || r == ' ' || r == 0x85 || r == 0x200e || r == 0x200f || r == 0x2028 || r == 0x2029
}

// bracket returns what is in the brackets that begin here.
func (p *ruleParser) bracket() string {
	depth, start := 0, p.at
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				p.at++
				return strings.TrimSpace(string(p.text[start+1 : p.at-1]))
			}
		}
	}
	return ""
}

// word returns the characters up to the next operator, decomposed.
func (p *ruleParser) word() []rune {
	var out []rune
	p.space()
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\'' && p.at+1 < len(p.text) && p.text[p.at+1] == '\'':
			out = append(out, '\'')
			p.at++
		case c == '\'':
			for p.at++; p.at < len(p.text); p.at++ {
				if p.text[p.at] != '\'' {
					out = append(out, p.text[p.at])
				} else if p.at+1 < len(p.text) && p.text[p.at+1] == '\'' {
					out = append(out, '\'')
					p.at++
				} else {
					break
				}
			}
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			out = append(out, p.text[p.at])
		case strings.ContainsRune("&<=|/[]", c):
			return decompose(string(out))
		case !isRuleSpace(c):
			out = append(out, c)
		}
	}
	return decompose(string(out))
}

// kanaRules returns the rules for Japanese that CLDR imports: the mark of a long vowel sorts as that vowel, katakana as
// hiragana, and forms of full and half width as the others.
func kanaRules() string {
	var b strings.Builder
	b.WriteString("[reorder Latn Kana Hani]")
	hiragana, katakana := []rune(kanaByVowel), []rune(kanaByVowel)
	for i, r := range katakana {
		if r >= 'ぁ' && r <= 'ゖ' {
			katakana[i] = r + 0x60
		}
	}
	rows := strings.Split(string(hiragana), " ")
	katakanaRows := strings.Split(string(katakana), " ")
	for i, row := range rows {
		b.WriteString("&[before 3]" + string([]rune(row)[0]))
		operator := "<<<"
		for _, r := range row + katakanaRows[i] {
			b.WriteString(operator + string(r) + "|ー")
			operator = "="
		}
	}
	for _, row := range rows {
		for _, r := range row {
			b.WriteString("&" + string(r) + "=" + string(r+0x60))
		}
	}
	for r := rune(0xff66); r <= 0xff9d; r++ {
		if full := norm.NFKC.String(string(r)); full != string(r) && r != 0xff70 {
			b.WriteString("&" + full + "=" + string(r))
		}
	}
	for r := rune('!'); r <= '~'; r++ {
		b.WriteString("&'" + strings.ReplaceAll(string(r), "'", "''") + "'=" + string(r+0xfee0))
	}
	return b.String()
}

// pinyinRules are the rules for Chinese that CLDR imports: the tones of Latin letters are in their order.
const pinyinRules = "&[before 2]a<<ā<<<Ā<<á<<<Á<<ǎ<<<Ǎ<<à<<<À&[before 2]e<<ē<<<Ē<<é<<<É<<ě<<<Ě<<è<<<È" +
	"&[before 2]i<<ī<<<Ī<<í<<<Í<<ǐ<<<Ǐ<<ì<<<Ì&[before 2]m<<m̄<<<M̄<<ḿ<<<Ḿ<<m̌<<<M̌<<m̀<<<M̀" +
	"&[before 2]n<<n̄<<<N̄<<ń<<<Ń<<ň<<<Ň<<ǹ<<<Ǹ&[before 2]o<<ō<<<Ō<<ó<<<Ó<<ǒ<<<Ǒ<<ò<<<Ò" +
	"&[before 2]u<<ū<<<Ū<<ú<<<Ú<<ǔ<<<Ǔ<<ù<<<Ù&U<<ǖ<<<Ǖ<<ǘ<<<Ǘ<<ǚ<<<Ǚ<<ǜ<<<Ǜ<<ü<<<Ü"

// kanaByVowel are the hiragana by their vowels.
const kanaByVowel = "ぁあかゕがさざただなはばぱまゃやらゎわ ぃいきぎしじちぢにひびぴみりゐ ぅうくぐすずっつづぬふぶぷむゅゆるゔ " +
	"ぇえけゖげせぜてでねへべぺめれゑ ぉおこごそぞとどのほぼぽもょよろを"
