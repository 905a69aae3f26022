package javascript_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// playCalls does calls in one script, and returns what each has given, and which files there have been then.
const playCalls = `
	const out = [];
	for (const {style, name, args} of calls) {
		let answer;
		try {
			let v = style === 1 ? fs[name + 'Sync'](...args) : style === 0 ? await fs[name](...args)
				: await new Promise(
					(yes, no) => fs[name](...args, name === 'exists' ? yes : (e, v) => e ? no(e) : yes(v)));
			if (name === 'stat') v = [v.isFile(), v.isDirectory(), v.size];
			answer = String(JSON.stringify(v));
		} catch (e) {
			answer = e.code + ' ' + e.path;
			if (!e.message.includes("'" + e.path + "'")) answer += e.message;
		}
		out.push([answer, fs.readdirSync('/', {recursive: true}).join(' ')]);
	}
	return out`

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// somePath chooses a path, most often one at which there is something, and spells it in some way.
func (m model) somePath(random *rand.Rand) string {
	name := "/"
	if there := slices.Sorted(maps.Keys(m)); len(there) > 0 && random.IntN(3) > 0 {
		name = strings.TrimSuffix(pick(random, there...), "/")
	}
	for random.IntN(3) == 0 {
		name = path.Join(name, pick(random, "a", "b", "c.txt"))
	}
	switch random.IntN(8) {
	case 0:
		return "." + name
	case 1:
		return "x/.." + strings.ReplaceAll(name, "/", "//") + "/"
	}
	return name
}

func (m model) someCall(random *rand.Rand) call {
	yes := func() bool { return random.IntN(2) == 0 }
	c := call{
		Style: random.IntN(3), path: m.somePath(random), to: m.somePath(random), text: pick(random, "", "x",
			"some text", "é"), size: random.IntN(11) - 1,
		recursive: yes(), force: yes(), exclusive: yes(), appends: yes(),
		Name: pick(random, "writeFile", "writeFile", "appendFile", "truncate", "readFile", "exists", "stat", "readdir",
			"mkdir", "mkdir", "unlink", "rmdir", "rm", "rename", "rename", "copyFile", "cp", "cp"),
	}
	options := map[string]any{"recursive": c.recursive, "force": c.force, "errorOnExist": c.exclusive,
		"encoding": "utf8"}
	switch c.Name {
	case "writeFile", "appendFile":
		options["flag"] = map[bool]string{true: "a", false: "w"}[c.appends] + map[bool]string{true: "x"}[c.exclusive]
		c.Args = []any{c.path, c.text, options}
	case "truncate":
		c.Args = []any{c.path, c.size}
	case "rename":
		c.Args = []any{c.path, c.to}
	case "copyFile":
		c.Args = []any{c.path, c.to, map[bool]int{true: 1}[c.exclusive]}
	case "cp":
		c.Args = []any{c.path, c.to, options}
	case "exists", "stat", "unlink":
		c.Args = []any{c.path}
	default:
		c.Args = []any{c.path, options}
	}
	return c
}

// TestRandomCallsOfFiles plays ten thousand calls on a project, and some on other file systems, and compares with a
// model.
func TestRandomCallsOfFiles(t *testing.T) {
	t.Parallel()
	const perRound = 100
	for name, open := range fileSystems {
		if name == "a project in a directory" {
			open = func(t *testing.T) afero.Fs {
				project, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true,
					History: vfs.HistoryOptions{Off: true}})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, project.Close()) })
				return project
			}
		}
		rounds := 10
		if *soak {
			rounds = 100
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range rounds {
				random := rand.New(rand.NewPCG(uint64(seed), 1))
				m, files := model{}, open(t)
				var calls []call
				var want []any
				for range perRound {
					c := m.someCall(random)
					calls = append(calls, c)
					want = append(want, []any{m.apply(c), strings.Join(m.list("/", true), " ")})
				}
				text, err := json.Marshal(calls)
				require.NoError(t, err)
				got := run(t, fmt.Sprintf("const calls = %s;", text)+playCalls,
					javascript.RunOptions{Files: files}).Value.([]any)
				for i := range want {
					require.Equal(t, want[i], got[i], "round %d, call %d: %v, after %v", seed, i, calls[i],
						want[max(0, i-1)])
				}
				for name, text := range m {
					if !strings.HasSuffix(name, "/") {
						content, err := afero.ReadFile(files, name)
						require.NoError(t, err)
						require.Equal(t, text, string(content), name)
					}
				}
			}
		})
	}
}
