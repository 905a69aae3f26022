// WritableStream.
(function (kernel, require, module, exports) {
  'use strict';
  const common = require('internal/webstreams/common');
  const { hide, of, is, deferred, resolved, rejected, resolvedDeferred, rejectedDeferred,
    react, handled, method, promiseCall, dictionary,
    enqueue, dequeue, resetQueue, highWaterMark, sizeOf, publish } = common;
  const { TypeError } = globalThis;
  const closing = Symbol('close');

  class WritableStream {
    constructor(sink = undefined, strategy = undefined) {
      if (sink === null) throw new TypeError('the underlying sink must be an object');
      sink = dictionary(sink, 'the underlying sink');
      strategy = dictionary(strategy, 'the strategy');
      if (sink.type !== undefined) throw new RangeError('the type of an underlying sink is not known');
      const size = sizeOf(strategy);
      const mark = highWaterMark(strategy, 1);
      const what = 'underlyingSink';
      const algorithms = {
        start: method(sink, 'start', what), write: method(sink, 'write', what), close: method(sink, 'close', what),
        abort: method(sink, 'abort', what),
      };
      setUp(initialize(this), algorithms, mark, size);
    }
    get locked() { return of(this, 'writable').writer !== undefined; }
    abort(reason = undefined) {
      if (!is(this, 'writable')) return rejected(new TypeError('Illegal invocation'));
      const stream = of(this, 'writable');
      return stream.writer !== undefined ? rejected(new TypeError('The stream is locked')) : abort(stream, reason);
    }
    close() {
      if (!is(this, 'writable')) return rejected(new TypeError('Illegal invocation'));
      const stream = of(this, 'writable');
      if (stream.writer !== undefined) return rejected(new TypeError('The stream is locked'));
      if (queuedOrInFlight(stream)) return rejected(new TypeError('The stream is closing'));
      return close(stream);
    }
    getWriter() { return new WritableStreamDefaultWriter(this); }
  }
  publish(WritableStream);

  const initialize = (object) => hide(object, {
    kind: 'writable', object, state: 'writable', error: undefined, writer: undefined,
    controller: undefined, inFlightWrite: undefined,
    closeRequest: undefined, inFlightClose: undefined, pendingAbort: undefined, writes: new common.Queue(),
    backpressure: false,
  });
  const create = (algorithms, mark, size) => {
    const object = Object.create(WritableStream.prototype);
    setUp(initialize(object), algorithms, mark, size);
    return object;
  };

  const queuedOrInFlight = (stream) => stream.closeRequest !== undefined || stream.inFlightClose !== undefined;

  const abort = (stream, reason) => {
    if (stream.state === 'closed' || stream.state === 'errored') return resolved();
    stream.controller.abortController.abort(reason);
    if (stream.state === 'closed' || stream.state === 'errored') return resolved();
    if (stream.pendingAbort !== undefined) return stream.pendingAbort.deferred.promise;
    const wasErroring = stream.state === 'erroring';
    if (wasErroring) reason = undefined;
    stream.pendingAbort = { deferred: deferred(), reason, wasErroring };
    const { promise } = stream.pendingAbort.deferred;
    if (!wasErroring) startErroring(stream, reason);
    return promise;
  };

  const close = (stream) => {
    if (stream.state === 'closed' || stream.state === 'errored') {
      return rejected(new TypeError(
        `The stream (in ${stream.state} state) is not in the writable state and cannot be closed`));
    }
    const request = stream.closeRequest = deferred();
    const { writer } = stream;
    if (writer !== undefined && stream.backpressure && stream.state === 'writable') writer.ready.resolve();
    enqueue(stream.controller, closing, 0);
    advance(stream.controller);
    return request.promise;
  };

  const dealWithRejection = (stream, error) => {
    if (stream.state === 'writable') startErroring(stream, error);
    else finishErroring(stream);
  };
  const startErroring = (stream, reason) => {
    stream.state = 'erroring';
    stream.error = reason;
    if (stream.writer !== undefined) rejectReady(stream.writer, reason);
    if (stream.inFlightWrite === undefined && stream.inFlightClose === undefined && stream.controller.started)
      finishErroring(stream);
  };
  const finishErroring = (stream) => {
    stream.state = 'errored';
    resetQueue(stream.controller);
    while (stream.writes.length > 0) stream.writes.shift().reject(stream.error);
    if (stream.pendingAbort === undefined) {
      rejectCloseAndClosed(stream);
      return;
    }
    const request = stream.pendingAbort;
    stream.pendingAbort = undefined;
    if (request.wasErroring) {
      request.deferred.reject(stream.error);
      rejectCloseAndClosed(stream);
      return;
    }
    const { controller } = stream;
    const promise = controller.abort === undefined ? resolved() : promiseCall(controller.abort, request.reason);
    clearAlgorithms(controller);
    react(promise, () => {
      request.deferred.resolve();
      rejectCloseAndClosed(stream);
    }, (reason) => {
      request.deferred.reject(reason);
      rejectCloseAndClosed(stream);
    });
  };
  const rejectCloseAndClosed = (stream) => {
    if (stream.closeRequest !== undefined) {
      stream.closeRequest.reject(stream.error);
      stream.closeRequest = undefined;
    }
    if (stream.writer !== undefined) {
      stream.writer.closed.reject(stream.error);
      stream.writer.closed.settled = true;
      handled(stream.writer.closed.promise);
    }
  };
  const updateBackpressure = (stream, backpressure) => {
    const { writer } = stream;
    if (writer !== undefined && backpressure !== stream.backpressure) {
      if (backpressure) {
        writer.ready = deferred();
      } else {
        writer.ready.resolve();
        writer.ready.settled = true;
      }
    }
    stream.backpressure = backpressure;
  };
  const finishInFlightClose = (stream) => {
    stream.inFlightClose.resolve();
    stream.inFlightClose = undefined;
    if (stream.state === 'erroring') {
      stream.error = undefined;
      if (stream.pendingAbort !== undefined) {
        stream.pendingAbort.deferred.resolve();
        stream.pendingAbort = undefined;
      }
    }
    stream.state = 'closed';
    if (stream.writer !== undefined) {
      stream.writer.closed.resolve();
      stream.writer.closed.settled = true;
    }
  };

  // Writers.
  const rejectReady = (writer, error) => {
    if (!writer.ready.settled) writer.ready.reject(error);
    else writer.ready = rejectedDeferred(error);
    writer.ready.settled = true;
    handled(writer.ready.promise);
  };
  const rejectClosed = (writer, error) => {
    if (!writer.closed.settled) writer.closed.reject(error);
    else writer.closed = rejectedDeferred(error);
    writer.closed.settled = true;
    handled(writer.closed.promise);
  };

  class WritableStreamDefaultWriter {
    constructor(stream) {
      const s = of(stream, 'writable', 'new WritableStreamDefaultWriter');
      if (s.writer !== undefined) throw new TypeError('The stream is already locked to a writer');
      const writer = hide(this, { kind: 'writer', stream: s, closed: undefined, ready: undefined });
      s.writer = writer;
      switch (s.state) {
        case 'writable':
          writer.ready = !queuedOrInFlight(s) && s.backpressure ? deferred() : resolvedDeferred();
          writer.closed = deferred();
          break;
        case 'erroring':
          writer.ready = rejectedDeferred(s.error);
          writer.closed = deferred();
          break;
        case 'closed':
          writer.ready = resolvedDeferred();
          writer.closed = resolvedDeferred();
          break;
        default:
          writer.ready = rejectedDeferred(s.error);
          writer.closed = rejectedDeferred(s.error);
      }
    }
    get closed() {
      return is(this, 'writer') ? of(this, 'writer').closed.promise : rejected(new TypeError('Illegal invocation'));
    }
    get desiredSize() {
      const writer = of(this, 'writer');
      if (writer.stream === undefined) throw new TypeError('The writer is released');
      return desiredSize(writer);
    }
    get ready() {
      return is(this, 'writer') ? of(this, 'writer').ready.promise : rejected(new TypeError('Illegal invocation'));
    }
    abort(reason = undefined) {
      if (!is(this, 'writer')) return rejected(new TypeError('Illegal invocation'));
      const { stream } = of(this, 'writer');
      return stream === undefined ? rejected(new TypeError('The writer is released')) : abort(stream, reason);
    }
    close() {
      if (!is(this, 'writer')) return rejected(new TypeError('Illegal invocation'));
      const { stream } = of(this, 'writer');
      if (stream === undefined) return rejected(new TypeError('The writer is released'));
      if (queuedOrInFlight(stream)) return rejected(new TypeError('The stream is closing'));
      return close(stream);
    }
    releaseLock() {
      const writer = of(this, 'writer');
      if (writer.stream !== undefined) release(writer);
    }
    write(chunk = undefined) {
      if (!is(this, 'writer')) return rejected(new TypeError('Illegal invocation'));
      const writer = of(this, 'writer');
      return writer.stream === undefined ? rejected(new TypeError('The writer is released')) : write(writer, chunk);
    }
  }
  publish(WritableStreamDefaultWriter);

  const desiredSize = ({ stream }) => {
    if (stream.state === 'errored' || stream.state === 'erroring') return null;
    return stream.state === 'closed' ? 0 : stream.controller.mark - stream.controller.total;
  };
  const release = (writer) => {
    const error = new TypeError('The writer was released');
    rejectReady(writer, error);
    rejectClosed(writer, error);
    writer.stream.writer = undefined;
    writer.stream = undefined;
  };
  const closeWithErrorPropagation = ({ stream }) => {
    if (queuedOrInFlight(stream) || stream.state === 'closed') return resolved();
    return stream.state === 'errored' ? rejected(stream.error) : close(stream);
  };
  const write = (writer, chunk) => {
    const { stream } = writer;
    const { controller } = stream;
    let size = 1;
    try {
      if (controller.size !== undefined) size = controller.size(chunk);
    } catch (error) {
      errorIfNeeded(controller, error);
    }
    if (stream !== writer.stream) return rejected(new TypeError('The writer was released'));
    if (stream.state === 'errored') return rejected(stream.error);
    if (queuedOrInFlight(stream) || stream.state === 'closed')
      return rejected(new TypeError('The stream is closing or closed'));
    if (stream.state === 'erroring') return rejected(stream.error);
    const request = deferred();
    stream.writes.push(request);
    try {
      enqueue(controller, chunk, size);
    } catch (error) {
      errorIfNeeded(controller, error);
      return request.promise;
    }
    if (!queuedOrInFlight(stream) && stream.state === 'writable')
      updateBackpressure(stream, controller.mark - controller.total <= 0);
    advance(controller);
    return request.promise;
  };

  // Controllers.
  class WritableStreamDefaultController {
    constructor() { throw new TypeError('Illegal constructor'); }
    get signal() { return of(this, 'writableController').abortController.signal; }
    error(reason = undefined) {
      const controller = of(this, 'writableController');
      if (controller.stream.state === 'writable') errorController(controller, reason);
    }
  }
  publish(WritableStreamDefaultController);

  const setUp = (stream, { start, write: writeChunk, close: closeSink, abort: abortSink }, mark, size) => {
    const object = Object.create(WritableStreamDefaultController.prototype);
    const controller = hide(object, {
      kind: 'writableController', stream, abortController: new AbortController(),
      started: false, mark, size, write: writeChunk, close: closeSink,
      abort: abortSink, queue: undefined, total: 0,
    });
    stream.controller = controller;
    controller.object = object;
    resetQueue(controller);
    updateBackpressure(stream, mark <= 0);
    const startPromise = resolved(start?.(object));
    react(startPromise, () => {
      controller.started = true;
      advance(controller);
    }, (error) => {
      controller.started = true;
      dealWithRejection(stream, error);
    });
  };
  const clearAlgorithms = (controller) => {
    controller.write = controller.close = controller.abort = controller.size = undefined;
  };
  const errorIfNeeded = (controller, error) => {
    if (controller.stream.state === 'writable') errorController(controller, error);
  };
  const errorController = (controller, error) => {
    clearAlgorithms(controller);
    startErroring(controller.stream, error);
  };

  const advance = (controller) => {
    const { stream } = controller;
    if (!controller.started || stream.inFlightWrite !== undefined) return;
    if (stream.state === 'erroring') {
      finishErroring(stream);
      return;
    }
    if (stream.state === 'closed' || stream.state === 'errored' || controller.queue.length === 0) return;
    const { value } = controller.queue.peek();
    if (value === closing) processClose(controller);
    else processWrite(controller, value);
  };
  const processClose = (controller) => {
    const { stream } = controller;
    stream.inFlightClose = stream.closeRequest;
    stream.closeRequest = undefined;
    dequeue(controller);
    const promise = controller.close === undefined ? resolved() : promiseCall(controller.close);
    clearAlgorithms(controller);
    react(promise, () => { finishInFlightClose(stream); }, (reason) => {
      stream.inFlightClose.reject(reason);
      stream.inFlightClose = undefined;
      if (stream.pendingAbort !== undefined) {
        stream.pendingAbort.deferred.reject(reason);
        stream.pendingAbort = undefined;
      }
      dealWithRejection(stream, reason);
    });
  };
  const processWrite = (controller, chunk) => {
    const { stream } = controller;
    stream.inFlightWrite = stream.writes.shift();
    const promise = controller.write === undefined ? resolved()
      : promiseCall(controller.write, chunk, controller.object);
    react(promise, () => {
      stream.inFlightWrite.resolve();
      stream.inFlightWrite = undefined;
      dequeue(controller);
      if (!queuedOrInFlight(stream) && stream.state === 'writable')
        updateBackpressure(stream, controller.mark - controller.total <= 0);
      advance(controller);
    }, (reason) => {
      if (stream.state === 'writable') clearAlgorithms(controller);
      stream.inFlightWrite.reject(reason);
      stream.inFlightWrite = undefined;
      dealWithRejection(stream, reason);
    });
  };

  Object.assign(exports, {
    WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController,
    createWritable: create, abortWritable: abort,
    writeChunk: write, desiredSizeOfWriter: desiredSize, closeWithErrorPropagation,
    releaseWriter: release, errorWritableIfNeeded: errorIfNeeded,
    queuedOrInFlight,
  });
})
