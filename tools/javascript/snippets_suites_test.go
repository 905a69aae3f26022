//go:build suites

package javascript_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

// codeBlock is a block of JavaScript in Markdown.
var codeBlock = regexp.MustCompile("(?ms)^```(?:js|javascript)\\n(.*?)^```")

// timings are what console.timeEnd prints.
var timings = regexp.MustCompile(`\d+\.\d+ ?ms`)

// shows prints the value of each expression statement of an example, or what it throws. What the example prints is
// formatted as in Node: the tool shows objects to models as JSON.
const shows = `
const { inspect: __inspect, format: __format } = require('util');
const __print = console.log.bind(console);
console.log = (...args) => __print(__format(...args));
let __seed = 42;
Math.random = () => { __seed = (__seed * 1103515245 + 12345) % 2147483648; return __seed / 2147483648; };
async function __show(f) {
	try {
		const value = await f();
		if (value !== undefined) __print('=> ' +
			__inspect(value, { depth: 6, maxArrayLength: 200, maxStringLength: 2000 }));
	} catch (error) {
		__print('=> ' + (error && error.name));
	}
}
process.on?.('unhandledRejection', () => {});
`

// TestSnippets runs the examples of 30-seconds-of-code by the tool and by Node, and compares what they print and the
// values of their expressions. What is another value each time in Node is left out, and so is what Node cannot run.
// TOOLRUN_30_SECONDS names a checkout of 30-seconds/30-seconds-of-code.
func TestSnippets(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(published(t, "TOOLRUN_30_SECONDS"), "snippets", "*.md"))
	require.NoError(t, err)
	var programs []program
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		blocks := codeBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) < 2 {
			continue
		}
		var b strings.Builder
		b.WriteString(shows)
		for _, block := range blocks[:len(blocks)-1] {
			b.WriteString(block[1])
		}
		for _, statement := range statements(blocks[len(blocks)-1][1]) {
			if expression, ok := asExpression(statement); ok {
				b.WriteString("await __show(() => (" + expression + "\n));\n")
			} else {
				b.WriteString(statement)
			}
		}
		programs = append(programs, program{
			name: strings.TrimSuffix(filepath.Base(file), ".md"), code: b.String(),
			forNode: "(async () => {" + b.String() + "})().catch((error) => { console.log(error); process.exitCode = " +
				"1; });",
		})
	}
	require.Greater(t, len(programs), 400)
	compareText(t, "30-seconds-of-code", programs, withPackages(t), func(o outcome) string {
		if o.Error != "" {
			return ""
		}
		return timings.ReplaceAllString(o.Stdout, "") + "(end)"
	}, 0.98, 480)
}

// statements splits code into statements, or at least into parts that can be parsed: each ends at the end of a line.
func statements(code string) (out []string) {
	part := ""
	for line := range strings.Lines(code) {
		part += line
		if parses(part) {
			out = append(out, part)
			part = ""
		}
	}
	return append(out, part)
}

func parses(code string) bool {
	return len(api.Transform(code, api.TransformOptions{LogLevel: api.LogLevelSilent}).Errors) == 0
}

// asExpression returns code without its semicolon and comments, if it is an expression.
func asExpression(code string) (string, bool) {
	result := api.Transform(code, api.TransformOptions{LogLevel: api.LogLevelSilent, MinifyWhitespace: true,
		Charset: api.CharsetUTF8})
	text := strings.TrimSuffix(strings.TrimSpace(string(result.Code)), ";")
	if len(result.Errors) > 0 || text == "" || !parses("("+text+"\n)") {
		return "", false
	}
	return text, true
}
