// CompressionStream and DecompressionStream (https://compression.spec.whatwg.org/). What is compressed comes out when
// the input has ended; what is decompressed, as soon as it can.
(function (kernel, require, module, exports) {
  'use strict';
  require('stream/web');
  const { host, bytesOf, decorate } = kernel;
  const { hide, of } = require('internal/webstreams/common');
  const { genericTransform } = require('internal/webstreams/transform');
  const { isArrayBuffer } = require('internal/types');
  const { TypeError } = globalThis;
  const ENDED = 1, MORE = 2; // flags of the host's answer

  const formats = { __proto__: null, brotli: 'brotli', deflate: 'zlib', 'deflate-raw': 'raw', gzip: 'gzip' };
  const invalid = (message) => kernel.makeError('TypeError', message, 'ERR_INVALID_ARG_VALUE');
  const formatOf = (name, type, args) => {
    if (args.length === 0) throw invalid(`${type} needs a format`);
    name = `${name}`;
    if (!(name in formats))
      throw invalid(`${type} has no format '${name.slice(0, 100)}', but ${Object.keys(formats).join(', ')}`);
    return formats[name];
  };
  const check = (chunk) => {
    const bytes = bytesOf(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk); // Node takes texts, too
    if (bytes === undefined || !isArrayBuffer(bytes.buffer))
      throw new TypeError('a chunk must be an ArrayBuffer or a view of one');
    return bytes;
  };
  const pieceSize = 65536;
  const give = (controller, bytes) => {
    for (let at = 0; at < bytes.length; at += pieceSize) {
      controller.enqueue(bytes.length <= pieceSize ? bytes : bytes.slice(at, at + pieceSize));
    }
  };

  class CompressionStream {
    constructor(format) {
      const kind = formatOf(format, 'CompressionStream', arguments);
      let chunks = [];
      let size = 0;
      const { readable, writable } = genericTransform((chunk) => {
        const { buffer, offset, length } = check(chunk);
        chunks.push(new Uint8Array(buffer, offset, length).slice());
        size += length;
      }, (controller) => {
        const all = new Uint8Array(size);
        let at = 0;
        for (const chunk of chunks) {
          all.set(chunk, at);
          at += chunk.length;
        }
        chunks = [];
        give(controller, new Uint8Array(kind === 'brotli'
          ? host('zlib.brotli', all.buffer, 0, size, '11 22 0') :
          host('zlib.deflate', kind, all.buffer, 0, size, -1, undefined)));
      });
      hide(this, { kind: 'compression', readable, writable });
    }
    get readable() { return of(this, 'compression').readable; }
    get writable() { return of(this, 'compression').writable; }
  }

  // unbrotli collects what is written, as the host has no states of Brotli. It is decompressed again from the beginning
  // while there is little, and then whenever it has doubled.
  const unbrotli = () => {
    let all = new Uint8Array(0);
    let tried = 0;
    let sent = 0;
    const attempt = (controller, last) => {
      const used = new Uint32Array(1);
      let out;
      try {
        out = new Uint8Array(host('zlib.unbrotli', all.buffer, 0, all.length,
          0x7fffffff, last ? 0 : 1, used.buffer));
      } catch (error) {
        throw new TypeError(error.message);
      }
      give(controller, out.slice(sent));
      sent = out.length;
      if (used[0] < all.length) throw new TypeError('there is data after the end of the compressed data');
    };
    return genericTransform((chunk, controller) => {
      const { buffer, offset, length } = check(chunk);
      const longer = new Uint8Array(all.length + length);
      longer.set(all);
      longer.set(new Uint8Array(buffer, offset, length), all.length);
      all = longer;
      if (length === 0 || (all.length > pieceSize && all.length < 2 * tried)) return;
      tried = all.length;
      attempt(controller, false);
    }, (controller) => { attempt(controller, true); });
  };

  class DecompressionStream {
    constructor(format) {
      const kind = formatOf(format, 'DecompressionStream', arguments);
      if (kind === 'brotli') {
        const { readable, writable } = unbrotli();
        hide(this, { kind: 'decompression', readable, writable });
        return;
      }
      const state = host('zlib.begin', kind === 'gzip' ? 'one' : kind);
      const results = new Uint32Array(state, 0, 2); // how many bytes were used, and flags
      let rest = new Uint8Array(0); // what was not used
      const { readable, writable } = genericTransform((chunk, controller) => {
        const { buffer, offset, length } = check(chunk);
        if (length === 0) return;
        if (results[1] & ENDED) throw new TypeError('there is data after the end of the compressed data');
        let bytes = new Uint8Array(buffer, offset, length);
        if (rest.length > 0) {
          const all = new Uint8Array(rest.length + length);
          all.set(rest);
          all.set(bytes, rest.length);
          bytes = all;
        }
        do {
          let out;
          try {
            out = host('zlib.inflatePart', state, bytes.buffer, bytes.byteOffset,
              bytes.byteLength, 16 * pieceSize, undefined);
          } catch (error) {
            throw new TypeError(error.message);
          }
          give(controller, new Uint8Array(out));
          bytes = bytes.subarray(results[0]);
        } while (results[1] & MORE);
        if (results[1] & ENDED && bytes.length > 0)
          throw new TypeError('there is data after the end of the compressed data');
        rest = bytes.slice();
      }, () => {
        if (!(results[1] & ENDED)) throw new TypeError('the compressed data ends too early');
      });
      hide(this, { kind: 'decompression', readable, writable });
    }
    get readable() { return of(this, 'decompression').readable; }
    get writable() { return of(this, 'decompression').writable; }
  }
  for (const type of [CompressionStream, DecompressionStream]) {
    decorate(type.prototype, type.name);
    exports[type.name] = type;
  }
})
