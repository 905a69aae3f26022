// node:crypto: known answers, encodings and errors.
'use strict';
const crypto = require('node:crypto');
const { inspect, promisify } = require('util');

const answers = {};
const answer = async (name, f) => {
  try {
    const value = await f();
    answers[name] = typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};
const text = 'The quick brown fox jumps over the lazy dog. Żółć 🦊';
const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * 7) & 255));

module.exports = (async () => {
  const hashes = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-224',
    'sha512-256', 'sha3-224', 'sha3-256', 'sha3-384',
    'sha3-512', 'shake128', 'shake256', 'ripemd160', 'RSA-SHA256', 'SHA-1', 'SHA512', 'rmd160'];
  for (const name of hashes) {
    await answer(`hash ${name}`,
      () => ['', 'abc', text].map((t) => crypto.createHash(name).update(t).digest('hex')).join(' '));
    await answer(`hash of parts ${name}`, () => {
      const h = crypto.createHash(name);
      for (let at = 0, n = 1; at < bytes.length; at += n, n += 13) h.update(bytes.subarray(at, at + n));
      return h.digest('base64');
    });
    if (!name.startsWith('shake')) {
      await answer(`hmac ${name}`,
        () => ['', 'key', 'k'.repeat(200)].map((k) => crypto.createHmac(name, k).update(text).digest('hex')).join(' '));
    }
  }
  for (const encoding of [
    'hex', 'base64', 'base64url', 'latin1', 'binary', 'utf8', 'buffer', undefined, 'nope', 'ucs2', 'HEX',
  ]) {
    await answer(`digest ${encoding}`, () => crypto.createHash('md5').update('x').digest(encoding));
    await answer(`update ${encoding}`, () => crypto.createHash('md5').update('abcd', encoding).digest('hex'));
  }
  await answer('shake of a size', () => crypto.createHash('shake256', { outputLength: 100 }).update('x').digest('hex'));
  await answer('shake of nothing', () => crypto.createHash('shake128', { outputLength: 0 }).digest('hex'));
  await answer('not any size', () => crypto.createHash('sha256', { outputLength: 10 }));
  await answer('its size', () => crypto.createHash('sha256', { outputLength: 32 }).digest('hex').length);
  await answer('wrong size', () => crypto.createHash('shake128', { outputLength: -1 }));
  await answer('copy', () => {
    const a = crypto.createHash('sha1').update('a');
    const b = a.copy().update('b');
    return [a.update('c').digest('hex'), b.digest('hex')].join();
  });
  await answer('copy after', () => {
    const h = crypto.createHash('sha1');
    h.digest();
    return h.copy();
  });
  await answer('twice', () => {
    const h = crypto.createHash('sha1');
    h.digest();
    return h.digest();
  });
  await answer('update after', () => {
    const h = crypto.createHash('sha1');
    h.digest();
    return h.update('x');
  });
  await answer('hmac twice', () => {
    const h = crypto.createHmac('md5', '');
    h.digest();
    return [h.digest('hex'), h.digest()];
  });
  await answer('hmac update after', () => {
    const h = crypto.createHmac('md5', '');
    h.digest();
    return h.update('x');
  });
  await answer('views', () => {
    const data = new Uint16Array([1, 2, 3, 4]);
    return [data, new DataView(data.buffer, 2, 4), data.subarray(1, 2), Buffer.from(data.buffer, 1, 3)]
      .map((d) => crypto.createHash('md5').update(d).digest('hex')).join();
  });
  for (const [name, f] of Object.entries({
    'unknown hash': () => crypto.createHash('nope'),
    'hash 5': () => crypto.createHash(5),
    'update 5': () => crypto.createHash('md5').update(5),
    'update nothing': () => crypto.createHash('md5').update(),
    'update ArrayBuffer': () => crypto.createHash('md5').update(new ArrayBuffer(2)),
    'odd hex': () => crypto.createHash('md5').update('abc', 'hex'),
    'unknown hmac': () => crypto.createHmac('nope', 'k'),
    'hmac without key': () => crypto.createHmac('md5'),
    'hmac key 5': () => crypto.createHmac('md5', 5),
    'hmac 5': () => crypto.createHmac(5, ''),
    'without new': () => [
      crypto.Hash('md5') instanceof crypto.Hash, crypto.createHmac('md5', '') instanceof crypto.Hmac,
    ],
    'hash()': () => [
      crypto.hash('md5', 'x'), crypto.hash('sha1', Buffer.from('x'), 'base64'), crypto.hash('sha1', 'x', 'buffer'),
    ],
    'hash() unknown': () => crypto.hash('nope', 'x'),
    'randomBytes -1': () => crypto.randomBytes(-1),
    'randomBytes text': () => crypto.randomBytes('1'),
    'randomBytes large': () => crypto.randomBytes(2 ** 31),
    'randomBytes fraction': () => crypto.randomBytes(1.5).length,
    'randomBytes callback': () => crypto.randomBytes(1, 5),
    'randomBytes 100000': () => [crypto.randomBytes(100000).length, new Set(crypto.randomBytes(4000)).size > 250],
    'randomInt 5 5': () => crypto.randomInt(5, 5),
    'randomInt wide': () => crypto.randomInt(0, 2 ** 48),
    'randomInt text': () => crypto.randomInt('1'),
    'randomInt fraction': () => crypto.randomInt(1.5),
    'randomInt 0': () => crypto.randomInt(0),
    'randomInt callback': () => crypto.randomInt(1, 2, 3),
    'randomInt all': () => [...new Set(Array.from({ length: 300 }, () => crypto.randomInt(-2, 2)))].sort(),
    'randomFillSync text': () => crypto.randomFillSync('x'),
    'randomFillSync offset': () => crypto.randomFillSync(Buffer.alloc(3), 4),
    'randomFillSync size': () => crypto.randomFillSync(Buffer.alloc(3), 1, 4),
    'randomFillSync part': () => {
      const b = crypto.randomFillSync(new Uint32Array(300), 100, 100);
      return [b.slice(0, 100).some(Boolean), b.slice(100, 200).some(Boolean), b.slice(200).some(Boolean)];
    },
    'randomFill': () => crypto.randomFill(Buffer.alloc(3)),
    'randomUUID': () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
      crypto.randomUUID()),
    'randomUUID 5': () => crypto.randomUUID(5),
    'randomUUID cache': () => crypto.randomUUID({ disableEntropyCache: 5 }),
    'timingSafeEqual': () => [crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ab')),
      crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ac'))],
    'timingSafeEqual lengths': () => crypto.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)),
    'timingSafeEqual text': () => crypto.timingSafeEqual('a', Buffer.alloc(2)),
    'timingSafeEqual 5': () => crypto.timingSafeEqual(Buffer.alloc(2), 5),
    'pbkdf2': () => [
      'md5', 'sha1', 'sha256', 'sha512', 'sha3-256',
    ].map((d) => crypto.pbkdf2Sync('pässword', 'salt', 17, 50, d).toString('hex')).join(),
    'pbkdf2 long': () => crypto.pbkdf2Sync('p'.repeat(300), Buffer.alloc(100), 2, 10, 'sha256'),
    'pbkdf2 0': () => crypto.pbkdf2Sync('p', 's', 0, 1, 'md5'),
    'pbkdf2 -1': () => crypto.pbkdf2Sync('p', 's', 1, -1, 'md5'),
    'pbkdf2 nope': () => crypto.pbkdf2Sync('p', 's', 1, 1, 'nope'),
    'pbkdf2 no digest': () => crypto.pbkdf2Sync('p', 's', 1, 1),
    'pbkdf2 password': () => crypto.pbkdf2Sync(1, 's', 1, 1, 'md5'),
    'pbkdf2 callback': () => crypto.pbkdf2('p', 's', 1, 1, 'md5'),
    'pbkdf2 empty': () => crypto.pbkdf2Sync('p', 's', 1, 0, 'md5'),
    'pbkdf2 fraction': () => crypto.pbkdf2Sync('p', 's', 1, 1.5, 'md5'),
    'scrypt': () => [crypto.scryptSync('password', 'NaCl', 64, { N: 1024, p: 2 }),
      crypto.scryptSync('', '', 16, { N: 16, r: 1, p: 1 }),
      crypto.scryptSync('p', 's', 8, { cost: 32, blockSize: 2, parallelization: 3 })],
    'scrypt 3': () => crypto.scryptSync('p', 's', 8, { N: 3 }),
    'scrypt large': () => crypto.scryptSync('p', 's', 8, { N: 2 ** 20 }),
    'scrypt two': () => crypto.scryptSync('p', 's', 8, { N: 16, cost: 16 }),
    'scrypt keylen': () => crypto.scryptSync('p', 's', -8),
    'scrypt p': () => crypto.scryptSync('p', 's', 8, { p: 2 ** 30 }),
    'scrypt nothing': () => crypto.scryptSync('p', 's'),
    'scrypt callback': () => crypto.scrypt('p', 's', 1),
    'scrypt empty': () => crypto.scryptSync('p', 's', 0, { N: 2 }),
    'scrypt N': () => crypto.scryptSync('p', 's', 8, { N: -1 }),
    'scrypt maxmem': () => crypto.scryptSync('p', 's', 8, { N: 1024, maxmem: 128 * 1024 * 8 + 2000 }),
    'scrypt enough': () => crypto.scryptSync('p', 's', 8, { N: 1024, maxmem: 128 * 1024 * 8 + 3072 }),
    'hkdf': () => ['sha1', 'sha256', 'sha512'].map(
      (d) => Buffer.from(crypto.hkdfSync(d, 'key', 'salt', 'info', 100)).toString('hex')).join(),
    'hkdf empty': () => [crypto.hkdfSync('md5', '', '', '', 20), crypto.hkdfSync('md5', 'k', 's', 'i', 0)],
    'hkdf key object': () => crypto.hkdfSync('md5', crypto.createSecretKey('k', 'utf8'), 's', 'i', 5),
    'hkdf nope': () => crypto.hkdfSync('nope', 'k', 's', 'i', 1),
    'hkdf long': () => crypto.hkdfSync('md5', 'k', 's', 'i', 16 * 255 + 1),
    'hkdf info': () => crypto.hkdfSync('md5', 'k', 's', 'i'.repeat(1025), 1),
    'hkdf 5': () => crypto.hkdfSync('md5', 5, 's', 'i', 1),
    'hkdf info 5': () => crypto.hkdfSync('md5', 'k', 's', 5, 1),
    'hkdf callback': () => crypto.hkdf('md5', 'k', '', '', 1),
  })) await answer(name, f);
  for (const [name, f] of Object.entries({
    randomBytes: () => promisify(crypto.randomBytes)(5).then((b) => b.length),
    randomInt: () => promisify(crypto.randomInt)(1),
    randomFill: () => promisify(crypto.randomFill)(Buffer.alloc(2)).then((b) => b.length),
    pbkdf2: () => promisify(crypto.pbkdf2)('p', 's', 2, 5, 'sha1'),
    scrypt: () => promisify(crypto.scrypt)('p', 's', 5, { N: 4 }),
    hkdf: () => promisify(crypto.hkdf)('sha1', 'k', 's', 'i', 5),
    generateKey: () => promisify(crypto.generateKey)('hmac', { length: 64 }).then((k) => k.symmetricKeySize),
  })) await answer(`later ${name}`, f);

  const key = (n) => Buffer.from(Array.from({ length: n }, (_, i) => i));
  for (const mode of ['cbc', 'ctr', 'gcm']) {
    for (const size of [16, 24, 32]) {
      await answer(`aes ${mode} ${size}`, () => {
        const name = `aes-${size * 8}-${mode}`;
        const iv = key(mode === 'gcm' ? 12 : 16);
        const all = [];
        for (const part of [1, 16, 17, 100, 1000]) {
          const c = crypto.createCipheriv(name, key(size), iv);
          if (mode === 'gcm') c.setAAD(Buffer.from('additional'));
          const parts = [];
          for (let at = 0; at < 200; at += part) parts.push(c.update(bytes.subarray(at, Math.min(200, at + part))));
          parts.push(c.final());
          const out = Buffer.concat(parts);
          const d = crypto.createDecipheriv(name, key(size), iv);
          if (mode === 'gcm') d.setAAD(Buffer.from('additional')).setAuthTag(c.getAuthTag());
          const back = [];
          for (let at = 0; at < out.length; at += part) back.push(d.update(out.subarray(at, at + part)));
          back.push(d.final());
          all.push(crypto.createHash('md5').update(out).digest('hex'), parts.map((p) => p.length).join(),
            back.map((p) => p.length).join(),
            Buffer.concat(back).equals(bytes.subarray(0, 200)), mode === 'gcm' ? c.getAuthTag().toString('hex') : '');
        }
        return all.join(' ');
      });
    }
  }
  await answer('encodings', () => {
    const c = crypto.createCipheriv('aes-256-cbc', key(32), key(16));
    const out = c.update(text, 'utf8', 'base64') + c.final('base64');
    const d = crypto.createDecipheriv('aes256', key(32), key(16));
    return [out, d.update(out, 'base64', 'utf8') + d.final('utf8')];
  });
  await answer('gcm other vectors', () => [1, 8, 13, 16, 60].map((n) => {
    const c = crypto.createCipheriv('aes-128-gcm', key(16), key(n));
    return c.update('text', 'utf8', 'hex') + c.final('hex') + c.getAuthTag().toString('hex');
  }));
  const make = (m, o) => crypto.createCipheriv(m, key(16), key(m.endsWith('gcm') ? 12 : 16), o);
  const open = (m, o) => crypto.createDecipheriv(m, key(16), key(m.endsWith('gcm') ? 12 : 16), o);
  for (const [name, f] of Object.entries({
    'unknown cipher': () => crypto.createCipheriv('nope', 'k', 'i'),
    'short vector': () => crypto.createCipheriv('aes-128-cbc', key(16), 'i'),
    'short key': () => crypto.createCipheriv('aes-128-cbc', 'k', key(16)),
    'no vector': () => crypto.createCipheriv('aes-128-cbc', key(16), null),
    'gcm without vector': () => crypto.createCipheriv('aes-128-gcm', key(16), ''),
    'key 5': () => crypto.createCipheriv('aes-128-ctr', 5, ''),
    'vector 5': () => crypto.createCipheriv('aes-128-ctr', key(16), 5),
    'cipher 5': () => crypto.createCipheriv(5),
    'final twice': () => { const c = make('aes-128-cbc'); c.final(); c.final(); },
    'update after final': () => { const c = make('aes-128-cbc'); c.final(); c.update('x'); },
    'no padding': () => { const c = make('aes-128-cbc'); c.setAutoPadding(false); c.update('x'); c.final(); },
    'no padding needed': () => {
      const c = make('aes-128-cbc'); c.setAutoPadding(false); return c.update(key(16),
        undefined, 'hex') + c.final('hex');
    },
    'bad length': () => { const c = open('aes-128-cbc'); c.update('x'); c.final(); },
    'bad padding': () => { const c = open('aes-128-cbc'); c.update(key(16)); c.final(); },
    'nothing to decrypt': () => open('aes-128-cbc').final(),
    'tag too early': () => make('aes-128-gcm').getAuthTag(),
    'no tag': () => open('aes-128-gcm').final(),
    'wrong tag': () => open('aes-128-gcm').setAuthTag(key(16)).final(),
    'short tag': () => open('aes-128-gcm').setAuthTag(key(3)),
    'two tags': () => open('aes-128-gcm').setAuthTag(key(16)).setAuthTag(key(16)),
    'aad too late': () => { const c = make('aes-128-gcm'); c.update('x'); c.setAAD(key(1)); },
    'aad after final': () => { const c = make('aes-128-gcm'); c.final(); c.setAAD(key(1)); },
    'aad of cbc': () => make('aes-128-cbc').setAAD(key(1)),
    'tag length': () => make('aes-128-gcm', { authTagLength: 3 }),
    'tag of 12': () => { const c = make('aes-128-gcm', { authTagLength: 12 }); c.final(); return c.getAuthTag(); },
    'update with 5': () => make('aes-128-cbc').update(5),
    'getCipherInfo': () => ['aes-128-gcm', 'aes-256-cbc', 'aes-192-ctr', 'nope'].map((n) => crypto.getCipherInfo(n)),
  })) await answer(name, f);

  for (const [name, f] of Object.entries({
    size: () => [
      crypto.createSecretKey(Buffer.alloc(5)).symmetricKeySize, crypto.createSecretKey('abcd', 'hex').symmetricKeySize,
    ],
    'of 5': () => crypto.createSecretKey(5),
    export: () => [
      crypto.createSecretKey('ab', 'utf8').export(), crypto.createSecretKey('ab', 'utf8').export({ format: 'jwk' }),
    ],
    'export x': () => crypto.createSecretKey('ab', 'utf8').export({ format: 'x' }),
    'new': () => new crypto.KeyObject(),
    'new x': () => new crypto.KeyObject('x', 1),
    equals: () => [crypto.createSecretKey('ab', 'utf8').equals(crypto.createSecretKey('ab', 'utf8')),
      crypto.createSecretKey('ab', 'utf8').type],
    hmac: () => crypto.createHmac('sha1', crypto.createSecretKey('ab', 'utf8')).update('x').digest('hex'),
    cipher: () => crypto.createCipheriv('aes-128-ctr', crypto.createSecretKey(key(16)),
      key(16)).update('x', 'utf8', 'hex'),
    generate: () => [crypto.generateKeySync('aes', { length: 192 }).symmetricKeySize,
      crypto.generateKeySync('hmac', { length: 65 }).symmetricKeySize],
  })) await answer(`key ${name}`, f);
  await answer('what there is', () => [
    'createHash', 'webcrypto', 'subtle', 'Hash', 'constants', 'getRandomValues', 'createSign', 'X509Certificate',
  ]
    .map((name) => typeof crypto[name]).join());
  await answer('the same', () => [crypto.webcrypto === globalThis.crypto, crypto.subtle === globalThis.crypto.subtle]);
  return answers;
})();
