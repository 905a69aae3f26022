// Block ciphers and wrapped keys; what the functions of crypto say of wrong arguments.
'use strict';
const crypto = require('node:crypto');
const { inspect } = require('util');

const answers = {};
const show = (value) => (typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 }));
const answer = (name, f) => {
  try {
    answers[name] = show(f());
  } catch (error) {
    const { library, reason } = error;
    answers[name] = `${error.name} ${error.code} ${error.message} ${library} ${reason}`;
  }
};
const bytes = (n, first = 1) => Buffer.from(Array.from({ length: n }, (_, i) => (first + i * 7) & 255));

const block = [['aes-128-ecb', 16, 0], ['aes-192-ecb', 24, 0], ['aes-256-ecb', 32, 0],
  ['des-ede3', 24, 0], ['DES-EDE3-ECB', 24, 0],
  ['des-ede3-cbc', 24, 8], ['des3', 24, 8], ['aes-256-cbc', 32, 16], ['aes128', 16, 16]];
for (const [name, size, iv] of block) {
  const vector = iv === 0 ? null : bytes(iv, 90);
  for (const length of [0, 1, 7, 8, 15, 16, 17, 40]) {
    answer(`${name} ${length}`, () => {
      const cipher = crypto.createCipheriv(name, bytes(size), vector);
      const data = bytes(length, 200);
      const parts = [cipher.update(data.subarray(0, 5)), cipher.update(data.subarray(5)), cipher.final()];
      const decipher = crypto.createDecipheriv(name, bytes(size), vector);
      const encrypted = Buffer.concat(parts);
      const back = Buffer.concat([
        decipher.update(encrypted.subarray(0, 9)), decipher.update(encrypted.subarray(9)), decipher.final(),
      ]);
      return [parts.map((p) => p.toString('hex')), back.equals(data)];
    });
    answer(`${name} ${length} without padding`, () => {
      const cipher = crypto.createCipheriv(name, bytes(size), vector).setAutoPadding(false);
      return cipher.update(bytes(length), null, 'hex') + cipher.final('hex');
    });
    answer(`${name} ${length} decrypted`, () => {
      const decipher = crypto.createDecipheriv(name, bytes(size), vector);
      return decipher.update(bytes(length), null, 'hex') + decipher.final('hex');
    });
  }
  for (const [what, key, other] of [
    ['key', bytes(size + 1), vector], ['vector', bytes(size), bytes(3)], ['no vector', bytes(size), null],
  ]) {
    answer(`${name} with a wrong ${what}`, () => typeof crypto.createCipheriv(name, key, other));
  }
}

for (const [name, size, iv] of [['aes128-wrap', 16, 8], ['id-aes192-wrap', 24, 8], ['id-aes256-wrap', 32, 8],
  ['id-aes128-wrap-pad', 16, 4], ['id-aes256-wrap-pad', 32, 4]]) {
  for (const length of [0, 3, 8, 9, 16, 24, 25, 64]) {
    answer(`${name} ${length}`, () => {
      const cipher = crypto.createCipheriv(name, bytes(size), bytes(iv, 60));
      const wrapped = cipher.update(bytes(length, 5), null, 'hex') + cipher.final('hex');
      const decipher = crypto.createDecipheriv(name, bytes(size), bytes(iv, 60));
      return [wrapped, decipher.update(wrapped, 'hex', 'hex')];
    });
    answer(`${name} ${length} unwrapped`,
      () => crypto.createDecipheriv(name, bytes(size), bytes(iv)).update(bytes(length)));
  }
  answer(`${name} with a wrong vector`, () => typeof crypto.createCipheriv(name, bytes(size), bytes(5)));
}

// forget takes away errors that OpenSSL remembers as nobody has asked for them, and Node reports later.
const forget = () => {
  for (let i = 0; i < 100; i++) {
    try {
      crypto.hash('nope', '');
    } catch {
      // as expected
    }
  }
};
forget();

const cbc = () => crypto.createCipheriv('aes-256-cbc', bytes(32), bytes(16));
const gcm = (options) => crypto.createCipheriv('aes-128-gcm', bytes(16), bytes(12), options);
const functions = {
  'info': () => [
    'aes-128-ecb', 'DES3', 'des-ede3', 'aes192-wrap', 'id-aes256-wrap-pad', 'id-aes128-GCM', 418, 44, 33, 900, -1,
  ].map((n) => crypto.getCipherInfo(n)),
  'info with lengths': () => [
    [{ keyLength: 16 }], [{ keyLength: 17 }], [{ ivLength: 16 }], [{ ivLength: 1 }], [{}],
  ].map(([o]) => crypto.getCipherInfo('aes-128-cbc', o)?.ivLength),
  'info of gcm': () => [1, 12, 64, 128, 129].map(
    (ivLength) => crypto.getCipherInfo('aes-128-gcm', { ivLength })?.ivLength),
  'another encoding': () => {
    const cipher = cbc();
    return cipher.update('a', 'utf8', 'utf-8') + cipher.update('b', 'utf8', 'UTF8');
  },
  'no encoding': () => cbc().update('a', 'utf8', 'nope'),
  'no encoding at the end': () => cbc().final('nope'),
  'final twice': () => {
    const cipher = cbc();
    return [cipher.final().length, cipher.final()];
  },
  'authTagLength': () => typeof gcm({ authTagLength: 'x' }),
  'authTagLength of cbc': () => typeof crypto.createCipheriv('aes-256-cbc', bytes(32),
    bytes(16), { authTagLength: -1 }),
  'authTagLength null': () => typeof gcm({ authTagLength: null }),
  'authTagLength 5': () => typeof gcm({ authTagLength: 5 }),
  'setAAD': () => gcm().setAAD(),
  'setAAD encoding': () => gcm().setAAD('a', { encoding: 5 }),
  'setAAD plaintextLength': () => gcm().setAAD('a', { plaintextLength: -1 }),
  'key encoding': () => crypto.createCipheriv('aes-128-cbc', '00'.repeat(16), bytes(16),
    { encoding: 'hex' }).final('hex'),
  'long vector': () => typeof crypto.createCipheriv('aes-128-gcm', bytes(16), bytes(128)),
  'too long vector': () => typeof crypto.createCipheriv('aes-128-gcm', bytes(16), bytes(129)),
  'hash': () => [crypto.hash('sha1', 'a'), crypto.hash('sha1', 'a', 'BUFFER').length,
    crypto.hash('md5', new Uint16Array(2), 'Base64')],
  'hash of a buffer': () => crypto.hash('sha1', new ArrayBuffer(2)),
  'hash encoding': () => crypto.hash('sha1', 'a', 'nope'),
  'hmac encoding': () => crypto.createHmac('sha1', 'k', { encoding: 5 }),
  'digest of an object': () => crypto.createHash('sha1').digest({ toString: () => 'hex' }),
  'pbkdf2': () => crypto.pbkdf2Sync('a', 'b', 1, 3, 'nope'),
  'pbkdf2 without a callback': () => crypto.pbkdf2('a', 'b', 0, 3, 'sha1'),
  'hkdf without anything': () => crypto.hkdf(),
  'hkdf without a callback': () => crypto.hkdf('sha256', 'a', 'b', 'c', 3),
};
for (const [name, f] of Object.entries(functions)) answer(name, f);
for (const value of [null, undefined, [], {}, true])
  answer(`info of ${inspect(value)}`, () => crypto.getCipherInfo(value));
for (const value of [null, '', 1, [], { keyLength: '16' }, { ivLength: 1.5 }]) {
  answer(`info with ${inspect(value)}`, () => crypto.getCipherInfo('aes-128-cbc', value));
}
const subtle = {
  'digest null': (s) => s.digest(null, bytes(1)),
  'digest {}': (s) => s.digest({}, bytes(1)),
  'import null': (s) => s.importKey('jwk', null, { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']),
  'import length 0': (s) => s.importKey('raw', bytes(8), { name: 'HMAC', hash: 'SHA-1', length: 0 }, false, ['sign']),
  'import use': (s) => s.importKey('jwk', { kty: 'oct', k: 'AAAA', use: 'enc' },
    { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']),
  'foreign this': (s) => Reflect.apply(s.digest, {}, ['SHA-1', bytes(1)]),
  'getRandomValues': () => { (0, globalThis.crypto.getRandomValues)(new Uint8Array(1)); },
  'randomUUID': () => (0, globalThis.crypto.randomUUID)(),
  'salt': async (s) => {
    const { privateKey } = await s.generateKey({ name: 'RSA-PSS', modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, false, ['sign']);
    await s.sign({ name: 'RSA-PSS', saltLength: 95 }, privateKey, bytes(1)).catch((error) => { throw error.cause; });
  },
  'wrapped jwk': async (s) => {
    const wrapping = await s.importKey('raw', bytes(16), 'AES-KW', false, ['wrapKey', 'unwrapKey']);
    const key = await s.importKey('raw', bytes(16), 'AES-GCM', true, ['encrypt']);
    const wrapped = await s.wrapKey('jwk', key, wrapping, 'AES-KW');
    const back = await s.unwrapKey('jwk', wrapped, wrapping, 'AES-KW', 'AES-GCM', true, ['encrypt']);
    return [wrapped.byteLength, Buffer.from(await s.exportKey('raw', back)).toString('hex')];
  },
};
module.exports = (async () => {
  forget();
  for (const [name, f] of Object.entries(subtle)) {
    try {
      answers[`subtle ${name}`] = show(await f(globalThis.crypto.subtle));
    } catch (error) {
      answers[`subtle ${name}`] = `${error.name} ${error.code} ${error.message}`;
    }
  }
  return answers;
})();
