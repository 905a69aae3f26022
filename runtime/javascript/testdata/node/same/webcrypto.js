// crypto.subtle and the global crypto.
'use strict';
const { inspect } = require('util');
const { subtle } = crypto;

const answers = {};
const answer = async (name, f) => {
  try {
    const value = await f();
    answers[name] = value instanceof ArrayBuffer ? Buffer.from(value).toString('hex')
      : inspect(value, { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.constructor.name} ${error.name} ${error.code} ${error.message}`;
  }
};
const raw = new Uint8Array(16).map((_, i) => i * 3);
const key = (algorithm, usages, extractable = true, bytes = raw) => subtle.importKey('raw',
  bytes, algorithm, extractable, usages);

module.exports = (async () => {
  for (const name of ['SHA-1', 'sha-256', 'SHA-384', 'SHA-512'])
    await answer(`digest ${name}`, () => subtle.digest(name, raw));
  await answer('digest by object', () => subtle.digest({ name: 'SHA-1' }, new DataView(raw.buffer, 3)));
  await answer('digest MD5', () => subtle.digest('MD5', raw));
  await answer('digest of text', () => subtle.digest('SHA-1', 'x'));
  await answer('digest of nothing', () => subtle.digest());
  await answer('digest alone', () => subtle.digest('SHA-1'));
  await answer('digest of another', () => subtle.digest.call({}, 'SHA-1', raw));

  for (const [name, f] of Object.entries({
    gcm: () => key('AES-GCM', ['encrypt']),
    hmac: () => key({ name: 'HMAC', hash: 'SHA-256' }, ['sign']),
    'hmac object': () => key({ name: 'hmac', hash: { name: 'sha-1' } }, ['verify', 'sign'], false),
    'wrong usage': () => key('AES-GCM', ['sign']),
    'no usage': () => key('AES-GCM', []),
    'unknown usage': () => key('AES-GCM', ['nope']),
    'wrong length': () => key('AES-GCM', ['encrypt'], true, new Uint8Array(5)),
    'no hash': () => key('HMAC', ['sign']),
    'unknown hash': () => key({ name: 'HMAC', hash: 'MD5' }, ['sign']),
    'empty': () => key({ name: 'HMAC', hash: 'SHA-1' }, ['sign'], true, new Uint8Array()),
    'pbkdf2 extractable': () => key('PBKDF2', ['deriveBits'], true),
    pbkdf2: () => key('PBKDF2', ['deriveBits'], false),
    'hkdf usage': () => key('HKDF', ['sign'], false),
    unknown: () => key('NOPE', ['sign'], false),
    pkcs8: () => subtle.importKey('pkcs8', raw, 'AES-GCM', true, ['encrypt']),
    'unknown format': () => subtle.importKey('nope', raw, 'AES-GCM', true, ['encrypt']),
    'hmac length': () => key({ name: 'HMAC', hash: 'SHA-1', length: 100 }, ['sign']),
    jwk: () => subtle.importKey('jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A128GCM', ext: true },
      'AES-GCM', true, ['encrypt']),
    'jwk kty': () => subtle.importKey('jwk', { kty: 'RSA', k: '' }, 'AES-GCM', true, ['encrypt']),
    'jwk alg': () => subtle.importKey('jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A256GCM' },
      'AES-GCM', true, ['encrypt']),
    'jwk ext': () => subtle.importKey('jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', ext: false },
      'AES-GCM', true, ['encrypt']),
    'jwk 5': () => subtle.importKey('jwk', 5, 'AES-GCM', true, ['encrypt']),
  })) await answer(`import ${name}`, f);

  const gcm = await key('AES-GCM', ['encrypt', 'decrypt']);
  const only = await key('AES-GCM', ['encrypt'], false);
  const hmac = await key({ name: 'HMAC', hash: 'SHA-256' }, ['sign', 'verify']);
  for (const format of ['raw', 'jwk', 'spki', 'nope']) {
    await answer(`export ${format}`, () => subtle.exportKey(format, gcm));
    await answer(`export hmac ${format}`, () => subtle.exportKey(format, hmac));
  }

  const iv = raw.slice(0, 12);
  await answer('gcm', () => subtle.encrypt({ name: 'AES-GCM', iv }, gcm, raw));
  await answer('gcm there and back', async () => {
    const options = { name: 'AES-GCM', iv, additionalData: raw, tagLength: 96 };
    return [Buffer.from(await subtle.decrypt(options, gcm, await subtle.encrypt(options, gcm, raw))).equals(raw),
      (await subtle.encrypt(options, gcm, raw)).byteLength];
  });
  await answer('gcm without iv', () => subtle.encrypt({ name: 'AES-GCM' }, gcm, raw));
  await answer('another algorithm', () => subtle.encrypt({ name: 'AES-CBC', iv: raw }, gcm, raw));
  await answer('tagLength', () => subtle.encrypt({ name: 'AES-GCM', iv, tagLength: 5 }, gcm, raw));
  await answer('tampered', () => subtle.decrypt({ name: 'AES-GCM', iv }, gcm, new Uint8Array(40)));
  await answer('too short', () => subtle.decrypt({ name: 'AES-GCM', iv }, gcm, new Uint8Array(5)));
  await answer('not for this', () => subtle.decrypt({ name: 'AES-GCM', iv }, only, raw));
  const cbc = await key('AES-CBC', ['encrypt', 'decrypt']);
  const ctr = await key('AES-CTR', ['encrypt', 'decrypt']);
  await answer('cbc', () => subtle.encrypt({ name: 'AES-CBC', iv: raw }, cbc, raw));
  await answer('cbc back', async () => subtle.decrypt({ name: 'AES-CBC', iv: raw },
    cbc, await subtle.encrypt({ name: 'AES-CBC', iv: raw }, cbc, raw)));
  await answer('cbc iv', () => subtle.encrypt({ name: 'AES-CBC', iv: new Uint8Array(5) }, cbc, raw));
  await answer('cbc padding', () => subtle.decrypt({ name: 'AES-CBC', iv: raw }, cbc, raw));
  const ones = new Uint8Array(16).fill(255);
  for (const length of [undefined, 0, 1, 2, 7, 64, 128]) {
    await answer(`ctr ${length}`,
      () => subtle.encrypt({ name: 'AES-CTR', counter: ones, length }, ctr, new Uint8Array(50)));
  }
  await answer('ctr twice',
    () => subtle.encrypt({ name: 'AES-CTR', counter: ones, length: 1 }, ctr, new Uint8Array(32)));
  await answer('ctr counter',
    () => subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(5), length: 64 }, ctr, raw));
  await answer('sign', () => subtle.sign('HMAC', hmac, raw));
  await answer('verify', async () => [await subtle.verify('HMAC', hmac, await subtle.sign('HMAC', hmac, raw), raw),
    await subtle.verify('HMAC', hmac, raw, raw)]);
  await answer('sign with gcm', () => subtle.sign('AES-GCM', hmac, raw));
  await answer('sign by gcm', () => subtle.sign('HMAC', gcm, raw));
  await answer('sign with 5', () => subtle.sign('HMAC', 5, raw));
  await answer('sign text', () => subtle.sign('HMAC', hmac, 'x'));

  await answer('generate 5', () => subtle.generateKey({ name: 'AES-GCM', length: 5 }, true, ['encrypt']));
  await answer('generate nothing', () => subtle.generateKey({ name: 'AES-GCM' }, true, ['encrypt']));
  await answer('generate hmac', async () => (await subtle.exportKey('raw',
    await subtle.generateKey({ name: 'HMAC', hash: 'SHA-384' }, true, ['sign']))).byteLength);
  await answer('generate 0', () => subtle.generateKey({ name: 'HMAC', hash: 'SHA-1', length: 0 }, true, ['sign']));
  await answer('generate without usage', () => subtle.generateKey({ name: 'HMAC', hash: 'SHA-1' }, true, []));
  await answer('generate with usage', () => subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['sign']));

  const password = await key('PBKDF2', ['deriveBits', 'deriveKey'], false);
  const secret = await key('HKDF', ['deriveBits', 'deriveKey'], false);
  const pbkdf2 = { name: 'PBKDF2', hash: 'SHA-256', salt: raw, iterations: 3 };
  const hkdf = { name: 'HKDF', hash: 'SHA-512', salt: raw, info: raw };
  await answer('pbkdf2', () => subtle.deriveBits(pbkdf2, password, 320));
  await answer('hkdf', () => subtle.deriveBits(hkdf, secret, 1000));
  await answer('no iterations', () => subtle.deriveBits({ ...pbkdf2, iterations: 0 }, password, 128));
  await answer('12 bits', () => subtle.deriveBits(pbkdf2, password, 12));
  await answer('0 bits', () => subtle.deriveBits(pbkdf2, password, 0));
  await answer('null bits', () => subtle.deriveBits(pbkdf2, password, null));
  await answer('no info', () => subtle.deriveBits({ ...hkdf, info: undefined }, secret, 128));
  await answer('no salt', () => subtle.deriveBits({ ...pbkdf2, salt: undefined }, password, 128));
  await answer('derive gcm', async () => subtle.exportKey('raw',
    await subtle.deriveKey(pbkdf2, password, { name: 'AES-GCM', length: 256 }, true, ['encrypt'])));
  await answer('derive hmac', async () => subtle.exportKey('raw',
    await subtle.deriveKey(hkdf, secret, { name: 'HMAC', hash: 'SHA-1' }, true, ['sign'])));
  await answer('wrap', async () => {
    const wrapping = await key('AES-GCM', ['wrapKey', 'unwrapKey']);
    const wrapped = await subtle.wrapKey('raw', hmac, wrapping, { name: 'AES-GCM', iv });
    const back = await subtle.unwrapKey('raw', wrapped, wrapping, { name: 'AES-GCM', iv },
      { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    return [wrapped.byteLength, back.algorithm, back.usages];
  });

  await answer('new CryptoKey', () => new CryptoKey());
  await answer('new SubtleCrypto', () => new SubtleCrypto());
  await answer('new Crypto', () => new Crypto());
  await answer('instances', () => [gcm instanceof CryptoKey, subtle instanceof SubtleCrypto, crypto instanceof Crypto]);
  await answer('names', () => [gcm, subtle, crypto].map((o) => Object.prototype.toString.call(o)).join());
  await answer('types', () => [
    gcm.type, gcm.algorithm, gcm.usages, gcm.extractable, require('util').types.isCryptoKey(gcm),
  ]);
  await answer('too many', () => crypto.getRandomValues(new Uint8Array(65537)));
  await answer('floats', () => crypto.getRandomValues(new Float32Array(1)));
  await answer('DataView', () => crypto.getRandomValues(new DataView(new ArrayBuffer(1))));
  await answer('BigInts', () => crypto.getRandomValues(new BigUint64Array(2)).length);
  return answers;
})();
