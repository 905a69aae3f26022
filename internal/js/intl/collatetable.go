package intl

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A collationTable is a tailored collation. It is immutable.
type collationTable struct {
	root         *rootCollation
	singles      map[rune][]collationElement // tailored characters
	contractions map[rune][]contraction      // of characters with tailored ones: all of them
	suppress     map[rune]bool
	moves        []move
	shifted      bool
	upper        bool
	backwards    bool
	ascii        [128]asciiElement
}

// An asciiElement is what a character of ASCII weighs. Those that can begin a contraction, or have more than one
// element, are complex.
type asciiElement struct {
	collationElement
	complex bool
}

// A move takes the primary weights from..to to another place.
type move struct{ from, to, offset uint32 }

var tables sync.Map // of func() *collationTable, by locale of the data and type

// collationFor returns the collation of a locale of the data and a type: standard, search, phonebook...
func collationFor(locale, kind string) *collationTable {
	name := rulesName(locale, kind)
	load, ok := tables.Load(name)
	if !ok {
		load, _ = tables.LoadOrStore(name, sync.OnceValue(func() *collationTable { return newCollationTable(name) }))
	}
	return load.(func() *collationTable)()
}

// rulesName returns the name of the rules of a locale or of its nearest ancestor; empty for the root collation.
func rulesName(locale, kind string) string {
	for ; locale != root; locale = shorter(locale) {
		if locale == "nb" || locale == "nn" {
			locale = "no"
		}
		name := locale
		if kind != "" {
			name += "-u-co-" + kind
		}
		if _, ok := collationRules(name); ok {
			return name
		}
	}
	if name := root + "-u-co-" + kind; kind != "" {
		if _, ok := collationRules(name); ok {
			return name
		}
	}
	return ""
}

func newCollationTable(name string) *collationTable {
	t := &collationTable{
		root: rootTable(), singles: map[rune][]collationElement{}, contractions: map[rune][]contraction{},
	}
	if name != "" {
		var rules tailoring
		text, _ := collationRules(name)
		rules.parseRules(text, 0)
		b := newBuilder(t.root)
		b.apply(rules.relations)
		b.finish()
		t.suppress, t.shifted, t.upper, t.backwards = rules.suppress, rules.shifted, rules.upper, rules.backwards
		t.take(b)
		t.moves = reorder(t.root, rules.reorder)
	}
	for i := range t.ascii {
		r := rune(i)
		elements, own := t.singles[r]
		if !own {
			elements = t.root.single(r)
		}
		a := &t.ascii[i]
		if len(elements) != 1 || len(t.contractions[r]) > 0 || len(t.root.contractions[r]) > 0 {
			a.complex = true
			continue
		}
		a.collationElement = t.moved(elements[0])
	}
	return t
}

// take makes the tables from what a builder has.
func (t *collationTable) take(b *builder) {
	for _, key := range b.order {
		elements := elementsOf(b.texts[key])
		prefix := b.marks[key]
		if prefix != nil {
			_, key, _ = strings.Cut(key, "\x00")
		}
		text := []rune(key)
		if len(text) == 1 && prefix == nil {
			t.singles[text[0]] = elements
			continue
		}
		list, ok := t.contractions[text[0]]
		if !ok {
			list = slices.Clone(b.root.contractions[text[0]])
		}
		list = slices.DeleteFunc(list, func(c contraction) bool {
			return slices.Equal(c.suffix, text[1:]) && slices.Equal(c.prefix, prefix)
		})
		t.contractions[text[0]] = append(list, contraction{suffix: text[1:], prefix: prefix, elements: elements})
	}
	for _, list := range t.contractions {
		sortContractions(list)
	}
}

// reorder returns how primary weights move so that scripts come first among the letters.
func reorder(root *rootCollation, scripts []string) []move {
	if len(scripts) == 0 {
		return nil
	}
	blocks := scriptBlocks()
	var order []scriptBlock
	used := map[string]bool{}
	for _, script := range scripts {
		used[script] = true
		for _, b := range blocks {
			if b.script == script {
				order = append(order, b)
			}
		}
	}
	for _, b := range blocks {
		if !used[b.script] {
			order = append(order, b)
		}
	}
	var moves []move
	at := blocks[0].from
	for _, b := range order {
		moves = append(moves, move{b.from, b.to, at - b.from})
		at += b.to - b.from
	}
	slices.SortFunc(moves, func(a, b move) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	return moves
}

// A scriptBlock is a range of primary weights that belong to a script; to is not in it.
type scriptBlock struct {
	script   string
	from, to uint32
}

// blockScripts are the scripts that rules reorder, by their codes.
var blockScripts = map[string]*unicode.RangeTable{
	"Latn": unicode.Latin, "Grek": unicode.Greek, "Cyrl": unicode.Cyrillic, "Hebr": unicode.Hebrew,
	"Arab": unicode.Arabic,
	"Deva": unicode.Devanagari, "Beng": unicode.Bengali, "Guru": unicode.Gurmukhi, "Gujr": unicode.Gujarati,
	"Orya": unicode.Oriya, "Taml": unicode.Tamil, "Telu": unicode.Telugu, "Knda": unicode.Kannada,
	"Mlym": unicode.Malayalam,
	"Sinh": unicode.Sinhala, "Thai": unicode.Thai, "Hang": unicode.Hangul, "Kana": unicode.Hiragana,
	"Bopo": unicode.Bopomofo,
	"Geor": unicode.Georgian, "Armn": unicode.Armenian, "Ethi": unicode.Ethiopic,
	"Khmr": unicode.Khmer, "Laoo": unicode.Lao,
	"Mymr": unicode.Myanmar, "Mong": unicode.Mongolian,
}

// scriptBlocks returns the blocks of all scripts in the order of the root collation. Han is the last.
var scriptBlocks = sync.OnceValue(func() []scriptBlock {
	root := rootTable()
	script := map[uint32]string{}
	for page, at := range root.pages {
		for i, entry := range at {
			if entry&0xff == 0 {
				continue
			}
			r := page<<8 | rune(i)
			e := root.elements[entry>>8]
			if e.primary <= root.digitNine || entry&0xff != 1 || !unicode.IsLetter(r) {
				continue
			}
			for code, table := range blockScripts {
				if unicode.Is(table, r) {
					script[e.primary] = code
				}
			}
			if unicode.Is(unicode.Katakana, r) {
				script[e.primary] = "Kana"
			}
		}
	}
	var blocks []scriptBlock
	first, _ := slices.BinarySearch(root.primaries, root.single('a')[0].primary)
	for _, p := range root.primaries[first:] {
		code := script[p]
		if n := len(blocks); code == "" || n > 0 && blocks[n-1].script == code {
			if n > 0 && code == "" && blocks[n-1].script != "" {
				// Of the same script as what is before, or of one that no rule names.
				continue
			}
			if n > 0 {
				continue
			}
		}
		if n := len(blocks); n > 0 {
			blocks[n-1].to = p
		}
		blocks = append(blocks, scriptBlock{script: code, from: p})
	}
	// What rules put after the last weight is Han.
	blocks[len(blocks)-1].to = root.lastRegular + 1
	return append(blocks, scriptBlock{"Hani", root.lastRegular + 1, implicitPrimary + 2*0x110000*implicitSpace})
})

// moved returns an element with its primary weight where the reordering puts it.
func (t *collationTable) moved(e collationElement) collationElement {
	if len(t.moves) > 0 {
		e.primary = t.place(e.primary)
	}
	return e
}

func (t *collationTable) place(p uint32) uint32 {
	low, high := 0, len(t.moves)
	for low < high {
		mid := (low + high) / 2
		if t.moves[mid].to <= p {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(t.moves) && t.moves[low].from <= p {
		return p + t.moves[low].offset
	}
	return p
}
