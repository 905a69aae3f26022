// compose and Duplex.from: one Duplex made of several things that read or write.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const { Duplex, Readable, Writable } = require('stream');
  const { finished, pipeline } = require('internal/stream/end');
  const { nextTick } = base;

  // joined is a Duplex that writes into one stream and reads from another; either may be missing. It finishes with the
  // former, or when last is over.
  const joined = (writable, readable, last = undefined) => {
    let whenDrained = null;
    let whenEnded = null;
    const duplex = new Duplex({
      readableObjectMode: !!readable?.readableObjectMode,
      writableObjectMode: !!writable?.writableObjectMode,
      readable: !!readable,
      writable: !!writable,
      autoDestroy: false,
      write(chunk, encoding, callback) {
        if (writable.write(chunk, encoding)) callback();
        else whenDrained = callback;
      },
      final(callback) {
        whenEnded = callback;
        writable.end();
      },
      read() { pull(); },
      destroy(error, callback) {
        if (!error && !(writable ? writable.writableFinished : true) && readable?.readableEnded !== true)
          error = new errors.AbortError();
        whenDrained = whenEnded = null;
        if (readable) base.destroyer(readable, error);
        if (writable && writable !== readable) base.destroyer(writable, error);
        callback(error);
      },
    });
    duplex._writableState.autoDestroy = duplex._readableState.autoDestroy = true;
    const fail = (error) => { if (error) duplex.destroy(error); };
    if (writable) {
      finished(writable, { readable: false }, fail);
      writable.on('drain', () => {
        const callback = whenDrained;
        whenDrained = null;
        callback?.();
      });
      const end = () => {
        const callback = whenEnded;
        whenEnded = null;
        callback?.();
      };
      if (last) finished(last, end);
      else writable.on('finish', end);
    }
    const pull = () => {
      for (;;) {
        const chunk = readable.read();
        if (chunk === null || !duplex.push(chunk)) return;
      }
    };
    if (readable) {
      finished(readable, { writable: false }, fail);
      readable.on('readable', pull);
      readable.on('end', () => { duplex.push(null); });
    }
    return duplex;
  };

  // ofFunction is a Duplex whose chunks go through an async generator function, or to an async function.
  const ofFunction = (f) => {
    let next = null;
    let last = null;
    const waiting = [];
    const input = (async function* () {
      for (;;) {
        if (waiting.length === 0) await new Promise((resolve) => { next = resolve; });
        const { chunk, done, callback } = waiting.shift();
        nextTick(callback);
        if (done) return;
        yield chunk;
      }
    })();
    const give = (item) => {
      waiting.push(item);
      next?.();
      next = null;
    };
    const write = (chunk, encoding, callback) => { give({ chunk, done: false, callback }); };
    const controller = new AbortController();
    const result = f(input, { signal: controller.signal });
    if (typeof result?.[Symbol.asyncIterator] === 'function') {
      const iterator = result[Symbol.asyncIterator]();
      let reading = false;
      return new Duplex({
        objectMode: true,
        write,
        final(callback) { give({ done: true, callback }); },
        async read() {
          if (reading) return;
          reading = true;
          try {
            for (;;) {
              const { value, done } = await iterator.next();
              if (done) {
                this.push(null);
                return;
              }
              if (!this.push(value)) break;
            }
            reading = false;
          } catch (error) {
            this.destroy(error);
          }
        },
        destroy(error, callback) {
          controller.abort();
          if (error && typeof iterator.return === 'function') iterator.return().catch(() => {});
          callback(error);
        },
      });
    }
    if (typeof result?.then === 'function') {
      const answer = result.then((value) => {
        if (value != null) throw errors.ERR_INVALID_RETURN_VALUE('nully', 'body', value);
      });
      answer.catch((error) => { duplex.destroy(error); });
      const duplex = new Duplex({
        objectMode: true,
        readable: false,
        write,
        final(callback) {
          last = callback;
          give({ done: true, callback: () => {
            answer.then(() => nextTick(last, null), (error) => nextTick(last, error));
          } });
        },
      });
      return duplex;
    }
    throw errors.ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or AsyncFunction', 'body', result);
  };

  exports.from = (body) => {
    if (body instanceof Duplex) return body;
    if (base.isNodeStream(body)) {
      return joined(base.isWritableNodeStream(body) ? body : undefined,
        base.isReadableNodeStream(body) ? body : undefined);
    }
    if (typeof body === 'function') return ofFunction(body);
    const web = kernel.builtin('stream/web');
    if (body instanceof web.ReadableStream) return joined(undefined, Readable.fromWeb(body));
    if (body instanceof web.WritableStream) return joined(Writable.fromWeb(body), undefined);
    if (body instanceof Blob) return exports.from(body.arrayBuffer());
    if (typeof body === 'string' || body?.[Symbol.asyncIterator] || body?.[Symbol.iterator]) {
      return joined(undefined, Readable.from(body));
    }
    if (typeof body?.writable === 'object' || typeof body?.readable === 'object') {
      if (body.readable instanceof web.ReadableStream && body.writable instanceof web.WritableStream)
        return Duplex.fromWeb(body);
      const side = (value, is) => (value ? (is(value) ? value : exports.from(value)) : undefined);
      return joined(side(body.writable, base.isWritableNodeStream), side(body.readable, base.isReadableNodeStream));
    }
    if (typeof body?.then === 'function') {
      const duplex = new Duplex({ objectMode: true, writable: false, read() {} });
      body.then((value) => {
        if (value != null) duplex.push(value);
        duplex.push(null);
      }, (error) => { duplex.destroy(error); });
      return duplex;
    }
    throw errors.ERR_INVALID_ARG_TYPE('body',
      ['Blob', 'ReadableStream', 'WritableStream', 'Stream', 'Iterable', 'AsyncIterable',
        'Function', '{ readable, writable } pair', 'Promise'], body);
  };

  exports.compose = (...streams) => {
    if (streams.length === 0) throw errors.ERR_MISSING_ARGS('streams');
    const parts = streams.map((stream, i) => {
      if (base.isNodeStream(stream)) return stream;
      if (typeof stream === 'function' && i === 0 && stream.length === 0) return Readable.from(stream());
      return exports.from(stream);
    });
    if (parts.length === 1) return exports.from(parts[0]);
    parts.forEach((part, i) => {
      const { ERR_INVALID_ARG_VALUE: invalid } = errors;
      if (i < parts.length - 1 && !base.isReadable(part))
        throw invalid(`streams[${i}]`, streams[i], 'must be readable');
      if (i > 0 && !base.isWritable(part)) throw invalid(`streams[${i}]`, streams[i], 'must be writable');
    });
    const first = parts[0];
    const last = parts[parts.length - 1];
    pipeline(parts, (error) => { if (error || (!writable && !readable)) duplex.destroy(error); });
    const writable = base.isWritableNodeStream(first) && base.isWritable(first) ? first : undefined;
    const readable = base.isReadableNodeStream(last) && base.isReadable(last) ? last : undefined;
    const duplex = joined(writable, readable, last);
    return duplex;
  };
})
