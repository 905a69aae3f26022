// Readable.
(function (kernel, require, module) {
  'use strict';
  const { EventEmitter } = require('events');
  const { Buffer } = require('buffer');
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const { Stream, nextTick, nop, fail, inherit, toChunk } = base;
  const { validateAbortSignal, validateObject } = require('internal/validators');

  const paused = Symbol('kPaused');
  const maxLimit = 0x40000000;

  function ReadableState(options, stream, isDuplex) {
    this.objectMode = !!(options?.objectMode || (isDuplex && options?.readableObjectMode));
    this.highWaterMark = base.highWaterMark(this, options, 'readable', isDuplex);
    this.buffer = [];
    this.length = 0;
    this.pipes = [];
    this.flowing = null;
    this.ended = false;
    this.endEmitted = false;
    this.reading = false;
    this.constructed = true;
    this.sync = true;
    this.needReadable = false;
    this.emittedReadable = false;
    this.readableListening = false;
    this.resumeScheduled = false;
    this[paused] = null;
    this.errorEmitted = false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.destroyed = false;
    this.errored = null;
    this.closed = false;
    this.closeEmitted = false;
    this.defaultEncoding = base.defaultEncoding(options);
    this.awaitDrainWriters = null; // one, or a set of some: programs look at it
    this.readingMore = false;
    this.dataEmitted = false;
    this.decoder = null;
    this.encoding = null;
    if (options?.encoding) setEncoding(this, options.encoding);
  }
  const setEncoding = (state, encoding) => {
    const { StringDecoder } = require('string_decoder');
    state.decoder = new StringDecoder(encoding);
    state.encoding = state.decoder.encoding;
  };

  function Readable(options) {
    if (!(this instanceof Readable)) return new Readable(options);
    this._readableState = new ReadableState(options, this, Readable.isDuplex(this));
    if (options) {
      if (typeof options.read === 'function') this._read = options.read;
      if (typeof options.destroy === 'function') this._destroy = options.destroy;
      if (typeof options.construct === 'function') this._construct = options.construct;
      if (options.signal && !Readable.isDuplex(this))
        require('internal/stream/end').addAbortSignal(options.signal, this);
    }
    Stream.call(this, options);
    base.construct(this, () => {
      if (this._readableState.needReadable) readMore(this, this._readableState);
    });
  }
  inherit(Readable, Stream);
  Readable.isDuplex = () => false; // internal/stream/duplex sets it
  Object.defineProperty(Readable, 'isDuplex', { enumerable: false });
  Readable.ReadableState = ReadableState;
  const { prototype } = Readable;

  prototype.destroy = base.destroy;
  prototype._undestroy = base.undestroy;
  prototype._destroy = function (error, callback) { callback(error); };
  prototype[EventEmitter.captureRejectionSymbol] = function (error) { this.destroy(error); };
  prototype._read = function () { throw errors.ERR_METHOD_NOT_IMPLEMENTED('_read()'); };

  prototype.push = function (chunk, encoding) { return add(this, chunk, encoding, false); };
  prototype.unshift = function (chunk, encoding) { return add(this, chunk, encoding, true); };

  const add = (stream, chunk, encoding, atFront) => {
    const state = stream._readableState;
    if (chunk === null) {
      state.reading = false;
      onEnd(stream, state);
      return false;
    }
    if (!state.objectMode) {
      if (typeof chunk === 'string') {
        encoding ||= state.defaultEncoding;
        if (state.encoding !== encoding) {
          chunk = Buffer.from(chunk, encoding);
          encoding = '';
          if (atFront && state.encoding) chunk = chunk.toString(state.encoding);
        }
      } else {
        const bytes = toChunk(chunk);
        if (bytes === undefined && chunk !== undefined) {
          fail(stream, errors.ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk));
          return false;
        }
        chunk = bytes;
        encoding = '';
      }
    }
    if (state.objectMode || chunk?.length > 0) {
      if (atFront) {
        if (state.endEmitted) fail(stream, errors.ERR_STREAM_UNSHIFT_AFTER_END_EVENT());
        else if (state.destroyed || state.errored) return false;
        else addChunk(stream, state, chunk, true);
      } else if (state.ended) {
        fail(stream, errors.ERR_STREAM_PUSH_AFTER_EOF());
      } else if (state.destroyed || state.errored) {
        return false;
      } else {
        state.reading = false;
        if (state.decoder && !encoding) chunk = state.decoder.write(chunk);
        if (state.objectMode || chunk.length > 0) addChunk(stream, state, chunk, false);
        else readMore(stream, state);
      }
    } else if (!atFront) {
      state.reading = false;
      readMore(stream, state);
    }
    return !state.ended && (state.length < state.highWaterMark || state.length === 0);
  };

  // Writers that wait for 'drain'.
  const waits = (state) => (state.awaitDrainWriters instanceof Set ? state.awaitDrainWriters.size
    : state.awaitDrainWriters ? 1 : 0);
  const waitFor = (state, dest) => {
    if (state.pipes.length === 1) state.awaitDrainWriters = dest;
    else state.awaitDrainWriters.add(dest);
  };

  const addChunk = (stream, state, chunk, atFront) => {
    if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount('data') > 0) {
      state.awaitDrainWriters = state.awaitDrainWriters instanceof Set ? new Set() : null;
      state.dataEmitted = true;
      stream.emit('data', chunk);
    } else {
      state.length += state.objectMode ? 1 : chunk.length;
      if (atFront) state.buffer.unshift(chunk);
      else state.buffer.push(chunk);
      if (state.needReadable) emitReadable(stream);
    }
    readMore(stream, state);
  };

  const onEnd = (stream, state) => {
    if (state.ended) return;
    if (state.decoder) {
      const chunk = state.decoder.end();
      if (chunk?.length > 0) {
        state.buffer.push(chunk);
        state.length += state.objectMode ? 1 : chunk.length;
      }
    }
    state.ended = true;
    if (state.sync) {
      emitReadable(stream);
    } else {
      state.needReadable = false;
      state.emittedReadable = true;
      emitReadableNow(stream);
    }
  };

  const emitReadable = (stream) => {
    const state = stream._readableState;
    state.needReadable = false;
    if (!state.emittedReadable) {
      state.emittedReadable = true;
      nextTick(emitReadableNow, stream);
    }
  };
  const emitReadableNow = (stream) => {
    const state = stream._readableState;
    if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
      stream.emit('readable');
      state.emittedReadable = false;
    }
    state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
    flow(stream);
  };

  // readMore reads ahead, up to the limit.
  const readMore = (stream, state) => {
    if (state.readingMore || !state.constructed) return;
    state.readingMore = true;
    nextTick(() => {
      while (!state.reading && !state.ended &&
        (state.length < state.highWaterMark || (state.flowing && state.length === 0))) {
        const { length } = state;
        stream.read(0);
        if (length === state.length) break;
      }
      state.readingMore = false;
    });
  };

  const howMuch = (n, state) => {
    if (n <= 0 || (state.length === 0 && state.ended)) return 0;
    if (state.objectMode) return 1;
    if (Number.isNaN(n)) return state.flowing && state.length > 0 ? state.buffer[0].length : state.length;
    if (n <= state.length) return n;
    return state.ended ? state.length : 0;
  };

  // take removes n bytes or characters, or one object, from the buffer.
  const take = (n, state) => {
    if (state.length === 0) return null;
    const { buffer } = state;
    if (state.objectMode) return buffer.shift();
    if (n >= state.length) {
      let all;
      if (state.decoder) all = buffer.join('');
      else all = buffer.length === 1 ? buffer[0] : Buffer.concat(buffer, state.length);
      state.buffer = [];
      return all;
    }
    if (n === buffer[0].length) return buffer.shift();
    const parts = [];
    let missing = n;
    let used = 0;
    for (; missing >= buffer[used].length; used++) {
      parts.push(buffer[used]);
      missing -= buffer[used].length;
      if (missing === 0) {
        used++;
        break;
      }
    }
    buffer.splice(0, used);
    if (missing > 0) {
      parts.push(buffer[0].slice(0, missing));
      buffer[0] = buffer[0].slice(missing);
    }
    return state.decoder ? parts.join('') : Buffer.concat(parts, n);
  };

  prototype.read = function (n) {
    const state = this._readableState;
    if (n === undefined) n = NaN;
    else if (!Number.isInteger(n)) n = Number.parseInt(n, 10);
    const wanted = n;
    if (n > state.highWaterMark) {
      if (n > maxLimit) throw errors.ERR_OUT_OF_RANGE('size', '<= 1GiB', n);
      state.highWaterMark = 2 ** Math.ceil(Math.log2(n));
    }
    if (n !== 0) state.emittedReadable = false;
    const enough = state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0;
    if (n === 0 && state.needReadable && (enough || state.ended)) {
      if (state.length === 0 && state.ended) endReadable(this);
      else emitReadable(this);
      return null;
    }
    n = howMuch(n, state);
    if (n === 0 && state.ended) {
      if (state.length === 0) endReadable(this);
      return null;
    }
    const more = state.needReadable || state.length === 0 || state.length - n < state.highWaterMark;
    if (more && !state.ended && !state.reading && !state.destroyed && !state.errored && state.constructed) {
      state.reading = true;
      state.sync = true;
      if (state.length === 0) state.needReadable = true;
      try {
        this._read(state.highWaterMark);
      } catch (error) {
        fail(this, error);
      }
      state.sync = false;
      if (!state.reading) n = howMuch(wanted, state);
    }
    const chunk = n > 0 ? take(n, state) : null;
    if (chunk === null) {
      state.needReadable = state.length <= state.highWaterMark;
      n = 0;
    } else {
      state.length -= n;
      state.awaitDrainWriters = state.awaitDrainWriters instanceof Set ? new Set() : null;
    }
    if (state.length === 0) {
      if (!state.ended) state.needReadable = true;
      if (wanted !== n && state.ended) endReadable(this);
    }
    if (chunk !== null && !state.errored && !state.closeEmitted) {
      state.dataEmitted = true;
      this.emit('data', chunk);
    }
    return chunk;
  };

  const endReadable = (stream) => {
    const state = stream._readableState;
    if (state.endEmitted) return;
    state.ended = true;
    nextTick(() => {
      if (state.errored || state.closeEmitted || state.endEmitted || state.length > 0) return;
      state.endEmitted = true;
      stream.emit('end');
      if (stream.writable && stream.allowHalfOpen === false) {
        nextTick(() => { if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end(); });
      } else if (state.autoDestroy) {
        const w = stream._writableState;
        if (!w || (w.autoDestroy && (w.finished || w.writable === false))) stream.destroy();
      }
    });
  };

  prototype.isPaused = function () {
    return this._readableState[paused] === true || this._readableState.flowing === false;
  };
  prototype.setEncoding = function (encoding) {
    const state = this._readableState;
    setEncoding(state, encoding);
    let content = '';
    for (const chunk of state.buffer) content += state.decoder.write(chunk);
    state.buffer = content === '' ? [] : [content];
    state.length = content.length;
    return this;
  };

  prototype.resume = function () {
    const state = this._readableState;
    if (!state.flowing) {
      state.flowing = !state.readableListening;
      if (!state.resumeScheduled) {
        state.resumeScheduled = true;
        nextTick(() => {
          if (!state.reading) this.read(0);
          state.resumeScheduled = false;
          this.emit('resume');
          flow(this);
          if (state.flowing && !state.reading) this.read(0);
        });
      }
    }
    state[paused] = false;
    return this;
  };
  prototype.pause = function () {
    const state = this._readableState;
    if (state.flowing !== false) {
      state.flowing = false;
      this.emit('pause');
    }
    state[paused] = true;
    return this;
  };
  const flow = (stream) => {
    const state = stream._readableState;
    while (state.flowing && stream.read() !== null);
  };

  prototype.on = function (type, listener) {
    const result = Stream.prototype.on.call(this, type, listener);
    const state = this._readableState;
    if (type === 'data') {
      state.readableListening = this.listenerCount('readable') > 0;
      if (state.flowing !== false) this.resume();
    } else if (type === 'readable' && !state.endEmitted && !state.readableListening) {
      state.readableListening = state.needReadable = true;
      state.flowing = false;
      state.emittedReadable = false;
      if (state.length > 0) emitReadable(this);
      else if (!state.reading) nextTick(() => { this.read(0); });
    }
    return result;
  };
  prototype.addListener = prototype.on;
  const updateListening = (stream) => {
    const state = stream._readableState;
    state.readableListening = stream.listenerCount('readable') > 0;
    if (state.resumeScheduled && state[paused] === false) state.flowing = true;
    else if (stream.listenerCount('data') > 0) stream.resume();
    else if (!state.readableListening) state.flowing = null;
  };
  prototype.removeListener = function (type, listener) {
    const result = Stream.prototype.removeListener.call(this, type, listener);
    if (type === 'readable') nextTick(updateListening, this);
    return result;
  };
  prototype.off = prototype.removeListener;
  prototype.removeAllListeners = function (type) {
    const result = Reflect.apply(Stream.prototype.removeAllListeners, this, arguments);
    if (type === 'readable' || type === undefined) nextTick(updateListening, this);
    return result;
  };

  prototype.pipe = function (dest, options) {
    const source = this;
    const state = this._readableState;
    if (state.pipes.length === 1 && !(state.awaitDrainWriters instanceof Set)) {
      state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
    }
    state.pipes.push(dest);
    const process = require('process');
    const ends = options?.end !== false && dest !== process.stdout && dest !== process.stderr;
    const onEnd = () => { dest.end(); };
    const unpipe = () => { source.unpipe(dest); };
    const whenDone = ends ? onEnd : unpipe;
    if (state.endEmitted) nextTick(whenDone);
    else source.once('end', whenDone);

    let onDrain;
    let cleanedUp = false;
    const onUnpipe = (readable, info) => {
      if (readable !== source || !info || info.hasUnpiped) return;
      info.hasUnpiped = true;
      cleanedUp = true;
      dest.removeListener('close', onClose);
      dest.removeListener('finish', onFinish);
      if (onDrain) dest.removeListener('drain', onDrain);
      dest.removeListener('error', onError);
      dest.removeListener('unpipe', onUnpipe);
      source.removeListener('end', onEnd);
      source.removeListener('end', unpipe);
      source.removeListener('data', onData);
      if (onDrain && waits(state) > 0 && (!dest._writableState || dest._writableState.needDrain)) onDrain();
    };
    dest.on('unpipe', onUnpipe);
    const pause = () => {
      if (!cleanedUp) {
        if (state.pipes.includes(dest)) waitFor(state, dest);
        source.pause();
      }
      if (onDrain) return;
      onDrain = () => {
        if (state.awaitDrainWriters instanceof Set) state.awaitDrainWriters.delete(dest);
        else if (state.awaitDrainWriters === dest) state.awaitDrainWriters = null;
        if (waits(state) === 0 && source.listenerCount('data') > 0) source.resume();
      };
      dest.on('drain', onDrain);
    };
    const onData = (chunk) => { if (dest.write(chunk) === false) pause(); };
    source.on('data', onData);
    const onError = (error) => {
      unpipe();
      dest.removeListener('error', onError);
      if (dest.listenerCount('error') > 0) return;
      const s = dest._writableState ?? dest._readableState;
      if (s && !s.errorEmitted) fail(dest, error);
      else dest.emit('error', error);
    };
    if (typeof dest.prependListener === 'function') dest.prependListener('error', onError);
    else dest.on('error', onError);
    const onClose = () => {
      dest.removeListener('finish', onFinish);
      unpipe();
    };
    const onFinish = () => {
      dest.removeListener('close', onClose);
      unpipe();
    };
    dest.once('close', onClose);
    dest.once('finish', onFinish);
    dest.emit('pipe', source);
    if (dest.writableNeedDrain === true) pause();
    else if (!state.flowing) source.resume();
    return dest;
  };
  prototype.unpipe = function (dest) {
    const { pipes } = this._readableState;
    if (pipes.length === 0) return this;
    if (!dest) {
      this._readableState.pipes = [];
      this.pause();
      for (const each of pipes) each.emit('unpipe', this, { hasUnpiped: false });
      return this;
    }
    const at = pipes.indexOf(dest);
    if (at < 0) return this;
    pipes.splice(at, 1);
    if (pipes.length === 0) this.pause();
    dest.emit('unpipe', this, { hasUnpiped: false });
    return this;
  };

  // wrap reads from a stream of Node's first versions.
  prototype.wrap = function (stream) {
    let stopped = false;
    stream.on('data', (chunk) => {
      if (!this.push(chunk) && stream.pause) {
        stopped = true;
        stream.pause();
      }
    });
    stream.on('end', () => { this.push(null); });
    stream.on('error', (error) => { fail(this, error); });
    stream.on('close', () => { this.destroy(); });
    stream.on('destroy', () => { this.destroy(); });
    this._read = () => {
      if (stopped && stream.resume) {
        stopped = false;
        stream.resume();
      }
    };
    return this;
  };

  const iterate = async function* (stream, options) {
    if (typeof stream.read !== 'function') stream = new Readable({ objectMode: true }).wrap(stream);
    let wake = nop;
    const onReadable = () => {
      wake();
      wake = nop;
    };
    stream.on('readable', onReadable);
    let error;
    const cleanup = require('internal/stream/end').finished(stream, { writable: false }, (failure) => {
      error = failure ? base.aggregate(error, failure) : null;
      onReadable();
    });
    try {
      for (;;) {
        const chunk = stream.destroyed ? null : stream.read();
        if (chunk !== null) yield chunk;
        else if (error) throw error;
        else if (error === null) return;
        else await new Promise((resolve) => { wake = resolve; });
      }
    } catch (failure) {
      error = base.aggregate(error, failure);
      throw error;
    } finally {
      if ((error || options?.destroyOnReturn !== false) && (error === undefined || stream._readableState.autoDestroy)) {
        base.destroyer(stream, null);
      } else {
        stream.off('readable', onReadable);
        cleanup();
      }
    }
  };
  prototype[Symbol.asyncIterator] = function () {
    const iterator = iterate(this);
    iterator.stream = this;
    return iterator;
  };
  prototype.iterator = function (options) {
    if (options !== undefined) validateObject(options, 'options');
    const iterator = iterate(this, options);
    iterator.stream = this;
    return iterator;
  };
  if (Symbol.asyncDispose) {
    prototype[Symbol.asyncDispose] = function () {
      const error = this.destroyed || this.readableEnded ? null : new errors.AbortError();
      if (error) this.destroy(error);
      return new Promise((resolve, reject) => {
        require('internal/stream/end').finished(this,
          (failure) => (failure && failure !== error ? reject(failure) : resolve(null)));
      });
    };
  }

  const ofState = (name, otherwise) => ({ get() {
    return this._readableState ? this._readableState[name] : otherwise;
  } });
  for (const [name, descriptor] of Object.entries({
    readableHighWaterMark: ofState('highWaterMark'),
    readableBuffer: ofState('buffer'),
    readableLength: ofState('length'),
    readableObjectMode: ofState('objectMode', false),
    readableEncoding: ofState('encoding', null),
    readableEnded: ofState('endEmitted', false),
    readableDidRead: ofState('dataEmitted'),
    errored: ofState('errored', null),
    closed: ofState('closed', false),
  })) {
    Object.defineProperty(prototype, name, { ...descriptor, enumerable: false, configurable: true });
  }
  base.getters(prototype, {
    get readable() {
      const r = this._readableState;
      return !!r && r.readable !== false && !r.destroyed && !r.errorEmitted && !r.endEmitted;
    },
    set readable(value) { if (this._readableState) this._readableState.readable = !!value; },
    get readableFlowing() { return this._readableState.flowing; },
    set readableFlowing(value) { if (this._readableState) this._readableState.flowing = value; },
    get readableAborted() {
      const r = this._readableState;
      return !!(r.readable !== false && (r.destroyed || r.errored) && !r.endEmitted);
    },
    get destroyed() { return this._readableState?.destroyed ?? false; },
    set destroyed(value) { if (this._readableState) this._readableState.destroyed = value; },
  });

  // from makes a stream of an iterable. A string or a Buffer is one chunk.
  Readable.from = (iterable, options) => {
    if (typeof iterable === 'string' || iterable instanceof Buffer) {
      return new Readable({
        objectMode: true,
        ...options,
        read() {
          this.push(iterable);
          this.push(null);
        },
      });
    }
    const isAsync = typeof iterable?.[Symbol.asyncIterator] === 'function';
    if (!isAsync && typeof iterable?.[Symbol.iterator] !== 'function') {
      throw errors.ERR_INVALID_ARG_TYPE('iterable', ['Iterable'], iterable);
    }
    const iterator = isAsync ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]();
    const readable = new Readable({ objectMode: true, highWaterMark: 1, ...options });
    let reading = false;
    readable._read = () => {
      if (!reading) {
        reading = true;
        next();
      }
    };
    readable._destroy = (error, callback) => {
      close(error).then(() => nextTick(callback, error), (failure) => nextTick(callback, failure || error));
    };
    const close = async (error) => {
      if (error != null && typeof iterator.throw === 'function') {
        const { value, done } = await iterator.throw(error);
        await value;
        if (done) return;
      }
      if (typeof iterator.return === 'function') await (await iterator.return()).value;
    };
    const next = async () => {
      for (;;) {
        try {
          const { value, done } = isAsync ? await iterator.next() : iterator.next();
          if (done) {
            readable.push(null);
            return;
          }
          const chunk = typeof value?.then === 'function' ? await value : value;
          if (chunk === null) {
            reading = false;
            throw errors.ERR_STREAM_NULL_VALUES();
          }
          if (readable.push(chunk)) continue;
          reading = false;
        } catch (error) {
          readable.destroy(error);
        }
        return;
      }
    };
    return readable;
  };
  Readable.wrap = (source, options) => new Readable({
    objectMode: source.readableObjectMode ?? source.objectMode ?? true,
    ...options,
    destroy(error, callback) {
      base.destroyer(source, error);
      callback(error);
    },
  }).wrap(source);
  const adapters = () => require('internal/stream/adapters');
  Readable.fromWeb = (source, options) => adapters().fromWebReadable(source, options);
  Readable.toWeb = (stream, options) => adapters().toWebReadable(stream, options);

  // The helpers of iterators are in a module of their own.
  const helper = (name, length) => Object.defineProperty({
    [name](...args) { return Reflect.apply(require('internal/stream/helpers')[name], this, args); },
  }[name], 'length', { value: length, configurable: true });
  for (const [length, names] of [
    'asIndexedPairs', 'toArray some every take drop', 'map filter forEach find flatMap compose', 'reduce',
  ].entries()) {
    for (const name of names.split(' ')) {
      Object.defineProperty(prototype, name, { value: helper(name, length), writable: true, configurable: true });
    }
  }
  base.validateSignal = validateAbortSignal;
  module.exports = Readable;
})
