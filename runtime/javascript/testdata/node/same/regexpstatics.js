// What RegExp says of the last match, after each function that matches.
const out = {};
const names = [
  '$1', '$2', '$3', '$9', 'input', '$_', 'lastMatch', '$&', 'lastParen', '$+', 'leftContext',
  '$`', 'rightContext', "$'",
];
const now = () => names.map((name) => RegExp[name]);
const same = (label, f) => {
  /(before)(?<b>.)?/.exec('-before-');
  let value;
  try { value = f(); } catch (e) { value = e.name; }
  out[label] = JSON.stringify([value, now()], (_, v) => (v === undefined ? 'undefined' : v));
};
same('before any other', () => 0);
const subjects = { text: 'one 1, two 22, three 333', wide: '\u{1f600} eins 1, zwei 22 \u20ac',
  empty: '', long: `${'-'.repeat(500)} four 4444 ${'='.repeat(500)}` };
const patterns = [
  /([a-z]+) (\d+)/, /([a-z]+) (\d+)/g, /(\d)(\d)?/y, /(?<word>[a-z]+)|(\d+)/gu, /nothing/, /nothing/g, /()/,
    /x*/g, /(?:)/u, /(?<=(\d)), (?=(t))/, /(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)/, /\u20ac$/u, /(\d+)/d, /[\p{L}--[t]](.)/v,
];
for (const [name, subject] of Object.entries(subjects)) {
  for (const pattern of patterns) {
    const calls = {
      exec: () => pattern.exec(subject)?.[0], test: () => pattern.test(subject),
      match: () => subject.match(pattern)?.length,
      search: () => subject.search(pattern), replace: () => subject.replace(pattern, '<$1>').length,
      delete: () => subject.replace(pattern, '').length,
      function: () => subject.replace(pattern, () => RegExp.lastMatch.length).length,
      split: () => subject.split(pattern).length,
      limit: () => subject.split(pattern, 2).length,
      symbol: () => RegExp.prototype[Symbol.replace].call(pattern, subject, '').length,
    };
    if (pattern.global) {
      calls.matchAll = () => [...subject.matchAll(pattern)].length;
      calls.first = () => subject.matchAll(pattern).next().value?.[0];
      calls.replaceAll = () => subject.replaceAll(pattern, '').length;
    }
    for (const [what, call] of Object.entries(calls)) {
      pattern.lastIndex = 0;
      const label = `${what} ${pattern} ${name}`;
      same(label, call);
      if (name === 'long') out[label] = out[label].replace(/-{100,}|={100,}/g, (run) => `${run[0]}*${run.length}`);
    }
  }
}
same('twice', () => [/(a)/.exec('abc')[1], /(b)(c)/.exec('abc')[1]]);
same('fails after it', () => [/(a)/.test('abc'), /(z)/.test('abc'), RegExp.$1]);
same('in a slice', () => /(\d+)z/.exec(`${'-'.repeat(30000)}${'1'.repeat(40)}z`.slice(10000, 30041))[1].length);
same('of a subclass', () => new (class extends RegExp {})('(b)').exec('abc')[1]);
same('a result that is changed', () => {
  const m = /(b)(c)/.exec('abcd');
  m.shift();
  m[0] = 'x';
  m.input = 'y';
  return m.length;
});
same('of an expression with another exec', () => { const r = /(b)/; r.exec = () => null; return r.test('abc'); });
same('string patterns', () => [
  'abc'.replace('b', 'x'), 'abc'.split('b'), 'abc'.indexOf('b'), 'abc'.replaceAll('b', ''),
]);
same('assigned', () => { RegExp.input = 5; RegExp.$1 = 'x'; RegExp.lastMatch = 'y'; return now(); });
same('assigned before a match', () => { RegExp.$_ = 'x'; /(b)/.test('abc'); return now(); });
same('inside of a callback', () => 'a1b2'.replace(/([a-z])(\d)/g, (m) => `${m}:${RegExp.$1}${RegExp.$2};`));
same('nested', () => 'a1b2'.replace(/([a-z])(\d)/, (m) => { /(z)/.test('xyz'); return RegExp.$1; }));
same('many groups', () => new RegExp('(.)'.repeat(60)).exec('0123456789'.repeat(6)).length);
for (const name of names) {
  const d = Object.getOwnPropertyDescriptor(RegExp, name);
  out[`descriptor ${name}`] = JSON.stringify([typeof d.get, typeof d.set, d.get.length,
    d.set.length, d.enumerable, d.configurable, d.set.call(null, 1), typeof d.get.call(null)]);
}
out.keys = Object.keys(RegExp).join();
const format = (date, pattern) => {
  const parts = { 'M+': date.getUTCMonth() + 1, 'd+': date.getUTCDate() };
  if (/(y+)/.test(pattern))
    pattern = pattern.replace(RegExp.$1, `${date.getUTCFullYear()}`.substr(4 - RegExp.$1.length));
  for (const k in parts) {
    if (new RegExp(`(${k})`).test(pattern)) pattern = pattern.replace(RegExp.$1,
      RegExp.$1.length === 1 ? parts[k] : `00${parts[k]}`.substr(`${parts[k]}`.length));
  }
  return pattern;
};
out.format = [
  format(new Date(Date.UTC(2024, 1, 3)), 'yyyy-MM-dd'), format(new Date(Date.UTC(2024, 10, 13)), 'yy-M-d'),
].join();
module.exports = out;
