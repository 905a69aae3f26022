package javascript_test

import (
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// What node:test shows of tests, and how the run ends.
func TestNodeTestModule(t *testing.T) {
	const head = `const test = require('node:test'), { describe, it, before, beforeEach, afterEach, mock } = test,
		assert = require('assert');` + "\n"
	for name, c := range map[string]struct{ script, console, failure string }{
		"tests run in order after the script": {
			`test('a', () => console.log('in a')); test('b', async (t) => { await t.test('c', () => {}) });
				console.log('end')`,
			"end\nin a\n✔ a\n▶ b\n  ✔ c\n✔ b\nℹ tests 3, pass 3, fail 0", "",
		},
		"suites and hooks": {
			`describe('s', () => {
				const log = [];
				before(() => log.push('before')); beforeEach(() => log.push('each')); afterEach(() => log.push('done'));
				it('x', () => log.push('x'));
				it('y', () => assert.deepStrictEqual(log, ['before', 'each', 'x', 'done', 'each']));
				it.skip('z', () => { throw new Error('not run') });
				it.todo('w');
			})`,
			"▶ s\n  ✔ x\n  ✔ y\n  ﹣ z # SKIP\n  ✔ w # TODO\n✔ s\nℹ tests 4, suites 1, pass 2, fail 0, skipped 1, " +
				"todo 1", "",
		},
		"a failure": {
			`test('one', () => { throw 'no' }); test('two', () => {})`,
			"✖ one\n  'no'\n✔ two\nℹ tests 2, pass 1, fail 1", "tests failed: 1. The console says why.",
		},
		"a failure in a suite": {
			`describe('s', () => { it('x', (t, done) => done('bad')) })`,
			"▶ s\n  ✖ x\n    'bad'\n✖ s\nℹ tests 1, suites 1, pass 0, fail 1", "tests failed: 1. The console says why.",
		},
		"a time limit": {
			`test('slow', { timeout: 1 }, () => new Promise(() => {}))`,
			"✖ slow\n  [Error: test timed out after 1ms] { code: 'ERR_TEST_FAILURE' }\nℹ tests 1, pass 0, fail 1",
			"tests failed: 1. The console says why.",
		},
		"a plan": {
			`test('p', (t) => { t.plan(2); t.assert.ok(1) })`,
			"✖ p\n  [Error: plan expected 2 assertions but received 1] {\n    code: 'ERR_TEST_FAILURE'\n  }\nℹ tests " +
				"1, pass 0, fail 1",
			"tests failed: 1. The console says why.",
		},
		"mocks": {
			`test('m', (t) => {
				const f = t.mock.fn((a) => a + 1), o = { m() { return 1 } };
				assert.strictEqual(f(1), 2);
				f.mock.mockImplementationOnce(() => 7);
				assert.deepStrictEqual([f(1), f(1), f.mock.callCount(), f.mock.calls[0].arguments], [7, 2, 3, [1]]);
				const m = mock.method(o, 'm', () => 2, { times: 1 });
				assert.deepStrictEqual([o.m(), o.m(), m.mock.calls[0].result], [2, 1, 2]);
			})`,
			"✔ m\nℹ tests 1, pass 1, fail 0", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := tryRun(t, head+c.script)
			var console []string
			for _, entry := range result.Console {
				console = append(console, entry.Text)
			}
			require.Equal(t, c.console, strings.Join(console, "\n"))
			if c.failure == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.failure)
			}
		})
	}
	_, err := tryRun(t, `require('test')`, javascript.RunOptions{Files: afero.NewMemMapFs()})
	require.ErrorContains(t, err, `Cannot find module "test"`, "it needs node:")
}
