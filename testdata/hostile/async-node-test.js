// Tests make tests, and hooks before each of them.
// ends: time limit or memory limit or recursion limit
const { test, beforeEach } = require('node:test');
beforeEach(async () => { await 0; });
const more = async (t) => { await Promise.all([t.test('a', more), t.test('b', more)]); };
test('all', more);
