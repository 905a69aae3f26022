package text

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var sort = &command.Command{
	Name:     "sort",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Write sorted concatenation of all FILE(s) to standard output.",
	Options: []command.Option{
		{Short: 'b', Long: "ignore-leading-blanks", Help: "ignore leading blanks"},
		{Short: 'd', Long: "dictionary-order", Help: "consider only blanks and alphanumeric characters"},
		{Short: 'f', Long: "ignore-case", Help: "fold lower case to upper case characters"},
		{Short: 'g', Long: "general-numeric-sort", Help: "compare according to general numerical value"},
		{Short: 'i', Long: "ignore-nonprinting", Help: "consider only printable characters"},
		{Short: 'M', Long: "month-sort", Help: "compare (unknown) < 'JAN' < ... < 'DEC'"},
		{Short: 'h', Long: "human-numeric-sort", Help: "compare human readable numbers (e.g., 2K 1G)"},
		{Short: 'n', Long: "numeric-sort", Help: "compare according to string numerical value"},
		{Short: 'R', Long: "random-sort", Help: "shuffle, but group identical keys"},
		{Long: "random-source", Arg: "FILE"},
		{Short: 'r', Long: "reverse", Help: "reverse the result of comparisons"},
		{Long: "sort", Arg: "WORD", Help: "sort according to WORD: general-numeric -g,\n" +
			"human-numeric -h, month -M, numeric -n, random -R, version -V"},
		{Short: 'V', Long: "version-sort", Help: "natural sort of (version) numbers within text"},
		{Long: "batch-size", Arg: "NMERGE"},
		{Short: 'c', Long: "check", Arg: "quiet", Optional: true, Help: "check for sorted input; do not sort"},
		{Short: 'C', Help: "like -c, but do not report first bad line"},
		{Long: "compress-program", Arg: "PROG"}, {Long: "debug"},
		{Long: "files0-from", Arg: "F", Help: "read input from the files specified by NUL-terminated names\nin file F"},
		{Short: 'k', Long: "key", Arg: "KEYDEF", Help: "sort via a key; KEYDEF gives location and type"},
		{Short: 'm', Long: "merge", Help: "merge already sorted files; do not sort"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "write result to FILE instead of standard output"},
		{Short: 's', Long: "stable", Help: "stabilize sort by disabling last-resort comparison"},
		{Short: 'S', Long: "buffer-size", Arg: "SIZE"},
		{Short: 't', Long: "field-separator", Arg: "SEP", Help: "use SEP instead of non-blank to blank transition"},
		{Short: 'T', Long: "temporary-directory", Arg: "DIR"}, {Long: "parallel", Arg: "N"},
		{Short: 'u', Long: "unique", Help: "output only the first of an equal run"},
		{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Trouble: 2,
	Notes: "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a field number and C a " +
		"character position.",
	Run: runSort,
}

// sortKey is a key to sort by.
type sortKey struct {
	field, char       int // where it begins; from 1 on
	endField, endChar int // where it ends; field 0 is the end of the line, and character 0 that of the field
	startBlanks       bool
	endBlanks         bool
	options           string // of bdfgiMhnRrV
}

func (k *sortKey) has(option byte) bool { return strings.IndexByte(k.options, option) >= 0 }

// ordering are the options of ordering, by their long names.
var ordering = map[string]string{"dictionary-order": "d", "ignore-case": "f", "general-numeric-sort": "g",
	"ignore-nonprinting": "i", "month-sort": "M", "human-numeric-sort": "h", "numeric-sort": "n", "random-sort": "R",
	"reverse": "r", "version-sort": "V", "ignore-leading-blanks": "b"}

type sorter struct {
	keys   []sortKey
	global sortKey
	tab    string // "" means the transition from blanks
	salt   string
	stable bool
	unique bool
}

func runSort(c *command.Context) int {
	s := &sorter{stable: c.Has("stable"), unique: c.Has("unique"), global: sortKey{field: 1, char: 1}}
	for _, g := range c.Given {
		switch g.Name {
		case "sort":
			letter, ok := map[string]string{"general-numeric": "g", "human-numeric": "h", "month": "M", "numeric": "n",
				"random": "R", "version": "V"}[g.Value]
			if !ok {
				return c.Usage("invalid argument %s for %s", command.QuoteText(g.Value), command.QuoteText("--sort"))
			}
			s.global.options += letter
		case "key":
			k, failure := parseKey(g.Value)
			if failure != "" {
				c.Errorf("%s", failure)
				return 2
			}
			s.keys = append(s.keys, k)
		case "field-separator":
			switch {
			case g.Value == `\0`:
				s.tab = "\x00"
			case g.Value == "":
				c.Errorf("empty tab")
				return 2
			case len([]rune(g.Value)) > 1:
				c.Errorf("multi-character tab %s", command.QuoteText(g.Value))
				return 2
			default:
				s.tab = g.Value
			}
		default:
			s.global.options += ordering[g.Name]
		}
	}
	for i := range s.keys {
		k := &s.keys[i]
		if k.options == "" && !k.startBlanks && !k.endBlanks {
			k.options = s.global.options
			k.startBlanks = s.global.has('b')
			k.endBlanks = k.startBlanks
		}
	}
	if len(s.keys) == 0 && strings.Trim(s.global.options, "r") != "" {
		k := s.global
		k.startBlanks = k.has('b')
		s.keys = []sortKey{k}
	}
	if s.global.has('R') || slices.ContainsFunc(s.keys, func(k sortKey) bool { return k.has('R') }) {
		if seed, ok := c.Value("random-source"); ok {
			s.salt = seed
		} else {
			s.salt = command.Random()
		}
	}
	for _, k := range append(s.keys, s.global) {
		var kinds string
		for _, letter := range "dgMhnRV" {
			if k.has(byte(letter)) && !(letter == 'd') {
				kinds += string(letter)
			}
		}
		if len(kinds) > 1 && len(slices.Compact([]byte(kinds))) > 1 {
			c.Errorf("options '-%s' are incompatible", kinds)
			return 2
		}
	}
	separator := c.Separator("zero-terminated")
	lines, ok := s.read(c, separator)
	if !ok {
		return 2
	}
	if mode, check := c.Value("check"); check || c.Has("C") {
		return s.check(c, lines, c.Has("C") || mode == "quiet" || mode == "silent")
	}
	s.sort(lines)
	out := c.Output()
	if name, ok := c.Value("output"); ok && name != "-" {
		file, err := c.Create(name)
		if err != nil {
			c.Errorf("open failed: %s: %s", name, command.Text(err))
			return 2
		}
		defer file.Close()
		out.Reset(file)
	}
	for i, line := range lines {
		if s.unique && i > 0 && s.compare(lines[i-1], line) == 0 {
			// The first of those that are equal stays.
			lines[i] = lines[i-1]
			continue
		}
		_, _ = out.Write(line)
		if err := out.WriteByte(separator); err != nil {
			return 2
		}
	}
	if err := out.Flush(); err != nil {
		c.Errorf("write failed: 'standard output': %s", command.Text(err))
		return 2
	}
	return 0
}

func (s *sorter) read(c *command.Context, separator byte) ([][]byte, bool) {
	names := c.Args
	if list, ok := c.Value("files0-from"); ok {
		found, err := c.InputLines(list, 0)
		if err != nil {
			c.Errorf("cannot open %s for reading: %s", command.Quote(list), command.Text(err))
			return nil, false
		}
		names = append(names, found...)
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	var lines [][]byte
	for _, name := range names {
		in, err := c.Input(name)
		if err != nil {
			c.Errorf("cannot read: %s: %s", command.QuoteOdd(name), command.Text(err))
			return nil, false
		}
		data, err := io.ReadAll(in)
		_ = in.Close()
		if err != nil {
			c.Errorf("read failed: %s: %s", command.QuoteOdd(name), command.Text(err))
			return nil, false
		}
		if len(data) > 0 {
			end := []byte{separator}
			lines = append(lines, bytes.Split(bytes.TrimSuffix(data, end), end)...)
		}
	}
	return lines, true
}

func (s *sorter) check(c *command.Context, lines [][]byte, quiet bool) int {
	for i := 1; i < len(lines); i++ {
		order := s.compare(lines[i-1], lines[i])
		if order > 0 || s.unique && order == 0 {
			if !quiet {
				name := "-"
				if len(c.Args) > 0 {
					name = c.Args[0]
				}
				c.Errorf("%s:%d: disorder: %s", name, i+1, lines[i])
			}
			return 1
		}
	}
	return 0
}

func (s *sorter) sort(lines [][]byte) {
	switch {
	case len(s.keys) == 0:
		slices.SortFunc(lines, bytes.Compare)
		if s.global.has('r') {
			slices.Reverse(lines)
		}
	case s.stable || s.unique:
		slices.SortStableFunc(lines, s.compare)
	case s.keys[0].has('n'):
		s.sortNumbers(lines)
	default:
		slices.SortFunc(lines, s.compare)
	}
}

// sortNumbers sorts by a first key that is a number, which is read once where it is not too long.
func (s *sorter) sortNumbers(lines [][]byte) {
	type numbered struct {
		line  []byte
		value int64
		whole bool
	}
	k := &s.keys[0]
	list := make([]numbered, len(lines))
	for i, line := range lines {
		list[i].line = line
		negative, whole, fraction := numericParts(s.part(k, line))
		if len(whole) > 18 || len(fraction) > 0 {
			continue
		}
		list[i].whole = true
		for _, digit := range whole {
			list[i].value = list[i].value*10 + int64(digit-'0')
		}
		if negative {
			list[i].value = -list[i].value
		}
	}
	reverse := k.has('r')
	slices.SortFunc(list, func(a, b numbered) int {
		if !a.whole || !b.whole {
			return s.compare(a.line, b.line)
		}
		if a.value == b.value {
			return s.compareFrom(1, a.line, b.line)
		}
		if reverse {
			return cmp.Compare(b.value, a.value)
		}
		return cmp.Compare(a.value, b.value)
	})
	for i := range list {
		lines[i] = list[i].line
	}
}

// compare compares lines: by their keys, and if these are equal as a whole, unless that is not wanted.
func (s *sorter) compare(a, b []byte) int { return s.compareFrom(0, a, b) }

// compareFrom compares lines by the keys from one on.
func (s *sorter) compareFrom(key int, a, b []byte) int {
	for i := key; i < len(s.keys); i++ {
		k := &s.keys[i]
		order := s.compareKey(k, s.part(k, a), s.part(k, b))
		if order != 0 {
			if k.has('r') {
				return -order
			}
			return order
		}
	}
	if len(s.keys) > 0 && (s.stable || s.unique) {
		return 0
	}
	order := bytes.Compare(a, b)
	if s.global.has('r') {
		return -order
	}
	return order
}

// part returns the part of a line that a key is.
func (s *sorter) part(k *sortKey, line []byte) []byte {
	begin := s.position(line, k.field, k.startBlanks)
	begin = min(len(line), begin+k.char-1)
	end := len(line)
	if k.endField > 0 {
		if k.endChar == 0 {
			end = s.fieldEnd(line, k.endField)
		} else {
			end = min(len(line), s.position(line, k.endField, k.endBlanks)+k.endChar)
		}
	}
	if end < begin {
		return nil
	}
	return line[begin:end]
}

// position returns where a field begins, with the blanks before it unless they are skipped.
func (s *sorter) position(line []byte, field int, skip bool) int {
	at := 0
	for range field - 1 {
		if s.tab != "" {
			i := bytes.Index(line[at:], []byte(s.tab))
			if i < 0 {
				return len(line)
			}
			at += i + len(s.tab)
			continue
		}
		for at < len(line) && command.IsBlank(line[at]) {
			at++
		}
		for at < len(line) && !command.IsBlank(line[at]) {
			at++
		}
	}
	if skip {
		for at < len(line) && command.IsBlank(line[at]) {
			at++
		}
	}
	return at
}

func (s *sorter) fieldEnd(line []byte, field int) int {
	at := s.position(line, field, false)
	if s.tab != "" {
		if i := bytes.Index(line[at:], []byte(s.tab)); i >= 0 {
			return at + i
		}
		return len(line)
	}
	for at < len(line) && command.IsBlank(line[at]) {
		at++
	}
	for at < len(line) && !command.IsBlank(line[at]) {
		at++
	}
	return at
}

func (s *sorter) compareKey(k *sortKey, a, b []byte) int {
	switch {
	case k.has('n'):
		return compareNumeric(a, b)
	case k.has('g'):
		return compareGeneral(a, b)
	case k.has('h'):
		return compareHuman(a, b)
	case k.has('M'):
		return month(a) - month(b)
	case k.has('V'):
		return command.CompareVersions(string(a), string(b))
	case k.has('R'):
		x, y := md5.Sum(append([]byte(s.salt), a...)), md5.Sum(append([]byte(s.salt), b...))
		return bytes.Compare(x[:], y[:])
	}
	return bytes.Compare(k.folded(a), k.folded(b))
}

// folded removes and changes the characters that do not count.
func (k *sortKey) folded(text []byte) []byte {
	if k.startBlanks {
		text = bytes.TrimLeft(text, " \t")
	}
	dictionary, printing, fold := k.has('d'), k.has('i'), k.has('f')
	if !dictionary && !printing && !fold {
		return text
	}
	out := make([]byte, 0, len(text))
	for _, c := range text {
		if dictionary && !isAlpha(c) && !isDigit(c) && !command.IsBlank(c) || printing && (c < ' ' || c > '~') {
			continue
		}
		if fold && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		out = append(out, c)
	}
	return out
}

// numericParts splits a number into its sign, digits before the point without zeros, and digits after it.
func numericParts(s []byte) (negative bool, whole, fraction []byte) {
	s = bytes.TrimLeft(s, " \t\n")
	if len(s) > 0 && s[0] == '-' {
		negative, s = true, s[1:]
	}
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	whole = bytes.TrimLeft(s[:i], "0")
	if i < len(s) && s[i] == '.' {
		j := i + 1
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		fraction = bytes.TrimRight(s[i+1:j], "0")
	}
	if len(whole) == 0 && len(fraction) == 0 {
		negative = false
	}
	return negative, whole, fraction
}

func compareNumeric(a, b []byte) int {
	an, aw, af := numericParts(a)
	bn, bw, bf := numericParts(b)
	if an != bn {
		if an {
			return -1
		}
		return 1
	}
	order := len(aw) - len(bw)
	if order == 0 {
		order = bytes.Compare(aw, bw)
	}
	if order == 0 {
		order = bytes.Compare(af, bf)
	}
	if an {
		order = -order
	}
	return order
}

func compareGeneral(a, b []byte) int {
	x, xok := general(a)
	y, yok := general(b)
	rank := func(f float64, ok bool) int {
		switch {
		case !ok:
			return 0
		case math.IsNaN(f):
			return 1
		}
		return 2
	}
	if order := rank(x, xok) - rank(y, yok); order != 0 {
		return order
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func general(s []byte) (float64, bool) {
	text := strings.TrimLeft(string(s), " \t\n")
	for end := min(len(text), 64); end > 0; end-- {
		if f, err := strconv.ParseFloat(text[:end], 64); err == nil || math.IsInf(f, 0) {
			return f, true
		}
	}
	return 0, false
}

func compareHuman(a, b []byte) int {
	unit := func(s []byte) int {
		s = bytes.TrimLeft(s, " \t\n")
		negative := bytes.HasPrefix(s, []byte("-"))
		s = bytes.TrimLeft(s, "-")
		i := 0
		nonzero := false
		for i < len(s) && (isDigit(s[i]) || s[i] == '.') {
			nonzero = nonzero || s[i] > '0'
			i++
		}
		power := 0
		if i < len(s) && i > 0 && nonzero {
			power = strings.IndexByte("KMGTPEZYRQ", s[i]&^0x20) + 1
		}
		if negative {
			return -power
		}
		return power
	}
	if order := unit(a) - unit(b); order != 0 {
		x, _, _ := numericParts(a)
		y, _, _ := numericParts(b)
		if x == y {
			return order
		}
	}
	return compareNumeric(a, b)
}

func month(s []byte) int {
	s = bytes.TrimLeft(s, " \t")
	if len(s) < 3 {
		return 0
	}
	return (strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(string(s[:3]))) + 3) / 3
}

// parseKey reads a KEYDEF.
func parseKey(s string) (k sortKey, failure string) {
	whole := s
	number := func() (int, bool) {
		end := 0
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		n, err := strconv.Atoi(s[:end])
		if err != nil && end > 0 {
			n = math.MaxInt32
		}
		s = s[end:]
		return n, end > 0
	}
	bad := func(text string) (sortKey, string) {
		return k, text + ": invalid field specification " + command.QuoteText(whole)
	}
	var ok bool
	if k.field, ok = number(); !ok {
		return k, "invalid number at field start: invalid count at start of " + command.QuoteText(s)
	}
	if k.field == 0 {
		return bad("field number is zero")
	}
	k.char = 1
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		if k.char, ok = number(); !ok {
			return k, "invalid number after '.': invalid count at start of " + command.QuoteText(s)
		}
		if k.char == 0 {
			return bad("character offset is zero")
		}
	}
	options := func(blanks *bool) {
		for s != "" && strings.IndexByte("bdfgiMhnRrV", s[0]) >= 0 {
			if s[0] == 'b' {
				*blanks = true
			} else {
				k.options += s[:1]
			}
			s = s[1:]
		}
	}
	options(&k.startBlanks)
	if strings.HasPrefix(s, ",") {
		s = s[1:]
		if k.endField, ok = number(); !ok {
			return k, "invalid number after ',': invalid count at start of " + command.QuoteText(s)
		}
		if k.endField == 0 {
			return bad("field number is zero")
		}
		if strings.HasPrefix(s, ".") {
			s = s[1:]
			k.endChar, _ = number()
		}
		options(&k.endBlanks)
	}
	if s != "" {
		return bad("stray character in field spec")
	}
	return k, ""
}
