//go:build suites

package javascript_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzNodeConsole prints what looks the same: single values without parts, groups, counts and tables.
func FuzzNodeConsole(f *testing.F) {
	addChoices(f, nil, nil)
	needNode(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 300 {
			return
		}
		c := &chooser{choices}
		var program strings.Builder
		for range 1 + len(choices)/8 {
			program.WriteString(c.printing() + "\n")
		}
		result := run(t, program.String())
		var text strings.Builder
		for _, entry := range result.Console {
			text.WriteString(entry.Text + "\n")
		}
		var want string
		require.NoError(t, json.Unmarshal([]byte(needNode(t).ask(t, "console", object{"source": program.String()})),
			&want))
		if want != text.String() {
			t.Fatalf("%s\nnode: %q\nhere: %q", program.String(), want, text.String())
		}
	})
}

// printing is a call of the console.
func (c *chooser) printing() string {
	plain := func() string {
		return choose(c, append(primitives, "new Date(0)", "new Date(NaN)", "/a/g", "Symbol('s')"))
	}
	switch c.roll(10) {
	default:
		var args []string
		for range c.roll(4) {
			args = append(args, plain())
		}
		return fmt.Sprintf("console.%s(%s)", choose(c, []string{"log", "info", "warn", "error", "debug"}),
			strings.Join(args, ", "))
	case 4:
		return fmt.Sprintf("console.group(%s)", choose(c, []string{"", "'g'", "1, 'a\\nb'"}))
	case 5:
		return "console.groupEnd()"
	case 6:
		return fmt.Sprintf("console.count(%s)", choose(c, []string{"", "'x'", "'__proto__'", "undefined", "1"}))
	case 7:
		return fmt.Sprintf("console.assert(%s, '%s', %s)", choose(c, primitives), c.word(), plain())
	case 8:
		return "console.count('r'); console.countReset('r')"
	case 9:
		return fmt.Sprintf("console.table(%s)", c.table())
	}
}

// table is data for console.table.
func (c *chooser) table() string {
	cell := func() string {
		return choose(c, []string{"1", "-0", "true", "null", "undefined", "10n", "'" + c.word() + "'"})
	}
	lists := c.roll(2) == 0 // or objects: of both, Node sorts the columns
	row := func() string {
		var cells []string
		switch {
		case c.roll(4) == 0:
			return cell()
		case lists:
			for range c.roll(4) {
				cells = append(cells, cell())
			}
			return "[" + strings.Join(cells, ", ") + "]"
		default:
			for range c.roll(4) {
				cells = append(cells, choose(c, []string{"a", "b", "long_name", "'x y'"})+": "+cell())
			}
			return "{" + strings.Join(cells, ", ") + "}"
		}
	}
	kind := c.roll(5)
	var rows []string
	if kind < 2 { // of which Node makes no other columns, and this one even if there is nothing
		rows = append(rows, cell())
	}
	for range c.roll(5) {
		if kind < 2 {
			rows = append(rows, cell())
		} else {
			rows = append(rows, row())
		}
	}
	switch kind {
	case 0:
		return "new Map([" + strings.Join(rows, ", ") + "].map((v, i) => [i, v]))"
	case 1:
		return "new Set([" + strings.Join(rows, ", ") + "])"
	case 2:
		if len(rows) == 0 {
			rows = append(rows, row()) // where Node leaves the columns out
		}
		return "[" + strings.Join(rows, ", ") + "], ['a', 'b']"
	case 3:
		return cell()
	default:
		return "[" + strings.Join(rows, ", ") + "]"
	}
}

// word is a short text without marks and control characters.
func (c *chooser) word() string {
	return choose(c, []string{"a", "b", "text", "", "x y", "1", "true", "Values"}) + strconv.Itoa(c.roll(3))
}
