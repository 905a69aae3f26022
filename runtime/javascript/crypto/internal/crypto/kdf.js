// Keys from passwords and from other keys.
(function (kernel, require, module, exports) {
  'use strict';
  const { host } = kernel;
  const errors = require('internal/errors');
  const { define } = errors;
  const {
    validateFunction, validateInt32, validateInteger, validateString, validateUint32,
  } = require('internal/validators');
  const { bytesOf, encoded, later, own } = require('internal/crypto/bytes');
  const { algorithm, sign } = require('internal/crypto/hash');
  const { secretOf } = require('internal/crypto/keys');

  define('ERR_CRYPTO_INVALID_SCRYPT_PARAMS', RangeError, (text = '') => `Invalid scrypt params${text}`);
  define('ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', Error, () => 'Invalid scrypt parameter');
  const { ERR_CRYPTO_INVALID_DIGEST, ERR_CRYPTO_INVALID_KEYLEN, ERR_CRYPTO_INVALID_SCRYPT_PARAMS,
    ERR_CRYPTO_SCRYPT_INVALID_PARAMETER,
    ERR_OUT_OF_RANGE } = errors;

  // pbkdf2 and hkdf are also for crypto.subtle; they return ArrayBuffers.
  exports.pbkdf2Bytes = (name, password, salt, iterations, size) => {
    const found = algorithm(name);
    if (found === undefined || found.any) throw ERR_CRYPTO_INVALID_DIGEST(name);
    return host('crypto.pbkdf2', name, own(password), own(salt), iterations | 0, size | 0);
  };
  exports.hkdfBytes = (name, key, salt, info, size) => {
    const found = algorithm(name);
    if (found === undefined || found.any) throw ERR_CRYPTO_INVALID_DIGEST(name);
    if (size > 255 * found.size) throw ERR_CRYPTO_INVALID_KEYLEN();
    const secret = sign(found, salt.byteLength > 0 ? salt : new Uint8Array(found.size), key);
    const out = new Uint8Array(size);
    let last = new Uint8Array(0);
    for (let at = 0, i = 1; at < size; at += last.length, i++) {
      last = sign(found, secret, last, info, new Uint8Array([i]));
      out.set(last.subarray(0, Math.min(last.length, size - at)), at);
    }
    return out.buffer;
  };

  // Each function checks its arguments (check), and computes (make).
  const checkPBKDF2 = (password, salt, iterations, keylen, digest) => {
    validateString(digest, 'digest');
    password = bytesOf(password, 'password');
    salt = bytesOf(salt, 'salt');
    validateInt32(iterations, 'iterations', 1);
    validateInt32(keylen, 'keylen', 0);
    return [digest, password, salt, iterations, keylen];
  };
  const makePBKDF2 = (args) => encoded(exports.pbkdf2Bytes(...args));
  exports.pbkdf2Sync = (...args) => makePBKDF2(checkPBKDF2(...args));
  exports.pbkdf2 = (password, salt, iterations, keylen, digest, callback) => {
    if (typeof digest === 'function') {
      callback = digest;
      digest = undefined;
    }
    const args = checkPBKDF2(password, salt, iterations, keylen, digest);
    validateFunction(callback, 'callback');
    later(callback, null, makePBKDF2(args));
  };

  const option = (options, name, other, standard) => {
    if (options[name] !== undefined && options[other] !== undefined) throw ERR_CRYPTO_SCRYPT_INVALID_PARAMETER();
    const value = options[name] ?? options[other];
    if (value === undefined) return standard;
    validateUint32(value, options[name] !== undefined ? name : other);
    return value === 0 ? standard : value;
  };
  exports.scryptSync = (password, salt, keylen, options = {}) => {
    password = bytesOf(password, 'password');
    salt = bytesOf(salt, 'salt');
    validateInt32(keylen, 'keylen', 0);
    options ??= {};
    const N = option(options, 'N', 'cost', 16384);
    const r = option(options, 'r', 'blockSize', 8);
    const p = option(options, 'p', 'parallelization', 1);
    let maxmem = options.maxmem ?? 0;
    validateInteger(maxmem, 'maxmem', 0);
    if (maxmem === 0) maxmem = 32 * 1024 * 1024;
    if (N < 2 || (N & (N - 1)) !== 0) throw ERR_CRYPTO_INVALID_SCRYPT_PARAMS();
    let key;
    try {
      key = host('crypto.scrypt', own(password), own(salt), `${N} ${r} ${p} ${maxmem}`, keylen | 0);
    } catch {
      throw ERR_CRYPTO_INVALID_SCRYPT_PARAMS(': error:030000AC:digital envelope routines::memory limit exceeded');
    }
    return encoded(key);
  };
  exports.scrypt = (password, salt, keylen, options, callback) => {
    if (callback === undefined) {
      callback = options;
      options = {};
    }
    validateFunction(callback, 'callback');
    later(callback, null, exports.scryptSync(password, salt, keylen, options));
  };

  const kinds = ['ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'];
  const checkHKDF = (digest, key, salt, info, length) => {
    validateString(digest, 'digest');
    key = secretOf(key) ?? bytesOf(key, 'ikm', undefined, ['string', 'SecretKeyObject', ...kinds]);
    salt = bytesOf(salt, 'salt', undefined, ['string', ...kinds]);
    info = bytesOf(info, 'info', undefined, ['string', ...kinds]);
    validateInteger(length, 'length', 0, 2 ** 31 - 1);
    if (info.byteLength > 1024)
      throw ERR_OUT_OF_RANGE('info', 'must not contain more than 1024 bytes', info.byteLength);
    return [digest, key, salt, info, length];
  };
  exports.hkdfSync = (...args) => exports.hkdfBytes(...checkHKDF(...args));
  exports.hkdf = (digest, key, salt, info, length, callback) => {
    const args = checkHKDF(digest, key, salt, info, length);
    validateFunction(callback, 'callback');
    later(callback, null, exports.hkdfBytes(...args));
  };
})
