// Writable.
(function (kernel, require, module) {
  'use strict';
  const { EventEmitter } = require('events');
  const { Buffer } = require('buffer');
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const Readable = require('internal/stream/readable');
  const { Stream, nextTick, nop, fail, inherit, toChunk } = base;

  function WritableState(options, stream, isDuplex) {
    this.objectMode = !!(options?.objectMode || (isDuplex && options?.writableObjectMode));
    this.highWaterMark = base.highWaterMark(this, options, 'writable', isDuplex);
    this.finalCalled = false;
    this.needDrain = false;
    this.ending = false;
    this.ended = false;
    this.finished = false;
    this.destroyed = false;
    this.decodeStrings = options?.decodeStrings !== false;
    this.defaultEncoding = base.defaultEncoding(options);
    this.length = 0;
    this.writing = false;
    this.corked = 0;
    this.sync = true;
    this.bufferProcessing = false;
    this.onwrite = (error) => { onWrite(stream, this, error); };
    this.writecb = null;
    this.writelen = 0;
    this.later = null; // callbacks of writes that were done at once: {count, callback}
    this.buffered = [];
    this.bufferedIndex = 0;
    this.pendingcb = 0;
    this.constructed = true;
    this.prefinished = false;
    this.errorEmitted = false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.errored = null;
    this.closed = false;
    this.closeEmitted = false;
    this.whenFinished = [];
  }
  WritableState.prototype.getBuffer = function () { return this.buffered.slice(this.bufferedIndex); };
  base.getters(WritableState.prototype, {
    get bufferedRequestCount() { return this.buffered.length - this.bufferedIndex; },
  });

  function Writable(options) {
    const isDuplex = Readable.isDuplex(this);
    if (!isDuplex && !(this instanceof Writable)) return new Writable(options);
    this._writableState = new WritableState(options, this, isDuplex);
    if (options) {
      if (typeof options.write === 'function') this._write = options.write;
      if (typeof options.writev === 'function') this._writev = options.writev;
      if (typeof options.destroy === 'function') this._destroy = options.destroy;
      if (typeof options.final === 'function') this._final = options.final;
      if (typeof options.construct === 'function') this._construct = options.construct;
      if (options.signal) require('internal/stream/end').addAbortSignal(options.signal, this);
    }
    Stream.call(this, options);
    base.construct(this, () => {
      const state = this._writableState;
      if (!state.writing) clearBuffer(this, state);
      finishMaybe(this, state);
    });
  }
  inherit(Writable, Stream);
  Writable.WritableState = WritableState;
  const { prototype } = Writable;
  Object.defineProperty(Writable, Symbol.hasInstance, {
    value(object) {
      if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
      return this === Writable && object?._writableState instanceof WritableState;
    },
  });

  prototype.pipe = function () { fail(this, errors.ERR_STREAM_CANNOT_PIPE()); };

  // write0 returns an error, or whether more may be written.
  const write0 = (stream, chunk, encoding, callback) => {
    const state = stream._writableState;
    if (typeof encoding === 'function') {
      callback = encoding;
      encoding = undefined;
    } else if (typeof callback !== 'function') {
      callback = nop;
    }
    if (chunk === null) throw errors.ERR_STREAM_NULL_VALUES();
    if (!state.objectMode) {
      if (!encoding) encoding = state.defaultEncoding;
      else if (encoding !== 'buffer' && !Buffer.isEncoding(encoding)) throw errors.ERR_UNKNOWN_ENCODING(encoding);
      if (typeof chunk === 'string') {
        if (state.decodeStrings) {
          chunk = Buffer.from(chunk, encoding);
          encoding = 'buffer';
        }
      } else {
        const bytes = toChunk(chunk);
        if (bytes === undefined)
          throw errors.ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
        chunk = bytes;
        encoding = 'buffer';
      }
    }
    let error;
    if (state.ending) error = errors.ERR_STREAM_WRITE_AFTER_END();
    else if (state.destroyed) error = errors.ERR_STREAM_DESTROYED('write');
    if (error) {
      nextTick(callback, error);
      fail(stream, error, true);
      return error;
    }
    state.pendingcb++;
    const length = state.objectMode ? 1 : chunk.length;
    state.length += length;
    if (state.writing || state.corked > 0 || state.errored || !state.constructed) {
      state.buffered.push({ chunk, encoding, callback });
    } else {
      doWrite(stream, state, false, length, chunk, encoding, callback);
    }
    const more = state.length < state.highWaterMark; // doWrite may have written it already
    if (!more) state.needDrain = true;
    return more && !state.errored && !state.destroyed;
  };
  prototype.write = function (chunk, encoding, callback) { return write0(this, chunk, encoding, callback) === true; };
  prototype._write = function (chunk, encoding, callback) {
    if (!this._writev) throw errors.ERR_METHOD_NOT_IMPLEMENTED('_write()');
    this._writev([{ chunk, encoding }], callback);
  };
  prototype._writev = null;
  prototype.cork = function () { this._writableState.corked++; };
  prototype.uncork = function () {
    const state = this._writableState;
    if (state.corked === 0) return;
    state.corked--;
    if (!state.writing) clearBuffer(this, state);
  };
  prototype.setDefaultEncoding = function (encoding) {
    if (typeof encoding === 'string') encoding = encoding.toLowerCase();
    if (!Buffer.isEncoding(encoding)) throw errors.ERR_UNKNOWN_ENCODING(encoding);
    this._writableState.defaultEncoding = encoding;
    return this;
  };

  const doWrite = (stream, state, all, length, chunk, encoding, callback) => {
    state.writelen = length;
    state.writecb = callback;
    state.writing = true;
    state.sync = true;
    if (state.destroyed) state.onwrite(errors.ERR_STREAM_DESTROYED('write'));
    else if (all) stream._writev(chunk, state.onwrite);
    else stream._write(chunk, encoding, state.onwrite);
    state.sync = false;
  };
  const onWrite = (stream, state, error) => {
    const callback = state.writecb;
    if (typeof callback !== 'function') {
      fail(stream, errors.ERR_MULTIPLE_CALLBACK());
      return;
    }
    state.writing = false;
    state.writecb = null;
    state.length -= state.writelen;
    state.writelen = 0;
    if (error) {
      state.errored ??= error;
      if (stream._readableState && !stream._readableState.errored) stream._readableState.errored = error;
      if (state.sync) nextTick(onWriteError, stream, state, error, callback);
      else onWriteError(stream, state, error, callback);
      return;
    }
    if (state.buffered.length > state.bufferedIndex) clearBuffer(stream, state);
    if (!state.sync) {
      afterWrite(stream, state, 1, callback);
    } else if (state.later !== null && state.later.callback === callback) {
      state.later.count++;
    } else {
      const later = state.later = { count: 1, callback };
      nextTick(() => {
        if (state.later === later) state.later = null;
        afterWrite(stream, state, later.count, callback);
      });
    }
  };
  const onWriteError = (stream, state, error, callback) => {
    state.pendingcb--;
    callback(error);
    errorBuffer(state);
    fail(stream, error);
  };
  const afterWrite = (stream, state, count, callback) => {
    if (!state.ending && !stream.destroyed && state.length === 0 && state.needDrain) {
      state.needDrain = false;
      stream.emit('drain');
    }
    while (count-- > 0) {
      state.pendingcb--;
      callback(null);
    }
    if (state.destroyed) errorBuffer(state);
    finishMaybe(stream, state);
  };

  // errorBuffer tells all that wait that nothing will be written any more.
  const errorBuffer = (state) => {
    if (state.writing) return;
    for (let i = state.bufferedIndex; i < state.buffered.length; i++) {
      const { chunk, callback } = state.buffered[i];
      state.length -= state.objectMode ? 1 : chunk.length;
      callback(state.errored ?? errors.ERR_STREAM_DESTROYED('write'));
    }
    for (const callback of state.whenFinished.splice(0)) callback(state.errored ?? errors.ERR_STREAM_DESTROYED('end'));
    resetBuffer(state);
  };
  const resetBuffer = (state) => {
    state.buffered = [];
    state.bufferedIndex = 0;
  };
  const clearBuffer = (stream, state) => {
    if (state.corked > 0 || state.bufferProcessing || state.destroyed || !state.constructed) return;
    const { buffered } = state;
    const count = buffered.length - state.bufferedIndex;
    if (count === 0) return;
    state.bufferProcessing = true;
    if (count > 1 && stream._writev) {
      state.pendingcb -= count - 1;
      const chunks = buffered.slice(state.bufferedIndex);
      chunks.allBuffers = chunks.every(({ encoding }) => encoding === 'buffer');
      doWrite(stream, state, true, state.length, chunks, '', (error) => {
        for (const { callback } of chunks) callback(error);
      });
      resetBuffer(state);
    } else {
      do {
        const { chunk, encoding, callback } = buffered[state.bufferedIndex];
        buffered[state.bufferedIndex++] = undefined;
        doWrite(stream, state, false, state.objectMode ? 1 : chunk.length, chunk, encoding, callback);
      } while (state.bufferedIndex < buffered.length && !state.writing);
      if (state.bufferedIndex === buffered.length) {
        resetBuffer(state);
      } else if (state.bufferedIndex > 256) {
        buffered.splice(0, state.bufferedIndex);
        state.bufferedIndex = 0;
      }
    }
    state.bufferProcessing = false;
  };

  prototype.end = function (chunk, encoding, callback) {
    const state = this._writableState;
    if (typeof chunk === 'function') {
      callback = chunk;
      chunk = encoding = null;
    } else if (typeof encoding === 'function') {
      callback = encoding;
      encoding = null;
    }
    let error;
    if (chunk !== undefined && chunk !== null) {
      const result = write0(this, chunk, encoding);
      if (result instanceof Error) error = result;
    }
    if (state.corked > 0) {
      state.corked = 1;
      this.uncork();
    }
    if (error) {
      // The callback gets it.
    } else if (!state.errored && !state.ending) {
      state.ending = true;
      finishMaybe(this, state, true);
      state.ended = true;
    } else if (state.finished) {
      error = errors.ERR_STREAM_ALREADY_FINISHED('end');
    } else if (state.destroyed) {
      error = errors.ERR_STREAM_DESTROYED('end');
    }
    if (typeof callback === 'function') {
      if (error) nextTick(callback, error);
      else if (state.finished) nextTick(callback);
      else if (state.errored) nextTick(callback, state.errored);
      else state.whenFinished.push(callback);
    }
    return this;
  };
  const needFinish = (state) => state.ending && !state.destroyed && state.constructed &&
    state.length === 0 && !state.errored &&
    state.buffered.length === 0 && !state.finished && !state.writing && !state.errorEmitted && !state.closeEmitted;
  const prefinish = (stream, state) => {
    if (state.prefinished || state.finalCalled) return;
    if (typeof stream._final !== 'function' || state.destroyed) {
      state.prefinished = true;
      stream.emit('prefinish');
      return;
    }
    state.finalCalled = true;
    let called = false;
    const done = (error) => {
      if (called) {
        fail(stream, error ?? errors.ERR_MULTIPLE_CALLBACK());
        return;
      }
      called = true;
      state.pendingcb--;
      if (error) {
        for (const callback of state.whenFinished.splice(0)) callback(error);
        fail(stream, error, state.sync);
      } else if (needFinish(state)) {
        state.prefinished = true;
        stream.emit('prefinish');
        state.pendingcb++;
        nextTick(finish, stream, state);
      }
    };
    state.sync = true;
    state.pendingcb++;
    try {
      stream._final(done);
    } catch (error) {
      done(error);
    }
    state.sync = false;
  };
  const finishMaybe = (stream, state, sync) => {
    if (!needFinish(state)) return;
    prefinish(stream, state);
    if (state.pendingcb > 0) return;
    if (sync) {
      state.pendingcb++;
      nextTick(() => {
        if (needFinish(state)) finish(stream, state);
        else state.pendingcb--;
      });
    } else if (needFinish(state)) {
      state.pendingcb++;
      finish(stream, state);
    }
  };
  const finish = (stream, state) => {
    state.pendingcb--;
    state.finished = true;
    for (const callback of state.whenFinished.splice(0)) callback(null);
    stream.emit('finish');
    if (!state.autoDestroy) return;
    const r = stream._readableState;
    if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false))) stream.destroy();
  };

  prototype.destroy = function (error, callback) {
    const state = this._writableState;
    if (!state.destroyed && (state.bufferedIndex < state.buffered.length || state.whenFinished.length > 0))
      nextTick(errorBuffer, state);
    base.destroy.call(this, error, callback);
    return this;
  };
  prototype._destroy = function (error, callback) { callback(error); };
  prototype._undestroy = base.undestroy;
  prototype[EventEmitter.captureRejectionSymbol] = function (error) { this.destroy(error); };
  if (Symbol.asyncDispose) {
    prototype[Symbol.asyncDispose] = async function () {
      if (!this.destroyed) this.destroy(this.writableFinished ? null : new errors.AbortError());
      await new Promise((resolve, reject) => {
        require('internal/stream/end').finished(this,
          (error) => (error && error.name !== 'AbortError' ? reject(error) : resolve()));
      });
    };
  }

  const ofState = (name, otherwise) => ({ get() {
    return this._writableState ? this._writableState[name] : otherwise;
  } });
  for (const [name, descriptor] of Object.entries({
    closed: ofState('closed', false),
    writableFinished: ofState('finished', false),
    writableObjectMode: ofState('objectMode', false),
    writableEnded: ofState('ending', false),
    writableHighWaterMark: ofState('highWaterMark'),
    writableCorked: ofState('corked', 0),
    writableLength: ofState('length'),
    errored: ofState('errored', null),
  })) {
    Object.defineProperty(prototype, name, { ...descriptor, enumerable: false, configurable: true });
  }
  base.getters(prototype, {
    get destroyed() { return this._writableState?.destroyed ?? false; },
    set destroyed(value) { if (this._writableState) this._writableState.destroyed = value; },
    get writable() {
      const w = this._writableState;
      return !!w && w.writable !== false && !w.destroyed && !w.errored && !w.ending && !w.ended;
    },
    set writable(value) { if (this._writableState) this._writableState.writable = !!value; },
    get writableBuffer() { return this._writableState?.getBuffer(); },
    get writableNeedDrain() {
      const w = this._writableState;
      return w ? !w.destroyed && !w.ending && w.needDrain : false;
    },
    get writableAborted() {
      const w = this._writableState;
      return !!(w.writable !== false && (w.destroyed || w.errored) && !w.finished);
    },
  });
  Writable.fromWeb = (target, options) => require('internal/stream/adapters').fromWebWritable(target, options);
  Writable.toWeb = (stream) => require('internal/stream/adapters').toWebWritable(stream);
  module.exports = Writable;
})
