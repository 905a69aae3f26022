// Hash and Hmac. The state of a hash is a buffer that the host changes.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, slot } = kernel;
  const {
    ERR_CRYPTO_HASH_FINALIZED, ERR_CRYPTO_INVALID_DIGEST, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
  } = require('internal/errors');
  const { validateString, validateUint32 } = require('internal/validators');
  const { bytesOf, dataOf, encoded, encodingOf, errorOf, kinds, view } = require('internal/crypto/bytes');
  const { lazyTransform } = require('internal/lazytransform');
  const { Buffer } = require('buffer');

  // algorithm returns {size, block, any, state} of a hash by its name, or undefined.
  const algorithms = { __proto__: null };
  const algorithm = (name) => {
    if (algorithms[name] === undefined) {
      const state = host('crypto.begin', name);
      if (state === undefined) return undefined;
      const [size, block] = new Int32Array(state, 0, 2);
      algorithms[name] = { size: size < 0 ? ~size : size, block, any: size < 0, state };
    }
    return algorithms[name];
  };
  const begin = (found) => found.state.slice(0);
  const add = (state, bytes) => {
    host('crypto.update', state, bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const sum = (state, size) => new Uint8Array(host('crypto.sum', state, size | 0));
  const digest = (found, bytes) => {
    const state = begin(found);
    add(state, bytes);
    return sum(state, found.size);
  };

  // hmac returns {inner, outer}, the states for a key.
  const hmac = (found, key) => {
    const block = new Uint8Array(found.block);
    block.set(key.byteLength > found.block ? digest(found, key) : key);
    const inner = begin(found);
    const outer = begin(found);
    for (let i = 0; i < block.length; i++) block[i] ^= 0x36;
    add(inner, block);
    for (let i = 0; i < block.length; i++) block[i] ^= 0x36 ^ 0x5c;
    add(outer, block);
    return { inner, outer };
  };
  const finish = (found, { inner, outer }) => {
    const state = outer.slice(0);
    add(state, sum(inner, found.size));
    return sum(state, found.size);
  };
  Object.assign(exports, { algorithm, digest });
  exports.sign = (found, key, ...parts) => {
    const states = hmac(found, key);
    for (const part of parts) add(states.inner, part);
    return finish(found, states);
  };

  const states = slot(); // {found, state, size, finished, result}
  const stateOf = (object) => {
    const s = states.of(object);
    if (s.finished) throw ERR_CRYPTO_HASH_FINALIZED();
    return s;
  };
  const resultOf = (s) => (s.result ??= s.hmac ? finish(s.found, s.hmac) : sum(s.state, s.size));
  const optionsOf = (object) => states.get(object)?.options;

  function Hash(name, options) {
    if (!new.target) return new Hash(name, options);
    const copied = states.get(name);
    if (!copied) validateString(name, 'algorithm');
    const size = typeof options === 'object' && options !== null ? options.outputLength : undefined;
    if (size !== undefined) validateUint32(size, 'options.outputLength');
    const found = copied ? copied.found : algorithm(name);
    if (found === undefined) throw errorOf('Digest method not supported');
    if (size !== undefined && !found.any && size !== found.size) {
      throw errorOf('error:030000B2:digital envelope routines::not XOF or invalid length',
        'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH');
    }
    states.set(this, {
      found, state: copied ? copied.state.slice(0) : begin(found), size: size ?? found.size, options,
    });
  }
  Hash.prototype.copy = function copy(options) {
    stateOf(this);
    return new Hash(this, options);
  };
  Hash.prototype.update = function update(data, encoding) {
    const s = stateOf(this);
    add(s.state, dataOf(data, encoding));
    return this;
  };
  const digestMethod = function digest(encoding) {
    const s = stateOf(this);
    encoding = encoding && `${encoding}`; // which may throw
    const result = resultOf(s);
    s.finished = true;
    return encoded(result, encoding);
  };
  Hash.prototype.digest = digestMethod;
  Hash.prototype._transform = function _transform(chunk, encoding, callback) {
    const s = states.of(this);
    add(s.hmac ? s.hmac.inner : s.state, dataOf(chunk, encoding));
    callback();
  };
  Hash.prototype._flush = function _flush(callback) {
    this.push(encoded(resultOf(states.of(this))));
    callback();
  };
  lazyTransform(Hash, optionsOf);

  const keyKinds = ['string', ...kinds, 'KeyObject', 'CryptoKey'];
  function Hmac(name, key, options) {
    if (!new.target) return new Hmac(name, key, options);
    validateString(name, 'hmac');
    const secret = require('internal/crypto/keys').secretOf(key) ?? bytesOf(key, 'key', encodingOf(options), keyKinds);
    const found = algorithm(name);
    if (found === undefined || found.any) throw ERR_CRYPTO_INVALID_DIGEST(name);
    states.set(this, { found, hmac: hmac(found, secret), options });
  }
  Hmac.prototype.update = function update(data, encoding) {
    const s = stateOf(this);
    add(s.hmac.inner, dataOf(data, encoding));
    return this;
  };
  Hmac.prototype.digest = function digest(encoding) {
    const s = states.of(this);
    if (s.finished) return encoded(new Uint8Array(0), encoding);
    return digestMethod.call(this, encoding);
  };
  Hmac.prototype._transform = Hash.prototype._transform;
  Hmac.prototype._flush = Hash.prototype._flush;
  lazyTransform(Hmac, optionsOf);

  exports.Hash = Hash;
  exports.Hmac = Hmac;
  exports.hash = (name, input, encoding = 'hex') => {
    validateString(name, 'algorithm');
    if (typeof input !== 'string' && !ArrayBuffer.isView(input))
      throw ERR_INVALID_ARG_TYPE('input', ['string', 'Buffer', 'TypedArray', 'DataView'], input);
    if (encoding !== 'buffer' && encoding !== 'hex') {
      validateString(encoding, 'outputEncoding');
      if (!Buffer.isEncoding(encoding) && encoding.toLowerCase() !== 'buffer')
        throw ERR_INVALID_ARG_VALUE('outputEncoding', encoding);
    }
    const found = algorithm(name);
    if (found === undefined) throw errorOf(`Digest method ${name} is not supported`);
    return encoded(digest(found, typeof input === 'string' ? Buffer.from(input) : view(input)), encoding);
  };
  exports.getHashes = () => host('crypto.hashes').list;
})
