package filesystem_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

// A dice makes choices of bytes. When there are no more, it chooses the first.
type dice struct{ bytes []byte }

func (d *dice) roll(n int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % n
}

func pick[T any](d *dice, from []T) T { return from[d.roll(len(from))] }

var (
	someNames = []string{"a", "b", "c.md", "memories", "node_modules", ".h", "ä"}
	someTexts = []string{
		"", "a", "a\n", "b\na\nb\n", "\n", "a\nb", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n", "aa", "$&",
		"\x00", "ä\r\nö", strings.Repeat("x\n", 700),
	}
	someOld   = []string{"a", "b", "\n", "aa", "a\nb", "three\nfour", "five\n", "\x00", "ö", "zz"}
	fileTools = []string{"view", "create", "append", "str_replace", "str_replace", "insert", "insert", "mkdir",
		"delete", "rename", "rename", "copy", "copy"}
	memTools = []string{"view", "create", "append", "str_replace", "insert", "insert", "mkdir", "delete", "rename",
		"rename", "copy"}
)

// path chooses a path, most often one at which there is something.
func (d *dice) path(m model, tool string) string {
	var there []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if inMemories(name) == (tool == "memory") {
			there = append(there, strings.TrimSuffix(name, "/"))
		}
	}
	if len(there) > 0 && d.roll(4) > 0 {
		return pick(d, there)
	}
	p := "/"
	if tool == "memory" || d.roll(6) == 0 {
		p = "/memories"
	}
	for range d.roll(4) {
		p = path.Join(p, pick(d, someNames))
	}
	return p
}

// command chooses a command, and the input that means it.
func (d *dice) command(m model) (command, object) {
	c := command{tool: "filesystem", overwrite: d.roll(2) == 0}
	if d.roll(3) == 0 {
		c.tool, c.name = "memory", pick(d, memTools)
	} else {
		c.name = pick(d, fileTools)
	}
	c.path = d.path(m, c.tool)
	spell := func(p string) string { return p }
	if c.tool == "memory" {
		form := d.roll(3)
		spell = func(p string) string {
			rest := strings.TrimPrefix(p, "/memories")
			if form == 0 || rest == "" || inMemories(rest) {
				return p
			}
			return rest[form-1:] // with or without the slash
		}
	} else if d.roll(4) == 0 {
		spell = func(p string) string { return "x/.././" + strings.ReplaceAll(p, "/", "//") + "/" }
	}
	input := object{"command": c.name, "path": spell(c.path), "overwrite": c.overwrite}
	switch c.name {
	case "view":
		if d.roll(2) == 0 {
			c.lines = []int{d.roll(8) - 1, d.roll(10) - 1}
			input["view_range"] = c.lines
		}
	case "create", "append":
		c.text = pick(d, someTexts)
		input["file_text"] = c.text
	case "str_replace":
		c.old, c.text = pick(d, someOld), pick(d, someTexts)
		input["old_str"], input["new_str"] = c.old, c.text
	case "insert":
		c.line, c.text = d.roll(8)-1, pick(d, someTexts)
		input["insert_line"], input["insert_text"] = c.line, c.text
	case "rename", "copy":
		c.to = d.path(m, c.tool)
		input["old_path"], input["new_path"] = spell(c.path), spell(c.to)
	}
	return c, input
}

// play does commands until there are no more bytes, and compares with the model.
func play(b *bench, d *dice) {
	b.T.Helper()
	m := model{"/t.txt": someTexts[6], "/d/": "", "/d/u.txt": "b\na\nb\n", "/memories/": "",
		"/memories/t.txt": someTexts[6]}
	b.Put(m)
	for len(d.bytes) > 0 {
		c, input := d.command(m)
		want, ok := m.apply(c)
		result := b.CallTool(c.tool, input)
		if !ok {
			require.Equal(b.T, tool.CodeTool, result.Code, "%s %v: %s", c.tool, input, result.Text())
		} else {
			require.Empty(b.T, result.Code, "%s %v: %s", c.tool, input, result.Text())
			if want != "" {
				require.Equal(b.T, want, result.Text(), "%s %v", c.tool, input)
			}
		}
		// The memory may be there or not, as long as it is empty.
		tree := b.Tree()
		expected := maps.Clone(m)
		if len(m.below("/memories")) <= 1 {
			delete(tree, "/memories/")
			delete(expected, "/memories/")
		}
		if !maps.Equal(expected, tree) {
			require.Equal(b.T, map[string]string(expected), tree, "%s %v", c.tool, input)
		}
	}
}

var soak = flag.Bool("soak", false, "run the long versions of tests")

// TestRandomCommands plays sequences of about ten commands.
func TestRandomCommands(t *testing.T) {
	sequences := 1000
	if *soak {
		sequences = 10_000
	}
	const shares = 4 // at the same time
	for share := range shares {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			t.Parallel()
			for seed := share; seed < sequences; seed += shares {
				random := rand.New(rand.NewPCG(uint64(seed), 0))
				d := &dice{make([]byte, 30+random.IntN(110))}
				for i := range d.bytes {
					d.bytes[i] = byte(random.Uint32())
				}
				files := tooltest.InMemory
				if seed/shares%50 == 0 {
					files = func(t testing.TB, options *vfs.Options) vfs.Project {
						return tooltest.InDirectory(t, t.TempDir(), options)
					}
				}
				play(newBench(t, files(t, nil)), d)
			}
		})
	}
}

func FuzzCommands(f *testing.F) {
	f.Add([]byte{})
	for seed := range 10 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		bytes := make([]byte, 100)
		for i := range bytes {
			bytes[i] = byte(random.Uint32())
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if len(bytes) > 1000 {
			return
		}
		play(newBench(t, tooltest.InMemory(t, nil)), &dice{bytes})
	})
}

// FuzzInput passes anything. Nothing may fail in a way that is not foreseen.
func FuzzInput(f *testing.F) {
	for _, input := range []string{
		`{"command":"view","path":"/","view_range":[1,-1]}`,
		`{"command":"create","path":"/f","file_text":"data:a/b;base64,aGk=","overwrite":true}`,
		`{"command":"str_replace","path":"/a.txt","old_str":"a","new_str":"b"}`,
		`{"command":"insert","path":"/a.txt","insert_line":1e9,"insert_text":"b"}`,
		`{"command":"append","path":"../memories/x","file_text":"b"}`,
		`{"command":"rename","old_path":"/a.txt","new_path":"/b/c","overwrite":true}`,
		`{"command":"copy","old_path":"/d","new_path":"/D"}`,
		`{"command":"view-all","paths":["/a.txt","/d","/b.bin"]}`,
		`{"command":"mkdir","path":"/\ud800"}`,
	} {
		f.Add(true, []byte(input))
		f.Add(false, []byte(input))
	}
	f.Fuzz(func(t *testing.T, isMemory bool, input []byte) {
		b := newBench(t, tooltest.InMemory(t, nil))
		b.Put(map[string]string{"/a.txt": "a\nb\n", "/b.bin": "\x00", "/d/e": "", "/memories/a.txt": "a\n",
			"/memories/d/e": ""})
		before := b.Tree()
		one := "filesystem"
		if isMemory {
			one = "memory"
		}
		b.Tools.RenderInput(tool.Call{Tool: one, Input: input})
		result := b.CallTool(one, json.RawMessage(input))
		switch result.Code {
		case "", tool.CodeTool, tool.CodeInvalidInput:
		default:
			require.Fail(t, "unforeseen", "%s: %s", result.Code, result.Text())
		}
		require.NotEmpty(t, result.Text())
		after := b.Tree()
		if result.IsError() {
			require.Equal(t, before, after)
		}
		// Whatever it is, each tool changes its own files only.
		others := func(name, _ string) bool { return inMemories(name) == isMemory }
		maps.DeleteFunc(before, others)
		maps.DeleteFunc(after, others)
		require.Equal(t, before, after)
	})
}
