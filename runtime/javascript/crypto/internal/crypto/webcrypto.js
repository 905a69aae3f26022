// crypto.subtle: hashes, HMAC, AES, PBKDF2, HKDF, and the keys of pairs (pairs.js).
(function (kernel, require, module, exports) {
  'use strict';
  const { slot, decorate, DOMException } = kernel;
  const errors = require('internal/errors');
  const { define, ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS, ERR_ILLEGAL_CONSTRUCTOR } = errors;
  const { isBytes, view } = require('internal/crypto/bytes');
  const { algorithm: hashNamed, digest, sign } = require('internal/crypto/hash');
  const { CryptoKey, cryptoKeys, newCryptoKey } = require('internal/crypto/keys');
  const { Buffer } = require('buffer');
  const cipher = () => require('internal/crypto/cipher');
  const kdf = () => require('internal/crypto/kdf');
  const pairs = () => require('internal/crypto/pairs');

  define('ERR_MISSING_OPTION', TypeError, (text) => text);
  const { ERR_MISSING_OPTION, ERR_MISSING_ARGS, ERR_INVALID_ARG_VALUE } = errors;
  const withMessage = (error, message) => {
    error.message = message;
    return error;
  };

  const ordinals = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th'];
  const prefix = (method) => `Failed to execute '${method}' on 'SubtleCrypto'`;
  const need = (method, wanted, got) => {
    if (got >= wanted) return;
    throw withMessage(ERR_MISSING_ARGS('x'),
      `${prefix(method)}: ${wanted} arguments required, but only ${got} present.`);
  };
  const wrong = (method, i, text) => withMessage(ERR_INVALID_ARG_TYPE('x', 'x', 1),
    `${prefix(method)}: ${ordinals[i]} argument ${text}`);
  const bytesArgument = (value, method, i) => {
    if (!isBytes(value)) throw wrong(method, i, 'is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.');
    return view(value);
  };
  // settled is an argument after an algorithm has been read, whose getters may have detached it.
  const settled = (bytes) => (bytes.buffer.detached ? new Uint8Array() : bytes);
  const keyArgument = (value, method, i) => {
    const data = cryptoKeys.get(value);
    if (data === undefined) throw wrong(method, i, 'is not of type CryptoKey.');
    return data;
  };
  const operationFailed = () => new DOMException('The operation failed for an operation-specific reason',
    'OperationError');
  const unrecognized = () => new DOMException('Unrecognized algorithm name', 'NotSupportedError');

  const unknownCurve = (name) => new DOMException(
    `Unrecognized algorithm name: ${name} is not available here; there are Ed25519 and X25519`, 'NotSupportedError');

  // What each operation takes, by the names of the algorithms: {member: kind}, with a question mark for optional ones.
  const params = {
    digest: { 'SHA-1': {}, 'SHA-256': {}, 'SHA-384': {}, 'SHA-512': {} },
    sign: {
      HMAC: {}, 'RSASSA-PKCS1-v1_5': {}, 'RSA-PSS': { saltLength: 'number' }, ECDSA: { hash: 'hash' }, Ed25519: {},
    },
    wrap: { 'AES-KW': {} },
    encrypt: {
      'RSA-OAEP': { 'label?': 'bytes' },
      'AES-CBC': { iv: 'bytes' },
      'AES-CTR': { counter: 'bytes', length: 'number' },
      'AES-GCM': { iv: 'bytes', 'tagLength?': 'number', 'additionalData?': 'bytes' },
    },
    importKey: { HMAC: { hash: 'hash', 'length?': 'number' }, 'AES-CBC': {}, 'AES-CTR': {},
      'AES-GCM': {}, PBKDF2: {}, HKDF: {}, 'AES-KW': {},
      'RSASSA-PKCS1-v1_5': { hash: 'hash' }, 'RSA-PSS': { hash: 'hash' }, 'RSA-OAEP': { hash: 'hash' },
      ECDSA: { namedCurve: 'text' },
      ECDH: { namedCurve: 'text' }, Ed25519: {}, X25519: {},
    },
    generateKey: {
      'AES-KW': { length: 'number' },
      'RSASSA-PKCS1-v1_5': { hash: 'hash', modulusLength: 'number', publicExponent: 'bytes' },
      'RSA-PSS': { hash: 'hash', modulusLength: 'number', publicExponent: 'bytes' },
      'RSA-OAEP': { hash: 'hash', modulusLength: 'number', publicExponent: 'bytes' },
      ECDSA: { namedCurve: 'text' }, ECDH: { namedCurve: 'text' }, Ed25519: {}, X25519: {},
      HMAC: { hash: 'hash', 'length?': 'number' }, 'AES-CBC': { length: 'number' }, 'AES-CTR': { length: 'number' },
      'AES-GCM': { length: 'number' },
    },
    deriveBits: {
      PBKDF2: { hash: 'hash', iterations: 'number', salt: 'bytes' },
      HKDF: { hash: 'hash', info: 'bytes', salt: 'bytes' },
      ECDH: { public: 'key' }, X25519: { public: 'key' },
    },
    keyLength: {
      HMAC: { hash: 'hash', 'length?': 'number' }, 'AES-CBC': { length: 'number' }, 'AES-CTR': { length: 'number' },
      'AES-GCM': { length: 'number' }, 'AES-KW': { length: 'number' }, PBKDF2: {}, HKDF: {},
    },
  };
  const dictionaries = {
    sign: { 'RSA-PSS': 'RsaPssParams', ECDSA: 'EcdsaParams' },
    importKey: { HMAC: 'HmacImportParams', RSA: 'RsaHashedImportParams', ECD: 'EcKeyImportParams' },
    generateKey: {
      HMAC: 'HmacKeyGenParams', AES: 'AesKeyGenParams', RSA: 'RsaHashedKeyGenParams', ECD: 'EcKeyGenParams',
    },
    encrypt: {
      'RSA-OAEP': 'RsaOaepParams', 'AES-CBC': 'AesCbcParams', 'AES-CTR': 'AesCtrParams', 'AES-GCM': 'AesGcmParams',
    },
    deriveBits: { PBKDF2: 'Pbkdf2Params', HKDF: 'HkdfParams', ECDH: 'EcdhKeyDeriveParams',
      X25519: 'EcdhKeyDeriveParams' }, keyLength: { HMAC: 'HmacImportParams', AES: 'AesDerivedKeyParams' },
  };
  const normalize = (value, operation) => {
    const object = typeof value === 'object' && value !== null ? value : { name: value };
    const { name: wanted } = object;
    if (wanted === undefined && object === value) {
      throw ERR_MISSING_OPTION("Failed to normalize algorithm: " +
        "passed algorithm can not be converted to 'Algorithm' because 'name' is required in 'Algorithm'.");
    }
    const given = `${wanted}`.toUpperCase();
    const name = Object.keys(params[operation]).find((n) => n.toUpperCase() === given);
    if (name === undefined) throw given === 'ED448' || given === 'X448' ? unknownCurve(given) : unrecognized();
    const result = { name };
    const dictionary = dictionaries[operation]?.[name] ?? dictionaries[operation]?.[name.slice(0, 3)] ?? 'Algorithm';
    for (const [key, kind] of Object.entries(params[operation][name])) {
      const member = key.replace('?', '');
      const found = object[member];
      const failed = `Failed to normalize algorithm: passed algorithm can not ` +
        `be converted to '${dictionary}' because '${member}'`;
      if (found === undefined) {
        if (key !== member) continue;
        throw ERR_MISSING_OPTION(`${failed} is required in '${dictionary}'.`);
      }
      if (kind === 'hash') {
        result.hash = { name: normalize(found, 'digest').name };
      } else if (kind === 'text') {
        result[member] = `${found}`;
      } else if (kind === 'key') {
        if (cryptoKeys.get(found) === undefined)
          throw withMessage(ERR_INVALID_ARG_TYPE('x', 'x', 1), `${failed} is not of type CryptoKey.`);
        result[member] = found;
      } else if (kind === 'bytes') {
        if (!isBytes(found)) {
          throw withMessage(ERR_INVALID_ARG_TYPE('x', 'x', 1),
            `${failed} is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
        }
        result[member] = view(found).slice();
      } else {
        const number = Number(found);
        if (!Number.isFinite(number) || number < 0 || number > 2 ** 32 - 1) {
          throw withMessage(ERR_INVALID_ARG_TYPE('x', 'x', 1), `${failed} is outside the expected range.`);
        }
        result[member] = Math.trunc(number);
      }
    }
    return result;
  };
  const hashOf = (hash) => hashNamed(hash.name.toLowerCase());

  const allUsages = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey',
    'encapsulateKey', 'encapsulateBits', 'decapsulateKey', 'decapsulateBits'];
  const formats = ['raw', 'pkcs8', 'spki', 'jwk'];
  const usagesOf = (value, method, i) => {
    if (typeof value !== 'object' || value === null || typeof value[Symbol.iterator] !== 'function') {
      throw wrong(method, i, 'can not be converted to sequence.');
    }
    const usages = [...value].map(String);
    usages.forEach((usage, at) => {
      if (!allUsages.includes(usage)) {
        throw withMessage(ERR_INVALID_ARG_VALUE('x', 1), `${prefix(method)}: ${ordinals[i]} argument, ` +
          `index ${at} value '${usage}' is not a valid enum value of type KeyUsage.`);
      }
    });
    return usages;
  };
  const formatOf = (value, method) => {
    if (formats.includes(`${value}`)) return `${value}`;
    throw withMessage(ERR_INVALID_ARG_VALUE('x', 1),
      `${prefix(method)}: 1st argument value '${value}' is not a valid enum value of type KeyFormat.`);
  };
  const usesOf = (name) => {
    if (name === 'HMAC') return ['sign', 'verify'];
    if (name === 'PBKDF2' || name === 'HKDF') return ['deriveKey', 'deriveBits'];
    if (name === 'AES-KW') return ['wrapKey', 'unwrapKey'];
    return ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
  };
  const checkUsages = (name, usages, empty) => {
    const allowed = usesOf(name);
    if (!usages.every((usage) => allowed.includes(usage))) {
      const kind = name === 'HMAC' ? 'an HMAC' : name.startsWith('AES') ? 'an AES' : `a ${name}`;
      throw new DOMException(`Unsupported key usage for ${kind} key`, 'SyntaxError');
    }
    if (usages.length === 0) throw new DOMException(`Usages cannot be empty when ${empty}.`, 'SyntaxError');
  };
  const require1 = (data, algorithm, usage) => {
    if (data.algorithm.name !== algorithm.name)
      throw new DOMException('The requested operation is not valid for the provided key', 'InvalidAccessError');
    if (!data.usages.includes(usage))
      throw new DOMException('The requested operation is not valid for the provided key', 'InvalidAccessError');
  };

  const jwkName = (algorithm, bytes) => (
    algorithm.name === 'HMAC' ? algorithm.hash.name.replace('SHA-', 'HS')
      : `A${bytes.length * 8}${algorithm.name.slice(4)}`);
  const unsupportedFormat = (algorithm, format) => new DOMException(
    `Unable to import ${algorithm.name.startsWith('AES') ? 'AES' : algorithm.name} key with format ${format}`,
      'NotSupportedError');

  const importKey = (format, keyData, algorithm, extractable, usages) => {
    const { name } = algorithm;
    if (pairs().isPair(name)) return pairs().importKey(format, keyData, algorithm, !!extractable, usages);
    const derived = name === 'PBKDF2' || name === 'HKDF';
    if (format === 'pkcs8' || format === 'spki' || (derived && format === 'jwk'))
      throw unsupportedFormat(algorithm, format);
    if (derived) {
      checkUsages(name, usages, 'importing a secret key');
      if (extractable) throw new DOMException(`${name} keys are not extractable`, 'SyntaxError');
    } else {
      const allowed = usesOf(name);
      if (!usages.every((usage) => allowed.includes(usage))) checkUsages(name, usages, '');
    }
    let bytes = keyData;
    if (format === 'jwk') {
      if (!keyData.kty) throw new DOMException('Invalid keyData', 'DataError');
      if (keyData.kty !== 'oct') throw new DOMException('Invalid JWK "kty" Parameter', 'DataError');
      pairs().checkUse(keyData, name === 'HMAC' ? 'sig' : 'enc', usages);
      if (keyData.ext !== undefined && keyData.ext === false && extractable) {
        throw new DOMException('JWK "ext" Parameter and extractable mismatch', 'DataError');
      }
      if (typeof keyData.k !== 'string') throw new DOMException('Invalid keyData', 'DataError');
      bytes = new Uint8Array(Buffer.from(keyData.k, 'base64url'));
    }
    const made = { name };
    if (name === 'HMAC') {
      if (bytes.length === 0 || algorithm.length === 0)
        throw new DOMException('Zero-length key is not supported', 'DataError');
      if (algorithm.length !== undefined && algorithm.length !== bytes.length * 8)
        throw new DOMException('Invalid key length', 'DataError');
      made.hash = algorithm.hash;
      made.length = bytes.length * 8;
    } else if (!derived) {
      if (![16, 24, 32].includes(bytes.length)) throw new DOMException('Invalid key length', 'DataError');
      made.length = bytes.length * 8;
    }
    if (format === 'jwk' && keyData.alg !== undefined && keyData.alg !== jwkName(made, bytes)) {
      throw new DOMException('JWK "alg" does not match the requested algorithm', 'DataError');
    }
    if (usages.length === 0)
      throw new DOMException('Usages cannot be empty when importing a secret key.', 'SyntaxError');
    return newCryptoKey({
      bytes: view(bytes).slice(), extractable: !!extractable, algorithm: made, usages: unique(usages),
    });
  };
  const unique = (usages) => [...new Set(usages)];
  exports.importRaw = (bytes, algorithm, extractable, usages) => (
    importKey('raw', bytes, normalize(algorithm, 'importKey'), extractable, usagesOf(usages, 'importKey', 4)));

  const wrapIV = new Uint8Array(8).fill(0xa6);
  const crypt = (algorithm, data, bytes, decrypt) => {
    const { open, add, convert, finish, tagOf, same, validTag } = cipher();
    const key = data.bytes;
    if (algorithm.name === 'RSA-OAEP') return pairs().crypt(algorithm, data, bytes, decrypt);
    if (algorithm.name === 'AES-KW') {
      const wrapped = cipher().wrap(decrypt, key, wrapIV, bytes);
      if (wrapped === undefined) throw operationFailed();
      return wrapped;
    }
    if (algorithm.name === 'AES-CBC') {
      if (algorithm.iv.length !== 16)
        throw new DOMException('algorithm.iv must contain exactly 16 bytes', 'OperationError');
      const state = open('cbc', decrypt, key, algorithm.iv);
      try {
        const head = convert(state, bytes);
        return joined(head, finish(state));
      } catch {
        throw operationFailed();
      }
    }
    if (algorithm.name === 'AES-CTR') return counted(algorithm, key, bytes);
    const { tagLength = 128, additionalData } = algorithm;
    if (tagLength % 8 !== 0 || !validTag(tagLength / 8))
      throw new DOMException(`${tagLength} is not a valid AES-GCM tag length`, 'OperationError');
    const size = tagLength / 8;
    if (decrypt && bytes.length < size) throw new DOMException('The provided data is too small.', 'OperationError');
    if (algorithm.iv.length === 0) throw operationFailed();
    const state = open('gcm', decrypt, key, algorithm.iv);
    if (additionalData !== undefined) add(state, additionalData);
    if (!decrypt) {
      const out = convert(state, bytes);
      return joined(out, tagOf(state).slice(0, size).buffer);
    }
    const out = convert(state, bytes.subarray(0, bytes.length - size));
    if (!same(tagOf(state).subarray(0, size), bytes.subarray(bytes.length - size))) throw operationFailed();
    return out;
  };
  const joined = (a, b) => {
    const all = new Uint8Array(a.byteLength + b.byteLength);
    all.set(new Uint8Array(a));
    all.set(new Uint8Array(b), a.byteLength);
    return all.buffer;
  };
  // counted is AES-CTR, whose counter is the last bits of the block only: it begins at zero after the largest.
  const counted = ({ counter, length }, key, bytes) => {
    if (counter.length !== 16)
      throw new DOMException('algorithm.counter must contain exactly 16 bytes', 'OperationError');
    if (length < 1 || length > 128)
      throw new DOMException('AES-CTR algorithm.length must be between 1 and 128', 'OperationError');
    const { open, convert } = cipher();
    const mask = (1n << BigInt(length)) - 1n;
    const block = BigInt(`0x${Buffer.from(counter).toString('hex')}`);
    const blocks = BigInt(Math.ceil(bytes.length / 16));
    if (blocks > mask + 1n) throw operationFailed();
    const left = Number((mask + 1n - (block & mask)) < blocks ? mask + 1n - (block & mask) : blocks) * 16;
    const first = convert(open('ctr', false, key, counter), bytes.subarray(0, left));
    if (left >= bytes.length) return first;
    const wrapped = Buffer.from((block & ~mask).toString(16).padStart(32, '0'), 'hex');
    return joined(first, convert(open('ctr', false, key, wrapped), bytes.subarray(left)));
  };

  const deriveBits = (algorithm, data, length) => {
    if (pairs().isPair(algorithm.name)) return pairs().deriveBits(algorithm, data, length);
    if (length === null || length === undefined) throw new DOMException('length cannot be null', 'OperationError');
    if (length % 8 !== 0) throw new DOMException('length must be a multiple of 8', 'OperationError');
    const hash = algorithm.hash.name.toLowerCase();
    if (algorithm.name === 'PBKDF2') {
      if (algorithm.iterations === 0) throw new DOMException('iterations cannot be zero', 'OperationError');
      return kdf().pbkdf2Bytes(hash, data.bytes, algorithm.salt,
        Math.min(algorithm.iterations, 2 ** 31 - 1), length / 8);
    }
    try {
      return kdf().hkdfBytes(hash, data.bytes, algorithm.salt, algorithm.info, length / 8);
    } catch (error) {
      throw error.code === 'ERR_CRYPTO_INVALID_KEYLEN' ? operationFailed() : error;
    }
  };
  const keyLength = (algorithm) => {
    if (algorithm.name === 'HMAC') {
      const length = algorithm.length ?? hashOf(algorithm.hash).block * 8;
      if (length === 0) throw new DOMException('Zero-length key is not supported', 'OperationError');
      return length;
    }
    if (algorithm.name.startsWith('AES')) {
      if (![128, 192, 256].includes(algorithm.length))
        throw new DOMException('AES key length must be 128, 192, or 256 bits', 'OperationError');
      return algorithm.length;
    }
    return null;
  };

  const instances = slot();
  const check = (self) => {
    if (instances.get(self) === undefined) throw ERR_INVALID_THIS('SubtleCrypto');
  };
  // cryptAs does what encrypt and decrypt, which is the name, have in common.
  const cryptAs = (name, algorithm, key, data) => {
    const secret = keyArgument(key, name, 1);
    const bytes = bytesArgument(data, name, 2);
    const normal = normalize(algorithm, 'encrypt');
    require1(secret, normal, name);
    return crypt(normal, secret, settled(bytes), name === 'decrypt');
  };

  class SubtleCrypto {
    constructor(token = undefined) {
      if (token !== instances) throw ERR_ILLEGAL_CONSTRUCTOR();
      instances.set(this, true);
    }
    async digest(algorithm, data) {
      check(this);
      need('digest', 2, arguments.length);
      const bytes = bytesArgument(data, 'digest', 1);
      const hash = hashOf(normalize(algorithm, 'digest'));
      return digest(hash, settled(bytes)).buffer;
    }
    async importKey(format, keyData, algorithm, extractable, usages) {
      check(this);
      need('importKey', 5, arguments.length);
      format = formatOf(format, 'importKey');
      if (format !== 'jwk') keyData = bytesArgument(keyData, 'importKey', 1);
      else if (keyData === null) keyData = {};
      else if (typeof keyData !== 'object') throw wrong('importKey', 1, 'can not be converted to a dictionary');
      usages = usagesOf(usages, 'importKey', 4);
      return importKey(format, keyData, normalize(algorithm, 'importKey'), extractable, usages);
    }
    async exportKey(format, key) {
      check(this);
      need('exportKey', 2, arguments.length);
      format = formatOf(format, 'exportKey');
      const data = keyArgument(key, 'exportKey', 1);
      const { bytes, extractable, algorithm, usages } = data;
      if (!extractable) throw new DOMException('key is not extractable', 'InvalidAccessError');
      if (bytes === undefined) return pairs().exportKey(format, data);
      if (format === 'raw') return bytes.slice().buffer;
      if (format === 'jwk') {
        return { key_ops: [...usages], ext: true, kty: 'oct', k: Buffer.from(bytes).toString('base64url'),
          alg: jwkName(algorithm, bytes) };
      }
      throw new DOMException(`Unable to export a raw ${algorithm.name} secret key`, 'InvalidAccessError');
    }
    async generateKey(algorithm, extractable, usages) {
      check(this);
      need('generateKey', 3, arguments.length);
      const normal = normalize(algorithm, 'generateKey');
      usages = usagesOf(usages, 'generateKey', 2);
      if (pairs().isPair(normal.name)) return pairs().generateKey(normal, !!extractable, usages);
      checkUsages(normal.name, usages.length > 0 ? usages : usesOf(normal.name), 'creating a key');
      const length = normal.name === 'HMAC' && normal.length === 0 ? 0 : keyLength(normal);
      if (length === 0) throw operationFailed();
      checkUsages(normal.name, usages, 'creating a key');
      const made = { name: normal.name };
      if (normal.hash) made.hash = normal.hash;
      made.length = length;
      const bytes = new Uint8Array(require('internal/crypto/random').randomBytes(Math.ceil(length / 8)));
      return newCryptoKey({ bytes, extractable: !!extractable, algorithm: made, usages: unique(usages) });
    }
    async sign(algorithm, key, data) {
      check(this);
      need('sign', 3, arguments.length);
      const secret = keyArgument(key, 'sign', 1);
      const bytes = bytesArgument(data, 'sign', 2);
      const normal = forKey(algorithm, secret, 'sign');
      if (secret.bytes === undefined) return pairs().sign(normal, secret, settled(bytes));
      return sign(hashOf(secret.algorithm.hash), secret.bytes, settled(bytes)).buffer;
    }
    async verify(algorithm, key, given, data) {
      check(this);
      need('verify', 4, arguments.length);
      const secret = keyArgument(key, 'verify', 1);
      const other = bytesArgument(given, 'verify', 2);
      const bytes = bytesArgument(data, 'verify', 3);
      const normal = forKey(algorithm, secret, 'verify');
      if (secret.bytes === undefined) return pairs().verify(normal, secret, settled(other), settled(bytes));
      const made = sign(hashOf(secret.algorithm.hash), secret.bytes, settled(bytes));
      const wanted = settled(other);
      return made.length === wanted.length && cipher().same(made, wanted);
    }
    async encrypt(algorithm, key, data) {
      check(this);
      need('encrypt', 3, arguments.length);
      return cryptAs('encrypt', algorithm, key, data);
    }
    async decrypt(algorithm, key, data) {
      check(this);
      need('decrypt', 3, arguments.length);
      return cryptAs('decrypt', algorithm, key, data);
    }
    async deriveBits(algorithm, key, length = null) {
      check(this);
      need('deriveBits', 2, arguments.length);
      const secret = keyArgument(key, 'deriveBits', 1);
      const normal = normalize(algorithm, 'deriveBits');
      if (!secret.usages.includes('deriveBits'))
        throw new DOMException('baseKey does not have deriveBits usage', 'InvalidAccessError');
      if (secret.algorithm.name !== normal.name) throw new DOMException('Key algorithm mismatch', 'InvalidAccessError');
      return deriveBits(normal, secret, length === null ? null : Number(length) >>> 0);
    }
    async deriveKey(algorithm, key, derived, extractable, usages) {
      check(this);
      need('deriveKey', 5, arguments.length);
      const secret = keyArgument(key, 'deriveKey', 1);
      const normal = normalize(algorithm, 'deriveBits');
      const wanted = normalize(derived, 'importKey');
      const length = keyLength(normalize(derived, 'keyLength'));
      usages = usagesOf(usages, 'deriveKey', 4);
      if (!secret.usages.includes('deriveKey'))
        throw new DOMException('baseKey does not have deriveKey usage', 'InvalidAccessError');
      if (secret.algorithm.name !== normal.name) throw new DOMException('Key algorithm mismatch', 'InvalidAccessError');
      return importKey('raw', new Uint8Array(deriveBits(normal, secret, length)), wanted, extractable, usages);
    }
    async wrapKey(format, key, wrappingKey, wrapAlgorithm) {
      check(this);
      need('wrapKey', 4, arguments.length);
      const wrapping = keyArgument(wrappingKey, 'wrapKey', 2);
      const normal = toWrap(wrapAlgorithm);
      require1(wrapping, normal, 'wrapKey');
      const data = await Reflect.apply(exportMethod, this, [format, key]);
      if (data instanceof ArrayBuffer) return crypt(normal, wrapping, new Uint8Array(data), false);
      const text = JSON.stringify(data);
      const size = normal.name === 'AES-KW' ? Math.ceil(text.length / 8) * 8 : 0;
      return crypt(normal, wrapping, Buffer.from(text.padEnd(size, ' ')), false);
    }
    async unwrapKey(format, wrapped, unwrappingKey, unwrapAlgorithm, algorithm, extractable, usages) {
      check(this);
      need('unwrapKey', 7, arguments.length);
      const bytes = bytesArgument(wrapped, 'unwrapKey', 1);
      const unwrapping = keyArgument(unwrappingKey, 'unwrapKey', 2);
      const normal = toWrap(unwrapAlgorithm);
      require1(unwrapping, normal, 'unwrapKey');
      let data = crypt(normal, unwrapping, bytes, true);
      if (format === 'jwk') {
        try {
          data = JSON.parse(Buffer.from(data).toString());
        } catch {
          throw new DOMException('Invalid wrapped JWK key', 'DataError');
        }
      }
      return Reflect.apply(importMethod, this, [format, data, algorithm, extractable, usages]);
    }
  }
  const { importKey: importMethod, exportKey: exportMethod } = SubtleCrypto.prototype;
  // forKey normalizes an algorithm to sign or verify with a key, which must be one for that.
  const forKey = (algorithm, data, usage) => {
    const normal = normalize(algorithm, 'sign');
    if (data.algorithm.name !== normal.name || !data.usages.includes(usage)) {
      throw new DOMException(`Unable to use this key to ${usage}`, 'InvalidAccessError');
    }
    return normal;
  };
  // toWrap normalizes an algorithm of wrapKey.
  const toWrap = (algorithm) => {
    try {
      return normalize(algorithm, 'wrap');
    } catch {
      return normalize(algorithm, 'encrypt');
    }
  };
  decorate(SubtleCrypto.prototype, 'SubtleCrypto');
  for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype)) {
    if (name === 'constructor') continue;
    const arity = { digest: 2, importKey: 5, exportKey: 2, generateKey: 3, sign: 3,
      verify: 4, encrypt: 3, decrypt: 3, deriveBits: 2, deriveKey: 5 };
    if (arity[name]) Object.defineProperty(SubtleCrypto.prototype[name], 'length', { value: arity[name] });
  }
  exports.subtle = new SubtleCrypto(instances);
  exports.SubtleCrypto = SubtleCrypto;
  exports.CryptoKey = CryptoKey;
})
