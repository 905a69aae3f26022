// crypto. Its parts are loaded when they are first used.
(function (kernel, require, module, exports) {
  'use strict';
  const { define, unavailable } = require('internal/errors');
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  const { isBytes, kinds, view } = require('internal/crypto/bytes');
  const { crypto } = kernel;

  define('ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', RangeError, () => 'Input buffers must have the same byte length');
  const { ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH } = require('internal/errors');

  // lend makes functions of an internal module functions here.
  const lend = (file, names) => {
    for (const name of names) {
      // also with new, as in Node
      const value = { [name]: function (...args) { return require(file)[name](...args); } }[name];
      Object.defineProperty(exports, name, { value, writable: true, enumerable: true, configurable: true });
    }
  };
  lend('internal/crypto/hash', ['hash', 'getHashes']);
  lend('internal/crypto/random', ['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID']);
  lend('internal/crypto/kdf', ['pbkdf2', 'pbkdf2Sync', 'scrypt', 'scryptSync', 'hkdf', 'hkdfSync']);
  lend('internal/crypto/cipher', ['getCiphers', 'getCipherInfo']);
  lend('internal/crypto/keys', ['createSecretKey', 'generateKey', 'generateKeySync']);
  exports.createHash = function createHash(algorithm, options) {
    return new (require('internal/crypto/hash').Hash)(algorithm, options);
  };
  exports.createHmac = function createHmac(hmac, key, options) {
    return new (require('internal/crypto/hash').Hmac)(hmac, key, options);
  };
  exports.createCipheriv = function createCipheriv(cipher, key, iv, options) {
    return new (require('internal/crypto/cipher').Cipheriv)(cipher, key, iv, options);
  };
  exports.createDecipheriv = function createDecipheriv(cipher, key, iv, options) {
    return new (require('internal/crypto/cipher').Decipheriv)(cipher, key, iv, options);
  };

  const lazy = (name, get) => {
    Object.defineProperty(exports, name, {
      configurable: true, enumerable: true, get,
      set(value) {
        Object.defineProperty(exports, name, { value, writable: true, enumerable: true, configurable: true });
      },
    });
  };
  for (const name of ['Hash', 'Hmac']) lazy(name, () => require('internal/crypto/hash')[name]);
  for (const name of ['Cipheriv', 'Decipheriv']) lazy(name, () => require('internal/crypto/cipher')[name]);
  lazy('KeyObject', () => require('internal/crypto/keys').KeyObject);
  lazy('subtle', () => crypto.subtle);
  exports.webcrypto = crypto;
  exports.getRandomValues = (array) => crypto.getRandomValues(array);
  exports.prng = exports.pseudoRandomBytes = exports.rng = exports.randomBytes;
  for (const name of ['prng', 'pseudoRandomBytes', 'rng']) Object.defineProperty(exports, name, { enumerable: false });

  exports.timingSafeEqual = function timingSafeEqual(a, b) {
    for (const [value, name] of [[a, 'buf1'], [b, 'buf2']]) {
      if (isBytes(value)) continue;
      const error = ERR_INVALID_ARG_TYPE(name, kinds, value);
      error.message = error.message.replace(/ Received .*$/s, '');
      throw error;
    }
    a = view(a);
    b = view(b);
    if (a.length !== b.length) throw ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH();
    let difference = 0;
    for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
    return difference === 0;
  };
  exports.getFips = () => 0;
  exports.setFips = (on) => {
    if (on) throw unavailable('crypto.setFips', 'there is no FIPS mode');
  };
  exports.secureHeapUsed = () => undefined;
  exports.getCurves = () => [];

  const here = 'crypto has hashes, HMAC, random numbers, pbkdf2, scrypt, hkdf, ' +
    'AES (cbc, ctr, ecb, gcm and wrap), triple DES and secret keys';
  // absent is a function that throws, which can also be called with new.
  const absent = (name, path, what) => ({ [name]: function () { throw unavailable(path, `${what}; ${here}`); } })[name];
  for (const [names, what] of [
    ['createSign createVerify sign verify Sign Verify publicEncrypt publicDecrypt ' +
      'privateEncrypt privateDecrypt createPublicKey ' +
      'createPrivateKey generateKeyPair generateKeyPairSync', 'there are no public and private keys'],
    ['createDiffieHellman createDiffieHellmanGroup getDiffieHellman createECDH ' +
      'diffieHellman DiffieHellman DiffieHellmanGroup ECDH',
      'there is no key exchange'],
    ['checkPrime checkPrimeSync generatePrime generatePrimeSync', 'there are no primes'],
    ['createCipher createDecipher Cipher Decipher', 'use createCipheriv and createDecipheriv'],
    ['Certificate X509Certificate', 'there are no certificates'],
    ['setEngine', 'there are no engines'],
  ]) {
    for (const name of names.split(' ')) {
      exports[name] = absent(name, `crypto.${name}`, what);
    }
  }
  for (const [type, names] of [
    ['ECDH', 'convertKey'], ['Certificate', 'exportChallenge exportPublicKey verifySpkac'],
  ]) {
    const what = type === 'ECDH' ? 'there is no key exchange' : 'there are no certificates';
    for (const name of names.split(' ')) exports[type][name] = absent(name, `crypto.${type}.${name}`, what);
  }
  exports.constants = Object.freeze({
    __proto__: null, RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_PKCS1_PSS_PADDING: 6,
    RSA_PSS_SALTLEN_DIGEST: -1, RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2, POINT_CONVERSION_COMPRESSED: 2,
    POINT_CONVERSION_UNCOMPRESSED: 4, POINT_CONVERSION_HYBRID: 6,
  });
})
