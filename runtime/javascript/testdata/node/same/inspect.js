// util.inspect and util.format.
'use strict';
const util = require('util');
class Foo {
  constructor() {
    this.a = 1;
    this.b = { c: [1, 2, { d: { e: 1 } }] };
  }
  get g() {
    return 1;
  }
  static s = 1;
}
class Bar extends Foo {}
class Nul extends null {
  constructor() {
    return Object.create(Nul.prototype);
  }
}
const circ = { name: 'x', list: [] };
circ.self = circ;
circ.list.push(circ, { c: circ });
const withSym = { [Symbol('a b')]: 1, 'a-b': 2, __proto__: null };
const proto = {};
Object.defineProperty(proto, '__proto__', { value: 1, enumerable: true });
const arr = [1, , 3, , , 6];
arr.foo = 'bar';
arr[-1] = 5;
const fnp = function named() {};
fnp.x = 1;
const rx = /a\/b/gi;
rx.extra = 1;
const D = new Date(0);
D.x = 1;
const E = new TypeError('msg');
E.stack = 'TypeError: msg\n    at x (y:1:2)';
const E2 = new Error('a');
E2.stack = 'Error: a\n    at z';
E2.code = 'X';
E2.info = { a: 1 };
const E3 = new Error('outer', { cause: E });
E3.stack = 'Error: outer\n    at q';
const E4 = new Error('nostack');
E4.stack = undefined;
const E5 = new RangeError('plain');
E5.stack = 'RangeError: plain';
class MyErr extends Error {}
const E6 = new MyErr('hi');
E6.stack = 'Error: hi\n    at w';
const E7 = new Error('n');
E7.name = 'Custom';
E7.stack = 'Error: n\n    at w';
const m = new Map([
  ['a', { b: 1 }],
  [{ k: 1 }, new Set([1, '2'])],
]);
const big = new Map(Array.from({ length: 120 }, (_, i) => [i, i]));
const cases = {
  prims: [
    1,
    -0,
    0,
    NaN,
    Infinity,
    'a',
    "it's",
    '"\'',
    '`"\'',
    '\n\t\x01\x7f\\',
    '\ud83d',
    '😀',
    true,
    null,
    undefined,
    Symbol('x'),
    Symbol(),
    10n,
    123456789.123,
  ],
  nested: { a: { b: { c: { d: 1 } } } },
  foo: new Foo(),
  bar: new Bar(),
  Foo,
  Bar,
  nul: new Nul(),
  Nul,
  anon: class {},
  anonf: () => {},
  af: async () => {},
  gf: function* () {},
  agf: async function* () {},
  fn: fnp,
  circ,
  withSym,
  proto,
  arr,
  long: Array.from({ length: 150 }, (_, i) => i),
  longs: Array.from({ length: 30 }, (_, i) => 'item' + i),
  mix: Array.from({ length: 27 }, (_, i) => (i % 3 ? 'x'.repeat(i) : i)),
  neg: Array.from({ length: 20 }, (_, i) => i - 10.5),
  rx,
  D,
  inv: new Date(NaN),
  E,
  E2,
  E3,
  E4,
  E5,
  E6,
  E7,
  agg: (() => {
    const e = new AggregateError([1, 2], 'agg');
    e.stack = 'AggregateError: agg\n    at k';
    return e;
  })(),
  m,
  big,
  set: new Set([1, [2, { a: { b: 1 } }]]),
  em: new Map(),
  es: new Set(),
  ws: new WeakSet(),
  wm: new WeakMap(),
  p1: Promise.resolve({ a: 1 }),
  p2: new Promise(() => {}),
  ab: new ArrayBuffer(10),
  dv: new DataView(new ArrayBuffer(4)),
  u8: new Uint8Array([1, 2, 3]),
  f64: new Float64Array(3),
  bi: new BigInt64Array(2),
  sab: new SharedArrayBuffer(3),
  bn: Object(1),
  bs: Object('abc'),
  bb: Object(true),
  bsy: Object(Symbol('q')),
  bbi: Object(5n),
  onp: Object.create(null),
  onp2: Object.assign(Object.create(null), { a: 1 }),
  oc: Object.create({}),
  oc2: Object.create(Object.create(null)),
  ocf: Object.create(Foo.prototype),
  args: (function () {
    return arguments;
  })(1, 2),
  tag: { [Symbol.toStringTag]: 'T', a: 1 },
  tag2: Object.defineProperty({}, Symbol.toStringTag, { value: 'T2' }),
  getset: {
    get a() {
      return 1;
    },
    set a(v) {},
    get b() {
      return { x: 1 };
    },
    set c(v) {},
  },
  cust: {
    [util.inspect.custom](d, o) {
      return 'CUSTOM ' + d;
    },
  },
  cust2: {
    [util.inspect.custom](d, o, i) {
      return { z: i({ q: 1 }, o) };
    },
  },
  multiline: { a: 'line1\nline2 which is quite long and so on\nline3', b: 'x'.repeat(100) },
  deepm: new Map([['a', new Map([['b', new Map([['c', new Map([['d', 1]])]])]])]]),
  gen: (function* () {})(),
  mi: [1][Symbol.iterator](),
  json: JSON,
  proxy: new Proxy(
    { a: 1 },
    {
      get() {
        throw 1;
      },
    },
  ),
  proxyf: new Proxy(function f() {}, {}),
  wide: { 日本: '語' },
  obj40: Object.fromEntries(Array.from({ length: 40 }, (_, i) => ['key' + i, i])),
  arrobj: [
    { a: 1, b: 2 },
    { a: 3, b: 4 },
  ],
  arrarr: [[1, 2, [3, 4, [5, [6]]]], []],
  sparse: new Array(5),
  emp: [],
  empo: {},
  ext: Object.assign([], { a: 1 }),
  subarr: new (class MyA extends Array {})(3),
  subset: new (class MyS extends Set {})([1]),
  submap: new (class extends Map {})([[1, 2]]),
  nullarr: Object.setPrototypeOf([1], null),
  nullset: Object.setPrototypeOf(new Set([1]), null),
  nullfn: Object.setPrototypeOf(function x() {}, null),
  nulldate: Object.setPrototypeOf(new Date(0), null),
  nullrx: Object.setPrototypeOf(/x/, null),
  longkey: { ['k'.repeat(90)]: 1 },
  strs: ['a'.repeat(20), 'b'.repeat(30), 'c'.repeat(40)],
  strs2: Array.from({ length: 8 }, (_, i) => 's'.repeat(10 + i)),
};
const options = [
  undefined,
  { depth: 0 },
  { depth: null },
  { compact: false },
  { compact: true },
  { compact: 1, breakLength: 60 },
  { sorted: true },
  { colors: true },
  { getters: true },
  { maxArrayLength: 3, maxStringLength: 5 },
  { breakLength: Infinity },
  { breakLength: 40 },
  { numericSeparator: true },
  { showProxy: true },
  { depth: 5, compact: 5 },
];
const answers = {};
const answer = (name, f) => {
  try {
    answers[name] = f();
  } catch (error) {
    answers[name] = `throws ${error.message}`;
  }
};
for (const [name, value] of Object.entries(cases)) {
  for (const option of options) answer(`${name} ${JSON.stringify(option)}`, () => util.inspect(value, option));
}
const formats = [
  ['%s', 1],
  ['%s', 'a', 'b'],
  ['%d', '42'],
  ['%i', 4.9],
  ['%f', '1.5x'],
  ['%j', { a: 1 }],
  ['%o', { a: [1] }],
  ['%O', { a: { b: { c: { d: 1 } } } }],
  ['%c', 'x'],
  ['%%'],
  ['%%', 'a'],
  ['%s'],
  ['%x', 1],
  ['a', { b: 1 }, [2]],
  [{ a: 1 }, 'x'],
  ['%s', { a: 1 }],
  ['%s', Symbol('x')],
  ['%s', -0],
  ['%s', 5n],
  ['%d', 5n],
  ['%i', 5n],
  ['%s', () => 1],
  ['%s', class A {}],
  ['%s', new Foo()],
  ['%s', new Error('e').message],
  [
    '%s',
    {
      toString() {
        return 'TS';
      },
    },
  ],
  ['%s', [1, [2, [3]]]],
  ['%s', null, undefined],
  ['%d', {}],
  ['%s', new Date(0)],
  ['100%', 'x'],
  ['%s %s', 'a'],
  ['%j', circ],
  ['%s', Object.create(null)],
  [1, 2, '3', '4'],
  [],
  [''],
  [
    '%s',
    new (class X {
      toString() {
        return 'xx';
      }
    })(),
  ],
  ['%s', new (class Y extends Foo {})()],
];
formats.forEach((args, i) => answer(`format ${i}`, () => util.format(...args)));
module.exports = answers;
