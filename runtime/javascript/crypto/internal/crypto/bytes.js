// What the parts of crypto share: arguments that are bytes, and errors.
(function (kernel, require, module, exports) {
  'use strict';
  const { Buffer } = require('buffer');
  const errors = require('internal/errors');
  const { define, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = errors;
  const { validateString } = require('internal/validators');
  const { isAnyArrayBuffer } = require('internal/types');
  const { setTimeout } = globalThis;

  define('ERR_CRYPTO_HASH_FINALIZED', Error, () => 'Digest already called');
  define('ERR_CRYPTO_INVALID_DIGEST', TypeError, (name) => `Invalid digest: ${name}`);
  define('ERR_CRYPTO_INVALID_KEYLEN', RangeError, () => 'Invalid key length');
  define('ERR_CRYPTO_INVALID_STATE', Error, (text) => `Invalid state${text}`);

  // errorOf is an error of OpenSSL's, whose text names a library and a reason.
  exports.errorOf = (message, code) => {
    const error = new Error(message);
    const parts = /^error:[0-9A-F]+:(.*)::(.*)$/.exec(message);
    if (parts !== null) Object.assign(error, { library: parts[1], reason: parts[2] });
    if (code !== undefined) error.code = code;
    return error;
  };

  // view is a Uint8Array of the bytes of a view or a buffer. One that is detached has none.
  const view = (value) => {
    if (!ArrayBuffer.isView(value)) return value.detached ? new Uint8Array() : new Uint8Array(value);
    return value.buffer.detached ? new Uint8Array() : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  };
  exports.view = view;
  exports.isBytes = (value) => ArrayBuffer.isView(value) || isAnyArrayBuffer(value);
  // own is an ArrayBuffer with a copy of the bytes.
  exports.own = (value) => view(value).slice().buffer;

  const kinds = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];
  exports.kinds = kinds;
  // bytesOf takes a text too. types are those that the error names.
  exports.bytesOf = (value, name, encoding = undefined, types = ['string', ...kinds]) => {
    if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
    if (!exports.isBytes(value)) throw ERR_INVALID_ARG_TYPE(name, types, value);
    return view(value);
  };

  // encodingOf is the encoding among the options of a constructor, or undefined.
  exports.encodingOf = (options) => {
    const encoding = options?.encoding ?? undefined;
    if (encoding !== undefined) validateString(encoding, 'options.encoding');
    return encoding;
  };

  // dataOf is for update().
  exports.dataOf = (data, encoding) => {
    if (typeof data === 'string') {
      if (typeof encoding === 'string' && encoding.toLowerCase() === 'hex' && data.length % 2 !== 0) {
        throw ERR_INVALID_ARG_VALUE('encoding', encoding, `is invalid for data of length ${data.length}`);
      }
      return Buffer.from(data, Buffer.isEncoding(encoding) ? encoding : 'utf8');
    }
    if (!ArrayBuffer.isView(data))
      throw ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    return view(data);
  };

  // encoded is what a function returns that takes an encoding.
  exports.encoded = (bytes, encoding) => {
    const buffer = Buffer.from(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength);
    return encoding !== 'buffer' && Buffer.isEncoding(encoding) ? buffer.toString(encoding) : buffer;
  };

  exports.later = (callback, ...args) => { setTimeout(() => callback(...args), 0); };
})
