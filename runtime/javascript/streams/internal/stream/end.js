// finished, pipeline and addAbortSignal: streams that end, together or because they are told to.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const { nextTick, nop } = base;
  const { validateAbortSignal, validateBoolean, validateFunction, validateObject } = require('internal/validators');

  // finished calls back when a stream is done with, and returns a function that stops listening.
  const finished = (stream, options, callback) => {
    if (typeof options === 'function') {
      callback = options;
      options = {};
    } else if (options == null) {
      options = {};
    } else {
      validateObject(options, 'options');
    }
    validateFunction(callback, 'callback');
    validateAbortSignal(options.signal, 'options.signal');
    let called = false;
    const given = callback;
    callback = function (...args) {
      if (called) return;
      called = true;
      Reflect.apply(given, this, args);
    };
    if (!base.isNodeStream(stream))
      throw errors.ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);

    const readable = options.readable ?? base.isReadableNodeStream(stream);
    const writable = options.writable ?? base.isWritableNodeStream(stream);
    const w = stream._writableState;
    const r = stream._readableState;
    const state = w ?? r;
    const willClose = !!state && state.autoDestroy !== false && state.emitClose !== false && state.closed === false &&
      base.isReadableNodeStream(stream) === readable && base.isWritableNodeStream(stream) === writable;
    let writableDone = base.isWritableFinished(stream, false);
    let readableDone = base.isReadableFinished(stream, false);
    const onLegacyFinish = () => { if (!stream.writable) onFinish(); };
    const onFinish = () => {
      writableDone = true;
      if (stream.destroyed) closesItself = false;
      if (closesItself && (!stream.readable || readable)) return;
      if (!readable || readableDone) callback.call(stream);
    };
    const onEnd = () => {
      readableDone = true;
      if (stream.destroyed) closesItself = false;
      if (closesItself && (!stream.writable || writable)) return;
      if (!writable || writableDone) callback.call(stream);
    };
    let closesItself = willClose;
    const onError = (error) => { callback.call(stream, error); };
    let closed = !!(stream.closed ?? state?.closed);
    const errored = () => {
      const error = w?.errored ?? r?.errored;
      return typeof error !== 'boolean' && error ? error : null;
    };
    const onClose = () => {
      closed = true;
      const error = errored();
      if (error) callback.call(stream, error);
      else if (readable && !readableDone && base.isReadableNodeStream(stream) &&
        !base.isReadableFinished(stream, false)) {
        callback.call(stream, errors.ERR_STREAM_PREMATURE_CLOSE());
      } else if (writable && !writableDone && !base.isWritableFinished(stream, false)) {
        callback.call(stream, errors.ERR_STREAM_PREMATURE_CLOSE());
      } else {
        callback.call(stream);
      }
    };
    const onClosed = () => {
      closed = true;
      const error = errored();
      if (error) callback.call(stream, error);
      else callback.call(stream);
    };
    const isRequest = stream.setHeader && typeof stream.abort === 'function';
    if (!isRequest && writable && !w) {
      stream.on('end', onLegacyFinish);
      stream.on('close', onLegacyFinish);
    }
    stream.on('end', onEnd);
    stream.on('finish', onFinish);
    if (options.error !== false) stream.on('error', onError);
    stream.on('close', onClose);

    if (closed) nextTick(onClose);
    else if (w?.errorEmitted || r?.errorEmitted) {
      if (!willClose) nextTick(onClosed);
    } else if (!readable && (!willClose || stream.readable) && (writableDone || stream.writable === false))
      nextTick(onClosed);
    else if (!writable && (!willClose || stream.writable) && (readableDone || stream.readable === false))
      nextTick(onClosed);

    const cleanup = () => {
      callback = nop;
      stream.removeListener('end', onLegacyFinish);
      stream.removeListener('close', onLegacyFinish);
      stream.removeListener('finish', onFinish);
      stream.removeListener('end', onEnd);
      stream.removeListener('error', onError);
      stream.removeListener('close', onClose);
    };
    const { signal } = options;
    if (signal && !closed) {
      const abort = () => {
        const end = callback;
        cleanup();
        end.call(stream, new errors.AbortError(undefined, { cause: signal.reason }));
      };
      if (signal.aborted) {
        nextTick(abort);
      } else {
        signal.addEventListener('abort', abort, { once: true });
        const end = callback;
        callback = function (...args) {
          signal.removeEventListener('abort', abort);
          Reflect.apply(end, stream, args);
        };
      }
    }
    return cleanup;
  };
  exports.finished = finished;
  const promised = (stream, options) => {
    let clean = false;
    if (options?.cleanup !== undefined) {
      validateBoolean(options.cleanup, 'cleanup');
      clean = options.cleanup;
    }
    return new Promise((resolve, reject) => {
      const cleanup = finished(stream, options, (error) => {
        if (clean) cleanup();
        if (error) reject(error);
        else resolve();
      });
    });
  };
  finished.finished = promised;
  Object.defineProperty(promised, 'name', { __proto__: null, value: 'finished' }); // the name of the other one

  // addAbortSignal destroys a stream when a signal aborts.
  exports.addAbortSignal = (signal, stream) => {
    if (signal === undefined) throw errors.ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
    validateAbortSignal(signal, 'signal');
    if (!base.isNodeStream(stream))
      throw errors.ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
    const abort = () => { stream.destroy(new errors.AbortError(undefined, { cause: signal.reason })); };
    if (signal.aborted) {
      abort();
    } else {
      signal.addEventListener('abort', abort);
      finished(stream, () => { signal.removeEventListener('abort', abort); });
    }
    return stream;
  };

  // pipeline joins streams, iterables and generator functions. An error in one destroys all.
  const run = (streams, callback, options) => {
    if (streams.length === 1 && Array.isArray(streams[0])) [streams] = streams;
    if (streams.length < 2) throw errors.ERR_MISSING_ARGS('streams');
    const { Readable, PassThrough } = require('stream');
    const outer = options?.signal;
    validateAbortSignal(outer, 'options.signal');
    const controller = new AbortController();
    const { signal } = controller;
    const destroys = [];
    let error;
    let value;
    let pending = 0;
    const finish = (failure, last) => {
      if (failure && (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE')) error = failure;
      if (!error && !last) return;
      while (destroys.length > 0) destroys.shift()(error);
      outer?.removeEventListener('abort', onAbort);
      controller.abort();
      if (last) {
        if (!error) for (const clean of cleanups) clean();
        nextTick(callback, error, value);
      }
    };
    const cleanups = [];
    const done = (failure) => { finish(failure, --pending === 0); };
    const onAbort = () => { finish(new errors.AbortError(undefined, { cause: outer?.reason })); };
    if (outer?.aborted) nextTick(onAbort);
    else outer?.addEventListener('abort', onAbort, { once: true });

    // destroyable makes sure that a stream ends with the others.
    const destroyable = (stream, reading, writing) => {
      let over = false;
      stream.on('close', () => { over = true; });
      const cleanup = finished(stream, { readable: reading, writable: writing }, (failure) => { over = !failure; });
      cleanups.push(cleanup);
      destroys.push((failure) => {
        if (over) return;
        over = true;
        base.destroyer(stream, failure || errors.ERR_STREAM_DESTROYED('pipe'));
      });
    };

    // pump writes what an iterable gives into a stream, as fast as it can take it.
    const pump = async (iterable, stream, end) => {
      let failure;
      let wake = null;
      const resume = (reason) => {
        if (reason) failure = reason;
        wake?.();
        wake = null;
      };
      const wait = () => new Promise((resolve, reject) => {
        if (failure) reject(failure);
        else wake = () => (failure ? reject(failure) : resolve());
      });
      stream.on('drain', resume);
      const cleanup = finished(stream, { readable: false }, resume);
      try {
        if (stream.writableNeedDrain) await wait();
        for await (const chunk of iterable) if (!stream.write(chunk)) await wait();
        if (end) {
          stream.end();
          await wait();
        }
        done();
      } catch (reason) {
        done(failure !== reason ? base.aggregate(failure, reason) : reason);
      } finally {
        cleanup();
        stream.off('drain', resume);
      }
    };

    const isIterable = (v) => v != null &&
      (typeof v[Symbol.asyncIterator] === 'function' || typeof v[Symbol.iterator] === 'function');
    let result;
    for (let i = 0; i < streams.length; i++) {
      const stream = streams[i];
      const reading = i < streams.length - 1;
      const end = reading || options?.end !== false;
      const isLast = i === streams.length - 1;
      if (base.isNodeStream(stream)) {
        if (end) destroyable(stream, reading, i > 0);
        const onError = (failure) => {
          if (failure && failure.name !== 'AbortError' && failure.code !== 'ERR_STREAM_PREMATURE_CLOSE') done(failure);
        };
        stream.on('error', onError);
        if (base.isReadable(stream) && isLast) cleanups.push(() => { stream.removeListener('error', onError); });
      }
      if (i === 0) {
        if (typeof stream === 'function') {
          result = stream({ signal });
          if (!isIterable(result))
            throw errors.ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or Stream', 'source', result);
        } else if (isIterable(stream) || base.isReadableNodeStream(stream)) {
          result = stream;
        } else {
          throw errors.ERR_INVALID_ARG_TYPE('source', ['Stream', 'Iterable', 'AsyncIterable'], stream);
        }
      } else if (typeof stream === 'function') {
        const input = typeof result?.[Symbol.asyncIterator] === 'function' ? result : Readable.from(result);
        result = stream(input, { signal });
        if (reading) {
          if (result == null || typeof result[Symbol.asyncIterator] !== 'function') {
            throw errors.ERR_INVALID_RETURN_VALUE('AsyncIterable', `transform[${i - 1}]`, result);
          }
        } else {
          const pass = new PassThrough({ objectMode: true });
          pending++;
          if (typeof result?.then === 'function') {
            result.then((answer) => {
              value = answer;
              if (answer != null) pass.write(answer);
              if (end) pass.end();
              nextTick(done);
            }, (reason) => {
              pass.destroy(reason);
              nextTick(done, reason);
            });
          } else if (isIterable(result)) {
            pump(result, pass, end);
          } else {
            throw errors.ERR_INVALID_RETURN_VALUE('AsyncIterable or Promise', 'destination', result);
          }
          result = pass;
          destroyable(pass, false, true);
        }
      } else if (base.isNodeStream(stream)) {
        if (base.isReadableNodeStream(result)) {
          pending += 2;
          join(result, stream, done, end);
        } else if (isIterable(result)) {
          pending++;
          pump(result, stream, end);
        } else {
          throw errors.ERR_INVALID_ARG_TYPE('val', ['Readable', 'Iterable', 'AsyncIterable'], result);
        }
        result = stream;
      } else {
        result = require('internal/stream/compose').from(stream);
      }
    }
    return result;
  };

  // join pipes one stream into the next, and calls done when each has ended.
  const join = (source, dest, done, end) => {
    let ended = false;
    dest.on('close', () => { if (!ended) done(errors.ERR_STREAM_PREMATURE_CLOSE()); });
    source.pipe(dest, { end: false });
    if (end) {
      const finish = () => {
        ended = true;
        dest.end();
      };
      if (base.isReadableFinished(source)) nextTick(finish);
      else source.once('end', finish);
    } else {
      nextTick(done);
    }
    finished(source, { readable: true, writable: false }, (error) => {
      const r = source._readableState;
      if (error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && r?.ended && !r.errored && !r.errorEmitted) {
        source.once('end', done).once('error', done); // it gives what it has buffered
      } else {
        done(error);
      }
    });
    finished(dest, { readable: false, writable: true }, done);
  };

  exports.pipeline = (...streams) => {
    const callback = streams.pop();
    validateFunction(callback, 'streams[stream.length - 1]');
    let called = false;
    return run(streams, (error, value) => {
      if (called) return;
      called = true;
      callback(error, value);
    });
  };
  exports.pipelinePromise = (...streams) => new Promise((resolve, reject) => {
    let options;
    const last = streams[streams.length - 1];
    if (last && typeof last === 'object' && !base.isNodeStream(last) && last[Symbol.asyncIterator] === undefined &&
        last[Symbol.iterator] === undefined) {
      options = streams.pop();
    }
    run(streams, (error, value) => {
      if (error) reject(error);
      else resolve(value);
    }, options);
  });
  Object.defineProperty(exports.pipelinePromise, 'name', { __proto__: null, value: 'pipeline' });
})
