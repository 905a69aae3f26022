// Hashes, ciphers and compression as streams.
'use strict';
const crypto = require('node:crypto');
const zlib = require('node:zlib');
const { Readable, Transform, pipeline } = require('node:stream');
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
const collect = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
};
const source = () => Readable.from([Buffer.from('hello '), Buffer.from('wor'), Buffer.from('ld')]);
const key = Buffer.alloc(16, 7);

module.exports = (async () => {
  await answer('hash piped', () => new Promise((done) => {
    const hash = crypto.createHash('md5');
    hash.on('readable', () => {
      const data = hash.read();
      if (data) done(data.toString('hex'));
    });
    hash.write('hello ');
    hash.end('world');
  }));
  await answer('hash encoding', () => new Promise((done) => {
    const hash = crypto.createHash('md5').setEncoding('hex');
    hash.on('data', done);
    source().pipe(hash);
  }));
  await answer('digest at the end', async () => {
    const hash = crypto.createHash('sha1');
    await promisify(pipeline)(source(), hash);
    return hash.digest('hex');
  });
  await answer('updated and written', () => new Promise((done) => {
    const hash = crypto.createHash('sha1').update('hello ');
    hash.on('finish', () => done(hash.read().toString('hex')));
    hash.end('world');
  }));
  await answer('hmac', async () => (await collect(source().pipe(crypto.createHmac('sha1', 'k')))).toString('hex'));
  await answer('hash later', async () => {
    const hash = crypto.createHash('md5');
    for await (const part of source()) hash.update(part);
    return hash.digest('base64');
  });
  await answer('kinds', () => {
    const hash = crypto.createHash('md5');
    hash.on('x', () => {});
    return [hash instanceof Transform, hash.writable, hash.listenerCount('x'), typeof hash.pipe,
      zlib.createGzip() instanceof Transform];
  });
  await answer('cipher',
    async () => (await collect(source().pipe(crypto.createCipheriv('aes-128-cbc', key, key)))).toString('hex'));
  await answer('cipher and back',
    async () => (await collect(source().pipe(crypto.createCipheriv('aes-128-cbc', key, key))
    .pipe(crypto.createDecipheriv('aes-128-cbc', key, key)))).toString());
  await answer('bad decrypt', () => promisify(pipeline)(Readable.from([Buffer.alloc(16)]),
    crypto.createDecipheriv('aes-128-cbc', key, key), collect));
  for (const [to, from] of [
    ['Gzip', 'Gunzip'], ['Deflate', 'Inflate'], ['DeflateRaw', 'InflateRaw'], ['Gzip', 'Unzip'],
  ]) {
    await answer(`${to} ${from}`,
      async () => (await collect(source().pipe(zlib[`create${to}`]()).pipe(zlib[`create${from}`]()))).toString());
  }
  await answer('large',
    async () => (await collect(Readable.from([zlib.gzipSync(Buffer.alloc(100000))]).pipe(zlib.createGunzip()))).length);
  await answer('pipeline fails', () => promisify(pipeline)(source(), zlib.createGunzip(), collect));
  await answer('error event', () => new Promise((done) => {
    const gunzip = zlib.createGunzip();
    gunzip.on('error', (error) => done([error.code, error.errno, error.message]));
    gunzip.end('no gzip at all');
  }));
  await answer('cut', () => promisify(pipeline)(Readable.from([zlib.gzipSync('hello').subarray(0, 12)]),
    zlib.createGunzip(), collect));
  await answer('empty', async () => (await collect(Readable.from([]).pipe(zlib.createGunzip()))).length);
  await answer('events', () => new Promise((done) => {
    const log = [];
    const gzip = zlib.createGzip({ level: 9 });
    for (const name of ['finish', 'end', 'close']) gzip.on(name, () => log.push(name));
    gzip.on('data', () => {});
    gzip.on('close', () => done([log.sort(), gzip.bytesWritten]));
    gzip.end('hello');
  }));
  await answer('level', () => zlib.createGzip({ level: 99 }));
  await answer('without new', () => zlib.Gzip() instanceof zlib.Gzip);
  return answers;
})();
