// Cipheriv and Decipheriv: AES and triple DES.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, slot } = kernel;
  const errors = require('internal/errors');
  const {
    define, ERR_CRYPTO_INVALID_KEYLEN, ERR_CRYPTO_INVALID_STATE, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
  } = errors;
  const { validateInt32, validateObject, validateString } = require('internal/validators');
  const { bytesOf, dataOf, encoded, encodingOf, errorOf, kinds, own } = require('internal/crypto/bytes');
  const { secretOf } = require('internal/crypto/keys');
  const { lazyTransform } = require('internal/lazytransform');
  const { StringDecoder } = require('string_decoder');
  const { deprecate } = require('util');
  const { Buffer } = require('buffer');

  define('ERR_CRYPTO_UNKNOWN_CIPHER', Error, (name) => (name === undefined ? 'Unknown cipher' :
    `Unknown cipher: ${name} is not available here; there are AES (cbc, ctr, ` +
      'ecb, gcm and wrap) and triple DES (des-ede3-cbc and des-ede3)'));
  define('ERR_INTERNAL_ASSERTION', Error, (text) => text);
  define('ERR_CRYPTO_INVALID_IV', TypeError, () => 'Invalid initialization vector');
  define('ERR_CRYPTO_INVALID_AUTH_TAG', TypeError, (length) => `Invalid authentication tag length: ${length}`);
  const {
    ERR_CRYPTO_UNKNOWN_CIPHER, ERR_CRYPTO_INVALID_IV, ERR_CRYPTO_INVALID_AUTH_TAG, ERR_INTERNAL_ASSERTION,
  } = errors;

  // The ciphers, by names in lower case: {name, mode, kind, nid, size of keys, block, iv}. The kind is the host's mode.
  const ciphers = { __proto__: null };
  const names = [];
  const add = (cipher, ...all) => {
    names.push(...all);
    for (const name of all) ciphers[name.toLowerCase()] = cipher;
  };
  const nids = { cbc: [419, 423, 427], ctr: [904, 905, 906], ecb: [418, 422, 426],
    gcm: [895, 898, 901], wrap: [788, 789, 790], pad: [897, 900, 903] };
  [16, 24, 32].forEach((size, i) => {
    const bits = size * 8;
    const aes = (mode, name, block, iv, ...all) =>
      add({ name, mode, kind: mode, nid: nids[mode][i], size, block, iv }, ...all);
    aes('cbc', `aes-${bits}-cbc`, 16, 16, `aes-${bits}-cbc`, `aes${bits}`);
    aes('ctr', `aes-${bits}-ctr`, 1, 16, `aes-${bits}-ctr`);
    aes('ecb', `aes-${bits}-ecb`, 16, 0, `aes-${bits}-ecb`);
    aes('gcm', `id-aes${bits}-gcm`, 1, 12, `aes-${bits}-gcm`, `id-aes${bits}-GCM`);
    aes('wrap', `id-aes${bits}-wrap`, 8, 8, `aes${bits}-wrap`, `id-aes${bits}-wrap`);
    const padded = `id-aes${bits}-wrap-pad`;
    add({ name: padded, mode: 'wrap', kind: 'wrap', nid: nids.pad[i], size, block: 8, iv: 4 }, padded);
  });
  add({ name: 'des-ede3-cbc', mode: 'cbc', kind: 'des-ede3-cbc', nid: 44, size: 24, block: 8, iv: 8 },
    'des-ede3-cbc', 'des3');
  add({ name: 'des-ede3', mode: 'ecb', kind: 'des-ede3', nid: 33, size: 24, block: 8, iv: 0 },
    'des-ede3', 'des-ede3-ecb');
  // that OpenSSL has
  const others = /^(id-)?aes-?(128|192|256)-|^(aria|camellia)-?(128|192|256)|^(chacha20|des|sm4|id-smime)/i;
  const cipherNamed = (name) => {
    const cipher = ciphers[name.toLowerCase()];
    if (cipher !== undefined) return cipher;
    throw ERR_CRYPTO_UNKNOWN_CIPHER(others.test(name) ? name : undefined);
  };
  const fits = (cipher, length) => (cipher.mode === 'gcm' ? length >= 1 && length <= 128 : length === cipher.iv);

  exports.getCiphers = () => names.toSorted();
  exports.getCipherInfo = (nameOrNid, options = undefined) => {
    if (typeof nameOrNid === 'number') validateInt32(nameOrNid, 'nameOrNid');
    else if (typeof nameOrNid !== 'string') throw ERR_INVALID_ARG_TYPE('nameOrNid', ['string', 'number'], nameOrNid);
    if (options !== undefined) validateObject(options, 'options');
    const { keyLength, ivLength } = options ?? {};
    if (keyLength !== undefined) validateInt32(keyLength, 'options.keyLength');
    if (ivLength !== undefined) validateInt32(ivLength, 'options.ivLength');
    const cipher = typeof nameOrNid === 'number' ? Object.values(ciphers).find((c) => c.nid === nameOrNid)
      : ciphers[nameOrNid.toLowerCase()];
    if (cipher === undefined) return undefined;
    if (keyLength !== undefined && keyLength !== cipher.size) return undefined;
    if (ivLength !== undefined && !fits(cipher, ivLength)) return undefined;
    const info = { mode: cipher.mode, name: cipher.name, nid: cipher.nid, blockSize: cipher.block };
    if (cipher.iv > 0) info.ivLength = ivLength ?? cipher.iv;
    info.keyLength = cipher.size;
    return info;
  };

  // open begins a cipher with the host, and convert and finish go on with it. They are also for crypto.subtle.
  exports.open = (mode, decrypt, key, iv) => host('crypto.cipher', mode, decrypt ? 1 : 0, own(key), own(iv));
  const addData = (state, bytes) => {
    host('crypto.add', state, bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const convert = (state, bytes, padded = true) => (
    host('crypto.convert', state, bytes.buffer, bytes.byteOffset, bytes.byteLength, padded ? 1 : 0));
  // wrap is AES-KW, or AES-KWP if the initial value has 4 bytes. It returns undefined if that cannot be.
  const wrap = (decrypt, key, iv, bytes) => host('crypto.wrap', decrypt ? 1 : 0,
    own(key), own(iv), own(bytes));
  const finish = (state, padded = true) => host('crypto.final', state, padded ? 1 : 0);
  const tagOf = (state) => new Uint8Array(host('crypto.tag', state));
  const same = (a, b) => {
    let difference = a.length ^ b.length;
    for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
    return difference === 0;
  };
  Object.assign(exports, { add: addData, convert, finish, tagOf, same, wrap });

  // unsigned is a whole number among the options, or undefined.
  const unsigned = (options, name) => {
    const value = options?.[name] ?? undefined;
    if (value !== undefined && value >>> 0 !== value) throw ERR_INVALID_ARG_VALUE(`options.${name}`, value);
    return value;
  };

  // {mode, decrypt, state, padded, tagSize, tag, begun, done, decoder}; of wrap {key, iv}, not state
  const states = slot();
  const begin = (object, name, key, iv, options, decrypt) => {
    validateString(name, 'cipher');
    const secret = secretOf(key) ??
      bytesOf(key, 'key', encodingOf(options), ['string', ...kinds, 'KeyObject', 'CryptoKey']);
    const vector = iv === null ? new Uint8Array() : bytesOf(iv, 'iv');
    const tagSize = unsigned(options, 'authTagLength');
    const cipher = cipherNamed(name);
    const { mode } = cipher;
    if (!fits(cipher, vector.byteLength)) throw ERR_CRYPTO_INVALID_IV();
    if (secret.byteLength !== cipher.size) throw ERR_CRYPTO_INVALID_KEYLEN();
    if (mode === 'gcm' && tagSize !== undefined && !validTag(tagSize)) throw ERR_CRYPTO_INVALID_AUTH_TAG(tagSize);
    const s = { mode, decrypt, padded: true, tagSize, options };
    if (mode === 'wrap') Object.assign(s, { key: secret.slice(), iv: vector.slice() });
    else s.state = exports.open(cipher.kind, decrypt, secret, vector);
    states.set(object, s);
  };
  const validTag = (size) => size === 4 || size === 8 || (Number.isInteger(size) && size >= 12 && size <= 16);
  exports.validTag = validTag;

  // text returns bytes, or their text in an encoding: characters may be cut in two.
  const text = (s, bytes, encoding, last) => {
    if (!encoding || encoding === 'buffer') return encoded(bytes);
    s.decoder ??= new StringDecoder(encoding);
    const wanted = new StringDecoder(encoding).encoding;
    if (s.decoder.encoding !== wanted) throw ERR_INTERNAL_ASSERTION('Cannot change encoding');
    return last ? s.decoder.end(Buffer.from(bytes)) : s.decoder.write(Buffer.from(bytes));
  };
  const unsupported = () => errorOf('Trying to add data in unsupported state');
  const messages = {
    __proto__: null,
    'wrong final block length': [
      'error:1C80006B:Provider routines::wrong final block length', 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH',
    ],
    'bad decrypt': ['error:1C800064:Provider routines::bad decrypt', 'ERR_OSSL_BAD_DECRYPT'],
  };
  const methods = {
    update(data, inputEncoding, outputEncoding) {
      const s = states.of(this);
      const bytes = dataOf(data, inputEncoding);
      if (s.done) throw unsupported();
      s.begun = true;
      let out;
      if (s.mode === 'wrap') out = bytes.length === 0 ? bytes : wrap(s.decrypt, s.key, s.iv, bytes);
      else out = convert(s.state, bytes, s.padded);
      if (out === undefined) throw unsupported();
      return text(s, out, outputEncoding, false);
    },
    final(outputEncoding) {
      const s = states.of(this);
      if (s.done) throw ERR_CRYPTO_INVALID_STATE('');
      let rest;
      try {
        rest = s.mode === 'wrap' ? new Uint8Array() : finish(s.state, s.padded);
      } catch (error) {
        const known = messages[error.message];
        if (!known) throw error;
        s.done = true;
        throw errorOf(...known);
      }
      s.done = true;
      if (s.mode === 'gcm' && s.decrypt && !(s.tag && same(s.tag, tagOf(s.state).subarray(0, s.tag.length)))) {
        throw errorOf('Unsupported state or unable to authenticate data');
      }
      return text(s, rest, outputEncoding, true);
    },
    setAutoPadding(padded = true) {
      const s = states.of(this);
      if (s.done) throw ERR_CRYPTO_INVALID_STATE(' for operation setAutoPadding');
      s.padded = !!padded;
      return this;
    },
    setAAD(data, options) {
      const s = states.of(this);
      const encoding = encodingOf(options);
      unsigned(options, 'plaintextLength');
      const bytes = bytesOf(data, 'aadbuf', encoding);
      if (s.mode !== 'gcm' || s.begun || s.done) throw ERR_CRYPTO_INVALID_STATE(' for operation setAAD');
      addData(s.state, bytes);
      return this;
    },
    _transform(chunk, encoding, callback) {
      this.push(this.update(chunk, encoding));
      callback();
    },
    _flush(callback) {
      try {
        this.push(this.final());
      } catch (error) {
        callback(error);
        return;
      }
      callback();
    },
  };
  function Cipheriv(name, key, iv, options) {
    if (!new.target) return new Cipheriv(name, key, iv, options);
    begin(this, name, key, iv, options, false);
  }
  function Decipheriv(name, key, iv, options) {
    if (!new.target) return new Decipheriv(name, key, iv, options);
    begin(this, name, key, iv, options, true);
  }
  for (const Type of [Cipheriv, Decipheriv]) {
    Object.assign(Type.prototype, methods);
    lazyTransform(Type, (object) => states.get(object)?.options);
  }
  const warnOfTags = deprecate(() => {},
    'Using AES-GCM authentication tags of less than 128 bits without specifying the authTagLength ' +
    'option when initializing decryption is deprecated.', 'DEP0182');
  Cipheriv.prototype.getAuthTag = function getAuthTag() {
    const s = states.of(this);
    if (s.mode !== 'gcm' || !s.done) throw ERR_CRYPTO_INVALID_STATE(' for operation getAuthTag');
    return encoded(tagOf(s.state).slice(0, s.tagSize ?? 16));
  };
  Decipheriv.prototype.setAuthTag = function setAuthTag(tag, encoding) {
    const s = states.of(this);
    const bytes = bytesOf(tag, 'buffer', encoding);
    if (s.mode !== 'gcm' || s.done || s.tag) throw ERR_CRYPTO_INVALID_STATE(' for operation setAuthTag');
    if (!validTag(bytes.byteLength) || (s.tagSize !== undefined && s.tagSize !== bytes.byteLength)) {
      throw ERR_CRYPTO_INVALID_AUTH_TAG(bytes.byteLength);
    }
    if (s.tagSize === undefined && bytes.byteLength !== 16) warnOfTags();
    s.tag = bytes.slice();
    return this;
  };
  Object.assign(exports, { Cipheriv, Decipheriv });
})
