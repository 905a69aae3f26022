// Buffer: calls of its functions with varied arguments.
'use strict';
const buffer = require('buffer');
const { inspect } = require('util');

const answers = {};
const answer = (name, f) => {
  try {
    answers[name] = inspect(f(), { depth: 4 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};

const texts = [
  '',
  'a',
  'hello world',
  'héllo',
  '日本語',
  '😀!',
  '\ud83d',
  'ab\udc00c',
  'a'.repeat(60),
  '68656c6c6f',
  '686g',
  'abc',
  'aGVsbG8=',
  'aGVsbG8',
  'a-_b',
  'YQ==YQ==',
  ' a G\nV',
  'zz',
  '\u00ff\u0100',
];
const encodings = [undefined, 'UTF-8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'ucs2', 'nothing', null, 5];
texts.forEach((text, i) => {
  for (const encoding of encodings) {
    answer(`from ${i} ${encoding}`, () => Buffer.from(text, encoding));
    answer(`byteLength ${i} ${encoding}`, () => Buffer.byteLength(text, encoding));
    answer(`write ${i} ${encoding}`, () => {
      const b = Buffer.alloc(7, 46);
      return [
        b.write(text, encoding),
        b.toString('latin1'),
        b.write(text, 2, encoding),
        b.toString('latin1'),
        b.write(text, 1, 4, encoding),
        b.toString('latin1'),
      ];
    });
    answer(`fill ${i} ${encoding}`, () => Buffer.alloc(9).fill(text, encoding));
    answer(`alloc ${i} ${encoding}`, () => Buffer.alloc(5, text, encoding));
  }
});
const bytes = Buffer.from([0, 1, 127, 128, 200, 255, 104, 105, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xc3]);
for (const encoding of encodings) {
  for (const [start, end] of [
    [],
    [2],
    [6, 11],
    [-3, 4],
    [5, 2],
    [0, 100],
    [1.7, 7.9],
    ['2', '8'],
    [NaN, undefined],
    [9, 13],
  ]) {
    answer(`toString ${encoding} ${start} ${end}`, () => bytes.toString(encoding, start, end));
  }
  answer(`isEncoding ${encoding}`, () => Buffer.isEncoding(encoding));
}

const values = [
  undefined,
  null,
  5,
  -1,
  1.5,
  NaN,
  true,
  {},
  [],
  [1, 2, 300, -1, '7', 'x'],
  { length: 3, 0: 9 },
  { type: 'Buffer', data: [1, 2] },
  new Uint8Array([1, 2, 3]),
  new Uint16Array([1, 256]),
  new ArrayBuffer(3),
  new String('str'),
  {
    valueOf() {
      return 'v';
    },
  },
  {
    [Symbol.toPrimitive]() {
      return 'p';
    },
  },
  () => 1,
  new Map(),
  bytes,
  new Float32Array([1.5]),
];
values.forEach((value, i) => {
  answer(`from value ${i}`, () => Buffer.from(value));
  answer(`alloc value ${i}`, () => Buffer.alloc(value));
  answer(`isBuffer ${i}`, () => Buffer.isBuffer(value));
  answer(`concat ${i}`, () => Buffer.concat(value));
  if (value != null) answer(`concat of ${i}`, () => Buffer.concat([Buffer.from('a'), value]));
  answer(`concat length ${i}`, () => Buffer.concat([bytes, bytes], value));
  answer(`equals ${i}`, () => bytes.equals(value));
  answer(`compare ${i}`, () => bytes.compare(value));
  answer(`Buffer.compare ${i}`, () => Buffer.compare(bytes, value));
  answer(`indexOf ${i}`, () => bytes.indexOf(value));
  answer(`includes ${i}`, () => bytes.includes(value));
  answer(`copy to ${i}`, () => bytes.copy(value));
  answer(`copy at ${i}`, () => {
    const b = Buffer.alloc(4);
    return [bytes.copy(b, value), b];
  });
  answer(`copy from ${i}`, () => {
    const b = Buffer.alloc(4);
    return [bytes.copy(b, 0, value), b];
  });
  answer(`slice ${i}`, () => bytes.slice(value));
  answer(`subarray ${i}`, () => bytes.subarray(1, value));
  answer(`fill value ${i}`, () => Buffer.alloc(4).fill(value));
  answer(`readInt8 ${i}`, () => bytes.readInt8(value));
  answer(`readUIntBE ${i}`, () => bytes.readUIntBE(0, value));
  answer(`writeUInt8 ${i}`, () => Buffer.alloc(2).writeUInt8(value));
  answer(`writeInt32LE ${i}`, () => Buffer.alloc(8).writeInt32LE(1, value));
  answer(`copyBytesFrom ${i}`, () => Buffer.copyBytesFrom(value));
});

const view = new ArrayBuffer(8);
for (const args of [[], [2], [2, 3], [9], [2, 9], ['1', '2'], [8], [NaN, 2]])
  answer(`from buffer ${args}`, () => Buffer.from(view, ...args));

for (const name of Object.keys(Buffer.prototype)
  .filter((key) => /^(read|write)/.test(key))
  .sort()) {
  if (name === 'write') continue;
  const wide = /UInt[BL]E$|^(read|write)U?[iI]nt[BL]E$/.test(name);
  for (const offset of name.startsWith('read') ? [undefined, 3, 9, 15, -1, 1.5, '1'] : [undefined, 3, 15]) {
    for (const width of wide ? [undefined, 1, 3, 6, 7] : [undefined]) {
      if (name.startsWith('read')) {
        answer(`${name} ${offset} ${width}`, () => bytes[name](offset, width));
        continue;
      }
      for (const value of name.includes('Big')
        ? [-1n, 2n ** 64n, 2n ** 63n - 1n]
        : [1, -1, 127.9, 256, 2 ** 31, 2 ** 47, 1e300, NaN, '12']) {
        answer(`${name} ${value} ${offset} ${width}`, () => {
          const b = Buffer.alloc(16);
          return [b[name](value, offset, width), b.toString('hex')];
        });
      }
    }
  }
}

const hay = Buffer.from('abracadabra abracadabra');
for (const needle of ['a', 'bra', 'abracadabra', '', 'zz', 97, 0x161, Buffer.from('cad'), new Uint8Array([98, 114])]) {
  for (const from of [undefined, 0, 3, -4, 100, -100, NaN, null, 5.5, '2', {}]) {
    answer(`search ${inspect(needle)} ${from}`, () => [
      hay.indexOf(needle, from),
      hay.lastIndexOf(needle, from),
      hay.includes(needle, from),
    ]);
  }
}
const wideText = Buffer.from('abcabc', 'utf16le');
for (const from of [undefined, 0, 1, 5, -6])
  answer(`utf16 ${from}`, () => [wideText.indexOf('b', from, 'utf16le'), wideText.lastIndexOf('c', from, 'ucs2')]);
for (const args of [[], [1], [1, 3], [1, 3, 2], [1, 3, 2, 4], [0, 100], [-1], [4, 2], [1.5]])
  answer(`compare ranges ${args}`, () => hay.compare(bytes, ...args));
for (const args of [[1], [1, 2], [0, 2, 5], [0, 5, 2], [3, -1], [100], [-1], [0, 100], [0, 0, 100]]) {
  answer(`copy ${args}`, () => {
    const b = Buffer.alloc(6, 46);
    return [hay.copy(b, ...args), b.toString()];
  });
}
for (const args of [
  [1, 2],
  [1, 2, 4],
  ['ab', 3],
  ['ab', 3, 6],
  ['ab', -1],
  ['ab', 0, 100],
  [Buffer.from('xyz'), 1],
  [Buffer.alloc(0)],
  ['', 2],
  [1.9],
  [-1],
  ['é', 'latin1'],
  ['é', 1, 'latin1'],
  ['€', 1, 5, 'utf16le'],
]) {
  answer(`fill ${inspect(args)}`, () => Buffer.alloc(8).fill(...args));
}
for (const size of [0, 2, 3, 4, 8, 12, 16]) {
  for (const name of ['swap16', 'swap32', 'swap64'])
    answer(`${name} ${size}`, () => Buffer.from(bytes.subarray(0, size))[name]());
}
answer('json', () => JSON.stringify({ b: Buffer.from('hi') }));
answer('spread', () => [...Buffer.from('hi')]);
answer('entries', () => [...Buffer.from('hi').entries()]);
answer('shares memory', () => {
  const a = Buffer.from('abc');
  a.slice(1, 2)[0] = 122;
  return a.toString();
});
answer('species', () => [
  bytes.map((x) => x) instanceof Buffer,
  bytes.filter(() => true).constructor.name,
  Buffer.from('a').slice(0) instanceof Buffer,
]);
answer('without new', () => [buffer.Buffer('ab'), new buffer.Buffer(3), Buffer.of(1, 2)]);
answer('names', () => [
  Buffer.name,
  Buffer.length,
  Buffer.poolSize,
  buffer.kMaxLength > 2 ** 30,
  typeof buffer.SlowBuffer,
]);
answer('inspect', () => {
  const b = Buffer.alloc(60);
  b.extra = { a: 1 };
  return b;
});
answer('nested', () => ({ a: { b: { c: Buffer.from('deep') } } }));
answer('transcode', () => [
  buffer.transcode(Buffer.from('€'), 'utf8', 'ascii'),
  buffer.transcode(Buffer.from('é'), 'utf8', 'latin1'),
  buffer.transcode(Buffer.from('aé'), 'utf8', 'utf16le'),
]);
answer('isUtf8', () => [
  buffer.isUtf8(Buffer.from('é')),
  buffer.isUtf8(bytes),
  buffer.isAscii(Buffer.from('a')),
  buffer.isAscii(bytes),
]);
answer('template', () => `${Buffer.from('text')}` + Buffer.from('!'));
answer('legacy', () => [
  Buffer.from('abc').latin1Slice(1, 2),
  Buffer.from('abc').utf8Slice(),
  Buffer.alloc(3).utf8Write('xy'),
]);
// Node's statics are functions that can be called with new, too.
for (const [name, ...args] of [['from', 'abc'], ['from', [1, 2]], ['from', 'YQ==', 'base64'],
  ['alloc', 3, 1], ['allocUnsafe', 0], ['allocUnsafeSlow', 0],
  ['concat', [Buffer.from('a'), Buffer.from('b')]], ['copyBytesFrom', new Uint16Array([1, 2])],
  ['byteLength', 'abc'], ['isBuffer', 5], ['isEncoding', 'hex'],
  ['compare', Buffer.from('a'), Buffer.from('b')]]) {
  answer(`new ${name} ${typeof args[0]} ${args.length}`, () => new Buffer[name](...args));
  answer(`${name} is ${typeof args[0]} ${args.length}`,
    () => [Buffer[name].name, typeof Buffer[name].prototype, Object.keys(Buffer[name].prototype)]);
}

module.exports = answers;
