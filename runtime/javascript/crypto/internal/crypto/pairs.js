// Keys of pairs for crypto.subtle: RSA, the curves P-256, P-384 and P-521, Ed25519 and X25519. The host has the
// algorithms; here is what the Web Cryptography API (https://w3c.github.io/webcrypto/) says around them.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, DOMException } = kernel;
  const { newCryptoKey, cryptoKeys } = require('internal/crypto/keys');
  const { validateInt32 } = require('internal/validators');
  const { stringify } = JSON;
  const error = (name, text) => new DOMException(text, name);
  const failed = () => error('OperationError', 'The operation failed for an operation-specific reason');
  const badData = (text = 'Invalid keyData') => error('DataError', text);
  const fail = () => { throw failed(); };
  const invalidAccess = (text) => error('InvalidAccessError', text);

  const signing = { public: ['verify'], private: ['sign'] };
  const agreeing = { public: [], private: ['deriveKey', 'deriveBits'] };
  const usages = {
    'RSASSA-PKCS1-v1_5': signing, 'RSA-PSS': signing, ECDSA: signing, Ed25519: signing,
    ECDH: agreeing, X25519: agreeing,
    'RSA-OAEP': { public: ['encrypt', 'wrapKey'], private: ['decrypt', 'unwrapKey'] },
  };
  exports.isPair = (name) => Object.hasOwn(usages, name);
  const isRSA = (name) => name.startsWith('RSA');
  const isEC = (name) => name === 'ECDSA' || name === 'ECDH';
  const checkUsages = (name, given, types) => {
    const allowed = types.flatMap((type) => usages[name][type]);
    if (!given.every((usage) => allowed.includes(usage)))
      throw error('SyntaxError', `Unsupported key usage for a ${name} key`);
  };
  const only = (given, name, type) => [...new Set(given)].filter((usage) => usages[name][type].includes(usage));
  const notEmpty = (given) => {
    if (given.length === 0) throw error('SyntaxError', 'Usages cannot be empty when creating a key.');
  };

  const curves = ['P-256', 'P-384', 'P-521'];
  const checkCurve = (name) => {
    if (!curves.includes(name)) throw error('NotSupportedError', 'Unrecognized namedCurve');
  };
  const own = (bytes) => new Uint8Array(bytes).slice().buffer;
  const run = (name, scheme, ...buffers) => host('pair.do', name, stringify(scheme), ...buffers.map(own));
  // make makes the object of a key.
  const make = (type, der, algorithm, extractable, given) => newCryptoKey(
    { type, der, extractable, algorithm, usages: given });

  const exponentBytes = (n) => {
    const bytes = [];
    for (; n > 0; n = Math.floor(n / 256)) bytes.unshift(n % 256);
    return new Uint8Array(bytes);
  };
  const algorithmOf = ({ name, hash }, { kind, bits, exponent }) => {
    if (isRSA(name)) return {
      name, modulusLength: bits, publicExponent: exponentBytes(exponent), hash: { name: hash.name },
    };
    return isEC(name) ? { name, namedCurve: kind } : { name };
  };

  exports.generateKey = (algorithm, extractable, given) => {
    const { name } = algorithm;
    if (isEC(name)) checkCurve(algorithm.namedCurve);
    checkUsages(name, given, ['public', 'private']);
    let kind = algorithm.namedCurve ?? name;
    if (isRSA(name)) {
      kind = 'RSA';
      const exponent = [...algorithm.publicExponent].reduce((n, byte) => n * 256 + byte, 0);
      if (exponent !== 65537 || algorithm.modulusLength < 1024) throw failed();
      if (algorithm.modulusLength > 4096)
        throw error('NotSupportedError', 'RSA keys that are made here have at most 4096 bits');
    }
    const forPrivate = only(given, name, 'private');
    notEmpty(forPrivate);
    const der = host('pair.generate', kind, (algorithm.modulusLength ?? 0) | 0);
    if (der === undefined) throw failed();
    const made = algorithmOf(algorithm, { kind, bits: algorithm.modulusLength, exponent: 65537 });
    const publicKey = make('public', run('public', {}, der), made, true, only(given, name, 'public'));
    return { publicKey, privateKey: make('private', der, { ...made }, extractable, forPrivate) };
  };

  const jwkAlgorithm = ({ name, hash }) => {
    const size = hash?.name === 'SHA-1' ? '1' : hash?.name.slice(4);
    if (name === 'RSA-OAEP') return size === '1' ? 'RSA-OAEP' : `RSA-OAEP-${size}`;
    if (name === 'RSA-PSS') return `PS${size}`;
    return isRSA(name) ? `RS${size}` : undefined;
  };
  // checkUse checks what a JWK says of how the key may be used.
  exports.checkUse = ({ use, key_ops: allowed }, wanted, given) => {
    if (given.length > 0 && use !== undefined && use !== wanted) throw badData('Invalid JWK "use" Parameter');
    if (allowed === undefined) return;
    if (!Array.isArray(allowed) || new Set(allowed).size < allowed.length ||
      !given.every((usage) => allowed.includes(usage))) {
      throw badData('Invalid JWK "key_ops" Parameter');
    }
  };
  const checkJWK = (jwk, algorithm, extractable, given) => {
    const { name } = algorithm;
    const wanted = isRSA(name) ? 'RSA' : isEC(name) ? 'EC' : 'OKP';
    if (jwk.kty !== wanted) throw badData('Invalid JWK "kty" Parameter');
    exports.checkUse(jwk, name === 'RSA-OAEP' || usages[name] === agreeing ? 'enc' : 'sig', given);
    if (jwk.ext === false && extractable) throw badData('JWK "ext" Parameter and extractable mismatch');
    if (jwk.alg !== undefined) {
      let fits = true;
      if (isRSA(name)) fits = jwk.alg === jwkAlgorithm(algorithm);
      else if (name === 'ECDSA')
        fits = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[algorithm.namedCurve] === jwk.alg;
      else if (name === 'Ed25519') fits = jwk.alg === 'EdDSA' || jwk.alg === 'Ed25519';
      if (!fits) throw badData('JWK "alg" does not match the requested algorithm');
    }
    if (!isRSA(name) && jwk.crv !== (algorithm.namedCurve ?? name))
      throw badData('JWK "crv" Parameter and algorithm name mismatch');
    if (isRSA(name) && jwk.oth !== undefined)
      throw error('NotSupportedError', 'RSA keys with more than two primes are not supported');
  };
  const members = ['kty', 'crv', 'x', 'y', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

  exports.importKey = (format, keyData, algorithm, extractable, given) => {
    const { name } = algorithm;
    if (isEC(name)) checkCurve(algorithm.namedCurve);
    if ((format === 'raw' && isRSA(name)) || !['raw', 'spki', 'pkcs8', 'jwk'].includes(format)) {
      throw error('NotSupportedError', `Unable to import ${name} key with format ${format}`);
    }
    const type = format === 'pkcs8' || (format === 'jwk' && keyData.d !== undefined) ? 'private' : 'public';
    checkUsages(name, given, [type]);
    let info;
    if (format === 'jwk') {
      checkJWK(keyData, algorithm, extractable, given);
      const jwk = {};
      for (const member of members) {
        if (keyData[member] === undefined) continue;
        if (typeof keyData[member] !== 'string') throw badData();
        jwk[member] = keyData[member];
      }
      info = host('pair.fromJWK', stringify(jwk));
    } else {
      info = host('pair.read', format === 'raw' ? algorithm.namedCurve ?? name : format, own(keyData));
    }
    if (info === undefined || info.kind !== (isRSA(name) ? 'RSA' : algorithm.namedCurve ?? name)) throw badData();
    const der = host('attachment');
    if (type === 'private') notEmpty(given);
    return make(type, der, algorithmOf(algorithm, info), extractable, only(given, name, type));
  };

  exports.exportKey = (format, { type, der, algorithm, usages: given }) => {
    const { name } = algorithm;
    if (format === 'jwk') {
      const jwk = host('pair.toJWK', type, own(der));
      const alg = name === 'Ed25519' ? 'Ed25519' : jwkAlgorithm(algorithm);
      return { key_ops: [...given], ext: true, ...jwk, ...(alg === undefined ? undefined : { alg }) };
    }
    if (format === 'raw' && isRSA(name)) throw error('NotSupportedError', `Unable to export a raw ${name} key`);
    if ((format === 'pkcs8') !== (type === 'private'))
      throw invalidAccess(`Unable to export a ${type} key as ${format}`);
    return format === 'raw' ? run('point', {}, der) : own(der);
  };

  const schemeOf = (algorithm, data) => ({ name: data.algorithm.name,
    hash: (algorithm.hash ?? data.algorithm.hash)?.name ?? '', salt: algorithm.saltLength ?? 0 });
  // checkSalt checks the length of RSA-PSS's salt, for which there must be room beside the hash.
  const hashSizes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 };
  const checkSalt = ({ saltLength }, { algorithm: { name, modulusLength, hash } }) => {
    if (name !== 'RSA-PSS') return;
    try {
      validateInt32(saltLength, 'algorithm.saltLength', 0,
        Math.ceil((modulusLength - 1) / 8) - hashSizes[hash.name] - 2);
    } catch (cause) {
      throw Object.defineProperty(failed(), 'cause', { value: cause, writable: true, configurable: true });
    }
  };
  exports.sign = (algorithm, data, bytes) => {
    if (data.type !== 'private') throw invalidAccess('Key must be a private key');
    checkSalt(algorithm, data);
    return run('sign', schemeOf(algorithm, data), data.der, bytes) ?? fail();
  };
  exports.verify = (algorithm, data, signature, bytes) => {
    if (data.type !== 'public') throw invalidAccess('Key must be a public key');
    checkSalt(algorithm, data);
    const answer = run('verify', schemeOf(algorithm, data), data.der, signature, bytes);
    return answer !== undefined && new Uint8Array(answer)[0] === 1;
  };
  exports.crypt = (algorithm, data, bytes, decrypt) => {
    if (data.type !== (decrypt ? 'private' : 'public'))
      throw invalidAccess('The requested operation is not valid for the provided key');
    const label = algorithm.label ?? new Uint8Array();
    return run(decrypt ? 'decrypt' : 'encrypt', schemeOf(algorithm, data), data.der, label, bytes) ?? fail();
  };

  exports.deriveBits = (algorithm, data, length) => {
    const other = cryptoKeys.get(algorithm.public);
    if (other.type !== 'public') throw invalidAccess('algorithm.public must be a public key');
    if (data.type !== 'private') throw invalidAccess('baseKey must be a private key');
    if (usages[other.algorithm.name] !== agreeing) throw invalidAccess('Keys must be ECDH, X25519, or X448 keys');
    if (other.algorithm.name !== data.algorithm.name)
      throw invalidAccess('The public and private keys must be of the same type');
    if (other.algorithm.namedCurve !== data.algorithm.namedCurve) throw invalidAccess('Named curve mismatch');
    const secret = run('agree', {}, data.der, other.der);
    if (secret === undefined) throw failed();
    if (length === null || length === undefined) return secret;
    if (length > secret.byteLength * 8) throw error('OperationError', 'derived bit length is too small');
    const bits = new Uint8Array(secret).slice(0, Math.ceil(length / 8));
    if (length % 8 !== 0) bits[bits.length - 1] &= 0xff << (8 - length % 8);
    return bits.buffer;
  };
})
