// assert: what holds, and the messages where it does not.
'use strict';
const assert = require('assert');
const answers = {};
const T = (name, f) => {
  try {
    f();
    answers[name] = 'holds';
  } catch (e) {
    answers[name] = `${e.name} ${e.code} ${e.message} | ${e.generatedMessage} ${e.operator}`;
  }
};
const pairs = [
  [1, 1],
  [1, 2],
  [1, '1'],
  ['a', 'b'],
  ['abcdefghijkl', 'abcdefghijkm'],
  [{ a: 1 }, { a: 1 }],
  [{ a: 1 }, { a: '1' }],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [
    [1, 2, 3],
    [1, 2, 4],
  ],
  [
    [1, 2, 3],
    [1, 2, 3, 4],
  ],
  [NaN, NaN],
  [0, -0],
  [null, undefined],
  [new Date(0), new Date(0)],
  [new Date(0), new Date(1)],
  [/a/g, /a/g],
  [/a/, /b/],
  [new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])],
  [new Map([[{ x: 1 }, 1]]), new Map([[{ x: 1 }, 1]])],
  [new Set([{ a: 1 }, 2]), new Set([2, { a: 1 }])],
  [new Set([1]), new Set(['1'])],
  [new Set([1, 2]), new Set([1, 3])],
  [new Error('a'), new Error('a')],
  [new Error('a'), new TypeError('a')],
  [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  [new Uint8Array([1]), [1]],
  [{}, []],
  [[], {}],
  [Object(1), Object(1)],
  [Object(1), Object(2)],
  [Symbol.iterator, Symbol.iterator],
  [() => 1, () => 1],
  [{ a: { b: { c: [1, { d: 2 }] } } }, { a: { b: { c: [1, { d: 3 }] } } }],
  [
    [1, , 3],
    [1, undefined, 3],
  ],
  [Object.create(null), {}],
  [Array.from({ length: 60 }, (_, i) => i), Array.from({ length: 60 }, (_, i) => (i === 30 ? 'x' : i))],
  ['a\nb\nc', 'a\nb\nd'],
  [{ a: 1, b: undefined }, { a: 1 }],
  [true, 1],
  ['', 0],
  [[['']], [[0]]],
  [1n, 1],
  [new (class A {})(), new (class A {})()],
  [
    [1, 2, [3, 4]],
    [1, 2, [3, 4]],
  ],
  [{ [Symbol.for('q')]: 1 }, { [Symbol.for('q')]: 2 }],
  [undefined, 5],
  ['a'.repeat(50), 'a'.repeat(49) + 'b'],
  [{ x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }, { x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13] }],
];
for (const m of [
  'equal',
  'notEqual',
  'deepEqual',
  'notDeepEqual',
  'strictEqual',
  'notStrictEqual',
  'deepStrictEqual',
  'notDeepStrictEqual',
])
  pairs.forEach(([a, b], i) => T(m + i, () => assert[m](a, b)));
T('ok', () => assert.ok(0, 'zero'));
T('msg', () => assert(false, new TypeError('own')));
T('fail', () => assert.fail());
T('fail2', () => assert.fail('boo'));
T('throws1', () => assert.throws(() => {}));
T('throws2', () =>
  assert.throws(() => {
    throw new Error('x');
  }, /y/),
);
T('throws3', () =>
  assert.throws(() => {
    throw new Error('x');
  }, TypeError),
);
T('throws4', () =>
  assert.throws(
    () => {
      throw new TypeError('x');
    },
    { message: 'x', name: 'TypeError' },
  ),
);
T('throws5', () =>
  assert.throws(
    () => {
      throw new TypeError('x');
    },
    { message: 'z', name: 'TypeError' },
  ),
);
T('throws6', () =>
  assert.throws(
    () => {
      throw new TypeError('x');
    },
    (e) => e.message === 'x',
  ),
);
T('throws7', () =>
  assert.throws(
    () => {
      throw new TypeError('x');
    },
    (e) => false,
  ),
);
T('throws8', () => assert.throws(() => {}, 'mess'));
T('throws9', () => assert.throws(() => {}, TypeError, 'mess'));
T('throwsA', () => assert.throws('x'));
T('dnt', () =>
  assert.doesNotThrow(() => {
    throw new Error('q');
  }, 'why'),
);
T('ife', () => assert.ifError(new Error('w')));
T('ife2', () => assert.ifError(null));
T('match', () => assert.match('abc', /x/));
T('match2', () => assert.match('abc', /b/));
T('dnm', () => assert.doesNotMatch('abc', /b/));
T('match3', () => assert.match(5, /b/));
T('strict', () => assert.strict.equal(1, '1'));
T('args', () => assert.equal(1));
const circ = {};
circ.a = circ;
const circ2 = {};
circ2.a = circ2;
T('circ', () => assert.deepStrictEqual(circ, circ2));
module.exports = (async () => {
  for (const [n, f] of [
    ['rej1', () => assert.rejects(Promise.resolve(1))],
    ['rej2', () => assert.rejects(Promise.reject(new Error('z')), /z/)],
    [
      'rej3',
      () =>
        assert.rejects(
          async () => {
            throw new TypeError('p');
          },
          { name: 'TypeError' },
        ),
    ],
    ['rej4', () => assert.doesNotReject(Promise.reject(new Error('z')))],
    ['rej5', () => assert.rejects(5)],
  ]) {
    try {
      await f();
      answers[n] = 'holds';
    } catch (e) {
      answers[n] = `${e.name} ${e.code} ${e.message}`;
    }
  }
  return answers;
})();
