// Random bytes and numbers.
(function (kernel, require, module, exports) {
  'use strict';
  const { host } = kernel;
  const { Buffer } = require('buffer');
  const { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
  const { validateBoolean, validateFunction, validateNumber, validateObject } = require('internal/validators');
  const { isBytes, later, view } = require('internal/crypto/bytes');
  const { crypto } = kernel;
  const most = 2 ** 31 - 1;
  const piece = 65536; // what the host gives at a time

  const fill = (bytes) => {
    for (let at = 0; at < bytes.length; at += piece) {
      bytes.set(new Uint8Array(host('crypto.random', Math.min(piece, bytes.length - at) | 0)), at);
    }
  };
  const checkSize = (size, name, limit, offset = 0) => {
    validateNumber(size, name);
    if (Number.isNaN(size) || size > most || size < 0) throw ERR_OUT_OF_RANGE(name, `>= 0 && <= ${most}`, size);
    if (size + offset > limit) throw ERR_OUT_OF_RANGE('size + offset', `<= ${limit}`, size + offset);
    return size >>> 0;
  };
  exports.randomBytes = (size, callback) => {
    size = checkSize(size, 'size', Infinity);
    if (callback !== undefined) validateFunction(callback, 'callback');
    const bytes = Buffer.alloc(size);
    fill(bytes);
    if (callback === undefined) return bytes;
    later(callback, null, bytes);
    return undefined;
  };

  const part = (buffer, offset, size) => {
    if (!isBytes(buffer)) throw ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
    const unit = buffer.BYTES_PER_ELEMENT ?? 1;
    const length = buffer.byteLength;
    if (offset === undefined) {
      offset = 0;
    } else {
      validateNumber(offset, 'offset');
      offset *= unit;
      if (Number.isNaN(offset) || offset > Math.min(length, most) || offset < 0) {
        throw ERR_OUT_OF_RANGE('offset', `>= 0 && <= ${Math.min(length, most)}`, offset);
      }
    }
    if (size === undefined) {
      size = length - offset;
    } else {
      validateNumber(size, 'size');
      size = checkSize(size * unit, 'size', length, offset);
    }
    return view(buffer).subarray(offset, offset + size);
  };
  exports.randomFillSync = (buffer, offset, size) => {
    fill(part(buffer, offset, size));
    return buffer;
  };
  exports.randomFill = (buffer, offset, size, callback) => {
    if (!isBytes(buffer)) throw ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
    if (typeof offset === 'function') {
      callback = offset;
      offset = undefined;
    } else if (typeof size === 'function') {
      callback = size;
      size = undefined;
    }
    validateFunction(callback, 'callback');
    fill(part(buffer, offset, size));
    later(callback, null, buffer);
  };

  const range = 2 ** 48 - 1;
  exports.randomInt = (min, max, callback) => {
    const one = max === undefined || typeof max === 'function';
    if (one) {
      callback = max;
      max = min;
      min = 0;
    }
    if (callback !== undefined) validateFunction(callback, 'callback');
    if (!Number.isSafeInteger(min)) throw ERR_INVALID_ARG_TYPE('min', 'a safe integer', min);
    if (!Number.isSafeInteger(max)) throw ERR_INVALID_ARG_TYPE('max', 'a safe integer', max);
    if (max <= min) throw ERR_OUT_OF_RANGE('max', `greater than the value of "min" (${min})`, max);
    const width = max - min;
    if (!(width <= range)) throw ERR_OUT_OF_RANGE(one ? 'max' : 'max - min', `<= ${range}`, width);
    const limit = 2 ** 48 - (2 ** 48 % width); // beyond it some numbers would be more likely
    let number;
    do {
      number = Buffer.from(host('crypto.random', 6)).readUIntBE(0, 6);
    } while (number >= limit);
    number = min + (number % width);
    if (callback === undefined) return number;
    later(callback, undefined, number);
    return undefined;
  };

  exports.randomUUID = (options) => {
    if (options !== undefined) {
      validateObject(options, 'options');
      if (options.disableEntropyCache !== undefined)
        validateBoolean(options.disableEntropyCache, 'options.disableEntropyCache');
    }
    return crypto.randomUUID();
  };
})
