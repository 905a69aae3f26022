// KeyObject, for secret keys.
(function (kernel, require, module, exports) {
  'use strict';
  const { slot } = kernel;
  const { define, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = require('internal/errors');
  const {
    validateFunction, validateInteger, validateObject, validateOneOf, validateString,
  } = require('internal/validators');
  const { bytesOf, kinds, later } = require('internal/crypto/bytes');
  const { Buffer } = require('buffer');

  define('ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', TypeError,
    (actual, expected) => `Invalid key object type ${actual}, expected ${expected}.`);
  define('ERR_ILLEGAL_CONSTRUCTOR', TypeError, () => 'Illegal constructor');
  const { ERR_ILLEGAL_CONSTRUCTOR } = require('internal/errors');

  const secrets = slot(); // the bytes of KeyObjects
  // {bytes, extractable, algorithm, usages} of CryptoKeys; or {type, der, ...} of those of pairs
  const cryptoKeys = slot();

  class KeyObject {
    constructor(type, bytes) {
      if (type !== 'secret' && type !== 'public' && type !== 'private') throw ERR_INVALID_ARG_VALUE('type', type);
      if (!(bytes instanceof Uint8Array)) throw ERR_INVALID_ARG_TYPE('handle', 'object', bytes);
      secrets.set(this, bytes.slice());
    }
    static from(key) {
      const data = cryptoKeys.get(key);
      if (data?.bytes === undefined) throw ERR_INVALID_ARG_TYPE('key', 'CryptoKey', key);
      return new SecretKeyObject(data.bytes);
    }
    get type() { return 'secret'; }
    equals(other) {
      const bytes = secrets.get(other);
      if (bytes === undefined) throw ERR_INVALID_ARG_TYPE('otherKeyObject', 'KeyObject', other);
      return Buffer.compare(bytes, secrets.of(this)) === 0;
    }
  }
  Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { configurable: true, value: 'KeyObject' });
  class SecretKeyObject extends KeyObject {
    constructor(bytes) { super('secret', bytes); }
    get symmetricKeySize() { return secrets.of(this).byteLength; }
    export(options = undefined) {
      const bytes = secrets.of(this);
      if (options !== undefined) {
        validateObject(options, 'options');
        validateOneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
        if (options.format === 'jwk') return { kty: 'oct', k: Buffer.from(bytes).toString('base64url') };
      }
      return Buffer.from(bytes);
    }
    toCryptoKey(algorithm, extractable, usages) {
      return require('internal/crypto/webcrypto').importRaw(secrets.of(this), algorithm, extractable, usages);
    }
  }

  class CryptoKey {
    constructor(token = undefined, data = undefined) {
      if (token !== secrets) throw ERR_ILLEGAL_CONSTRUCTOR();
      cryptoKeys.set(this, data);
    }
    get type() { return cryptoKeys.of(this).type ?? 'secret'; }
    get extractable() { return cryptoKeys.of(this).extractable; }
    get algorithm() { return cryptoKeys.of(this).algorithm; }
    get usages() { return cryptoKeys.of(this).usages; }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
      const { inspect } = require('util');
      const { extractable, algorithm, usages } = cryptoKeys.of(this);
      if (depth < 0) return this;
      const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
      return `CryptoKey ${inspect({ type: this.type, extractable, algorithm, usages }, inner)}`;
    }
  }
  Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { configurable: true, value: 'CryptoKey' });
  for (const name of ['type', 'extractable', 'algorithm', 'usages'])
    Object.defineProperty(CryptoKey.prototype, name, { enumerable: true });

  Object.assign(exports, { KeyObject, CryptoKey, cryptoKeys });
  kernel.append(kernel.cloners, (value) => {
    const data = cryptoKeys.get(value);
    return data === undefined ? undefined : exports.newCryptoKey(data);
  });
  exports.newCryptoKey = (data) => new CryptoKey(secrets, data);
  const sameBytes = (a, b) => a === b ||
    (a !== undefined && b !== undefined && Buffer.compare(new Uint8Array(a), new Uint8Array(b)) === 0);
  kernel.cryptoKeys = {
    isKeyObject: (value) => secrets.get(value) !== undefined,
    isCryptoKey: (value) => cryptoKeys.get(value) !== undefined,
    // same reports whether two keys are equal, by equal for what their owners can see.
    same(a, b, equal) {
      if (secrets.get(a) !== undefined || secrets.get(b) !== undefined)
        return sameBytes(secrets.get(a), secrets.get(b));
      const [x, y] = [cryptoKeys.get(a), cryptoKeys.get(b)];
      return x !== undefined && y !== undefined && x.type === y.type && x.extractable === y.extractable &&
        sameBytes(x.bytes, y.bytes) &&
        sameBytes(x.der, y.der) && equal(x.algorithm, y.algorithm) && equal(x.usages, y.usages);
    },
  };
  // secretOf returns the bytes of a KeyObject or a CryptoKey, or undefined.
  exports.secretOf = (key) => secrets.get(key) ?? cryptoKeys.get(key)?.bytes;

  exports.createSecretKey = (key, encoding) => new SecretKeyObject(bytesOf(key, 'key', encoding,
    typeof encoding === 'string' ? ['string', ...kinds] : kinds));

  exports.generateKeySync = (type, options) => {
    validateString(type, 'type');
    validateObject(options, 'options');
    const { length } = options;
    if (type === 'hmac') {
      validateInteger(length, 'options.length', 8, 2 ** 31 - 1);
    } else if (type === 'aes') {
      validateOneOf(length, 'options.length', [128, 192, 256]);
    } else {
      throw ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
    }
    return new SecretKeyObject(require('internal/crypto/random').randomBytes(Math.floor(length / 8)));
  };
  exports.generateKey = (type, options, callback) => {
    validateFunction(callback, 'callback');
    later(callback, null, exports.generateKeySync(type, options));
  };
})
