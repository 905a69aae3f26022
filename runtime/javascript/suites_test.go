//go:build suites

package javascript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// suites are published tests of the web platform's globals. Each is a file in the directory that an environment
// variable names (the script .ci/suites gets them), and a script that runs the cases in it: data is the file's text,
// and check(name, passed) counts a case.
var suites = []struct {
	name, dir, file, script string
	exceptions              map[string]string // the names of cases that are known to fail, and why
}{
	{
		name: "URL parsing", dir: "TOOLRUN_SUITES_URL", file: "urltestdata.json",
		exceptions: map[string]string{
			`"foo://host/ !\"$%&'()*+,-./:;<=>@[\\]^_` + "`{|}~\" null": newerCaret,
			`"wss://host/ !\"$%&'()*+,-./:;<=>@[\\]^_` + "`{|}~\" null": newerCaret,
		},
		script: `
			for (const c of JSON.parse(data)) {
				if (typeof c === 'string') continue;
				const base = c.base ?? undefined;
				const name = JSON.stringify(c.input) + ' ' + JSON.stringify(c.base);
				let u;
				try { u = new URL(c.input, base) } catch { }
				const parts = ['href', 'origin', 'protocol', 'username',
					'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
				check(name, c.failure
					? !u && !URL.canParse(c.input, base) && URL.parse(c.input, base) === null
					: u && URL.canParse(c.input, base) && parts.every((p) => !(p in c) || u[p] === c[p]));
			}`,
	},
	{
		name: "URL setters", dir: "TOOLRUN_SUITES_URL", file: "setters_tests.json",
		exceptions: map[string]string{
			`search of "data:space ?query" to ""`:                                 newerSpaces,
			`search of "sc:space ?query" to ""`:                                   newerSpaces,
			`search of "data:space  ?query#fragment" to ""`:                       newerSpaces,
			`search of "sc:space  ?query#fragment" to ""`:                         newerSpaces,
			`hash of "data:space  ?query#fragment" to ""`:                         newerSpaces,
			`hash of "sc:space  ?query#fragment" to ""`:                           newerSpaces,
			`hash of "sc:space    #fragment" to ""`:                               newerSpaces,
			`hash of "data:space` + strings.Repeat(" ", 130) + `#fragment" to ""`: newerSpaces,
			"pathname of \"a:/\" to \"\\u0000\\u0001\\t\\n\\r\\u001f " +
				"!\\\"#$%&'()*+,-./09:;<=>?@AZ[\\\\]^_`az{|}~\u007f\u0080\u0081\u00c9\u00e9\"": newerCaret,
		},
		script: `
			for (const [part, cases] of Object.entries(JSON.parse(data))) {
				if (part === 'comment') continue;
				for (const c of cases) {
					const u = new URL(c.href);
					u[part] = c.new_value;
					check(part + ' of ' + JSON.stringify(c.href) + ' to ' + JSON.stringify(c.new_value),
						Object.keys(c.expected).every((p) => u[p] === c.expected[p]));
				}
			}`,
	},
	{name: "host names", dir: "TOOLRUN_SUITES_URL", file: "toascii.json", script: hostNames},
	{name: "host names of UTS 46", dir: "TOOLRUN_SUITES_URL", file: "IdnaTestV2.json", script: hostNames},
	{
		name: "base64", dir: "TOOLRUN_SUITES_ENCODING", file: "base64.json",
		script: `
			for (const [input, bytes] of JSON.parse(data)) {
				let got = null;
				try { got = Array.from(atob(input), (c) => c.charCodeAt(0)) } catch (e) {
					if (e.name !== 'InvalidCharacterError') got = [e.name] }
				check('atob ' + JSON.stringify(input), JSON.stringify(got) === JSON.stringify(bytes));
				if (bytes) check('btoa ' + bytes, btoa(String.fromCharCode(...bytes)) === btoa(atob(input)));
			}`,
	},
	{
		name: "labels", dir: "TOOLRUN_SUITES_ENCODING", file: "labels.json",
		script: `
			for (const [label, name] of Object.entries(JSON.parse(data))) {
				let got;
				try { got = new TextDecoder(label).encoding } catch (e) { got = e.name }
				check(label, got === (name === 'replacement' ? 'RangeError' : name.toLowerCase()));
			}`,
	},
	{
		name: "decoding", dir: "TOOLRUN_SUITES_ENCODING", file: "decoding.json",
		exceptions: map[string]string{
			"koi8-u ae": otherTable, "koi8-u be": otherTable,
			"macintosh bd": otherTable, "macintosh db": otherTable, "macintosh f0": otherTable,
		},
		script: `
			const decoders = {};
			for (const [encoding, list] of Object.entries(JSON.parse(data))) {
				const lax = new TextDecoder(encoding), fatal = new TextDecoder(encoding, {fatal: true});
				for (const [hex, text, valid] of list) {
					const bytes = new Uint8Array(hex.length / 2);
					for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
					let strict = null, pieces = '';
					try { strict = fatal.decode(bytes) } catch { }
					for (let i = 0; i < bytes.length; i++) pieces += lax.decode(bytes.subarray(i, i + 1),
						{stream: true});
					pieces += lax.decode();
					check(encoding + ' ' + hex, lax.decode(bytes) === text &&
						pieces === text && strict === (valid ? text : null));
				}
			}`,
	},
}

// Reasons of exceptions.
const (
	newerCaret  = "the standard encodes ^ in paths now; the file is older"
	newerSpaces = "the standard encodes the last space of an opaque path now; the file is older"
	otherTable  = "the implementation that gave the answer has another table than the standard's index"
)

const hostNames = `
	for (const c of JSON.parse(data)) {
		if (typeof c === 'string' || c.input === '') continue;
		let host = null;
		const input = c.input.replace(/[:\\/?#\\\\]/g, encodeURIComponent); // which would end the host
		try { host = new URL('https://' + input + '/x').host } catch { }
		check(JSON.stringify(c.input), host === c.output);
	}`

func TestSuites(t *testing.T) {
	for _, suite := range suites {
		t.Run(suite.name, func(t *testing.T) {
			dir := os.Getenv(suite.dir)
			if dir == "" {
				t.Skipf("%s does not say where %s is", suite.dir, suite.file)
			}
			data, err := os.ReadFile(filepath.Join(dir, suite.file))
			require.NoError(t, err)
			const prefix = `let passed = 0; const failed = [];
				const check = (name, ok) => { if (ok) passed++; else failed.push(name) };`
			result := run(t, prefix+suite.script+"\nreturn {passed, failed}", javascript.RunOptions{
				Globals: map[string]any{"data": string(data)},
				Limits:  sandbox.Limits{Time: 10 * time.Minute, Memory: 512 << 20, Output: sandbox.Unlimited},
			})
			counts := result.Value.(map[string]any)
			failed := map[string]bool{}
			for _, name := range counts["failed"].([]any) {
				failed[name.(string)] = true
			}
			fmt.Printf("%s: %v passed, %d failed, %d of them as expected\n", suite.name, counts["passed"], len(failed),
				len(suite.exceptions))
			for name := range failed {
				if _, expected := suite.exceptions[name]; !expected {
					t.Errorf("fails: %s", name)
				}
			}
			for name, reason := range suite.exceptions {
				if !failed[name] {
					t.Errorf("passes, so it is no exception any more: %s (%s)", name, reason)
				}
			}
			require.NotZero(t, counts["passed"])
		})
	}
}
