// node:zlib. What is compressed here has other bytes than Node's, so it is only compared after it has been decompressed.
'use strict';
const zlib = require('node:zlib');
const { inspect, promisify } = require('util');

const answers = {};
const answer = async (name, f) => {
  try {
    const value = await f();
    answers[name] = typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.errno} ${error.message}`;
  }
};
const hex = (text) => Buffer.from(text, 'hex');

const text = 'hello hello hello hello, compressed world';
const gz = hex('1f8b0800000000000003');
const made = {
  stored: hex('010500faff68656c6c6f'),
  fixed: hex('cb48cdc9c90700'),
  zlib: hex('789ccb48cdc9c90700062c0215'),
};

module.exports = (async () => {
  const samples = ['', 'a', text, 'ab'.repeat(10000), Buffer.alloc(70000),
    Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i * 31) & 255))];
  const pairs = { gzip: 'gunzip', deflate: 'inflate', deflateRaw: 'inflateRaw' };
  for (const [to, from] of Object.entries(pairs)) {
    for (const [i, sample] of samples.entries()) {
      for (const level of [undefined, 0, 1, 9]) {
        await answer(`${to} ${i} ${level}`,
          () => zlib[`${from}Sync`](zlib[`${to}Sync`](sample, { level })).equals(Buffer.from(sample)));
      }
      await answer(`${to} ${i} later`,
        async () => (await promisify(zlib[from])(await promisify(zlib[to])(sample))).length);
      if (to !== 'deflateRaw') await answer(`unzip ${to} ${i}`, () => zlib.unzipSync(zlib[`${to}Sync`](sample)).length);
    }
    await answer(`header ${to}`, () => [-1, 0, 1, 2, 5, 6, 7, 9].map((level) => zlib[`${to}Sync`]('',
      { level }).subarray(0, to === 'gzip' ? 10 : to === 'deflate' ? 2 : 0).toString('hex')).join());
  }
  const whole = [zlib.gzipSync('hello'), zlib.deflateSync('hello')];
  const damaged = ['', 'a', 'hello world', gz, ...Object.values(made), hex('1f8b'),
    hex('789c01'), hex('07070707'), hex('789d'), hex('799c'),
    hex('1f8b09'), hex('1f8b0900'), hex('1f8b08ff'), hex('8898'), hex('05e081080000'),
    hex('ffff'), hex('0300'), hex('04'), hex('fdffff'),
    hex('0d00'), hex('1f8b0802000000000003aabb0300'), hex('1f8b0804000000000003ffff'),
    hex('78bb00000000'), hex('630000000000'), hex('4b048c00'), hex('edfdffffffff'), hex('05c00100000000'),
    Buffer.concat([hex('789ccb48cdc9c90700'), hex('062c0101')]),
      Buffer.concat([hex('1f8b0800000000000003cb48cdc9c9'), hex('0000000000000000')])];
  for (const name of ['gunzipSync', 'inflateSync', 'inflateRawSync', 'unzipSync']) {
    for (const data of damaged)
      await answer(`${name} ${Buffer.from(data).toString('hex')}`, () => zlib[name](data).toString('latin1'));
  }
  // Every change of one bit in a block with its own codes, as Node has made it.
  const block = hex(
    '05c1810900300803b0577c4d6841612868fd7f49ca70c5d573faa846454ad881bfc958a3e3dd908d61261fa2ecb26b1da2efd92a23413bf5f981b4eba069f6c5534fd5f53a37edc266d0c4d607');
  for (let i = 0; i < block.length * 8; i += (i < 150 ? 1 : 13)) {
    const changed = Buffer.from(block);
    changed[i >> 3] ^= 1 << (i & 7);
    await answer(`changed ${i}`, () => zlib.inflateRawSync(changed).toString('hex'));
  }
  for (const [name, f] of Object.entries({
    two: () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('a'), zlib.gzipSync('b')])).toString(),
    garbage: () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('a'), Buffer.from('garbage')])).toString(),
    zeros: () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('a'), Buffer.alloc(9)])).toString(),
    'cut second': () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('a'), hex('1f8b05')])).toString(),
    'behind zlib': () => zlib.inflateSync(Buffer.concat([zlib.deflateSync('a'), Buffer.from('garbage')])).toString(),
    'of 5': () => zlib.gzipSync(5),
    'gunzip of 5': () => zlib.gunzipSync(5),
    'level 10': () => zlib.gzipSync('x', { level: 10 }),
    'level text': () => zlib.gzipSync('x', { level: '1' }),
    'level NaN': () => zlib.gunzipSync(zlib.gzipSync('x', { level: NaN })).toString(),
    'level Infinity': () => zlib.gzipSync('x', { level: Infinity }),
    maxOutputLength: () => zlib.gunzipSync(zlib.gzipSync('x'.repeat(100)), { maxOutputLength: 10 }),
    'maxOutputLength enough': () => zlib.gunzipSync(zlib.gzipSync('x'.repeat(100)), { maxOutputLength: 100 }).length,
    'maxOutputLength 0': () => zlib.gzipSync('x', { maxOutputLength: 0 }),
    'maxOutputLength of a compression': () => zlib.gzipSync('x', { maxOutputLength: 5 }),
    'no callback': () => zlib.gzip('x'),
    'windowBits 3': () => zlib.gzipSync('x', { windowBits: 3 }),
    'windowBits 0': () => zlib.inflateSync(zlib.deflateSync('x'), { windowBits: 0 }).toString(),
    chunkSize: () => zlib.gzipSync('x', { chunkSize: 3 }),
    strategy: () => zlib.gunzipSync(zlib.gzipSync('xxxx', { strategy: zlib.constants.Z_HUFFMAN_ONLY })).toString(),
    'strategy 9': () => zlib.gzipSync('x', { strategy: 9 }),
    'no dictionary': () => zlib.inflateSync(zlib.deflateSync('hello', { dictionary: Buffer.from('hello') })),
    'bad dictionary': () => zlib.inflateSync(zlib.deflateSync('hello', { dictionary: Buffer.from('hello') }),
      { dictionary: Buffer.from('nope') }),
    dictionary: () => zlib.inflateSync(zlib.deflateSync('hello', { dictionary: Buffer.from('hello') }),
      { dictionary: Buffer.from('hello') }).toString(),
    'raw dictionary': () => zlib.inflateRawSync(zlib.deflateRawSync('hello', { dictionary: Buffer.from('hello') }),
      { dictionary: Buffer.from('hello') }).toString(),
    'dictionary 5': () => zlib.deflateSync('x', { dictionary: 5 }),
    partial: () => zlib.gunzipSync(whole[0].subarray(0, 15), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString(),
    'partial raw': () => zlib.inflateRawSync(zlib.deflateRawSync('hello world').subarray(0, 8),
      { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString(),
    views: () => zlib.inflateSync(new DataView(whole[1].buffer, whole[1].byteOffset, whole[1].byteLength)).toString(),
    ArrayBuffer: () => zlib.inflateSync(new Uint8Array(whole[1]).buffer).toString(),
    info: () => zlib.gzipSync('x', { info: true }).engine instanceof zlib.Gzip,
    crc32: () => [
      zlib.crc32('hello'), zlib.crc32(Buffer.from('lo'), zlib.crc32('hel')), zlib.crc32(''),
      zlib.crc32('x', 4294967295),
    ],
    'crc32 of 5': () => zlib.crc32(5),
    'crc32 value': () => zlib.crc32('x', -1),
    'by its insides': () => {
      const stream = new zlib.Inflate({ chunkSize: 100 });
      const out = Buffer.alloc(50);
      const input = zlib.deflateSync('hello '.repeat(5));
      stream._handle.writeSync(zlib.constants.Z_FINISH, input, 0, input.length, out, 10, 40);
      return [out.toString('latin1', 10, 40), [...stream._writeState], stream._chunkSize,
        stream._outOffset, stream._outBuffer.length];
    },
    codes: () => zlib.codes,
    constants: () => [zlib.constants.Z_BEST_COMPRESSION, zlib.constants.Z_MAX_CHUNK,
      zlib.Z_SYNC_FLUSH, Object.keys(zlib).includes('Z_SYNC_FLUSH')],
    'later fails': () => promisify(zlib.gunzip)('nothing of that kind'),
    'later of 5': () => promisify(zlib.gunzip)(5),
    'later options': () => promisify(zlib.inflate)(zlib.deflateSync('x'.repeat(100)), { maxOutputLength: 10 }),
  })) await answer(name, f);
  return answers;
})();
