package host

import (
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// specifiers finds the names of modules that a script may import.
var specifiers = lazyregexp.New(
	`(?:\brequire\s*\(|\bfrom|\bimport\s*\(?)\s*["'](?:node:)?([a-z0-9_]+(?:/[a-z0-9_]+)?)["']`)

// A word means that a module will be used.
type word struct {
	text, module string
	whole        bool // it is a name; otherwise it may begin a longer one
}

// startSize is how many bytes every word has at least. Words are found by these.
const startSize = 4

// wordTable has all words by a hash of their first bytes.
type wordTable [1 << 10][]word

func startHash(code string) uint32 {
	return (uint32(code[0]) | uint32(code[1])<<8 | uint32(code[2])<<16 | uint32(code[3])<<24) * 0x9e3779b1 >> 22
}

func (s *Set) wordsByStart() *wordTable {
	var words wordTable
	add := func(w word) { words[startHash(w.text)] = append(words[startHash(w.text)], w) }
	for text, module := range s.globals {
		add(word{text, module, true})
	}
	for text, module := range s.words {
		add(word{text, module, false})
	}
	return &words
}

// nameBytes are the bytes that can be a part of an identifier of ASCII characters.
var nameBytes = func() (in [256]bool) {
	for c := range in {
		in[c] = c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return in
}()

// ModulesIn returns the names of the modules that code seems to use, sorted. They are guesses: a word can be part of a
// comment, and modules can be used without being named.
func (s *Set) ModulesIn(code string) []string {
	var names []string
	words, imports := s.starts(), false
	for i := 0; i < len(code); i++ {
		if !nameBytes[code[i]] {
			continue
		}
		start := i
		for i < len(code) && nameBytes[code[i]] {
			i++
		}
		if len(code)-start < startSize {
			break
		}
		for _, w := range words[startHash(code[start:])] {
			if strings.HasPrefix(code[start:], w.text) && (!w.whole || i-start == len(w.text)) &&
				!slices.Contains(names, w.module) {
				names = append(names, w.module)
			}
		}
		imports = imports || code[start] == 'r' && code[start:i] == "require" ||
			code[start] == 'i' && code[start:i] == "import"
	}
	if imports {
		for _, found := range specifiers().FindAllStringSubmatch(code, -1) {
			if _, ok := slices.BinarySearch(s.names, found[1]); ok {
				names = append(names, found[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
