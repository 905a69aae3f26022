package registrytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// A badInput is a mistake that a model may make. Some of them happen to fit the schema.
type badInput struct {
	name  string
	input json.RawMessage
}

// Sizes of bad inputs.
const (
	hugeText     = 1 << 20
	manyItems    = 1000
	nesting      = 5000
	maxArguments = 24 // that are tested
)

// badTime is the time limit of a call with a bad input. Reaching it is no fault: a tool that is told to wait for years
// cannot know better.
const badTime = 2 * time.Second

// Values of all types, and further values of some types that are hard to handle.
var (
	ofTypes = []badValue{
		{"null", `null`}, {"a boolean", `true`}, {"a fraction", `12.5`}, {"an integer", `7`}, {"a text", `"text"`},
		{"an empty array", `[]`}, {"an empty object", `{}`},
		{"an array of all sorts", `[null, true, 12.5, "text", [], {}]`},
		{"an object of all sorts", `{"a": null, "b": [1], "": {"c": "d"}}`},
		{"nested arrays", strings.Repeat("[", 100) + strings.Repeat("]", 100)},
		{"nested objects", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)},
		{"deeply nested arrays", strings.Repeat("[", nesting) + strings.Repeat("]", nesting)},
		{"deeply nested objects", strings.Repeat(`{"a":`, nesting) + "1" + strings.Repeat("}", nesting)},
	}
	texts = []badValue{
		{"an empty text", `""`}, {"a blank", `" "`}, {"a NUL", `"a\u0000b"`},
		{"control characters", `"\u001b[2J\u0007\r\n\t"`},
		{"invalid UTF-8", "\"a\xff\xfe\xc0\xafb\""}, {"a lone surrogate", `"a\ud800b"`}, {"an emoji", `"👩‍👩‍👧‍👦"`},
		{"the end of a path", `"/"`}, {"a path that leads out", `"../../../../../etc/passwd"`},
		{"a path of another system", `"C:\\Windows\\System32\\..\\x"`}, {"format verbs", `"%s%n%d%!x(MISSING)"`},
		{"quotes and brackets", "\"'\\\"`$(x)${x}<x>]]>--\""},
		{"a text of 1 MiB", `"` + strings.Repeat("a", hugeText) + `"`},
		{"1000 lines", `"` + strings.Repeat(`a\n`, 1000) + `"`},
	}
	numbers = []badValue{
		{"0", `0`}, {"-1", `-1`}, {"-0.0", `-0.0`}, {"1e3", `1e3`}, {"an integer beyond float64", `9007199254740993`},
		{"an integer beyond int64", `9223372036854775808`},
		{"an integer of 400 digits", "1" + strings.Repeat("0", 399)},
		{"a number beyond float64", `1e400`}, {"the largest float64", `1.7976931348623157e308`},
		{"a tiny number", `5e-324`},
		{"an exponent beyond all", `1e999999999`},
	}
)

// wholeInputs replace the whole input.
var wholeInputs = []badInput{
	{"nothing", nil}, {"null", []byte(`null`)}, {"an empty object", []byte(`{}`)}, {"an array", []byte(`[{}]`)},
	{"a text", []byte(`"text"`)}, {"a number", []byte(`1`)}, {"half an object", []byte(`{"a": `)},
	{"two objects", []byte(`{}{}`)},
	{"what is not JSON", []byte("\xff\x00<call>")},
	{"a key that is not UTF-8", []byte("{\"\xff\": 1}")}, {"the same key twice", []byte(`{"a": 1, "a": "b"}`)},
}

type badValue struct {
	name, json string
}

// badInputs returns inputs that a model may send by mistake.
func (s *subject) badInputs() iter.Seq[badInput] {
	base := map[string]json.RawMessage{}
	if samples, _ := s.samples(); len(samples) > 0 {
		if err := json.Unmarshal(samples[0], &base); err != nil || base == nil {
			base = map[string]json.RawMessage{}
		}
	}
	_, document := s.schema()
	var arguments []schema.Field
	if document != nil {
		arguments = document.Fields(document.Root)
	}
	return func(yield func(badInput) bool) {
		for _, bad := range wholeInputs {
			if !yield(bad) {
				return
			}
		}
		with := func(name, title, value string) bool {
			changed := maps.Clone(base)
			changed[name] = json.RawMessage(value)
			return yield(badInput{title, encodeRaw(changed)})
		}
		if !with("registrytest_unknown", "an argument that nobody knows", `{"a": [1]}`) ||
			!with("", "an argument without a name", `1`) {
			return
		}
		for _, argument := range arguments[:min(len(arguments), maxArguments)] {
			name := argument.Name
			if _, there := base[name]; there {
				without := maps.Clone(base)
				delete(without, name)
				if !yield(badInput{fmt.Sprintf("no %q", name), encodeRaw(without)}) {
					return
				}
			}
			for _, value := range badValues(document, argument.Schema, 0) {
				if !with(name, fmt.Sprintf("%q = %s", name, value.name), value.json) {
					return
				}
			}
		}
	}
}

// badValues returns values for a property: a few of each type, and more of the types that its schema allows.
func badValues(d *schema.Document, of *jsontree.Node, depth int) []badValue {
	values := slices.Clone(ofTypes)
	types := d.Meant(of)
	if types.Has(schema.String) {
		values = append(values, texts...)
	}
	if types.Has(schema.Number) {
		values = append(values, numbers...)
	}
	if depth > 0 {
		// one huge value is enough
		return slices.DeleteFunc(values, func(v badValue) bool { return len(v.json) >= hugeText })
	}
	if items := d.Find(of, schema.Array, "items").Object("items"); items != nil {
		for _, value := range badValues(d, items, depth+1) {
			values = append(values, badValue{"an array with " + value.name, "[" + value.json + "]"})
		}
		if item, err := sample(d, items); err == nil && len(item) <= hugeText/manyItems {
			many := strings.Repeat(string(item)+",", manyItems)
			values = append(values, badValue{
				fmt.Sprintf("an array of %d", manyItems), "[" + strings.TrimSuffix(many, ",") + "]",
			})
		}
	}
	fields := d.Fields(of)
	for _, field := range fields[:min(len(fields), maxArguments)] {
		for _, value := range badValues(d, field.Schema, depth+1) {
			values = append(values, badValue{
				fmt.Sprintf("an object with %q = %s", field.Name, value.name),
				string(encodeRaw(map[string]json.RawMessage{field.Name: json.RawMessage(value.json)})),
			})
		}
	}
	return values
}

// encodeRaw encodes an object whose values may be invalid JSON.
func encodeRaw(object map[string]json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(name)
		b.Write(key)
		b.WriteByte(':')
		b.Write(object[name])
	}
	b.WriteByte('}')
	return b.Bytes()
}

func checkBadInputs(s *subject, f *findings) {
	project := s.project(f)
	if project == nil {
		return
	}
	for bad := range s.badInputs() {
		about := "With " + bad.name + " as input"
		if strings.Contains(bad.name, "= ") || strings.HasPrefix(bad.name, "no ") {
			about = "With " + bad.name
		}
		before := 0
		if s.spec.Annotations.ReadOnly {
			before = changes(project)
		}
		r := request{input: bad.input, env: s.env()}
		r.env.Files = project
		r.env.Limits.Timeout = badTime
		response := s.do(r)
		s.sound(about, response, f)
		if s.spec.Annotations.ReadOnly && changes(project) != before {
			f.fault("%s the tool changes files, although Spec.Annotations say ReadOnly.", about)
		}
		if response.Code == tool.CodeTimeout {
			f.advise("%s the call took more than %v, and was stopped.", about, badTime)
		}
		if len(f.faults) > maxFindings {
			return // enough to fix
		}
	}
}
