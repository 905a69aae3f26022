//go:build suites

package javascript_test

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// nodeProcess is a process of Node's that answers the questions of testdata/node/probes.js. It ends with this one.
type nodeProcess struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Reader
}

var theNode = sync.OnceValues(func() (*nodeProcess, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return nil, nil
	}
	dir := filepath.Join("testdata", "node")
	cmd := exec.Command(path, filepath.Join(dir, "serve.mjs"), filepath.Join(dir, "probes.js"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &nodeProcess{in: in, out: bufio.NewReader(out)}, cmd.Start()
})

// needNode returns the process, or skips if there is no Node.
func needNode(t testing.TB) *nodeProcess {
	node, err := theNode()
	require.NoError(t, err)
	if node == nil {
		t.Skip("there is no node in PATH to compare with")
	}
	return node
}

// ask returns Node's answer.
func (n *nodeProcess) ask(t testing.TB, probe string, input any) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	line, err := json.Marshal(map[string]any{"probe": probe, "input": input})
	require.NoError(t, err)
	_, err = n.in.Write(append(line, '\n'))
	require.NoError(t, err)
	text, err := n.out.ReadBytes('\n')
	require.NoError(t, err, "%s", line)
	var answer struct{ Answer string }
	require.NoError(t, json.Unmarshal(text, &answer))
	return answer.Answer
}

//go:embed testdata/node/probes.js
var probes string

// probeFiles has the questions as a library, which is loaded once for all runs.
var probeFiles = sync.OnceValue(func() afero.Fs {
	files := afero.NewMemMapFs()
	if err := afero.WriteFile(files, "/lib/probes.js", []byte("globalThis.probes = "+strings.SplitN(probes,
		"const probes = ", 2)[1]), 0o644); err != nil {
		panic(err)
	}
	return files
})

// compare asks both and compares. The answers are decoded, and go through normal first, which takes away what is
// different for a reason.
func compare(t testing.TB, probe string, input any, normal func(node, here any) (any, any)) {
	t.Helper()
	data, err := json.Marshal(input)
	require.NoError(t, err)
	result := run(t, "const {probe, input} = question(); return JSON.stringify(probes[probe](JSON.parse(input)))",
		javascript.RunOptions{
			Files: probeFiles(), Libraries: []string{"/lib"},
			Functions: []javascript.Function{{Name: "question", Call: func(context.Context, []any) (any, error) {
				return map[string]any{"probe": probe, "input": string(data)}, nil
			}}},
		})
	require.Empty(t, result.Console)
	want, got := answerOf(t, needNode(t).ask(t, probe, input)), answerOf(t, result.Text)
	if normal != nil {
		want, got = normal(want, got)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%s of %s\nnode: %v\nhere: %v", probe, data, want, got)
	}
}

// answerOf decodes an answer. Surrogates that JSON has escaped stay escaped, since one by itself would get lost.
func answerOf(t testing.TB, text string) (answer any) {
	require.NoError(t, json.Unmarshal([]byte(escapes.ReplaceAllStringFunc(text, func(escape string) string {
		if strings.HasPrefix(escape, `\ud`) {
			return `\` + escape
		}
		return escape
	})), &answer), "%s", text)
	return answer
}

// escapes matches an escape in JSON, and of those of code units only the ones of surrogates as a whole.
var escapes = regexp.MustCompile(`\\(ud[89a-f]|.)`)

type object = map[string]any

// validJSON is the text that a JSON string can carry.
func validJSON(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func FuzzNodeURL(f *testing.F) {
	for i, input := range []string{
		"https://user:pw@example.com:8080/a/./b/../c?d=e&f#g", "//host/x", "/abs", "rel/../x", "?q", "#h", "mailto:a@b",
		"data:text/plain,a b  #c", "file:///C:/x", "file://h/c|/y",
		"http://1.2.0x3/", "http://[::1]:80/", "http://[1:2::3.4.5.6]", "http://a%41.com", "http://xn--mnchen-3ya.de/",
		"http://münchen.de/ü?ü#ü", "javascript:alert(1)", "ws:x", "blob:https://a/b",
		"http://a b/", "http://:@/", "http://a:99999", "ht\ntp://a\t/", " http://x ", "http:\\\\a\\b",
		"a=1&b=%zz&c=+&=x&&y", "http://h/\\ud800", "non-special://a/b/../c", "x:/..//y", "http://0300.0.1",
	} {
		f.Add(input, "http://base.example/dir/file?query#hash", i%2 == 0, "x y:8/\\ud800?#&=+",
			[]byte{byte(i), 1, byte(i + 5), 2, 30, 3})
	}
	needNode(f)
	f.Fuzz(func(t *testing.T, input, base string, hasBase bool, value string, steps []byte) {
		if len(input)+len(base)+len(value) > 2000 || len(steps) > 40 {
			return
		}
		c := &chooser{steps}
		value = validJSON(value)
		names := []string{"href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search",
			"hash"}
		changes, calls := [][]any{}, [][]any{}
		for len(c.bytes) > 0 && len(changes) < 8 {
			name := choose(c, []string{"a", "b", "", "é"})
			switch what := choose(c, []string{"set", "set", "set", "append", "delete", "set param", "sort"}); what {
			case "set":
				part, to := choose(c, names), value
				switch first := value[:min(1, len(value))]; {
				case part == "port" && !strings.ContainsAny(first, "0123456789"):
					to = "x" // Node looks for digits behind that
				case strings.HasPrefix(part, "host") && strings.ContainsAny(first, "/?#"):
					to = "x" // Node sets no empty host where there was none
				}
				changes = append(changes, []any{what, part, to})
			case "set param":
				calls = append(calls, []any{"set", name, value})
			default:
				changes = append(changes, []any{what, name, value})
				calls = append(calls, []any{what, name, choose(c, []any{value, nil, "1"})})
			}
			calls = append(calls, []any{choose(c, []string{"get", "getAll", "has"}), name,
				choose(c, []any{nil, value})})
		}
		question := object{"input": validJSON(input), "base": nil, "steps": changes}
		// Node sometimes joins with paths to which nothing can be joined, and loses the mark of a query without text.
		// What host the base has is not in the answer.
		if hasBase && !opaque.MatchString(base) && !emptyQuery.MatchString(base) && !largeNumber.MatchString(base) {
			question["base"] = validJSON(base)
		}
		compare(t, "url", question, func(node, here any) (any, any) {
			n := untilPorts(here, changes)
			return otherURLs(beginning(node, n), beginning(here, n))
		})
		for i := range calls { // these take one argument, except for has
			if calls[i][0] == "get" || calls[i][0] == "getAll" {
				calls[i][2] = nil
			} else if calls[i][0] == "append" && calls[i][2] == nil {
				calls[i][2] = value
			}
		}
		if hasBase && strings.Contains(input, "%") && strings.ContainsFunc(input, func(c rune) bool {
			return c >= utf8.RuneSelf
		}) {
			return // Node takes characters for bytes if what is escaped beside them is not UTF-8
		}
		question = object{"input": validJSON(input), "list": nil, "steps": calls}
		if !hasBase {
			question["list"] = [][]string{{validJSON(input), value}, {"a", validJSON(base)}, {value, "b"}}
		}
		compare(t, "query", question, nil)
	})
}

var (
	opaque     = regexp.MustCompile(`^[^/]*:[^/]`)
	emptyPort  = regexp.MustCompile(`:(?:[^0-9]|$)`)
	emptyQuery = regexp.MustCompile(`[?]\s*(?:#|$)`)
	// largeNumber is what a number of more than 64 bits has.
	largeNumber = regexp.MustCompile(`[0-9]{20}|0[xX][0-9a-fA-F]{17}`)
)

// otherURLs takes away what the standard has changed after Node's parser was made: that the last space of an opaque
// path and ^ in paths are encoded. That space gets lost there with what follows it, and with it the others. It leaves
// out
//   - host names that are refused since the standard for them has changed: xn-- before a label that needs none;
//   - what the parser here refuses against the standard: host names with an international label and punctuation, and
//     those that end in a number with a sign, or in a label that begins with a number of more than 64 bits;
//   - mistakes of Node: it sometimes leaves a segment "." or ".." in a path, takes "/.." for no path, or xn--- for the
//     beginning of a label. canParse is wrong at times: what counts is whether there is a URL.
func otherURLs(node, here any) (any, any) {
	answer := node.([]any)
	parts, _ := answer[1].(map[string]any)
	answer[0] = parts["href"] != nil
	text, err := json.Marshal(node)
	if err != nil || strangeHost.Match(text) || almostNumber.Match(text) || keptDot.Match(text) {
		return nil, nil
	}
	if mine, err := json.Marshal(here); err != nil || bytes.Count(text, noPath) > bytes.Count(mine, noPath) {
		return nil, nil
	}
	return edited(node, withoutSpaces), edited(here, withoutSpaces)
}

// untilPorts returns how many answers there are before a host with a port is set in a URL without a host, or one with
// an empty port in a URL with a port: where Node loses the port.
func untilPorts(answers any, steps [][]any) int {
	list := answers.([]any)
	for i, step := range steps {
		to, _ := step[2].(string)
		if i+2 > len(list)-1 || step[0] != "set" || step[1] != "host" || !strings.Contains(to, ":") {
			continue
		}
		before, ok := list[i+1].(map[string]any)
		if !ok { // an answer about a step
			before, _ = list[i+1].([]any)[1].(map[string]any)
		}
		if before["host"] == "" || before["port"] != "" && emptyPort.MatchString(to) {
			return i + 2
		}
	}
	return len(list)
}

func beginning(list any, n int) any { return list.([]any)[:min(n, len(list.([]any)))] }

var strangeHost = regexp.MustCompile(
	`"hostname":"(?:[^"]*[.])?(?:xn--[^"]*[^-a-z0-9."]|[^"]*[^-a-z0-9."][^"]*[.]xn--|xn---|xn--[^".]*-[."])`)

var almostNumber = regexp.MustCompile(
	`"hostname":"(?:[^"]*[.])?(?:(?:0x)?[-+][0-9a-f]*|(?:[0-9]{20}|0x[0-9a-f]{17})[^".]*)[.]?"`)

var keptDot = regexp.MustCompile(`"pathname":"[^"]*/\.\.?(?:/|")`)

var noPath = []byte(`"pathname":""`)

var lastSpaces = regexp.MustCompile(`( |%20)+([?#]|$)`)

func withoutSpaces(s string) string {
	return strings.ReplaceAll(lastSpaces.ReplaceAllString(s, "$2"), "%5E", "^")
}

// edited changes all texts in a value.
func edited(value any, edit func(string) string) any {
	switch v := value.(type) {
	case string:
		return edit(v)
	case []any:
		for i := range v {
			v[i] = edited(v[i], edit)
		}
	case map[string]any:
		for key := range v {
			v[key] = edited(v[key], edit)
		}
	}
	return value
}

// nodeLabels are labels of encodings, and texts that are none.
var nodeLabels = []string{
	"utf-8", "UTF8", " utf-8\n", "utf-16le", "utf-16be", "unicode", "latin1", "ascii", "windows-1252", "iso-8859-2",
	"iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7",
	"iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "koi8-r", "koi8-u",
	"macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1253",
	"windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "ibm866", "gbk",
	"gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr",
	"utf-7", "", "x", "\\u00a0utf-8", "iso-2022-kr", "utf-32", "replacement",
}

func FuzzNodeText(f *testing.F) {
	for i := range nodeLabels {
		f.Add(byte(i), byte(i), []byte("a\x80\xff\xe2\x82\xac\xf0\x9f\x98\x80\xed\xa0\x80\xef\xbb\xbf\x00\xd8\x1b$B"),
			"aGk=\\ud800 é€")
	}
	f.Add(byte(0), byte(4), []byte("\xef\xbb\xbfa\xe2\x82"), "YQ")
	f.Add(byte(3), byte(0), []byte("\xff\xfea\x00\x00\xd8"), "\\ud83d\\ude00")
	f.Add(byte(4), byte(3), []byte("\xfe\xff\x00a\xd8"), "====")
	needNode(f)
	f.Fuzz(func(t *testing.T, label, how byte, data []byte, input string) {
		if len(data) > 200 || len(input) > 300 {
			return
		}
		size := 1 + int(how>>3)
		pieces := [][]int{}
		for i, b := range data {
			if i%size == 0 {
				pieces = append(pieces, []int{})
			}
			pieces[len(pieces)-1] = append(pieces[len(pieces)-1], int(b))
		}
		name := nodeLabels[int(label)%len(nodeLabels)]
		if name == "gb18030" && almostFourBytes(data) {
			name = "gbk" // which is decoded alike here, and not compared
		}
		compare(t, "text", object{
			"label": name, "fatal": how&1 != 0, "ignoreBOM": how&2 != 0, "pieces": pieces, "input": validJSON(input),
			"room": int(how>>2) % 20,
		}, otherTables)
		compare(t, "base64", object{"input": validJSON(input)}, nil)
	})
}

// otherTables leaves out what Node decodes by the tables of its Unicode library, and the standard by others: bytes
// that mean nothing, sequences of several bytes that mean nothing, and control characters. Some encodings it decodes
// as others altogether. Where Node does not decode in pieces, it takes windows-1252 for ISO 8859-1.
func otherTables(node, here any) (any, any) {
	a, ok := node.([]any)
	b, ok2 := here.([]any)
	if !ok || !ok2 || len(a) != len(b) {
		return node, here
	}
	name := fmt.Sprint(b[0].([]any)[0])
	if strings.HasPrefix(name, "utf-") {
		return node, here
	}
	for _, i := range []int{1, 2, 4} {
		mine, ok := b[i].(string)
		theirs, ok2 := a[i].(string)
		switch {
		case name == "windows-1252" && i < 4, otherDecoder[name], !ok, severalBytes[name] &&
			strings.ContainsFunc(mine, doubtful), strings.ContainsAny(mine, disputed[name]):
			a[i], b[i] = nil, nil
		case ok2:
			a[i], b[i] = withoutDoubtful([]rune(theirs), []rune(mine))
		}
	}
	return a, b
}

// almostFourBytes reports whether there may be a sequence of four bytes of GB 18030 but for the second, which is no
// digit.
func almostFourBytes(data []byte) bool {
	for i := range len(data) - 1 {
		if data[i] > 0x80 && data[i+1] > '9' && data[i+1] < '@' {
			return true
		}
	}
	return false
}

// disputed are the characters of single bytes that mean others in Node.
var disputed = map[string]string{"koi8-u": "ўЎ", "macintosh": "Ω€\uf8ff", "windows-1255": "\u05ba"}

func doubtful(c rune) bool { return c == '\ufffd' || c < ' ' || c >= 0x7f && c < 0xa0 }

// withoutDoubtful takes away what is doubtful here.
func withoutDoubtful(theirs, mine []rune) (string, string) {
	for i := range mine {
		if doubtful(mine[i]) && i < len(theirs) {
			mine[i], theirs[i] = '?', '?'
		}
	}
	return string(theirs), string(mine)
}

// otherDecoder are the encodings of which Node does not know all: Korean syllables and Chinese characters beyond the
// first standards, and that GBK is decoded as GB 18030.
var otherDecoder = map[string]bool{"euc-kr": true, "big5": true, "gbk": true}

// severalBytes are the encodings in which characters can have several bytes.
var severalBytes = map[string]bool{"gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "iso-2022-jp": true,
	"shift_jis": true, "euc-kr": true}

func FuzzNodeClone(f *testing.F) {
	addChoices(f, []string{""}, nil)
	needNode(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 300 {
			return
		}
		c := &chooser{choices}
		compare(t, "clone", object{"source": c.expression(3, false)}, nil)
	})
}
