// Answers of the language itself in which engines differ.
const out = {};
const same = (label, f) => {
  try {
    const value = f();
    out[label] = typeof value === 'string' ? value
      : JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined
      ? 'undefined' : Object.is(v, -0) ? '-0' : typeof v === 'number' && !Number.isFinite(v) ? String(v) : v));
  } catch (e) { out[label] = e.name; }
};

// BigInt.
const bigs = [0n, 1n, -1n, 7n, -7n, 2n ** 31n, -(2n ** 31n), 2n ** 32n - 1n, 2n ** 32n,
  -(2n ** 32n), 2n ** 53n, -(2n ** 53n) - 1n, 2n ** 63n, -(2n ** 63n),
  2n ** 64n - 1n, 2n ** 64n, -(2n ** 64n), 2n ** 70n + 12345n, -(2n ** 70n) - 12345n,
    0xdeadbeefcafebabe1234n, -0xdeadbeefcafebabe1234n, 10n ** 40n, -(10n ** 40n)];
const bits = [0, 1, 5, 8, 16, 31, 32, 33, 48, 53, 63, 64, 65, 95, 96, 127, 128, 200];
for (const b of bigs) {
  same(`asUintN ${b}`, () => bits.map((n) => BigInt.asUintN(n, b)));
  same(`asIntN ${b}`, () => bits.map((n) => BigInt.asIntN(n, b)));
  same(`arithmetic ${b}`, () => [b * b, -b, ~b, b >> 3n, b << 7n, b & 0xffn, b | 1n,
    b ^ -1n, b / 3n, b % 10n, b ** 3n, String(b), b.toString(16), Number(b)]);
  same(`masked ${b}`, () => BigInt.asUintN(64, b * 0x100000001b3n) ^ BigInt.asUintN(64, ~b) & 0xffffffffffffffffn);
}
same('asUintN too wide', () => BigInt.asUintN(2 ** 53 - 1, -1n));
const numbers = [0, -0, 1, -1, 2.5, -2.5, -6.5, -7, -7.5, 2 ** 31, -(2 ** 31), -(2 ** 31) - 0.5, 2 ** 53,
  -(2 ** 53), 1e20, -1e20, 1e300, -1e300, 5e-324, -5e-324, NaN, Infinity, -Infinity, 2 ** 63, -(2 ** 63), 2 ** 64];
for (const b of bigs) {
  same(`compared ${b}`, () => numbers.map((n) => [
    b < n, b > n, b <= n, b >= n, b == n, n < b, n > b, n <= b, n >= b,
  ].map(Number).join('')).join(' '));
}

// Objects from primitive values.
same('spread', () => [{ ...'abc' }, { ...'a\u{1f600}' }, { ...'' }, { ...5 }, { ...null },
  { ...true }, { x: 1, ...'hi', y: 2 }, { ...Object('xy') }]);
same('rest of a string', () => { const { length, 0: first, ...rest } = 'hello'; return [length, first, rest]; });
same('assign', () => Object.assign({}, 'abc', null, 5, [7]));

// Dates.
const setters = [
  'Milliseconds', 'Seconds', 'Minutes', 'Hours', 'Date', 'Month', 'FullYear',
].flatMap((n) => [`set${n}`, `setUTC${n}`]);
for (const name of setters) {
  same(name, () => [
    [NaN], [Infinity], [undefined], [], [1, NaN], [1.9], ['3'], [null], [-1], [400], [1, 2], [8.64e15],
  ].map((args) => {
    const d = new Date(Date.UTC(2024, 1, 29, 12, 34, 56, 789));
    const result = d[name](...args);
    return [result, d.getTime()];
  }));
  same(`${name} of an invalid date`, () => { const d = new Date(NaN); return [d[name](5), d.getTime()]; });
}

// Groups are reset before each repetition.
const patterns = [/((a)|b)*/, /(?:(a)|(b)|(c))+/, /(z)((a+)?(b+)?(c))*/, /(?:(a)|b){2}/,
  /(?:(a)|b){2,3}/, /(?:(a)|b){2,}/, /(?:(a)|b)+?c/, /(?:(a)|b)??b/, /((?:(a)|b)x)*/,
  /(?:(?:(a)|(b))(c)?)*/, /(?:(?=(a))a|b)*/, /(?:(a)\1|b)*/, /^(?:(\d+)|(\w+)|\s)*$/,
    /(?:(?<y>a)|(?<z>b))*/, /(a*)*/, /(?:a*?(b)?)*/, /(?:(x)|y){0}z?/, /(a?)*?b/, /(?:(a)|(b)){0,1}/, /(?:(a)){3}/];
const subjects = ['', 'a', 'b', 'ab', 'ba', 'abc', 'aab', 'abab', 'zaacbbbcac', 'axbx',
  'acb', 'aabb', '12 ab 3', 'z', 'aaa', 'bac', 'cab'];
for (const p of patterns)
  same(String(p), () => subjects.map((s) => { const m = p.exec(s); return m && [...m, m.index]; }));
same('replaced', () => 'x=1,y,z=3'.replace(/(?:(\w)(?:=(\d))?,?)/g, (_, k, v) => `[${k}:${v}]`));

// Weak references.
same('WeakRef', () => [new WeakRef([1]).deref(), new WeakRef({ a: 1 }).deref()]);

module.exports = out;
