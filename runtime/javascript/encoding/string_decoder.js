// string_decoder
(function (kernel, require, module, exports) {
  'use strict';
  const { Buffer } = require('buffer');
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS, ERR_UNKNOWN_ENCODING } = require('internal/errors');
  const names = {
    __proto__: null, 'utf-8': 'utf8', utf8: 'utf8', hex: 'hex', ucs2: 'utf16le',
    'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
    latin1: 'latin1', binary: 'latin1', base64: 'base64', base64url: 'base64url', ascii: 'ascii',
  };
  const rest = Symbol('rest');

  // incomplete returns how many bytes at the end of a buffer are the beginning of a character that goes on.
  const incomplete = {
    __proto__: null,
    utf8(bytes) {
      for (let back = 1; back <= 3 && back <= bytes.length; back++) {
        const byte = bytes[bytes.length - back];
        if ((byte & 0xc0) === 0x80) continue;
        const needed = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 && byte < 0xf0
          ? 3 : byte >= 0xc0 && byte < 0xe0 ? 2 : 1;
        if (needed <= back) return 0;
        return back;
      }
      return 0;
    },
    utf16le(bytes, kept) {
      if (bytes.length % 2 === 1) return kept === 2 && bytes.length === 3 ? 3 : 1;
      return (bytes[bytes.length - 1] & 0xfc) === 0xd8 ? 2 : 0;
    },
    base64: (bytes) => bytes.length % 3,
    base64url: (bytes) => bytes.length % 3,
  };

  // whole returns how many bytes a character has that begins with some.
  const whole = (encoding, bytes) => {
    if (bytes.length === 0) return 0;
    if (encoding === 'utf8') return bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    return encoding !== 'utf16le' ? 3 : bytes.length === 1 ? 2 : 4;
  };

  function StringDecoder(encoding) {
    const name = encoding === undefined || encoding === null || encoding === '' ? 'utf8'
      : names[`${encoding}`.toLowerCase()];
    if (name === undefined) throw ERR_UNKNOWN_ENCODING(encoding);
    this.encoding = name;
    this[rest] = Buffer.alloc(0);
  }
  StringDecoder.prototype.write = function write(bytes) {
    if (typeof bytes === 'string') return bytes;
    if (!ArrayBuffer.isView(bytes)) throw ERR_INVALID_ARG_TYPE('buf', ['Buffer', 'TypedArray', 'DataView'], bytes);
    if (this[rest] === undefined) throw ERR_INVALID_THIS('StringDecoder');
    const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const all = this[rest].length > 0 ? Buffer.concat([this[rest], part]) : part;
    const kept = incomplete[this.encoding]?.(all, this[rest].length) ?? 0;
    this[rest] = Buffer.from(all.subarray(all.length - kept));
    return all.toString(this.encoding, 0, all.length - kept);
  };
  StringDecoder.prototype.end = function end(bytes) {
    let text = bytes === undefined ? '' : this.write(bytes);
    const left = this[rest];
    if (left.length > 0) text += left.toString(this.encoding); // an odd byte of UTF-16 is lost
    this[rest] = Buffer.alloc(0);
    return text;
  };
  StringDecoder.prototype.text = function text(bytes, offset) {
    this[rest] = Buffer.alloc(0);
    return this.write(bytes.slice(offset));
  };
  Object.defineProperties(StringDecoder.prototype, {
    lastChar: { configurable: true, enumerable: true, get() { return Buffer.concat([this[rest]], 4); } },
    lastNeed: { configurable: true, enumerable: true, get() { return this.lastTotal - this[rest].length; } },
    lastTotal: { configurable: true, enumerable: true, get() { return whole(this.encoding, this[rest]); } },
  });
  exports.StringDecoder = StringDecoder;
})
