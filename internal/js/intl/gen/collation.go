package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// collationFolder holds what npm does not have: allkeys_CLDR.txt of CLDR's folder common/uca, and in its folder rules
// the tailorings as ICU's ucol_getRules gives them, one file a locale and type: de-u-co-phonebook.txt.
func collationFolder(s *source) string { return filepath.Join(filepath.Dir(s.folder), "uca") }

// rules returns the tailorings by the names of their files.
func rules(s *source, _ string) (map[string]string, error) {
	out := map[string]string{}
	folder := filepath.Join(collationFolder(s), "rules")
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(file.Name(), ".txt")
		switch name {
		case "zh-Hant":
			data = []byte("[import zh-u-co-stroke]")
		case "zh-Hant-u-co-pinyin":
			data = []byte("[import zh]")
		case "zh-u-co-zhuyin", "und-u-co-emoji", "zh-u-co-unihan", "ja-u-co-unihan", "ko-u-co-searchjl":
			continue // large, and hardly used
		}
		language, _, _ := strings.Cut(name, "-")
		if len(data) == 0 || language != "und" && !strings.Contains(" "+strings.Join(languages, " ")+" bs az ",
			" "+language+" ") {
			continue
		}
		out[name] = string(data)
	}
	return out, nil
}

// implicit is added to the number of a character that stands for a primary weight.
const implicit = 0x20000

// rootCollation returns the weights of CLDR's root collation, as package intl reads them (collateroot.go): for each
// character or sequence that has weights of its own, the number of its characters, these as differences to the first
// one before, the number of its weights, and for each the primary one as a difference to that before, the secondary and
// the tertiary one with a bit for variable weights. All are varints.
func rootCollation(s *source) ([]byte, error) {
	file, err := os.Open(filepath.Join(collationFolder(s), "allkeys_CLDR.txt"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []byte
	last, primary := 0, 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		chars, weights, ok := strings.Cut(line, ";")
		if !ok || strings.HasPrefix(line, "@") {
			continue
		}
		var text []rune
		for _, field := range strings.Fields(chars) {
			r, err := strconv.ParseInt(field, 16, 32)
			if err != nil {
				return nil, err
			}
			text = append(text, rune(r))
		}
		if !utf8.ValidRune(text[0]) || !norm.NFD.IsNormalString(string(text)) {
			continue
		}
		out = binary.AppendUvarint(out, uint64(len(text)))
		for _, r := range text {
			out = binary.AppendVarint(out, int64(int(r)-last))
			last = int(r)
		}
		list := strings.FieldsFunc(weights, func(r rune) bool { return r == '[' || r == ']' || r == ' ' })
		var elements [][3]int
		for _, w := range list {
			var p, s, t int
			if _, err := fmt.Sscanf(w[1:], "%x.%x.%x", &p, &s, &t); err != nil {
				return nil, fmt.Errorf("%s: %w", w, err)
			}
			t <<= 1
			if w[0] == '*' {
				t |= 1
			}
			if n := len(elements); n > 0 && elements[n-1][0]>>8 == 0xfb && s == 0 && p != 0 {
				// Two elements stand for one character without weights of its own.
				elements[n-1][0] = implicit + (elements[n-1][0]&0x3f)<<15 + p&0x7fff
				continue
			}
			elements = append(elements, [3]int{p, s, t})
		}
		out = binary.AppendUvarint(out, uint64(len(elements)))
		for _, e := range elements {
			out = binary.AppendVarint(out, int64(e[0]-primary))
			out = binary.AppendUvarint(out, uint64(e[1]))
			out = binary.AppendUvarint(out, uint64(e[2]))
			primary = e[0]
		}
	}
	return []byte(deflate(string(out))), lines.Err()
}
