// process.stdout.write and process.stderr.write, replaced: what the console writes then.
'use strict';
const answers = {};
const capture = (f) => {
  const out = [];
  const kept = [process.stdout.write, process.stderr.write];
  process.stdout.write = (text) => { out.push(`out ${text}`); return true; };
  process.stderr.write = (text) => { out.push(`err ${text}`); return true; };
  try { f(); } finally { [process.stdout.write, process.stderr.write] = kept; }
  return out.join('|');
};
for (const args of [['a'], ['a', 1, null], ['%s is %d and %j', 'x', 4.5, { a: 1 }, 'more'],
  [{ a: { b: { c: { d: 1 } } }, list: [1, 'x'] }], [new Map([[1, 2]])], [], ['%%'], ['two\nlines'],
  [[undefined, , 3]], [Symbol('s'), 10n, -0], [new (class Point { x = 1; })()]]) {
  for (const method of ['log', 'info', 'debug', 'warn', 'error'])
    answers[`${method} ${args.length} ${Object.keys(answers).length}`] = capture(() => console[method](...args));
}
answers.group = capture(() => {
  console.group('outer');
  console.log('in\nside');
  console.group();
  console.error({ a: 1 });
  console.groupEnd();
  console.groupEnd();
  console.log('out');
});
answers.count = capture(() => { console.count(); console.count('x'); console.count(); });
answers.assert = capture(() => { console.assert(true, 'x'); console.assert(false, 'y'); });
answers.write = capture(() => { process.stdout.write('plain'); process.stderr.write('to err'); });
answers['util.log'] = capture(() => require('util').log('%s', { a: 1 })).replace(
  /\d{1,2} [A-Z][a-z]{2} [0-9:]{8}/, 'TIME');
answers.dir = capture(() => { console.dir({ a: [1, 2] }); });
answers['one of them'] = (() => {
  let text = '';
  const { write } = process.stdout;
  process.stdout.write = function (chunk) { text += chunk; return true; };
  console.log('seen', { a: 1 });
  process.stdout.write = write;
  return text;
})();
module.exports = answers;
