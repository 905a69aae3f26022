package intl

// Segmentation of texts into characters, words and sentences by the rules of Unicode, with ICU's changes.
//
// See https://www.unicode.org/reports/tr29/

// A Segment is a piece of a text.
type Segment struct {
	Units    int  // its length in units of UTF-16
	WordLike bool // of words: whether it has letters or digits
}

// maxSegments is how many segments there are at most.
const maxSegments = 1 << 16

// Segments divides a text by a granularity: grapheme, word or sentence. A text that goes on (final is false) is divided
// only as far as what follows does not matter, and any text only until there are maxSegments.
//
// There are no dictionaries: of Chinese and Japanese each ideograph and each hiragana is a word, a run of katakana is
// one, and so is a run of Thai, Lao, Khmer or Burmese.
func Segments(locale, granularity, text string, final bool) []Segment {
	s := segmenter{runes: []rune(text), table: breakData(), final: final}
	switch granularity {
	case "word":
		s.words()
	case "sentence":
		s.greek = languageOf(locale) == "el"
		s.sentences()
	default:
		s.graphemes()
	}
	return s.segments
}

type segmenter struct {
	runes    []rune
	table    *breakTable
	final    bool
	greek    bool // a semicolon is a question mark
	start    int
	segments []Segment
}

func (s *segmenter) full() bool { return len(s.segments) == maxSegments }

func (s *segmenter) of(i int) *breakProperty { return s.table.of(s.runes[i]) }

// cut ends a segment before the character i.
func (s *segmenter) cut(i int, wordLike bool) {
	units := 0
	for _, r := range s.runes[s.start:i] {
		units++
		if r > 0xffff {
			units++
		}
	}
	s.segments = append(s.segments, Segment{units, wordLike})
	s.start = i
}

func (s *segmenter) graphemes() {
	regional, pictograph, conjunct := 0, 0, 0
	for i := range s.runes {
		if s.full() {
			return
		}
		p := s.of(i)
		if i > 0 {
			previous := s.of(i - 1)
			if s.graphemeBreak(previous, p, regional, pictograph, conjunct) {
				s.cut(i, false)
			}
		}
		if p.grapheme == graphemeRegional {
			regional++
		} else {
			regional = 0
		}
		switch { // an emoji and its extensions: 1; with a joiner: 2
		case p.pictographic != 0:
			pictograph = 1
		case pictograph == 1 && p.grapheme == graphemeExtend:
		case pictograph == 1 && p.grapheme == graphemeZWJ:
			pictograph = 2
		default:
			pictograph = 0
		}
		switch { // a consonant: 1; with a linker: 2
		case p.conjunct == conjunctConsonant:
			conjunct = 1
		case conjunct > 0 && p.conjunct == conjunctLinker:
			conjunct = 2
		case conjunct > 0 && p.conjunct == conjunctExtend:
		default:
			conjunct = 0
		}
	}
	if s.final && len(s.runes) > s.start && !s.full() {
		s.cut(len(s.runes), false)
	}
}

func (s *segmenter) graphemeBreak(previous, p *breakProperty, regional, pictograph, conjunct int) bool {
	a, b := previous.grapheme, p.grapheme
	switch {
	case a == graphemeCR && b == graphemeLF:
		return false
	case a == graphemeCR, a == graphemeLF, a == graphemeControl, b == graphemeCR, b == graphemeLF, b == graphemeControl:
		return true
	case a == graphemeL && (b == graphemeL || b == graphemeV || b == graphemeLV || b == graphemeLVT),
		(a == graphemeLV || a == graphemeV) && (b == graphemeV || b == graphemeT),
		(a == graphemeLVT || a == graphemeT) && b == graphemeT,
		b == graphemeExtend, b == graphemeZWJ, b == graphemeSpacing, a == graphemePrepend,
		conjunct == 2 && p.conjunct == conjunctConsonant,
		pictograph == 2 && p.pictographic != 0,
		a == graphemeRegional && b == graphemeRegional && regional%2 == 1:
		return false
	}
	return true
}

// wordHangul is the class of Hangul syllables, which ICU does not join with other letters. The data does not have it.
const wordHangul = wordCount

// word returns the class of a character in a word.
func (s *segmenter) word(i int) uint8 {
	r := s.runes[i]
	if r >= 0xac00 && r <= 0xd7a3 {
		return wordHangul
	}
	p := s.table.of(r)
	if p.word == wordOther && p.script >= firstUnspaced {
		return wordLetter
	}
	return p.word
}

func extendsWord(class uint8) bool {
	return class == wordExtend || class == wordFormat || class == wordZWJ
}

func isNewline(class uint8) bool { return class == wordNewline || class == wordCR || class == wordLF }

func isWordLetter(class uint8) bool { return class == wordLetter || class == wordHebrew }

func (s *segmenter) words() {
	// The last two characters that count, and how many flags' halves there are.
	last, before := uint8(wordOther), uint8(wordOther)
	regional := 0
	wordLike := false
	for i := range s.runes {
		if s.full() {
			return
		}
		class := s.word(i)
		if i > 0 {
			end, known := s.wordBreak(i, class, last, before, regional)
			if !known {
				return
			}
			if end {
				s.cut(i, wordLike)
				wordLike = false
			} else if class == wordExtendNumLet {
				wordLike = true
			}
		}
		switch class {
		case wordHangul, wordLetter, wordHebrew, wordNumeric, wordKatakana:
			wordLike = true
		default:
			wordLike = wordLike || class == wordOther && s.of(i).script != 0
		}
		if extendsWord(class) && i > s.start && !isNewline(last) {
			continue
		}
		if class == wordRegional {
			regional++
		} else {
			regional = 0
		}
		before, last = last, class
	}
	if s.final && len(s.runes) > s.start && !s.full() {
		s.cut(len(s.runes), wordLike)
	}
}

// wordBreak reports whether a word ends before the character i, and whether that is known.
func (s *segmenter) wordBreak(i int, class, last, before uint8, regional int) (end, known bool) {
	previous := s.word(i - 1)
	switch {
	case previous == wordCR && class == wordLF:
		return false, true
	case isNewline(previous), isNewline(class):
		return true, true
	case previous == wordZWJ && s.of(i).pictographic != 0, previous == wordSpace && class == wordSpace,
		extendsWord(class):
		return false, true
	case isWordLetter(last) && isWordLetter(class):
		return false, true
	case isWordLetter(last) && (class == wordMidLetter || class == wordMidNumLet || class == wordSingleQuote):
		next, known := s.nextWord(i)
		if !known {
			return false, false
		}
		return !(isWordLetter(next) || last == wordHebrew && class == wordSingleQuote), true
	case isWordLetter(before) && (last == wordMidLetter || last == wordMidNumLet || last == wordSingleQuote) &&
		isWordLetter(class):
		return false, true
	case last == wordHebrew && class == wordDoubleQuote:
		next, known := s.nextWord(i)
		return next != wordHebrew, known
	case before == wordHebrew && last == wordDoubleQuote && class == wordHebrew:
		return false, true
	case (last == wordNumeric || isWordLetter(last)) && class == wordNumeric,
		last == wordNumeric && isWordLetter(class):
		return false, true
	case before == wordNumeric && (last == wordMidNum || last == wordMidNumLet || last == wordSingleQuote) &&
		class == wordNumeric:
		return false, true
	case last == wordNumeric && (class == wordMidNum || class == wordMidNumLet || class == wordSingleQuote):
		next, known := s.nextWord(i)
		return next != wordNumeric, known
	case last == wordHangul && class == wordHangul:
		return false, true
	case last == wordKatakana && class == wordKatakana:
		return false, true
	case (isWordLetter(last) || last == wordNumeric || last == wordKatakana || last == wordExtendNumLet) &&
		class == wordExtendNumLet:
		return false, true
	case last == wordExtendNumLet && (isWordLetter(class) || class == wordNumeric || class == wordKatakana):
		return false, true
	case last == wordRegional && class == wordRegional && regional%2 == 1:
		return false, true
	}
	return true, true
}

// nextWord returns the class of the next character after i that counts.
func (s *segmenter) nextWord(i int) (class uint8, known bool) {
	for i++; i < len(s.runes); i++ {
		if class := s.word(i); !extendsWord(class) {
			return class, true
		}
	}
	return wordOther, s.final
}

func (s *segmenter) sentence(i int) uint8 {
	if s.greek && (s.runes[i] == ';' || s.runes[i] == 0x37e) {
		return sentenceSTerm
	}
	return s.of(i).sentence
}

func isParagraph(class uint8) bool {
	return class == sentenceSep || class == sentenceCR || class == sentenceLF
}

// What has been seen of the end of a sentence.
const (
	noEnd = iota
	endTerm
	endClose
	endSpace
	endParagraph
)

func (s *segmenter) sentences() {
	state := noEnd
	abbreviation := false // the end is a full stop
	cased := false        // before the full stop is a letter with a case
	last := uint8(sentenceOther)
	for i := range s.runes {
		if s.full() {
			return
		}
		class := s.sentence(i)
		if i > s.start && (class == sentenceExtend || class == sentenceFormat) && state != endParagraph {
			continue
		}
		if i > s.start && state != noEnd {
			end, known := s.sentenceBreak(i, class, state, abbreviation, cased && last == sentenceATerm)
			if !known {
				return
			}
			if end {
				s.cut(i, false)
				state = noEnd
				last = sentenceOther
			}
		}
		switch {
		case class == sentenceATerm || class == sentenceSTerm:
			abbreviation = class == sentenceATerm
			cased = last == sentenceUpper || last == sentenceLower
			state = endTerm
		case isParagraph(class):
			state = endParagraph
		case (state == endTerm || state == endClose) && class == sentenceClose:
			state = endClose
		case (state == endTerm || state == endClose || state == endSpace) && class == sentenceSp:
			state = endSpace
		default:
			state = noEnd
		}
		last = class
	}
	if s.final && len(s.runes) > s.start && !s.full() {
		s.cut(len(s.runes), false)
	}
}

// sentenceBreak reports whether a sentence ends before the character i, and whether that is known.
func (s *segmenter) sentenceBreak(i int, class uint8, state int, abbreviation, afterLetter bool) (end, known bool) {
	switch {
	case state == endParagraph:
		return !(s.sentence(i-1) == sentenceCR && class == sentenceLF), true
	case abbreviation && state == endTerm && class == sentenceNumeric,
		afterLetter && state == endTerm && class == sentenceUpper:
		return false, true
	case class == sentenceContinue, class == sentenceATerm, class == sentenceSTerm,
		isParagraph(class), class == sentenceSp:
		return false, true
	case class == sentenceClose && state != endSpace:
		return false, true
	}
	if abbreviation {
		for ; i < len(s.runes); i++ {
			switch class := s.sentence(i); {
			case class == sentenceLower:
				return false, true
			case class == sentenceLetter, class == sentenceUpper, isParagraph(class),
				class == sentenceATerm, class == sentenceSTerm:
				return true, true
			}
		}
		return true, s.final
	}
	return true, true
}
