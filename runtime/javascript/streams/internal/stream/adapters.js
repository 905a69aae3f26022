// Streams of Node as streams of the web, and the other way around.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const { Duplex, Readable, Writable } = require('stream');
  const { finished } = require('internal/stream/end');
  const { Buffer } = require('buffer');
  const { validateBoolean, validateObject } = require('internal/validators');
  const { ReadableStream, WritableStream, CountQueuingStrategy } = require('stream/web');
  const { nextTick, nop } = base;
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = errors;

  // attempt calls back, and throws what the callback throws where nobody catches it.
  const attempt = (callback, error) => {
    try {
      callback(error);
    } catch (thrown) {
      nextTick(() => { throw thrown; });
    }
  };
  const ended = (stream) => stream.writableEnded || stream._writableState?.ending === true;
  // strategyOf is that of a stream's buffer: bytes are not counted one by one, as their chunks are what is queued.
  const strategyOf = (objectMode, highWaterMark, strategy) => {
    if (strategy) return strategy;
    return objectMode ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark };
  };
  const endOf = (error) => (
    error?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? new errors.AbortError(undefined, { cause: error }) : error);

  exports.toWebReadable = (stream, options = {}) => {
    if (typeof stream?._readableState !== 'object')
      throw ERR_INVALID_ARG_TYPE('streamReadable', 'stream.Readable', stream);
    if (base.isDestroyed(stream) || !base.isReadable(stream)) {
      const closed = new ReadableStream();
      closed.cancel();
      return closed;
    }
    const { readableObjectMode: objects, readableHighWaterMark } = stream;
    let controller;
    let cancelled = false;
    stream.pause();
    const cleanup = finished(stream, (error) => {
      cleanup();
      stream.on('error', nop); // nobody else may listen, and what has failed may fail again
      error = endOf(error);
      if (cancelled) return;
      if (error) controller.error(error);
      else controller.close();
    });
    stream.on('data', (chunk) => {
      controller.enqueue(Buffer.isBuffer(chunk) && !objects ? new Uint8Array(chunk) : chunk);
      if (controller.desiredSize <= 0) stream.pause();
    });
    return new ReadableStream({
      start(c) { controller = c; },
      pull() { stream.resume(); },
      cancel(reason) {
        cancelled = true;
        base.destroyer(stream, reason);
      },
    }, strategyOf(objects, readableHighWaterMark, options?.strategy));
  };

  exports.fromWebReadable = (source, options = {}) => {
    if (!(source instanceof ReadableStream)) throw ERR_INVALID_ARG_TYPE('readableStream', 'ReadableStream', source);
    validateObject(options, 'options');
    const { highWaterMark, encoding, objectMode = false, signal } = options;
    if (encoding !== undefined && !Buffer.isEncoding(encoding))
      throw ERR_INVALID_ARG_VALUE('options.encoding', encoding);
    validateBoolean(objectMode, 'options.objectMode');
    const reader = source.getReader();
    let closed = false;
    const readable = new Readable({
      objectMode, highWaterMark, encoding, signal,
      read() {
        reader.read().then(({ value, done }) => {
          readable.push(done ? null : value);
        }, (error) => { base.destroyer(readable, error); });
      },
      destroy(error, callback) {
        const done = () => { attempt(callback, error); };
        if (closed) done();
        else reader.cancel(error).then(done, done);
      },
    });
    reader.closed.then(() => { closed = true; }, (error) => {
      closed = true;
      base.destroyer(readable, error);
    });
    return readable;
  };

  exports.toWebWritable = (stream) => {
    if (typeof stream?._writableState !== 'object')
      throw ERR_INVALID_ARG_TYPE('streamWritable', 'stream.Writable', stream);
    if (base.isDestroyed(stream) || !base.isWritable(stream)) {
      const closed = new WritableStream();
      closed.close();
      return closed;
    }
    let controller;
    let waiting; // for 'drain'
    let closing;
    const cleanup = finished(stream, (error) => {
      cleanup();
      stream.on('error', nop);
      error = endOf(error);
      if (error) {
        waiting?.reject(error);
        if (closing) {
          closing.reject(error);
          closing = undefined;
        }
        controller.error(error);
      } else if (closing) {
        closing.resolve();
        closing = undefined;
      } else {
        controller.error(new errors.AbortError());
      }
      controller = undefined;
    });
    stream.on('drain', () => { waiting?.resolve(); });
    return new WritableStream({
      start(c) { controller = c; },
      async write(chunk) {
        if (!stream.writableNeedDrain && stream.write(chunk)) return;
        waiting = Promise.withResolvers();
        try {
          await waiting.promise;
        } finally {
          waiting = undefined;
        }
      },
      abort(reason) { base.destroyer(stream, reason); },
      close() {
        if (!closing && !ended(stream)) {
          closing = Promise.withResolvers();
          const { promise } = closing;
          stream.end();
          return promise;
        }
        return controller === undefined ? undefined : closing?.promise;
      },
    }, strategyOf(stream.writableObjectMode, stream.writableHighWaterMark));
  };

  // sink returns functions of a Writable or a Duplex that write to a stream of the web.
  const sink = (writer, decodeStrings, objectMode, state) => {
    const bytes = (chunk, encoding) => {
      if (typeof chunk !== 'string' || !decodeStrings || objectMode) return chunk;
      const data = Buffer.from(chunk, encoding);
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    };
    const tell = (stream, callback, promise) => {
      promise.then(() => { attempt(callback); }, (error) => {
        try {
          callback(error);
        } catch (thrown) {
          nextTick(() => { base.destroyer(stream, thrown); });
        }
      });
    };
    return {
      write(chunk, encoding, callback) {
        tell(this, callback, writer.ready.then(() => writer.write(bytes(chunk, encoding))));
      },
      writev(chunks, callback) {
        tell(this, callback, writer.ready.then(
          () => Promise.all(chunks.map(({ chunk, encoding }) => writer.write(bytes(chunk, encoding))))));
      },
      final(callback) {
        if (state.writeClosed) attempt(callback);
        else tell(this, callback, writer.close());
      },
    };
  };
  const watchWriter = (writer, stream, state) => {
    writer.closed.then(() => {
      state.writeClosed = true;
      if (!ended(stream)) base.destroyer(stream, errors.ERR_STREAM_PREMATURE_CLOSE());
    }, (error) => {
      state.writeClosed = true;
      base.destroyer(stream, error);
    });
  };

  exports.fromWebWritable = (target, options = {}) => {
    if (!(target instanceof WritableStream)) throw ERR_INVALID_ARG_TYPE('writableStream', 'WritableStream', target);
    validateObject(options, 'options');
    const { highWaterMark, decodeStrings = true, objectMode = false, signal } = options;
    validateBoolean(objectMode, 'options.objectMode');
    validateBoolean(decodeStrings, 'options.decodeStrings');
    const writer = target.getWriter();
    const state = { writeClosed: false };
    const writable = new Writable({
      highWaterMark, objectMode, decodeStrings, signal,
      ...sink(writer, decodeStrings, objectMode, state),
      destroy(error, callback) {
        const done = () => { attempt(callback, error); };
        if (state.writeClosed) done();
        else if (error != null) writer.abort(error).then(done, done);
        else writer.close().then(done, done);
      },
    });
    watchWriter(writer, writable, state);
    return writable;
  };

  exports.toWebDuplex = (duplex) => {
    if (typeof duplex?._writableState !== 'object' || typeof duplex._readableState !== 'object') {
      throw ERR_INVALID_ARG_TYPE('duplex', 'stream.Duplex', duplex);
    }
    return { readable: exports.toWebReadable(duplex), writable: exports.toWebWritable(duplex) };
  };

  exports.fromWebDuplex = (pair, options = {}) => {
    validateObject(pair, 'pair');
    const { readable: source, writable: target } = pair;
    if (!(source instanceof ReadableStream)) throw ERR_INVALID_ARG_TYPE('pair.readable', 'ReadableStream', source);
    if (!(target instanceof WritableStream)) throw ERR_INVALID_ARG_TYPE('pair.writable', 'WritableStream', target);
    validateObject(options, 'options');
    const {
      allowHalfOpen = false, objectMode = false, encoding, decodeStrings = true, highWaterMark, signal,
    } = options;
    validateBoolean(objectMode, 'options.objectMode');
    if (encoding !== undefined && !Buffer.isEncoding(encoding))
      throw ERR_INVALID_ARG_VALUE('options.encoding', encoding);
    const writer = target.getWriter();
    const reader = source.getReader();
    const state = { writeClosed: false };
    let readClosed = false;
    const duplex = new Duplex({
      allowHalfOpen, highWaterMark, objectMode, encoding, decodeStrings, signal,
      ...sink(writer, decodeStrings, objectMode, state),
      read() {
        reader.read().then(({ value, done }) => {
          duplex.push(done ? null : value);
        }, (error) => { base.destroyer(duplex, error); });
      },
      destroy(error, callback) {
        const done = () => { attempt(callback, error); };
        Promise.allSettled([
          readClosed ? undefined : reader.cancel(error),
          state.writeClosed ? undefined : error != null ? writer.abort(error) : writer.close(),
        ]).then(done, done);
      },
    });
    watchWriter(writer, duplex, state);
    reader.closed.then(() => { readClosed = true; }, (error) => {
      readClosed = true;
      base.destroyer(duplex, error);
    });
    return duplex;
  };
})
