package intl

import (
	"bytes"
	"compress/flate"
	"embed"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
)

//go:embed data/*.bin
var files embed.FS

// root is the locale from which all others inherit.
const root = "und"

// The areas of data: one for each part of Intl, so that a script pays only for what it uses.
var (
	supplementalData = newArea("supplemental")
	numberData       = newArea("numbers")
	currencyData     = newArea("currencies")
	unitData         = newArea("units")
	wordData         = newArea("words")
	nameData         = newArea("names")
)

// An area is one file of tables: texts by path, for each locale. Package gen describes the format.
type area struct {
	name    string
	load    func()
	keys    []string // sorted
	body    []byte
	locales map[string]*entry
}

// An entry is one locale's table, decoded when it is first used.
type entry struct {
	parent       string
	offset, size int
	decode       func() *table
}

// A table has the texts of one locale in one area. It is immutable.
type table struct {
	area   *area
	values []string // of all keys, or of those of only, if that is not nil
	only   []int32  // the indexes of the keys that differ from the parent's, sorted
	parent *table
}

// Values that stand for no text, and for the parent's text.
const (
	absentText  = "\x01"
	inheritText = "\x02"
)

func newArea(name string) *area {
	a := &area{name: name}
	a.load = sync.OnceFunc(a.read)
	return a
}

// read decodes the keys and the index. The files are part of the program: a fault in them is one of the build.
func (a *area) read() {
	data, err := files.ReadFile("data/" + a.name + ".bin")
	if err != nil {
		panic("intl: " + err.Error())
	}
	var head, index int
	if _, err := fmt.Sscanf(string(data[:min(len(data), 32)]), "%d %d\n", &head, &index); err != nil {
		panic("intl: " + a.name + ": " + err.Error())
	}
	data = data[bytes.IndexByte(data, '\n')+1:]
	a.keys = strings.Split(inflate(data[:head]), "\n")
	a.locales = map[string]*entry{}
	for line := range strings.Lines(inflate(data[head : head+index])) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		e := &entry{parent: fields[1]}
		if _, err := fmt.Sscan(fields[2], &e.offset); err != nil {
			panic("intl: " + a.name + ": " + err.Error())
		}
		if _, err := fmt.Sscan(fields[3], &e.size); err != nil {
			panic("intl: " + a.name + ": " + err.Error())
		}
		e.decode = sync.OnceValue(func() *table { return a.decode(e) })
		a.locales[fields[0]] = e
	}
	a.body = data[head+index:]
}

func (a *area) decode(e *entry) *table {
	t := &table{area: a, values: strings.Split(inflate(a.body[e.offset:e.offset+e.size]), "\x00")}
	if e.parent != "" {
		t.parent = a.locales[e.parent].decode()
		t.shrink()
	}
	return t
}

// shrink keeps only the values that are not the parent's, if these are few: most locales are like another one.
func (t *table) shrink() {
	own := 0
	for _, value := range t.values {
		if value != inheritText {
			own++
		}
	}
	if own > len(t.values)/2 {
		return
	}
	values := make([]string, 0, own)
	t.only = make([]int32, 0, own)
	for i, value := range t.values {
		if value != inheritText {
			t.only = append(t.only, int32(i))
			values = append(values, strings.Clone(value))
		}
	}
	t.values = values
}

func inflate(data []byte) string {
	var b strings.Builder
	if _, err := io.Copy(&b, flate.NewReader(bytes.NewReader(data))); err != nil {
		panic("intl: " + err.Error())
	}
	return b.String()
}

// table returns a locale's table; that of its nearest ancestor if the area has none for the locale itself.
func (a *area) table(locale string) *table {
	a.load()
	for {
		if e := a.locales[locale]; e != nil {
			return e.decode()
		}
		locale = parentLocale(locale)
	}
}

// get returns the text at a path, and whether there is one.
func (t *table) get(path string) (string, bool) {
	i := sort.SearchStrings(t.area.keys, path)
	if i == len(t.area.keys) || t.area.keys[i] != path {
		return "", false
	}
	return t.at(i)
}

// text returns the text at a path: the empty string if there is none.
func (t *table) text(path string) string {
	text, _ := t.get(path)
	return text
}

func (t *table) at(i int) (string, bool) {
	for ; t != nil; t = t.parent {
		switch value := t.own(i); value {
		case inheritText:
		case absentText:
			return "", false
		default:
			return value, true
		}
	}
	return "", false
}

// own returns the value that the table itself has for a key: inheritText if that is its parent's.
func (t *table) own(i int) string {
	if t.only == nil {
		return t.values[i]
	}
	at, found := slices.BinarySearch(t.only, int32(i))
	if !found {
		return inheritText
	}
	return t.values[at]
}

// each calls do with every path below a prefix, without the prefix, and its text, in the order of the paths.
func (t *table) each(prefix string, do func(path, text string)) {
	for i := sort.SearchStrings(t.area.keys, prefix); i < len(t.area.keys); i++ {
		path, ok := strings.CutPrefix(t.area.keys[i], prefix)
		if !ok {
			return
		}
		if text, ok := t.at(i); ok {
			do(path, text)
		}
	}
}

// supplemental returns the table of what does not depend on the locale.
func supplemental() *table { return supplementalData.table(root) }
