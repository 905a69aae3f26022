// TransformStream, and the streams that encode and decode text.
(function (kernel, require, module, exports) {
  'use strict';
  const common = require('internal/webstreams/common');
  const {
    hide, of, deferred, resolved, react, method, promiseCall, dictionary, highWaterMark, sizeOf, publish,
  } = common;
  const {
    createReadable, closeController, enqueueChunk, errorController, desiredSizeOf, canCloseOrEnqueue, hasBackpressure,
  } =
    require('internal/webstreams/readable');
  const { createWritable, errorWritableIfNeeded } = require('internal/webstreams/writable');
  const { TypeError, RangeError } = globalThis;

  class TransformStream {
    constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
      if (transformer === null) throw new TypeError('the transformer must be an object');
      transformer = dictionary(transformer, 'the transformer');
      writableStrategy = dictionary(writableStrategy, 'the strategy');
      readableStrategy = dictionary(readableStrategy, 'the strategy');
      const what = 'transformer';
      const algorithms = {
        cancel: method(transformer, 'cancel', what), flush: method(transformer, 'flush', what),
        start: method(transformer, 'start', what),
        transform: method(transformer, 'transform', what),
      };
      if (transformer.readableType !== undefined) throw new RangeError('readableType is not known');
      if (transformer.writableType !== undefined) throw new RangeError('writableType is not known');
      const readableMark = highWaterMark(readableStrategy, 0);
      const readableSize = sizeOf(readableStrategy);
      const writableMark = highWaterMark(writableStrategy, 1);
      const writableSize = sizeOf(writableStrategy);
      initialize(this, algorithms, writableMark, writableSize, readableMark, readableSize);
    }
    get readable() { return of(this, 'transform').readable; }
    get writable() { return of(this, 'transform').writable; }
  }
  publish(TransformStream);

  const initialize = (target, algorithms, writableMark = 1, writableSize = () => 1,
    readableMark = 0, readableSize = () => 1) => {
    const started = deferred();
    const stream = hide(target, {
      kind: 'transform', readable: undefined, writable: undefined, backpressure: undefined,
      change: undefined, controller: undefined,
    });
    const object = Object.create(TransformStreamDefaultController.prototype);
    const controller = hide(object, {
      kind: 'transformController', object, stream, finish: undefined, flush: algorithms.flush,
      cancel: algorithms.cancel,
      transform: algorithms.transform ?? ((chunk) => { enqueue(controller, chunk); }),
    });
    stream.controller = controller;
    stream.writable = createWritable({
      start: () => started.promise,
      write: (chunk) => writeChunk(stream, chunk),
      abort: (reason) => abort(stream, reason),
      close: () => closeSink(stream),
    }, writableMark, writableSize);
    stream.readable = createReadable({
      start: () => started.promise,
      pull: () => {
        setBackpressure(stream, false);
        return stream.change.promise;
      },
      cancel: (reason) => cancelSource(stream, reason),
    }, readableMark, readableSize);
    stream.w = of(stream.writable, 'writable');
    stream.r = of(stream.readable, 'readable');
    setBackpressure(stream, true);
    started.resolve(algorithms.start?.(object));
  };

  const setBackpressure = (stream, backpressure) => {
    stream.change?.resolve();
    stream.change = deferred();
    stream.backpressure = backpressure;
  };
  const unblockWrite = (stream) => { if (stream.backpressure) setBackpressure(stream, false); };
  const errorWritableAndUnblock = (stream, error) => {
    clearAlgorithms(stream.controller);
    errorWritableIfNeeded(stream.w.controller, error);
    unblockWrite(stream);
  };
  const errorBoth = (stream, error) => {
    errorController(stream.r.controller, error);
    errorWritableAndUnblock(stream, error);
  };
  const clearAlgorithms = (controller) => { controller.transform = controller.flush = controller.cancel = undefined; };

  class TransformStreamDefaultController {
    constructor() { throw new TypeError('Illegal constructor'); }
    get desiredSize() { return desiredSizeOf(of(this, 'transformController').stream.r.controller); }
    enqueue(chunk = undefined) { enqueue(of(this, 'transformController'), chunk); }
    error(reason = undefined) { errorBoth(of(this, 'transformController').stream, reason); }
    terminate() {
      const { stream } = of(this, 'transformController');
      closeController(stream.r.controller);
      errorWritableAndUnblock(stream, new TypeError('The stream was terminated'));
    }
  }
  publish(TransformStreamDefaultController);

  const enqueue = ({ stream }, chunk) => {
    const { controller } = stream.r;
    if (!canCloseOrEnqueue(controller))
      throw new TypeError('Invalid state: Nothing can be enqueued: the readable side is closing or not readable');
    try {
      enqueueChunk(controller, chunk);
    } catch (error) {
      errorWritableAndUnblock(stream, error);
      throw stream.r.error;
    }
    const backpressure = hasBackpressure(controller);
    if (backpressure !== stream.backpressure) setBackpressure(stream, true);
  };
  const perform = (controller, chunk) =>
    react(promiseCall(controller.transform, chunk, controller.object), undefined, (error) => {
    errorBoth(controller.stream, error);
    throw error;
  });
  const writeChunk = (stream, chunk) => {
    const { controller } = stream;
    if (!stream.backpressure) return perform(controller, chunk);
    return react(stream.change.promise, () => {
      if (stream.w.state === 'erroring') throw stream.w.error;
      return perform(controller, chunk);
    });
  };
  // finish ends a stream once: it calls the transformer's f, and then ends the other side.
  const finish = (stream, f, argument, other, end, fail) => {
    const { controller } = stream;
    if (controller.finish !== undefined) return controller.finish.promise;
    const { promise, resolve, reject } = controller.finish = deferred();
    const called = controller[f] === undefined ? resolved() : promiseCall(controller[f], argument);
    clearAlgorithms(controller);
    react(called, () => {
      if (other.state === 'errored') {
        reject(other.error);
      } else {
        end();
        resolve();
      }
    }, (error) => {
      fail(error);
      reject(error);
    });
    return promise;
  };
  const abort = (stream, reason) => {
    const fail = (error) => { errorController(stream.r.controller, error); };
    return finish(stream, 'cancel', reason, stream.r, () => { fail(reason); }, fail);
  };
  const closeSink = (stream) => {
    const { controller } = stream.r;
    return finish(stream, 'flush', stream.controller.object, stream.r, () => { closeController(controller); },
      (error) => { errorController(controller, error); });
  };
  const cancelSource = (stream, reason) => {
    const fail = (error) => {
      errorWritableIfNeeded(stream.w.controller, error);
      unblockWrite(stream);
    };
    return finish(stream, 'cancel', reason, stream.w, () => { fail(reason); }, fail);
  };

  // genericTransform makes the two sides of a class that is built on a transformation.
  const genericTransform = (transform, flush) => {
    const target = Object.create(TransformStream.prototype);
    initialize(target, { transform, flush });
    return of(target, 'transform');
  };

  publish(class TextEncoderStream {
    constructor() {
      let high = ''; // the first half of a pair
      const encoder = new TextEncoder();
      const { readable, writable } = genericTransform((chunk, controller) => {
        let text = high + `${chunk}`;
        high = '';
        const last = text.charCodeAt(text.length - 1);
        if (last >= 0xd800 && last < 0xdc00) {
          high = text[text.length - 1];
          text = text.slice(0, -1);
        }
        const bytes = encoder.encode(text);
        if (bytes.length > 0) controller.enqueue(bytes);
      }, (controller) => {
        if (high !== '') controller.enqueue(encoder.encode(high));
      });
      hide(this, { kind: 'textEncoder', readable, writable });
    }
    get encoding() {
      of(this, 'textEncoder');
      return 'utf-8';
    }
    get readable() { return of(this, 'textEncoder').readable; }
    get writable() { return of(this, 'textEncoder').writable; }
  });
  publish(class TextDecoderStream {
    constructor(label = 'utf-8', options = undefined) {
      const decoder = new TextDecoder(label, options);
      const { readable, writable } = genericTransform((chunk, controller) => {
        if (chunk === undefined) throw new TypeError('a chunk must be an ArrayBuffer or a view of one');
        const text = decoder.decode(chunk, { stream: true });
        if (text !== '') controller.enqueue(text);
      }, (controller) => {
        const text = decoder.decode();
        if (text !== '') controller.enqueue(text);
      });
      hide(this, { kind: 'textDecoder', decoder, readable, writable });
    }
    get encoding() { return of(this, 'textDecoder').decoder.encoding; }
    get fatal() { return of(this, 'textDecoder').decoder.fatal; }
    get ignoreBOM() { return of(this, 'textDecoder').decoder.ignoreBOM; }
    get readable() { return of(this, 'textDecoder').readable; }
    get writable() { return of(this, 'textDecoder').writable; }
  });
  exports.genericTransform = genericTransform;
})
