package intl

import (
	"encoding/binary"
	"sync"
)

// Values of Unicode's properties that segmentation looks at, in the order of the data. What has none of a property's
// values has 0.
const (
	graphemeOther = iota
	graphemeCR
	graphemeLF
	graphemeControl
	graphemeExtend
	graphemeZWJ
	graphemeRegional
	graphemePrepend
	graphemeSpacing
	graphemeL
	graphemeV
	graphemeT
	graphemeLV
	graphemeLVT
	graphemeCount
)

const (
	conjunctNone = iota
	conjunctConsonant
	conjunctExtend
	conjunctLinker
	conjunctCount
)

const (
	wordOther = iota
	wordCR
	wordLF
	wordNewline
	wordExtend
	wordZWJ
	wordFormat
	wordKatakana
	wordHebrew
	wordLetter
	wordSingleQuote
	wordDoubleQuote
	wordMidNumLet
	wordMidLetter
	wordMidNum
	wordNumeric
	wordExtendNumLet
	wordRegional
	wordSpace
	wordCount
)

const (
	sentenceOther = iota
	sentenceCR
	sentenceLF
	sentenceSep
	sentenceExtend
	sentenceFormat
	sentenceSp
	sentenceLower
	sentenceUpper
	sentenceLetter
	sentenceNumeric
	sentenceATerm
	sentenceContinue
	sentenceSTerm
	sentenceClose
	sentenceCount
)

// firstUnspaced is the first script of those whose letters make words without spaces: Thai, after Han and Hiragana.
const firstUnspaced = 3

// scriptCount is the number of scripts whose words are not divided by spaces, and of no script of these.
const scriptCount = 7

// breakProperty has what segmentation needs to know of a character.
type breakProperty struct {
	grapheme, conjunct, pictographic, word, sentence, script uint8
}

// breakTable has the properties of all characters, in pages of which equal ones are one.
type breakTable struct {
	pages [0x1100]uint16
	data  [][256]breakProperty
}

var breakData = sync.OnceValue(loadBreaks)

func loadBreaks() *breakTable {
	data, err := files.ReadFile("data/breaks.bin")
	if err != nil {
		panic("intl: " + err.Error())
	}
	numbers := []byte(inflate(data))
	next := func() int {
		value, n := binary.Uvarint(numbers)
		numbers = numbers[max(n, 1):]
		return int(value)
	}
	all := make([]breakProperty, 0x110000)
	for property, count := range []int{graphemeCount, conjunctCount, 2, wordCount, sentenceCount, scriptCount} {
		for value := 1; value < count; value++ {
			last := 0
			for range next() {
				first := last + next()
				last = first + next()
				for r := first; r <= last && r < len(all); r++ {
					p := &all[r]
					*[]*uint8{
						&p.grapheme, &p.conjunct, &p.pictographic, &p.word, &p.sentence, &p.script,
					}[property] = uint8(value)
				}
			}
		}
	}
	t := &breakTable{}
	known := map[[256]breakProperty]uint16{}
	for page := range t.pages {
		content := [256]breakProperty(all[page<<8 : page<<8+256])
		index, ok := known[content]
		if !ok {
			index = uint16(len(t.data))
			t.data = append(t.data, content)
			known[content] = index
		}
		t.pages[page] = index
	}
	return t
}

func (t *breakTable) of(r rune) *breakProperty {
	return &t.data[t.pages[r>>8]][r&0xff]
}
