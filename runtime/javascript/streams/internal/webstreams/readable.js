// ReadableStream, its readers, and the controller for chunks of any kind. Byte streams have a controller of their own
// (bytes.js).
(function (kernel, require, module, exports) {
  'use strict';
  const common = require('internal/webstreams/common');
  const { hide, of, is, deferred, resolved, rejected, resolvedDeferred, rejectedDeferred,
    react, handled, method, promiseCall, dictionary,
    enqueue, dequeue, resetQueue, highWaterMark, sizeOf, publish, puller } = common;
  const { TypeError, RangeError } = globalThis;
  const lazyBytes = () => require('internal/webstreams/bytes');
  const lazyWritable = () => require('internal/webstreams/writable');
  const wrongThis = () => rejected(new TypeError('Illegal invocation'));

  class ReadableStream {
    constructor(source = undefined, strategy = undefined) {
      if (source === null) throw new TypeError('the underlying source must be an object');
      source = dictionary(source, 'the underlying source');
      strategy = dictionary(strategy, 'the strategy');
      const what = 'underlyingSource';
      const { autoAllocateChunkSize } = source;
      const algorithms = {
        cancel: method(source, 'cancel', what), pull: method(source, 'pull', what),
        start: method(source, 'start', what),
      };
      const type = source.type === undefined ? undefined : `${source.type}`;
      if (type !== undefined && type !== 'bytes')
        throw new TypeError(`the type of an underlying source is 'bytes' or left out, not ${type}`);
      const stream = initialize(this);
      if (type === 'bytes') {
        if (strategy.size !== undefined) throw new RangeError('a byte stream has no size function');
        lazyBytes().setUp(stream, algorithms, highWaterMark(strategy, 0), autoAllocateChunkSize);
      } else {
        const size = sizeOf(strategy);
        setUp(stream, algorithms, highWaterMark(strategy, 1), size);
      }
    }
    static from(iterable) {
      const make = iterable?.[Symbol.asyncIterator] ?? iterable?.[Symbol.iterator];
      if (typeof make !== 'function') throw new TypeError('ReadableStream.from needs an iterable');
      const iterator = Reflect.apply(make, iterable, []);
      if (typeof iterator !== 'object' || iterator === null) throw new TypeError('an iterator must be an object');
      const { next } = iterator;
      const object = create({
        start() {},
        pull: () => react(promiseCall(() => Reflect.apply(next, iterator, [])), async (result) => {
          if (typeof result !== 'object' || result === null)
            throw new TypeError('the result of an iterator must be an object');
          if (result.done) closeController(controller);
          else enqueueChunk(controller, await result.value);
        }),
        cancel: (reason) => {
          let end;
          try {
            end = iterator.return;
            if (end === undefined || end === null) return resolved();
            return react(resolved(Reflect.apply(end, iterator, [reason])), (result) => {
              if (typeof result !== 'object' || result === null)
                throw new TypeError('the result of an iterator must be an object');
            });
          } catch (error) {
            return rejected(error);
          }
        },
      }, 0);
      const { controller } = of(object, 'readable');
      return object;
    }
    get locked() { return of(this, 'readable').reader !== undefined; }
    cancel(reason = undefined) {
      if (!is(this, 'readable')) return wrongThis();
      const stream = of(this, 'readable');
      return stream.reader !== undefined ? rejected(new TypeError('The stream is locked')) : cancel(stream, reason);
    }
    getReader(options = undefined) {
      of(this, 'readable');
      const { mode } = dictionary(options, 'the options');
      if (mode === undefined) return new ReadableStreamDefaultReader(this);
      if (`${mode}` !== 'byob') throw new TypeError(`the mode of a reader is 'byob' or left out, not ${mode}`);
      return new (lazyBytes().ReadableStreamBYOBReader)(this);
    }
    pipeThrough(transform, options = undefined) {
      const source = of(this, 'readable');
      if (typeof transform !== 'object' || transform === null)
        throw new TypeError('pipeThrough needs {readable, writable}');
      const { readable } = transform;
      of(readable, 'readable');
      const { writable } = transform;
      const target = of(writable, 'writable');
      const chosen = pipeOptions(options);
      if (source.reader !== undefined) throw new TypeError('The stream is locked');
      if (target.writer !== undefined) throw new TypeError('The writable stream is locked');
      handled(pipe(source, target, chosen));
      return readable;
    }
    pipeTo(destination, options = undefined) {
      if (!is(this, 'readable')) return wrongThis();
      if (!is(destination, 'writable')) return rejected(new TypeError('pipeTo needs a WritableStream'));
      let chosen;
      try { chosen = pipeOptions(options); } catch (error) { return rejected(error); }
      const source = of(this, 'readable');
      const target = of(destination, 'writable');
      if (source.reader !== undefined) return rejected(new TypeError('The stream is locked'));
      if (target.writer !== undefined) return rejected(new TypeError('The writable stream is locked'));
      return pipe(source, target, chosen);
    }
    tee() {
      const stream = of(this, 'readable');
      return stream.controller.kind === 'byteController' ? lazyBytes().tee(stream) : tee(stream, false);
    }
    values(options = undefined) {
      of(this, 'readable');
      const preventCancel = !!dictionary(options, 'the options').preventCancel;
      const reader = acquire(this);
      return hideIterator({ kind: 'iterator', reader, preventCancel, ongoing: undefined, finished: false });
    }
  }
  publish(ReadableStream);
  Object.defineProperty(ReadableStream.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(depth, options, inspect) {
      if (depth < 0 || !is(this, 'readable')) return this;
      const stream = of(this, 'readable');
      const shown = { locked: stream.reader !== undefined, state: stream.state,
        supportsBYOB: stream.controller?.kind === 'byteController' };
      const left = options.depth == null ? null : options.depth - 1;
      return `ReadableStream ${inspect(shown, { ...options, depth: left })}`;
    },
    writable: true, enumerable: false, configurable: true,
  });
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
    value: ReadableStream.prototype.values, writable: true, enumerable: false, configurable: true,
  });

  const pipeOptions = (options) => {
    const { preventAbort, preventCancel, preventClose, signal } = dictionary(options, 'the options');
    if (signal !== undefined && !kernel.isSignal(signal))
      throw new TypeError('the option signal must be an AbortSignal');
    return { preventAbort: !!preventAbort, preventCancel: !!preventCancel, preventClose: !!preventClose, signal };
  };

  const initialize = (object) => hide(object, {
    kind: 'readable', object, state: 'readable', reader: undefined, error: undefined,
    disturbed: false, controller: undefined,
  });
  const create = (algorithms, mark = 1, size = () => 1) => {
    const object = Object.create(ReadableStream.prototype);
    setUp(initialize(object), algorithms, mark, size);
    return object;
  };
  const createBytes = (algorithms) => {
    const object = Object.create(ReadableStream.prototype);
    lazyBytes().setUp(initialize(object), algorithms, 0, undefined);
    return object;
  };
  const acquire = (object) => of(new ReadableStreamDefaultReader(object), 'reader');

  // Iterators.
  const iteratorPrototype = {
    __proto__: Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype)),
    next() {
      if (!is(this, 'iterator')) return wrongThis();
      const iterator = of(this, 'iterator');
      const step = () => nextOf(iterator);
      iterator.ongoing = iterator.ongoing === undefined ? step() : react(iterator.ongoing, step, step);
      return iterator.ongoing;
    },
    return(value) {
      if (!is(this, 'iterator')) return wrongThis();
      const iterator = of(this, 'iterator');
      const step = () => returnOf(iterator, value);
      const ended = iterator.ongoing === undefined ? step() : react(iterator.ongoing, step, step);
      iterator.ongoing = ended;
      return react(ended, () => ({ value, done: true }));
    },
  };
  const hideIterator = (state) => {
    const object = Object.create(iteratorPrototype);
    hide(object, state);
    return object;
  };
  const nextOf = (iterator) => {
    if (iterator.finished) return resolved({ value: undefined, done: true });
    const request = deferred();
    readDefault(iterator.reader, {
      chunk: (value) => { request.resolve({ value, done: false }); },
      close: () => {
        releaseDefault(iterator.reader);
        request.resolve({ value: undefined, done: true });
      },
      error: (error) => {
        releaseDefault(iterator.reader);
        request.reject(error);
      },
    });
    return react(request.promise, (result) => {
      iterator.ongoing = undefined;
      if (result.done) iterator.finished = true;
      return result;
    }, (error) => {
      iterator.ongoing = undefined;
      iterator.finished = true;
      throw error;
    });
  };
  const returnOf = (iterator, value) => {
    if (iterator.finished) return resolved({ value, done: true });
    iterator.finished = true;
    if (!iterator.preventCancel) {
      const result = cancel(iterator.reader.stream, value);
      releaseDefault(iterator.reader);
      return react(result, () => ({ value, done: true }));
    }
    releaseDefault(iterator.reader);
    return resolved({ value, done: true });
  };

  // Streams.
  const cancel = (stream, reason) => {
    stream.disturbed = true;
    if (stream.state === 'closed') return resolved();
    if (stream.state === 'errored') return rejected(stream.error);
    closeStream(stream);
    const { reader } = stream;
    if (reader?.kind === 'byobReader') {
      const requests = reader.requests;
      reader.requests = new common.Queue();
      while (requests.length > 0) requests.shift().close(undefined);
    }
    return react(stream.controller.cancelSteps(reason), () => undefined);
  };
  const closeStream = (stream) => {
    stream.state = 'closed';
    const { reader } = stream;
    if (reader === undefined) return;
    settleClosed(reader, 'resolve');
    if (reader.kind === 'reader') {
      const { requests } = reader;
      reader.requests = new common.Queue();
      while (requests.length > 0) requests.shift().close();
    }
  };
  const errorStream = (stream, error) => {
    stream.state = 'errored';
    stream.error = error;
    const { reader } = stream;
    if (reader === undefined) return;
    settleClosed(reader, 'reject', error);
    handled(reader.closed.promise);
    failRequests(reader, error);
  };
  const failRequests = (reader, error) => {
    const { requests } = reader;
    reader.requests = new common.Queue();
    while (requests.length > 0) requests.shift().error(error);
  };
  const settleClosed = (reader, how, value) => {
    reader.closed[how](value);
    reader.closed.settled = true;
  };

  // Readers.
  const initializeReader = (object, kind, stream) => {
    if (stream.reader !== undefined) throw new TypeError('The stream is already locked to a reader');
    const reader = hide(object, { kind, stream, requests: new common.Queue(), closed: undefined });
    stream.reader = reader;
    reader.closed = stream.state === 'readable' ? deferred() : stream.state === 'closed'
      ? resolvedDeferred() : rejectedDeferred(stream.error);
    return reader;
  };
  const genericRelease = (reader) => {
    const { stream } = reader;
    const error = new TypeError('The reader was released');
    if (stream.state === 'readable' && !reader.closed.settled) settleClosed(reader, 'reject', error);
    else reader.closed = rejectedDeferred(error);
    handled(reader.closed.promise);
    stream.controller.releaseSteps();
    stream.reader = undefined;
    reader.stream = undefined;
  };
  const releaseDefault = (reader) => {
    genericRelease(reader);
    failRequests(reader, new TypeError('The reader was released'));
  };
  const readDefault = (reader, request) => {
    const { stream } = reader;
    stream.disturbed = true;
    if (stream.state === 'closed') request.close();
    else if (stream.state === 'errored') request.error(stream.error);
    else stream.controller.pullSteps(request);
  };

  class ReadableStreamDefaultReader {
    constructor(stream) { initializeReader(this, 'reader', of(stream, 'readable', 'new ReadableStreamDefaultReader')); }
    get closed() { return is(this, 'reader') ? of(this, 'reader').closed.promise : wrongThis(); }
    cancel(reason = undefined) {
      if (!is(this, 'reader')) return wrongThis();
      const { stream } = of(this, 'reader');
      return stream === undefined ? rejected(new TypeError('The reader is released')) : cancel(stream, reason);
    }
    read() {
      if (!is(this, 'reader')) return wrongThis();
      const reader = of(this, 'reader');
      if (reader.stream === undefined) return rejected(new TypeError('The reader is released'));
      const { promise, resolve, reject } = deferred();
      readDefault(reader, {
        chunk: (value) => { resolve({ value, done: false }); },
        close: () => { resolve({ value: undefined, done: true }); },
        error: reject,
      });
      return promise;
    }
    releaseLock() {
      const reader = of(this, 'reader');
      if (reader.stream !== undefined) releaseDefault(reader);
    }
  }
  publish(ReadableStreamDefaultReader);

  // The controller.
  class ReadableStreamDefaultController {
    constructor() { throw new TypeError('Illegal constructor'); }
    get desiredSize() { return desiredSize(of(this, 'controller')); }
    close() {
      const controller = of(this, 'controller');
      if (!canCloseOrEnqueue(controller))
        throw new TypeError('Invalid state: The controller cannot be closed: the stream is closing or not readable');
      closeController(controller);
    }
    enqueue(chunk = undefined) {
      const controller = of(this, 'controller');
      if (!canCloseOrEnqueue(controller))
        throw new TypeError('Invalid state: Nothing can be enqueued: the stream is closing or not readable');
      enqueueChunk(controller, chunk);
    }
    error(error = undefined) { errorController(of(this, 'controller'), error); }
  }
  publish(ReadableStreamDefaultController);

  const setUp = (stream, { start, pull, cancel: cancelSource }, mark, size) => {
    const object = Object.create(ReadableStreamDefaultController.prototype);
    const controller = hide(object, {
      kind: 'controller', object, stream, queue: undefined, total: 0, started: false,
      closeRequested: false, pullAgain: false, pulling: false,
      mark, size, pull, cancel: cancelSource,
      cancelSteps(reason) {
        resetQueue(controller);
        const promise = controller.cancel === undefined ? resolved() : promiseCall(controller.cancel, reason);
        clearAlgorithms(controller);
        return promise;
      },
      pullSteps(request) {
        if (controller.queue.length > 0) {
          const chunk = dequeue(controller);
          if (controller.closeRequested && controller.queue.length === 0) {
            clearAlgorithms(controller);
            closeStream(stream);
          } else {
            pullIfNeeded(controller);
          }
          request.chunk(chunk);
        } else {
          stream.reader.requests.push(request);
          pullIfNeeded(controller);
        }
      },
      releaseSteps() {},
    });
    resetQueue(controller);
    stream.controller = controller;
    react(resolved(start?.(object)), () => {
      controller.started = true;
      pullIfNeeded(controller);
    }, (error) => { errorController(controller, error); });
  };
  const clearAlgorithms = (controller) => { controller.pull = controller.cancel = controller.size = undefined; };
  const canCloseOrEnqueue = ({ closeRequested, stream }) => !closeRequested && stream.state === 'readable';
  const desiredSize = ({ stream, mark, total }) => (stream.state === 'errored' ? null
    : stream.state === 'closed' ? 0 : mark - total);
  const waiting = (stream) => stream.reader?.kind === 'reader' && stream.reader.requests.length > 0;

  const shouldPull = (controller) => {
    const { stream } = controller;
    return canCloseOrEnqueue(controller) && controller.started && (waiting(stream) || desiredSize(controller) > 0);
  };
  const pullIfNeeded = puller(shouldPull, (controller, error) => { errorController(controller, error); });
  const closeController = (controller) => {
    if (!canCloseOrEnqueue(controller)) return;
    controller.closeRequested = true;
    if (controller.queue.length === 0) {
      clearAlgorithms(controller);
      closeStream(controller.stream);
    }
  };
  const enqueueChunk = (controller, chunk) => {
    if (!canCloseOrEnqueue(controller)) return;
    if (waiting(controller.stream)) {
      controller.stream.reader.requests.shift().chunk(chunk);
    } else {
      try {
        enqueue(controller, chunk, controller.size(chunk));
      } catch (error) {
        errorController(controller, error);
        throw error;
      }
    }
    pullIfNeeded(controller);
  };
  const errorController = (controller, error) => {
    if (controller.stream.state !== 'readable') return;
    resetQueue(controller);
    clearAlgorithms(controller);
    errorStream(controller.stream, error);
  };

  const tee = (stream, cloneForSecond) => {
    const reader = acquire(stream.object);
    let reading = false;
    let readAgain = false;
    let canceled1 = false;
    let canceled2 = false;
    let reason1;
    let reason2;
    const canceled = deferred();
    const pull = () => {
      if (reading) {
        readAgain = true;
        return resolved();
      }
      reading = true;
      readDefault(reader, {
        chunk: (chunk) => {
          queueMicrotask(() => {
            readAgain = false;
            let second = chunk;
            if (!canceled2 && cloneForSecond) {
              try {
                second = structuredClone(chunk);
              } catch (error) {
                errorController(branch1, error);
                errorController(branch2, error);
                canceled.resolve(cancel(stream, error));
                return;
              }
            }
            if (!canceled1) enqueueChunk(branch1, chunk);
            if (!canceled2) enqueueChunk(branch2, second);
            reading = false;
            if (readAgain) pull();
          });
        },
        close: () => {
          reading = false;
          if (!canceled1) closeController(branch1);
          if (!canceled2) closeController(branch2);
          if (!canceled1 || !canceled2) canceled.resolve();
        },
        error: () => { reading = false; },
      });
      return resolved();
    };
    const object1 = create({ start() {}, pull, cancel: (reason) => {
      canceled1 = true;
      reason1 = reason;
      if (canceled2) canceled.resolve(cancel(stream, [reason1, reason2]));
      return canceled.promise;
    } });
    const object2 = create({ start() {}, pull, cancel: (reason) => {
      canceled2 = true;
      reason2 = reason;
      if (canceled1) canceled.resolve(cancel(stream, [reason1, reason2]));
      return canceled.promise;
    } });
    const branch1 = of(object1, 'readable').controller;
    const branch2 = of(object2, 'readable').controller;
    react(reader.closed.promise, undefined, (error) => {
      errorController(branch1, error);
      errorController(branch2, error);
      if (!canceled1 || !canceled2) canceled.resolve();
    });
    return [object1, object2];
  };

  // pipe writes what it reads, until one of the two streams ends.
  const pipe = (source, target, { preventAbort, preventCancel, preventClose, signal }) => {
    const { WritableStreamDefaultWriter, abortWritable, writeChunk, desiredSizeOfWriter,
      closeWithErrorPropagation, releaseWriter,
      queuedOrInFlight } = lazyWritable();
    const reader = acquire(source.object);
    const writer = of(new WritableStreamDefaultWriter(target.object), 'writer');
    source.disturbed = true;
    let shuttingDown = false;
    let currentWrite = resolved();
    const done = deferred();

    const onAbort = () => {
      const error = signal.reason;
      const actions = [];
      if (!preventAbort) actions.push(() => (target.state === 'writable' ? abortWritable(target, error) : resolved()));
      if (!preventCancel) actions.push(() => (source.state === 'readable' ? cancel(source, error) : resolved()));
      shutdown(() => all(actions.map((action) => action())), true, error);
    };
    const all = (promises) => {
      const result = deferred();
      let left = promises.length;
      if (left === 0) result.resolve();
      for (const promise of promises) react(promise, () => { if (--left === 0) result.resolve(); }, result.reject);
      return result.promise;
    };
    // waitForWrites waits for the writes under way, more of which can begin meanwhile.
    const waitForWrites = () => {
      const write = currentWrite;
      return react(write, () => (write !== currentWrite ? waitForWrites() : undefined));
    };
    const shutdown = (action, failed, error) => {
      if (shuttingDown) return;
      shuttingDown = true;
      const act = () => {
        if (action === undefined) {
          finalize(failed, error);
          return;
        }
        react(action(), () => finalize(failed, error), (newError) => finalize(true, newError));
      };
      if (target.state === 'writable' && !queuedOrInFlight(target)) react(waitForWrites(), act);
      else act();
    };
    const finalize = (failed, error) => {
      releaseWriter(writer);
      releaseDefault(reader);
      signal?.removeEventListener('abort', onAbort);
      if (failed) done.reject(error);
      else done.resolve(undefined);
    };
    const isOrBecomesErrored = (stream, promise, action) => {
      if (stream.state === 'errored') action(stream.error);
      else react(promise, undefined, action);
    };

    if (signal !== undefined) {
      if (signal.aborted) {
        onAbort();
        return done.promise;
      }
      signal.addEventListener('abort', onAbort);
    }
    isOrBecomesErrored(source, reader.closed.promise, (error) => {
      if (!preventAbort) shutdown(() => abortWritable(target, error), true, error);
      else shutdown(undefined, true, error);
    });
    isOrBecomesErrored(target, writer.closed.promise, (error) => {
      if (!preventCancel) shutdown(() => cancel(source, error), true, error);
      else shutdown(undefined, true, error);
    });
    const onSourceClosed = () => {
      if (!preventClose) shutdown(() => closeWithErrorPropagation(writer));
      else shutdown();
    };
    if (source.state === 'closed') onSourceClosed();
    else react(reader.closed.promise, onSourceClosed, () => {});
    if (queuedOrInFlight(target) || target.state === 'closed') {
      const error = new TypeError('The destination is closed');
      if (!preventCancel) shutdown(() => cancel(source, error), true, error);
      else shutdown(undefined, true, error);
    }

    const step = () => {
      if (shuttingDown) return resolved(true);
      return react(writer.ready.promise, () => {
        const read = deferred();
        if (shuttingDown || desiredSizeOfWriter(writer) === null) return true;
        readDefault(reader, {
          chunk: (chunk) => {
            currentWrite = react(writeChunk(writer, chunk), undefined, () => {});
            read.resolve(false);
          },
          close: () => { read.resolve(true); },
          error: read.reject,
        });
        return read.promise;
      });
    };
    const loop = () => { react(step(), (ended) => { if (!ended) loop(); }, () => {}); };
    loop();
    return done.promise;
  };

  Object.assign(exports, {
    ReadableStream, ReadableStreamDefaultReader, ReadableStreamDefaultController,
    createReadable: create, createReadableBytes: createBytes,
    cancelReadable: cancel, closeStream, errorStream, initializeReader, genericRelease,
    failRequests, readDefault, releaseDefault, acquire,
    closeController, enqueueChunk, errorController, desiredSizeOf: desiredSize, canCloseOrEnqueue,
    teeCloned: (object) => (of(object, 'readable').controller.kind === 'byteController'
      ? object.tee() : tee(of(object, 'readable'), true)),
    hasBackpressure: (controller) => !shouldPull(controller), wrongThis,
  });
})
