//go:build suites

package javascript_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

// nodeModules is the folder into which .ci/suites has installed the packages of testdata/npm.
func nodeModules(t *testing.T) string {
	dir := os.Getenv("TOOLRUN_NODE_MODULES")
	require.NotEmpty(t, dir, "run .ci/suites")
	return dir
}

// install copies a file or folder of the installed packages into a project.
func install(t *testing.T, files afero.Fs, from, to string) {
	root := filepath.Join(nodeModules(t), filepath.FromSlash(from))
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rest, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := path.Join(to, filepath.ToSlash(rest))
		if err := files.MkdirAll(path.Dir(target), 0o755); err != nil {
			return err
		}
		return afero.WriteFile(files, target, data, 0o644)
	}))
}

// Libraries as npm has them, unchanged, each with something to do. install says what is copied where.
var libraries = map[string]struct {
	install map[string]string
	code    string
	want    string
}{
	"lodash": {
		map[string]string{"lodash/lodash.js": "/lib/lodash.js"},
		`const people = [{n: 'Ann', a: 31}, {n: 'Bob', a: 25}, {n: 'Cy', a: 31}];
		 return _.chain(people).groupBy('a').mapValues((g) => _.map(g, 'n').join('+')).value()`,
		"{\n  \"25\": \"Bob\",\n  \"31\": \"Ann+Cy\"\n}",
	},
	"lodash, minified and imported": {
		map[string]string{"lodash/lodash.min.js": "/vendor/lodash.min.js"},
		`import _, {chunk, debounce} from '/vendor/lodash.min.js';
			return [chunk([1, 2, 3], 2).length, _.camelCase('Foo Bar'), typeof debounce].join()`,
		"2,fooBar,function",
	},
	"lodash, file by file": {
		map[string]string{"lodash": "/lib/node_modules/lodash"},
		`const merge = require('lodash/merge'), fp = require('lodash/fp'); return [
			JSON.stringify(merge({a: {b: 1}}, {a: {c: 2}})), fp.flow(fp.map((x) => x * 2), fp.sum)([1, 2])].join(' ')`,
		`{"a":{"b":1,"c":2}} 6`,
	},
	"lodash-es, 600 ES modules": {
		map[string]string{"lodash-es": "/lib/node_modules/lodash-es"},
		`import {sortBy, uniq} from 'lodash-es'; export default uniq(sortBy([3, 1, 3, 2])).join()`, "1,2,3",
	},
	"dayjs": {
		map[string]string{"dayjs/dayjs.min.js": "/lib/dayjs.min.js", "dayjs/plugin/utc.js": "/lib/dayjs_utc.js"},
		`dayjs.extend(dayjs_plugin_utc); return dayjs.utc('2024-02-28').add(2, 'day').format('YYYY-MM-DD dddd')`,
		"2024-03-01 Friday",
	},
	"dayjs, ES modules": {
		map[string]string{"dayjs/esm": "/lib/dayjs"},
		`import dayjs from '/lib/dayjs/index.js'; return dayjs('2024-01-31T12:00:00Z').add(1, 'month').month()`, "1",
	},
	"papaparse": {
		map[string]string{"papaparse/papaparse.min.js": "/lib/papaparse.min.js"},
		`const {data} = Papa.parse('name,n\n"a, b",1\n"c ""d""",2', {header: true, dynamicTyping: true});
			return data.map((r) => r.name + r.n).join('|') + Papa.unparse([{x: 'q"', y: 1}]).length`,
		`a, b1|c "d"212`,
	},
	"mathjs": {
		map[string]string{"mathjs/lib/browser/math.js": "/lib/math.js"},
		`return [math.evaluate('det([1, 2; 3, 4])'), math.format(math.evaluate('2 inch to cm')),
			math.derivative('x^3', 'x').toString(), math.bignumber('0.1').plus('0.2').toString()].join('; ')`,
		"-2; 5.08 cm; 3 * x ^ 2; 0.3",
	},
	"mathjs, CommonJS file by file": {
		map[string]string{
			"mathjs": "/lib/node_modules/mathjs", "@babel/runtime": "/lib/node_modules/@babel/runtime",
			"complex.js": "/lib/node_modules/complex.js",
			"decimal.js": "/lib/node_modules/decimal.js", "escape-latex": "/lib/node_modules/escape-latex",
			"fraction.js":             "/lib/node_modules/fraction.js",
			"javascript-natural-sort": "/lib/node_modules/javascript-natural-sort",
			"seedrandom":              "/lib/node_modules/seedrandom",
			"tiny-emitter":            "/lib/node_modules/tiny-emitter",
			"typed-function":          "/lib/node_modules/typed-function",
		},
		`const {evaluate} = require('mathjs'); return evaluate('sqrt(16) + 5!')`, "124",
	},
	"marked": {
		map[string]string{"marked/lib/marked.umd.js": "/lib/marked.umd.js"},
		`return marked.parse('# Hi\n\n- *a*\n- ` + "`b`" + `')`,
		"<h1>Hi</h1>\n<ul>\n<li><em>a</em></li>\n<li><code>b</code></li>\n</ul>\n",
	},
	"marked, an ES module": {
		map[string]string{"marked/lib/marked.esm.js": "/lib/marked.js"},
		`import {marked as m} from '/lib/marked.js'; return m.parseInline('**b**') + marked.parseInline('_i_')`,
		"<strong>b</strong><em>i</em>",
	},
	"handlebars": {
		map[string]string{"handlebars/dist/handlebars.js": "/lib/handlebars.js"},
		`Handlebars.registerHelper('up', (s) => s.toUpperCase());
			return Handlebars.compile('{{#each list}}{{up this}}{{#unless @last}}, {{/unless}}{{/each}} {{safe}}')(
			{list: ['a', 'b'], safe: '<x>'})`,
		"A, B &lt;x&gt;",
	},
	"ajv, with what it requires": {
		map[string]string{
			"ajv": "/lib/node_modules/ajv", "fast-deep-equal": "/lib/node_modules/fast-deep-equal",
			"fast-uri":             "/lib/node_modules/fast-uri",
			"json-schema-traverse": "/lib/node_modules/json-schema-traverse",
			"require-from-string":  "/lib/node_modules/require-from-string",
		},
		`import Ajv from 'ajv'; const check = new Ajv({allErrors: true}).compile({type: 'object',
			required: ['a'], properties: {a: {type: 'integer', minimum: 2}}, additionalProperties: false});
		 return [check({a: 3}), check({a: 1, b: 2}), check.errors.map((e) => e.keyword).sort().join('+')].join()`,
		"true,false,additionalProperties+minimum",
	},
	"decimal.js": {
		map[string]string{"decimal.js/decimal.js": "/lib/decimal.js"},
		`return new Decimal('0.1').plus('0.2').times('1e30').toFixed() + ' ' + Decimal.sqrt(2).toString()`,
		"300000000000000000000000000000 1.4142135623730950488",
	},
	"js-yaml": {
		map[string]string{"js-yaml/dist/js-yaml.mjs": "/lib/js-yaml.mjs"},
		`import * as yaml from '/lib/js-yaml.mjs'; const d = yaml.load('a: 1\nlist:\n  - x\n  - {y: 2.5}\n');
			return JSON.stringify(d) + yaml.dump({b: ['c']})`,
		"{\"a\":1,\"list\":[\"x\",{\"y\":2.5}]}b:\n  - c\n",
	},
	"d3-array": {
		map[string]string{"d3-array/dist/d3-array.js": "/lib/d3-array.js"},
		`return [d3.mean([1, 2, 6]), d3.quantile([1, 2, 3, 4], 0.5), d3.extent([5, 1, 9]).join('-'), d3.rollup(['a',
			'b', 'a'], (v) => v.length, (x) => x).get('a'), d3.bin().thresholds([2, 4])([1, 2, 3, 4]).length].join()`,
		"3,2.5,1-9,2,3",
	},
	"simple-statistics": {
		map[string]string{"simple-statistics/dist/simple-statistics.min.js": "/lib/simple-statistics.min.js"},
		`const l = ss.linearRegression([[0, 1], [1, 3], [2, 5]]);
			return [l.m, l.b, ss.standardDeviation([2, 4, 4, 4, 5, 5, 7, 9]), ss.median([3, 1, 2])].join()`,
		"2,1,2,2",
	},
	"nunjucks": {
		map[string]string{"nunjucks/browser/nunjucks.js": "/lib/nunjucks.js"},
		`return nunjucks.renderString(
			'{% for x in list | sort %}{{ loop.index }}:{{ x | upper }} {% endfor %}{{ "<b>" | escape }}',
			{list: ['b', 'a']})`,
		"1:A 2:B &lt;b&gt;",
	},
	"fast-xml-parser": {
		map[string]string{"fast-xml-parser/lib/fxp.min.js": "/lib/fxp.min.js"},
		`const {XMLParser, XMLBuilder} = fxp;
			const d = new XMLParser({ignoreAttributes: false}).parse('<r><i id="1">a</i><i id="2">b</i></r>');
		 return JSON.stringify(d) + new XMLBuilder().build({x: {y: [1, 2]}})`,
		`{"r":{"i":[{"#text":"a","@_id":"1"},{"#text":"b","@_id":"2"}]}}<x><y>1</y><y>2</y></x>`,
	},
}

func TestOutsideLibraries(t *testing.T) {
	r := newRegistry(t)
	for name, library := range libraries {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t)
			for from, to := range library.install {
				install(t, env.Files, from, to)
			}
			result := run(t, r, env, library.code)
			require.Equal(t, library.want, result.Text())
			require.Equal(t, tool.Code(""), result.Code)
			require.False(t, strings.Contains(result.Text(), "=== Output of library"))
		})
	}
}
