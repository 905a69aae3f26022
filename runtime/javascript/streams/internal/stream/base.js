// What all streams share: errors, construction and destruction.
(function (kernel, require, module, exports) {
  'use strict';
  const EventEmitter = require('events');
  const errors = require('internal/errors');
  const { Buffer } = require('buffer');
  const { nextTick } = require('process');

  const { define } = errors;
  define('ERR_STREAM_PUSH_AFTER_EOF', Error, () => 'stream.push() after EOF');
  define('ERR_STREAM_UNSHIFT_AFTER_END_EVENT', Error, () => 'stream.unshift() after end event');
  define('ERR_STREAM_NULL_VALUES', TypeError, () => 'May not write null values to stream');
  define('ERR_STREAM_WRITE_AFTER_END', Error, () => 'write after end');
  define('ERR_STREAM_DESTROYED', Error, (name) => `Cannot call ${name} after a stream was destroyed`);
  define('ERR_STREAM_ALREADY_FINISHED', Error, (name) => `Cannot call ${name} after a stream was finished`);
  define('ERR_STREAM_CANNOT_PIPE', Error, () => 'Cannot pipe, not readable');
  define('ERR_STREAM_PREMATURE_CLOSE', Error, () => 'Premature close');
  define('ERR_STREAM_UNABLE_TO_PIPE', Error, () => 'Cannot pipe to a closed or destroyed stream');
  define('ERR_MULTIPLE_CALLBACK', Error, () => 'Callback called multiple times');

  exports.nop = () => {};
  exports.nextTick = nextTick;

  // Stream is the base of all streams, and what streams of Node's first versions were.
  function Stream(options) { EventEmitter.call(this, options); }
  Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Stream, EventEmitter);
  Stream.prototype.pipe = function pipe(dest, options) {
    const source = this;
    const onData = (chunk) => { if (dest.writable && dest.write(chunk) === false) source.pause?.(); };
    const onDrain = () => { if (source.readable) source.resume?.(); };
    let done = false;
    const onEnd = () => {
      if (!done) dest.end();
      done = true;
    };
    const onClose = () => {
      if (!done && typeof dest.destroy === 'function') dest.destroy();
      done = true;
    };
    const onError = function (error) {
      cleanup();
      if (EventEmitter.listenerCount(this, 'error') === 0) this.emit('error', error);
    };
    const cleanup = () => {
      for (const [emitter, type, listener] of listeners) emitter.removeListener(type, listener);
    };
    const listeners = [
      [source, 'data', onData], [dest, 'drain', onDrain], [source, 'end', cleanup],
      [source, 'close', cleanup], [dest, 'close', cleanup],
    ];
    if (!dest._isStdio && options?.end !== false) listeners.push([source, 'end', onEnd], [source, 'close', onClose]);
    for (const [emitter, type, listener] of listeners) emitter.on(type, listener);
    for (const emitter of [source, dest]) {
      if (typeof emitter.prependListener === 'function') emitter.prependListener('error', onError);
      else emitter.on('error', onError);
      listeners.push([emitter, 'error', onError]);
    }
    dest.emit('pipe', source);
    return dest;
  };
  exports.Stream = Stream;

  // inherit makes a function-like class of another one.
  exports.inherit = (Type, Parent) => {
    Object.setPrototypeOf(Type.prototype, Parent.prototype);
    Object.setPrototypeOf(Type, Parent);
  };

  // getters defines properties of a prototype that are computed.
  exports.getters = (prototype, properties) => {
    for (const name of Object.keys(properties)) {
      const { get, set } = Object.getOwnPropertyDescriptor(properties, name);
      Object.defineProperty(prototype, name, { get, set, enumerable: false, configurable: true });
    }
  };

  // toChunk makes a chunk of bytes a Buffer that shares them. It is undefined for what are no bytes.
  exports.toChunk = (chunk) => {
    if (chunk instanceof Buffer) return chunk;
    return ArrayBuffer.isView(chunk) ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : undefined;
  };

  exports.defaultEncoding = (options) => {
    const encoding = options?.defaultEncoding;
    if (encoding == null || encoding === '') return 'utf8';
    if (!Buffer.isEncoding(encoding)) throw errors.ERR_UNKNOWN_ENCODING(encoding);
    return encoding;
  };

  // The default limit of what is buffered: bytes, or objects in object mode.
  let bytesLimit = 16 * 1024;
  let objectsLimit = 16;
  exports.getDefaultHighWaterMark = (objectMode) => (objectMode ? objectsLimit : bytesLimit);
  exports.setDefaultHighWaterMark = (objectMode, value) => {
    require('internal/validators').validateInteger(value, 'value', 0);
    if (objectMode) objectsLimit = value;
    else bytesLimit = value;
  };
  exports.highWaterMark = (state, options, side, isDuplex) => {
    const value = options?.highWaterMark ?? (isDuplex ? options?.[`${side}HighWaterMark`] : undefined) ?? null;
    if (value === null) return exports.getDefaultHighWaterMark(state.objectMode);
    if (!Number.isInteger(value) || value < 0) {
      const name = options?.highWaterMark != null ? 'highWaterMark' : `${side}HighWaterMark`;
      throw errors.ERR_INVALID_ARG_VALUE(`options.${name}`, value);
    }
    return value;
  };

  // aggregate joins the error of a stream with one that came while it was handled.
  exports.aggregate = (inner, outer) => {
    if (!inner || !outer || inner === outer) return inner || outer;
    if (Array.isArray(outer.errors)) {
      outer.errors.push(inner);
      return outer;
    }
    const error = new AggregateError([outer, inner], outer.message);
    error.code = outer.code;
    return error;
  };

  const constructs = Symbol('kConstruct');
  const destroys = Symbol('kDestroy');

  const note = (error, w, r) => {
    if (!error) return;
    if (w && !w.errored) w.errored = error;
    if (r && !r.errored) r.errored = error;
  };
  exports.destroy = function destroy(error, callback) {
    const r = this._readableState;
    const w = this._writableState;
    const state = w ?? r;
    if (w?.destroyed || r?.destroyed) {
      if (typeof callback === 'function') callback();
      return this;
    }
    note(error, w, r);
    if (w) w.destroyed = true;
    if (r) r.destroyed = true;
    if (state.constructed) {
      runDestroy(this, error, callback);
    } else {
      this.once(destroys, function (other) { runDestroy(this, exports.aggregate(other, error), callback); });
    }
    return this;
  };
  const runDestroy = (stream, error, callback) => {
    let called = false;
    const done = (failure) => {
      if (called) return;
      called = true;
      const r = stream._readableState;
      const w = stream._writableState;
      note(failure, w, r);
      if (w) w.closed = true;
      if (r) r.closed = true;
      if (typeof callback === 'function') callback(failure);
      nextTick(() => {
        if (failure) emitError(stream, failure);
        emitClose(stream);
      });
    };
    try {
      stream._destroy(error || null, done);
    } catch (failure) {
      done(failure);
    }
  };
  const emitClose = (stream) => {
    const r = stream._readableState;
    const w = stream._writableState;
    if (w) w.closeEmitted = true;
    if (r) r.closeEmitted = true;
    if (w?.emitClose || r?.emitClose) stream.emit('close');
  };
  const emitError = (stream, error) => {
    const r = stream._readableState;
    const w = stream._writableState;
    if (w?.errorEmitted || r?.errorEmitted) return;
    if (w) w.errorEmitted = true;
    if (r) r.errorEmitted = true;
    stream.emit('error', error);
  };

  // undestroy makes a stream that was destroyed one that can be used again.
  exports.undestroy = function () {
    for (const state of [this._readableState, this._writableState]) {
      if (!state) continue;
      Object.assign(state, {
        constructed: true, destroyed: false, closed: false, closeEmitted: false, errored: null, errorEmitted: false,
      });
    }
    const { _readableState: r, _writableState: w } = this;
    if (r) Object.assign(r, { reading: false, ended: r.readable === false, endEmitted: r.readable === false });
    const over = w?.writable === false;
    if (w) Object.assign(w, { finalCalled: false, prefinished: false, ended: over, ending: over, finished: over });
  };

  // fail ends a stream with an error, or only emits it if the stream is not to be destroyed by itself.
  exports.fail = (stream, error, sync) => {
    const r = stream._readableState;
    const w = stream._writableState;
    if (w?.destroyed || r?.destroyed) return;
    if (r?.autoDestroy || w?.autoDestroy) {
      stream.destroy(error);
    } else if (error) {
      note(error, w, r);
      if (sync) nextTick(emitError, stream, error);
      else emitError(stream, error);
    }
  };

  // construct calls a stream's _construct, and then ready. Until then it neither reads nor writes.
  exports.construct = (stream, ready) => {
    if (typeof stream._construct !== 'function') return;
    const r = stream._readableState;
    const w = stream._writableState;
    if (r) r.constructed = false;
    if (w) w.constructed = false;
    stream.once(constructs, ready);
    if (stream.listenerCount(constructs) > 1) return; // the other side of a Duplex has begun it
    nextTick(() => {
      let called = false;
      const done = (error) => {
        if (called) {
          exports.fail(stream, error ?? errors.ERR_MULTIPLE_CALLBACK());
          return;
        }
        called = true;
        const { _readableState: r, _writableState: w } = stream;
        if (r) r.constructed = true;
        if (w) w.constructed = true;
        if ((w ?? r).destroyed) stream.emit(destroys, error);
        else if (error) exports.fail(stream, error, true);
        else stream.emit(constructs);
      };
      try {
        stream._construct((error) => { nextTick(done, error); });
      } catch (error) {
        nextTick(done, error);
      }
    });
  };

  // Questions about streams, whoever made them. They are null for what is no stream of the kind.
  const isNodeStream = (value) => !!value && typeof value === 'object' &&
    !!(value._readableState || value._writableState ||
    (typeof value.write === 'function' && typeof value.on === 'function') ||
    (typeof value.pipe === 'function' && typeof value.on === 'function'));
  exports.isNodeStream = isNodeStream;
  exports.isReadableNodeStream = (value) => !!value && typeof value.pipe === 'function' &&
    typeof value.on === 'function' &&
    (!value._writableState || value._readableState?.readable !== false) &&
    (!value._writableState || !!value._readableState);
  exports.isWritableNodeStream = (value) => !!value && typeof value.write === 'function' &&
    typeof value.on === 'function' &&
    (!value._readableState || value._writableState?.writable !== false);
  exports.isDestroyed = (stream) => {
    if (!isNodeStream(stream)) return null;
    return !!(stream.destroyed || (stream._writableState ?? stream._readableState)?.destroyed);
  };
  exports.isReadable = (stream) => {
    if (typeof stream?.readable !== 'boolean') return null;
    if (exports.isDestroyed(stream)) return false;
    return exports.isReadableNodeStream(stream) && stream.readable && !exports.isReadableFinished(stream, false);
  };
  exports.isReadableFinished = (stream, strict = true) => {
    const r = stream._readableState;
    if (r?.errored) return false;
    if (typeof r?.endEmitted !== 'boolean') return null;
    return !!(r.endEmitted || (!strict && r.ended && r.length === 0));
  };
  exports.isWritableFinished = (stream, strict = true) => {
    if (!exports.isWritableNodeStream(stream)) return null;
    if (stream.writableFinished === true) return true;
    const w = stream._writableState;
    if (w?.errored) return false;
    if (typeof w?.finished !== 'boolean') return null;
    return !!(w.finished || (!strict && w.ended && w.length === 0));
  };
  exports.isWritableEnded = (stream) => {
    if (!exports.isWritableNodeStream(stream)) return null;
    if (stream.writableEnded === true) return true;
    const w = stream._writableState;
    if (w?.errored) return false;
    return typeof w?.ended === 'boolean' ? w.ended : null;
  };
  exports.isWritable = (stream) => {
    if (typeof stream?.writable !== 'boolean') return null;
    if (exports.isDestroyed(stream)) return false;
    return exports.isWritableNodeStream(stream) && stream.writable && !exports.isWritableEnded(stream);
  };
  exports.isErrored = (stream) => {
    if (!isNodeStream(stream)) return null;
    return !!(stream._readableState?.errored ?? stream._writableState?.errored ?? false);
  };
  exports.isDisturbed = (stream) => !!(stream?._readableState && (stream.readableDidRead || stream.readableAborted));
  exports.destroyer = (stream, error) => {
    if (!stream || exports.isDestroyed(stream)) return;
    if (!error && !(exports.isWritableFinished(stream) ?? true)) error = new errors.AbortError();
    if (typeof stream.destroy === 'function') stream.destroy(error);
    else if (typeof stream.close === 'function') stream.close();
    if (!stream.destroyed) stream.destroyed = true;
  };
})
