// zlib. The host compresses and decompresses. What is between two parts of a stream is a buffer, which scripts do not
// get.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, slot } = kernel;
  const { Buffer, kMaxLength } = require('buffer');
  const { define, ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
  const { validateFunction, validateUint32 } = require('internal/validators');
  const { isAnyArrayBuffer } = require('internal/types');
  const { lazyTransform } = require('internal/lazytransform');
  const { setImmediate } = require('timers');
  const { nextTick } = require('process');

  define('ERR_BROTLI_INVALID_PARAM', RangeError, (key) => `${key} is not a valid Brotli parameter`);
  define('ERR_ZLIB_INITIALIZATION_FAILED', Error, () => 'Initialization failed');
  define('ERR_BUFFER_TOO_LARGE', RangeError, (most) => `Cannot create a Buffer larger than ${most} bytes`);
  const { ERR_BUFFER_TOO_LARGE, ERR_BROTLI_INVALID_PARAM, ERR_ZLIB_INITIALIZATION_FAILED } = require('internal/errors');

  const constants = {
    Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4,
    Z_BLOCK: 5, Z_OK: 0, Z_STREAM_END: 1,
    Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4,
    Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6,
    Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1,
    Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2,
    Z_RLE: 3, Z_FIXED: 4, Z_DEFAULT_STRATEGY: 0, ZLIB_VERNUM: 4880, DEFLATE: 1, INFLATE: 2,
    GZIP: 3, GUNZIP: 4, DEFLATERAW: 5,
    INFLATERAW: 6, UNZIP: 7, BROTLI_DECODE: 8, BROTLI_ENCODE: 9, Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15,
    Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64, Z_MAX_CHUNK: Infinity, Z_DEFAULT_CHUNK: 16384, Z_MIN_MEMLEVEL: 1,
    Z_MAX_MEMLEVEL: 9, Z_DEFAULT_MEMLEVEL: 8, Z_MIN_LEVEL: -1, Z_MAX_LEVEL: 9, Z_DEFAULT_LEVEL: -1,
  };
  const brotli = {
    BROTLI_OPERATION_PROCESS: 0, BROTLI_OPERATION_FLUSH: 1, BROTLI_OPERATION_FINISH: 2,
    BROTLI_OPERATION_EMIT_METADATA: 3,
    BROTLI_PARAM_MODE: 0, BROTLI_MODE_GENERIC: 0, BROTLI_MODE_TEXT: 1, BROTLI_MODE_FONT: 2, BROTLI_DEFAULT_MODE: 0,
    BROTLI_PARAM_QUALITY: 1, BROTLI_MIN_QUALITY: 0, BROTLI_MAX_QUALITY: 11, BROTLI_DEFAULT_QUALITY: 11,
    BROTLI_PARAM_LGWIN: 2,
    BROTLI_MIN_WINDOW_BITS: 10, BROTLI_MAX_WINDOW_BITS: 24, BROTLI_LARGE_MAX_WINDOW_BITS: 30, BROTLI_DEFAULT_WINDOW: 22,
    BROTLI_PARAM_LGBLOCK: 3, BROTLI_MIN_INPUT_BLOCK_BITS: 16, BROTLI_MAX_INPUT_BLOCK_BITS: 24,
    BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING: 4, BROTLI_PARAM_SIZE_HINT: 5, BROTLI_PARAM_LARGE_WINDOW: 6,
    BROTLI_PARAM_NPOSTFIX: 7, BROTLI_PARAM_NDIRECT: 8, BROTLI_DECODER_RESULT_ERROR: 0, BROTLI_DECODER_RESULT_SUCCESS: 1,
    BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: 2, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: 3,
    BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION: 0, BROTLI_DECODER_PARAM_LARGE_WINDOW: 1,
    BROTLI_DECODER_NO_ERROR: 0,
    BROTLI_DECODER_SUCCESS: 1, BROTLI_DECODER_NEEDS_MORE_INPUT: 2, BROTLI_DECODER_NEEDS_MORE_OUTPUT: 3,
  };
  const brotliErrors = {
    FORMAT_EXUBERANT_NIBBLE: -1, FORMAT_RESERVED: -2, FORMAT_EXUBERANT_META_NIBBLE: -3,
    FORMAT_SIMPLE_HUFFMAN_ALPHABET: -4,
    FORMAT_SIMPLE_HUFFMAN_SAME: -5, FORMAT_CL_SPACE: -6, FORMAT_HUFFMAN_SPACE: -7, FORMAT_CONTEXT_MAP_REPEAT: -8,
    FORMAT_BLOCK_LENGTH_1: -9, FORMAT_BLOCK_LENGTH_2: -10, FORMAT_TRANSFORM: -11,
    FORMAT_DICTIONARY: -12, FORMAT_WINDOW_BITS: -13,
    FORMAT_PADDING_1: -14, FORMAT_PADDING_2: -15, FORMAT_DISTANCE: -16, DICTIONARY_NOT_SET: -19, INVALID_ARGUMENTS: -20,
    ALLOC_CONTEXT_MODES: -21, ALLOC_TREE_GROUPS: -22, ALLOC_CONTEXT_MAP: -25, ALLOC_RING_BUFFER_1: -26,
    ALLOC_RING_BUFFER_2: -27,
    ALLOC_BLOCK_TYPE_TREES: -30, UNREACHABLE: -31,
  };
  for (const name of Object.keys(brotliErrors)) brotli[`BROTLI_DECODER_ERROR_${name}`] = brotliErrors[name];
  Object.assign(constants, brotli);
  const publicConstants = Object.freeze(Object.assign(Object.create(null), constants));
  Object.defineProperty(exports, 'constants', { value: publicConstants, enumerable: true, configurable: true });
  const codes = {};
  for (const name of ['Z_OK', 'Z_STREAM_END', 'Z_NEED_DICT', 'Z_ERRNO', 'Z_STREAM_ERROR',
    'Z_DATA_ERROR', 'Z_MEM_ERROR', 'Z_BUF_ERROR',
    'Z_VERSION_ERROR']) {
    codes[name] = constants[name];
  }
  for (const name of Object.keys(codes)) codes[codes[name]] = name;
  Object.defineProperty(exports, 'codes', { value: Object.freeze(codes), enumerable: true });
  // Node has most of the constants here too, but does not list them.
  for (const name of Object.keys(constants)) {
    if (!/^(BROTLI|DEFLATE|INFLATE|GZIP|GUNZIP|UNZIP)/.test(name))
      Object.defineProperty(exports, name, { value: constants[name] });
  }

  const huffmanOnly = -2; // as Go's level
  const partSize = 128 * 1024; // how much a stream compresses at once, in bytes

  const number = (value, name) => {
    if (value === undefined || Number.isNaN(value)) return false;
    if (typeof value !== 'number') throw ERR_INVALID_ARG_TYPE(name, 'number', value);
    if (!Number.isFinite(value)) throw ERR_OUT_OF_RANGE(name, 'a finite number', value);
    return true;
  };
  const ranged = (value, name, low, high, standard) => {
    if (!number(value, name)) return standard;
    if (value < low || value > high) {
      throw ERR_OUT_OF_RANGE(name, high === Infinity ? `>= ${low}` : `>= ${low} and <= ${high}`, value);
    }
    return value;
  };

  // settings checks options.
  const settings = (options, mode) => {
    options ??= {};
    const { Z_DEFAULT_CHUNK, Z_BLOCK, Z_FINISH } = constants;
    const highest = mode.brotli ? brotli.BROTLI_OPERATION_EMIT_METADATA : Z_BLOCK;
    const s = {
      chunkSize: ranged(options.chunkSize, 'options.chunkSize', 64, Infinity, Z_DEFAULT_CHUNK),
      flush: ranged(options.flush, 'options.flush', 0, highest, 0),
      finishFlush: ranged(options.finishFlush, 'options.finishFlush', 0, highest, mode.finish),
      fullFlush: mode.brotli ? brotli.BROTLI_OPERATION_FLUSH : constants.Z_FULL_FLUSH,
      maxOutputLength: ranged(options.maxOutputLength, 'options.maxOutputLength', 1, kMaxLength, kMaxLength),
    };
    if (mode.brotli) return brotliSettings(options, mode, s);
    if (!(mode.inflates && (options.windowBits == null || options.windowBits === 0))) {
      ranged(options.windowBits, 'options.windowBits', mode.name === 'Gzip' ? 9 : 8, 15, 15);
    }
    s.level = ranged(options.level, 'options.level', -1, 9, -1);
    ranged(options.memLevel, 'options.memLevel', 1, 9, 8);
    s.strategy = ranged(options.strategy, 'options.strategy', 0, 4, 0);
    let { dictionary } = options;
    if (dictionary !== undefined && !ArrayBuffer.isView(dictionary)) {
      if (!isAnyArrayBuffer(dictionary)) {
        throw ERR_INVALID_ARG_TYPE('options.dictionary',
          ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], dictionary);
      }
      dictionary = Buffer.from(dictionary);
    }
    s.preset = dictionary === undefined || mode.format === 'gzip' ? undefined :
      new Uint8Array(dictionary.buffer, dictionary.byteOffset, dictionary.byteLength).slice().buffer;
    return s;
  };

  const brotliSettings = (options, mode, s) => {
    s.params = {};
    const last = mode.inflates ? brotli.BROTLI_DECODER_PARAM_LARGE_WINDOW : brotli.BROTLI_PARAM_NDIRECT;
    for (const key of Object.keys(options.params ?? {})) {
      const index = Number(key);
      if (Number.isNaN(index) || index < 0 || index > brotli.BROTLI_PARAM_NDIRECT ||
        !Number.isInteger(index) || index in s.params) {
        throw ERR_BROTLI_INVALID_PARAM(key);
      }
      const value = options.params[key];
      if (typeof value !== 'number' && typeof value !== 'boolean')
        throw ERR_INVALID_ARG_TYPE('options.params[key]', 'number', value);
      if (index > last) throw ERR_ZLIB_INITIALIZATION_FAILED();
      s.params[index] = value >>> 0;
    }
    if (!mode.inflates && s.params[brotli.BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING] > 1)
      throw ERR_ZLIB_INITIALIZATION_FAILED();
    s.quality = Math.min(s.params[brotli.BROTLI_PARAM_QUALITY] ?? brotli.BROTLI_DEFAULT_QUALITY,
      brotli.BROTLI_MAX_QUALITY);
    s.window = Math.min(s.params[brotli.BROTLI_PARAM_LGWIN] ?? brotli.BROTLI_DEFAULT_WINDOW,
      brotli.BROTLI_MAX_WINDOW_BITS);
    return s;
  };

  const levelOf = (s) => (s.strategy === constants.Z_HUFFMAN_ONLY ? huffmanOnly : s.level) | 0;

  // failed makes the host's error one of zlib.
  const failed = (failure, most) => {
    if (failure.code === 'ERR_BUFFER_TOO_LARGE') return ERR_BUFFER_TOO_LARGE(most);
    const error = new Error(failure.message);
    const { code } = failure;
    error.errno = codes[code] ?? brotliErrors[code?.replace('ERR__ERROR_', '')];
    error.code = code;
    return error;
  };

  // work calls the host, and returns what it gives as a Buffer.
  const work = (s, ...args) => {
    let failure;
    try {
      return Buffer.from(host(...args));
    } catch (error) {
      failure = error;
    }
    throw failed(failure, s.maxOutputLength);
  };

  // convert does the work for whole data.
  const convert = (mode, { buffer, byteOffset, byteLength }, s) => {
    const most = Math.min(Math.floor(s.maxOutputLength), 2 ** 31 - 1) | 0;
    const partial = s.finishFlush !== mode.finish;
    if (mode.inflates) {
      if (mode.brotli) return work(s, 'zlib.unbrotli', buffer, byteOffset, byteLength, most, partial ? 1 : 0);
      return work(s, 'zlib.inflate', partial ? `${mode.format} partial` : mode.format,
        buffer, byteOffset, byteLength, most, s.preset);
    }
    let out;
    if (mode.brotli) {
      out = work(s, 'zlib.brotli', buffer, byteOffset, byteLength, brotliText(s, partial, partial ? [byteLength] : []));
    } else if (partial) {
      const text = `${mode.format} ${levelOf(s)} ${kindOfFlush(s.finishFlush) || 1}`;
      out = work(s, 'zlib.deflatePart', host('zlib.begin'), buffer, byteOffset, byteLength, text, s.preset);
    } else {
      out = work(s, 'zlib.deflate', mode.format, buffer, byteOffset, byteLength, levelOf(s), s.preset);
    }
    if (out.length > s.maxOutputLength) throw ERR_BUFFER_TOO_LARGE(s.maxOutputLength);
    return out;
  };

  const brotliText = (s, open, flushes) => `${s.quality} ${s.window} ${open ? 1 : 0} ${flushes.join(' ')}`;

  // kindOfFlush returns the host's number for a way to flush.
  const kindOfFlush = (flush) => {
    switch (flush) {
      case constants.Z_NO_FLUSH: return 0;
      case constants.Z_FULL_FLUSH: return 2;
      case constants.Z_FINISH: return 3;
      default: return 1;
    }
  };
  const stronger = (a, b) => { // Z_BLOCK is weaker than its number
    const rank = (flush) => (flush === constants.Z_BLOCK ? 0.5 : flush);
    return rank(a) > rank(b) ? a : b;
  };

  const bytesOf = (data, name = 'buffer') => {
    if (typeof data === 'string') return Buffer.from(data);
    if (ArrayBuffer.isView(data)) return data;
    if (isAnyArrayBuffer(data)) return Buffer.from(data);
    throw ERR_INVALID_ARG_TYPE(name,
      ['string', 'Buffer', 'TypedArray', 'DataView', ...(name === 'buffer' ? ['ArrayBuffer'] : [])], data);
  };

  const states = slot(); // of streams: see begun
  const begun = (mode, options) => {
    const s = settings(options, mode);
    return {
      mode, options, s,
      state: undefined, // the host's, from the first part on
      begun: false, // whether its first bytes are out
      ended: false, // whether its last ones are
      waiting: [], // what has been written and not been compressed or decompressed
      size: 0, // of that
      flushes: [], // for Brotli: where it was flushed
      sent: 0, // for Brotli: how much of the output is out
      tried: 0, // for Brotli: the size that was decompressed last
    };
  };

  // Some packages (pngjs) drive a stream by its insides, without waiting: they write all data, and read the output in
  // pieces.
  const writeSync = (stream) => {
    let out; // what has not been read
    return (flush, input, inputAt, inputLength, output, outputAt, outputLength) => {
      const z = states.of(stream);
      if (out === undefined || inputLength > 0) {
        out = convert(z.mode, input.subarray(inputAt, inputAt + inputLength), { ...z.s, finishFlush: flush });
      }
      const size = Math.min(outputLength, out.length);
      output.set(out.subarray(0, size), outputAt);
      out = out.subarray(size);
      z.room = new Uint32Array([outputLength - size, 0]);
    };
  };
  const insides = {
    _chunkSize() { return states.get(this)?.s.chunkSize; },
    _outBuffer() { return Buffer.allocUnsafe(states.of(this).s.chunkSize); },
    _outOffset() { return 0; },
    _writeState() { return states.of(this).room; },
  };

  const kFlush = Symbol('kFlushFlag');
  const kinds = {
    Deflate: ['zlib', false], Inflate: ['zlib', true], Gzip: ['gzip', false], Gunzip: ['gzip', true],
    DeflateRaw: ['raw', false], InflateRaw: ['raw', true], Unzip: ['any', true],
    BrotliCompress: ['brotli', false], BrotliDecompress: ['brotli', true],
  };
  const types = {};
  for (const name of Object.keys(kinds)) {
    const [format, inflates] = kinds[name];
    const mode = {
      name, format, inflates, brotli: format === 'brotli',
      finish: format === 'brotli' ? brotli.BROTLI_OPERATION_FINISH : constants.Z_FINISH,
    };
    const lower = name[0].toLowerCase() + name.slice(1);
    const Type = {
      [name]: function (options) {
        if (!new.target && !(this instanceof Type)) return new Type(options);
        states.set(this, begun(mode, options));
        this.bytesWritten = 0;
        this._handle = { close() {}, reset() {}, writeSync: writeSync(this) };
        begin(this);
      },
    }[name];
    Object.assign(Type.prototype, methods());
    Object.defineProperty(Type.prototype, '_closed', { configurable: true, enumerable: true, get() {
      return !this._handle;
    } });
    Object.defineProperty(Type.prototype, 'bytesRead',
      { configurable: true, enumerable: true, get: bytesRead, set: setBytesRead });
    for (const [key, get] of Object.entries(insides))
      Object.defineProperty(Type.prototype, key, { configurable: true, get });
    if (!mode.brotli) {
      for (const key of ['level', 'strategy']) {
        Object.defineProperty(Type.prototype, `_${key}`, { configurable: true, get() {
          return states.get(this)?.s[key];
        } });
      }
    }
    const begin = lazyTransform(Type, (object) => {
      let options = states.get(object)?.options ?? {};
      if (options.encoding || options.objectMode || options.writableObjectMode) {
        options = { ...options, encoding: null, objectMode: false, writableObjectMode: false };
      }
      const { flush, transform, final, ...others } = options; // other meanings than a stream's
      return { autoDestroy: true, ...others };
    });
    types[name] = Type;
    exports[lower] = {
      [lower]: (data, options, callback) => {
        if (typeof options === 'function') {
          callback = options;
          options = {};
        }
        const s = settings(options, mode);
        validateFunction(callback, 'callback');
        const bytes = bytesOf(data, 'chunk');
        setImmediate(() => {
          let buffer;
          try {
            buffer = convert(mode, bytes, s);
          } catch (error) {
            callback(error);
            return;
          }
          callback(null, options?.info ? { buffer, engine: new Type(options) } : buffer);
        });
      },
    }[lower];
    exports[`${lower}Sync`] = {
      [`${lower}Sync`]: (data, options) => {
        const s = settings(options, mode);
        const buffer = convert(mode, bytesOf(data), s);
        return options?.info ? { buffer, engine: new Type(options) } : buffer;
      },
    }[`${lower}Sync`];
  }
  Object.assign(exports, types);
  for (const name of Object.keys(types)) {
    const create = { [`create${name}`]: function (options) { return new types[name](options); } }[`create${name}`];
    Object.defineProperty(exports, `create${name}`, { enumerable: true, value: create });
  }

  function bytesRead() {
    deprecateBytesRead('zlib.bytesRead is deprecated and will change its meaning in the future. ' +
      'Use zlib.bytesWritten instead.');
    return this.bytesWritten;
  }
  function setBytesRead(value) {
    deprecateBytesRead('Setting zlib.bytesRead is deprecated. This feature will be removed in the future.');
    this.bytesWritten = value;
  }
  const deprecateBytesRead = (text) => require('util').deprecate(() => {}, text, 'DEP0108')();

  // together returns what waits, with the bytes of a chunk behind it.
  const together = (z, chunk) => {
    if (z.waiting.length === 0) return chunk;
    const all = Buffer.concat([...z.waiting, chunk]);
    z.waiting = [];
    z.size = 0;
    return all;
  };
  const wait = (z, bytes) => {
    if (bytes.length === 0) return;
    z.waiting.push(Buffer.from(bytes)); // a copy: the script may use its buffer again
    z.size += bytes.length;
  };

  // pushAll gives an output to the stream's reader in chunks. It is false if the reader has enough.
  const pushAll = (stream, out, size) => {
    let room = true;
    for (let at = 0; at < out.length && stream._handle; at += size) room = stream.push(out.subarray(at, at + size));
    return room;
  };

  // inflatePart decompresses what there is, as far as the reader wants it.
  const inflatePart = (stream, z, bytes, flush, callback) => {
    if (!stream._handle) return callback();
    z.state ??= host('zlib.begin', z.mode.format);
    const { buffer, byteOffset, byteLength } = bytes;
    const most = Math.min(z.s.chunkSize, partSize) | 0;
    const pause = flush === constants.Z_FINISH ? -most : most;
    const out = work(z.s, 'zlib.inflatePart', z.state, buffer, byteOffset, byteLength, pause, z.s.preset);
    const [used, flags] = new Uint32Array(z.state, 0, 2);
    stream.bytesWritten += used;
    const room = pushAll(stream, out, z.s.chunkSize);
    const rest = bytes.subarray(used);
    if (!stream._handle) return callback();
    if (flags & 2) { // there is more
      later(stream, room, callback, () => inflatePart(stream, z, rest, flush, callback));
      return;
    }
    if (flags & 1) {
      if (rest.length > 0) stream.push(null); // something else follows, which nobody wants
    } else {
      wait(z, rest);
    }
    callback();
  };

  // later goes on, when the reader wants more.
  const later = (stream, room, callback, next) => {
    const go = () => {
      try {
        next();
      } catch (error) {
        callback(error);
      }
    };
    if (room) {
      setImmediate(go);
      return;
    }
    const { _read } = stream;
    stream._read = (n) => {
      stream._read = _read;
      setImmediate(go);
      return stream._read(n);
    };
  };

  // deflatePart compresses what there is, if it is much or has to be flushed.
  const deflatePart = (stream, z, chunk, flush, callback) => {
    if (z.ended) return callback();
    z.state ??= host('zlib.begin');
    stream.bytesWritten += chunk.length;
    let kind = kindOfFlush(flush);
    let bytes = chunk;
    if (kind === 0 && z.size + chunk.length < partSize) {
      wait(z, chunk);
      if (z.begun) return callback();
      bytes = Buffer.alloc(0); // what the stream begins with, and nothing else
    } else {
      bytes = together(z, chunk);
      kind ||= 1;
    }
    z.begun = true;
    z.ended = kind === 3;
    const { buffer, byteOffset, byteLength } = bytes;
    const out = work(z.s, 'zlib.deflatePart', z.state, buffer, byteOffset, byteLength,
      `${z.mode.format} ${levelOf(z.s)} ${kind}`, z.s.preset);
    pushAll(stream, out, z.s.chunkSize);
    callback();
  };

  // brotliPart collects what is written: the host has no states of Brotli. To flush, all is done again so far; and what
  // is decompressed is done again whenever it has doubled.
  const brotliPart = (stream, z, chunk, flush, callback) => {
    if (z.ended) return callback();
    stream.bytesWritten += chunk.length;
    wait(z, chunk);
    const { BROTLI_OPERATION_PROCESS, BROTLI_OPERATION_FINISH } = brotli;
    if (flush === BROTLI_OPERATION_PROCESS && !(z.mode.inflates && z.size >= 2 * z.tried)) return callback();
    const done = flush === BROTLI_OPERATION_FINISH;
    z.ended = done;
    z.tried = z.size;
    if (z.waiting.length > 1) z.waiting = [Buffer.concat(z.waiting)];
    const { buffer, byteOffset, byteLength } = z.waiting[0] ?? Buffer.alloc(0);
    let out;
    const used = new Uint32Array([byteLength]);
    if (z.mode.inflates) {
      out = work(z.s, 'zlib.unbrotli', buffer, byteOffset, byteLength, 0x7fffffff, done ? 0 : 1, used.buffer);
    } else {
      if (!done) z.flushes.push(byteLength);
      out = work(z.s, 'zlib.brotli', buffer, byteOffset, byteLength, brotliText(z.s, !done, z.flushes));
    }
    pushAll(stream, out.subarray(z.sent), z.s.chunkSize);
    z.sent = out.length;
    if (used[0] < byteLength) { // something else follows, which nobody wants
      z.ended = true;
      stream.bytesWritten -= byteLength - used[0];
      stream.push(null);
    }
    callback();
  };

  function methods() {
    return {
      _transform(chunk, encoding, callback) {
        const z = states.of(this);
        let { flush } = z.s;
        if (typeof chunk[kFlush] === 'number') flush = chunk[kFlush];
        if (this.writableEnded && this.writableLength === chunk.byteLength) {
          flush = z.mode.brotli ? Math.max(flush, z.s.finishFlush) : stronger(flush, z.s.finishFlush);
        }
        if (!this._handle) {
          nextTick(callback);
          return;
        }
        setImmediate(() => {
          if (!this._handle) return callback();
          try {
            const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
            if (z.mode.brotli) brotliPart(this, z, bytes, flush, callback);
            else if (z.mode.inflates) inflatePart(this, z, together(z, bytes), flush, callback);
            else deflatePart(this, z, bytes, flush, callback);
          } catch (error) {
            this.destroy(error);
          }
        });
      },
      _final(callback) { callback(); },
      _flush(callback) { this._transform(Buffer.alloc(0), '', callback); },
      flush(kind, callback) {
        if (typeof kind === 'function' || (kind === undefined && !callback)) {
          callback = kind;
          kind = states.of(this).s.fullFlush;
        }
        if (this.writableFinished) {
          if (callback) nextTick(callback);
        } else if (this.writableEnded) {
          if (callback) this.once('end', callback);
        } else {
          const mark = Buffer.alloc(0);
          mark[kFlush] = kind;
          this.write(mark, '', callback);
        }
      },
      close(callback) {
        if (callback) require('stream').finished(this, callback);
        this.destroy();
      },
      _destroy(error, callback) {
        this._handle = null;
        Object.assign(states.of(this), { waiting: [], size: 0, state: undefined });
        callback(error);
      },
      params(level, strategy, callback) {
        const { s } = states.of(this);
        const { Z_SYNC_FLUSH } = constants;
        level = ranged(level, 'level', -1, 9, level);
        strategy = ranged(strategy, 'strategy', 0, 4, strategy);
        if (s.level === level && s.strategy === strategy) {
          nextTick(callback);
          return;
        }
        this.flush(Z_SYNC_FLUSH, (error) => {
          if (!this._handle) return;
          s.level = level;
          s.strategy = strategy;
          callback?.(error);
        });
      },
      reset() {
        if (!this._handle) require('assert')(false, 'zlib binding closed');
        Object.assign(states.of(this), {
          waiting: [], size: 0, state: undefined, begun: false, ended: false, flushes: [], sent: 0, tried: 0,
        });
      },
    };
  }

  exports.crc32 = function crc32(data, value = 0) {
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) {
      throw ERR_INVALID_ARG_TYPE('data', ['Buffer', 'TypedArray', 'DataView', 'string'], data);
    }
    validateUint32(value, 'value');
    const { buffer, byteOffset, byteLength } = bytesOf(data);
    return host('zlib.crc32', buffer, byteOffset, byteLength, value | 0) >>> 0;
  };
})
