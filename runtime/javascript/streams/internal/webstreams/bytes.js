// Byte streams: ReadableByteStreamController, readers that bring their own buffers, and tee of byte streams.
(function (kernel, require, module, exports) {
  'use strict';
  const common = require('internal/webstreams/common');
  const { hide, of, is, deferred, resolved, rejected, react, promiseCall, publish, puller } = common;
  const readable = require('internal/webstreams/readable');
  const { cancelReadable, closeStream, errorStream, initializeReader, genericRelease,
    failRequests, readDefault, releaseDefault, acquire,
    createReadableBytes, desiredSizeOf: desiredSize, wrongThis } = readable;
  const { TypeError, RangeError, Uint8Array, DataView, ArrayBuffer } = globalThis;
  const coded = (Type, code) => (message) => Object.assign(new Type(message), { code });
  const invalidState = coded(TypeError, 'ERR_INVALID_STATE');
  const invalidType = coded(TypeError, 'ERR_INVALID_ARG_TYPE');
  const invalidValue = coded(RangeError, 'ERR_INVALID_ARG_VALUE');

  const { transfer } = kernel;
  const sizeOfElement = (view) => (view instanceof DataView ? 1 : view.BYTES_PER_ELEMENT);
  const copyBytes = (to, toOffset, from, fromOffset, length) => {
    new Uint8Array(to, toOffset, length).set(new Uint8Array(from, fromOffset, length));
  };

  class ReadableStreamBYOBReader {
    constructor(stream) {
      const s = of(stream, 'readable', 'new ReadableStreamBYOBReader');
      if (s.controller.kind !== 'byteController')
        throw new TypeError('only a byte stream has readers with buffers of their own');
      initializeReader(this, 'byobReader', s);
    }
    get closed() { return is(this, 'byobReader') ? of(this, 'byobReader').closed.promise : wrongThis(); }
    cancel(reason = undefined) {
      if (!is(this, 'byobReader')) return wrongThis();
      const { stream } = of(this, 'byobReader');
      return stream === undefined ? rejected(invalidState('The reader is released')) : cancelReadable(stream, reason);
    }
    read(view, options = undefined) {
      if (!is(this, 'byobReader')) return wrongThis();
      const reader = of(this, 'byobReader');
      if (!ArrayBuffer.isView(view)) return rejected(invalidType('read needs a view of a buffer'));
      if (view.byteLength === 0 || view.buffer.byteLength === 0) return rejected(invalidState('the view is empty'));
      let min = 1;
      try {
        min = common.dictionary(options, 'the options').min ?? 1;
        min = Number(min);
        if (!Number.isInteger(min) || min <= 0) throw new TypeError('min must be a positive whole number');
        const most = view instanceof DataView ? view.byteLength : view.length;
        if (min > most) throw new RangeError('min is more than the view has');
      } catch (error) {
        return rejected(error);
      }
      if (reader.stream === undefined) return rejected(invalidState('The reader is released'));
      const { promise, resolve, reject } = deferred();
      readInto(reader, view, min, {
        chunk: (value) => { resolve({ value, done: false }); },
        close: (value) => { resolve({ value, done: true }); },
        error: reject,
      });
      return promise;
    }
    releaseLock() {
      const reader = of(this, 'byobReader');
      if (reader.stream !== undefined) releaseBYOB(reader);
    }
  }
  publish(ReadableStreamBYOBReader);

  const releaseBYOB = (reader) => {
    genericRelease(reader);
    failRequests(reader, invalidState('The reader was released'));
  };
  const readInto = (reader, view, min, request) => {
    const { stream } = reader;
    stream.disturbed = true;
    if (stream.state === 'errored') request.error(stream.error);
    else pullInto(stream.controller, view, min, request);
  };

  class ReadableStreamBYOBRequest {
    constructor() { throw new TypeError('Illegal constructor'); }
    get view() { return of(this, 'byobRequest').view; }
    respond(count) {
      const request = of(this, 'byobRequest');
      if (arguments.length === 0) throw new TypeError('respond needs a number of bytes');
      count = Number(count);
      if (!(count >= 0) || !Number.isFinite(count)) throw new TypeError('the number of bytes must be a whole number');
      if (request.controller === undefined) throw invalidState('Invalid state: This request has been answered');
      if (request.view.buffer.detached) throw invalidState("the buffer of the request's view is detached");
      respond(request.controller, Math.trunc(count));
    }
    respondWithNewView(view) {
      const request = of(this, 'byobRequest');
      if (!ArrayBuffer.isView(view)) throw invalidType('respondWithNewView needs a view of a buffer');
      if (request.controller === undefined) throw invalidState('Invalid state: This request has been answered');
      if (view.buffer.detached) throw invalidState("the view's buffer is detached");
      respondWithNewView(request.controller, view);
    }
  }
  publish(ReadableStreamBYOBRequest);

  class ReadableByteStreamController {
    constructor() { throw new TypeError('Illegal constructor'); }
    get byobRequest() { return requestOf(of(this, 'byteController')); }
    get desiredSize() { return desiredSize(of(this, 'byteController')); }
    close() {
      const controller = of(this, 'byteController');
      if (controller.closeRequested) throw invalidState('Invalid state: The stream is closing');
      if (controller.stream.state !== 'readable')
        throw invalidState(`Invalid state: The stream is ${controller.stream.state}`);
      close(controller);
    }
    enqueue(chunk) {
      const controller = of(this, 'byteController');
      if (!ArrayBuffer.isView(chunk)) throw invalidType('a chunk of a byte stream must be a view of a buffer');
      if (chunk.byteLength === 0 || chunk.buffer.byteLength === 0)
        throw invalidState('Invalid state: The chunk is empty');
      if (controller.closeRequested) throw invalidState('Invalid state: The stream is closing');
      if (controller.stream.state !== 'readable')
        throw invalidState(`Invalid state: The stream is ${controller.stream.state}`);
      enqueue(controller, chunk);
    }
    error(error = undefined) { fail(of(this, 'byteController'), error); }
  }
  publish(ReadableByteStreamController);

  const setUp = (stream, { start, pull, cancel }, mark, autoAllocate) => {
    if (autoAllocate !== undefined) {
      autoAllocate = Number(autoAllocate);
      if (!Number.isInteger(autoAllocate) || autoAllocate <= 0)
        throw new TypeError('autoAllocateChunkSize must be a positive whole number');
    }
    const object = Object.create(ReadableByteStreamController.prototype);
    const controller = hide(object, {
      kind: 'byteController', object, stream, queue: [], total: 0, started: false,
      closeRequested: false, pullAgain: false, pulling: false, mark,
      pull, cancel, autoAllocate, pending: [], request: undefined,
      cancelSteps(reason) {
        clearPending(controller);
        resetQueue(controller);
        const promise = controller.cancel === undefined ? resolved() : promiseCall(controller.cancel, reason);
        clearAlgorithms(controller);
        return promise;
      },
      pullSteps(request) {
        if (controller.total > 0) {
          fillRequest(controller, request);
          return;
        }
        if (autoAllocate !== undefined) {
          let buffer;
          try {
            buffer = new ArrayBuffer(autoAllocate);
          } catch (error) {
            request.error(error);
            return;
          }
          controller.pending.push({
            buffer, bufferLength: autoAllocate, offset: 0, length: autoAllocate,
            filled: 0, least: 1, element: 1, Type: Uint8Array, reader: 'default',
          });
        }
        stream.reader.requests.push(request);
        pullIfNeeded(controller);
      },
      releaseSteps() {
        if (controller.pending.length > 0) {
          const [first] = controller.pending;
          first.reader = 'none';
          controller.pending = [first];
        }
      },
    });
    stream.controller = controller;
    react(resolved(start?.(object)), () => {
      controller.started = true;
      pullIfNeeded(controller);
    }, (error) => { fail(controller, error); });
  };
  const resetQueue = (controller) => {
    controller.queue = [];
    controller.total = 0;
  };
  const clearAlgorithms = (controller) => { controller.pull = controller.cancel = undefined; };
  const invalidate = (controller) => {
    if (controller.request === undefined) return;
    const request = of(controller.request, 'byobRequest');
    request.controller = undefined;
    request.view = null;
    controller.request = undefined;
  };
  const clearPending = (controller) => {
    invalidate(controller);
    controller.pending = [];
  };
  const requestsOf = (stream, kind) => (stream.reader?.kind === kind ? stream.reader.requests.length : 0);

  const shouldPull = (controller) => {
    const { stream } = controller;
    return stream.state === 'readable' && !controller.closeRequested && controller.started &&
      (requestsOf(stream, 'reader') > 0 || requestsOf(stream, 'byobReader') > 0 || desiredSize(controller) > 0);
  };
  const pullIfNeeded = puller(shouldPull, (controller, error) => { fail(controller, error); });
  const fail = (controller, error) => {
    if (controller.stream.state !== 'readable') return;
    clearPending(controller);
    resetQueue(controller);
    clearAlgorithms(controller);
    errorStream(controller.stream, error);
  };
  const close = (controller) => {
    const { stream } = controller;
    if (controller.closeRequested || stream.state !== 'readable') return;
    if (controller.total > 0) {
      controller.closeRequested = true;
      return;
    }
    const [first] = controller.pending;
    if (first !== undefined && first.filled % first.element !== 0) {
      const error = invalidState('Invalid state: The stream ended within an element of the view');
      fail(controller, error);
      throw error;
    }
    clearAlgorithms(controller);
    closeStream(stream);
  };

  const viewOf = ({ buffer, offset, filled, element, Type }) => new Type(transfer(buffer), offset, filled / element);
  const commit = (stream, pending) => {
    const done = stream.state === 'closed';
    const view = viewOf(pending);
    const request = stream.reader.requests.shift();
    if (pending.reader === 'default') {
      if (done) request.close();
      else request.chunk(view);
    } else if (done) {
      request.close(view);
    } else {
      request.chunk(view);
    }
  };
  const enqueueBytes = (controller, buffer, offset, length) => {
    controller.queue.push({ buffer, offset, length });
    controller.total += length;
  };
  const enqueueDetached = (controller, pending) => {
    if (pending.filled > 0) {
      const copy = pending.buffer.slice(pending.offset, pending.offset + pending.filled);
      enqueueBytes(controller, copy, 0, pending.filled);
    }
    controller.pending.shift();
  };
  const enqueue = (controller, chunk) => {
    const { stream } = controller;
    if (controller.closeRequested || stream.state !== 'readable') return;
    const { byteOffset, byteLength } = chunk;
    const buffer = transfer(chunk.buffer);
    if (controller.pending.length > 0) {
      const [first] = controller.pending;
      if (first.buffer.detached) throw invalidState("the buffer of the request's view is detached");
      invalidate(controller);
      first.buffer = transfer(first.buffer);
      if (first.reader === 'none') enqueueDetached(controller, first);
    }
    if (stream.reader?.kind === 'reader') {
      const { requests } = stream.reader;
      while (requests.length > 0 && controller.total > 0) fillRequest(controller, requests.shift());
      if (requests.length === 0) {
        enqueueBytes(controller, buffer, byteOffset, byteLength);
      } else {
        if (controller.pending.length > 0) controller.pending.shift();
        requests.shift().chunk(new Uint8Array(buffer, byteOffset, byteLength));
      }
    } else if (stream.reader?.kind === 'byobReader') {
      enqueueBytes(controller, buffer, byteOffset, byteLength);
      for (const filled of processPending(controller)) commit(stream, filled);
    } else {
      enqueueBytes(controller, buffer, byteOffset, byteLength);
    }
    pullIfNeeded(controller);
  };
  const fillRequest = (controller, request) => {
    const entry = controller.queue.shift();
    controller.total -= entry.length;
    drained(controller);
    request.chunk(new Uint8Array(entry.buffer, entry.offset, entry.length));
  };
  const drained = (controller) => {
    if (controller.total === 0 && controller.closeRequested) {
      clearAlgorithms(controller);
      closeStream(controller.stream);
    } else {
      pullIfNeeded(controller);
    }
  };
  const fillFromQueue = (controller, pending) => {
    const most = Math.min(controller.total, pending.length - pending.filled);
    const mostFilled = pending.filled + most;
    let left = most;
    let ready = false;
    const aligned = mostFilled - (mostFilled % pending.element);
    if (aligned >= pending.least) {
      left = aligned - pending.filled;
      ready = true;
    }
    while (left > 0) {
      const [head] = controller.queue;
      const n = Math.min(left, head.length);
      copyBytes(pending.buffer, pending.offset + pending.filled, head.buffer, head.offset, n);
      if (head.length === n) {
        controller.queue.shift();
      } else {
        head.offset += n;
        head.length -= n;
      }
      controller.total -= n;
      pending.filled += n;
      left -= n;
    }
    return ready;
  };
  const processPending = (controller) => {
    const all = [];
    while (controller.pending.length > 0 && controller.total > 0) {
      const [first] = controller.pending;
      if (!fillFromQueue(controller, first)) break;
      invalidate(controller);
      controller.pending.shift();
      all.push(first);
    }
    return all;
  };

  const pullInto = (controller, view, min, request) => {
    const { stream } = controller;
    const element = sizeOfElement(view);
    const { byteOffset: offset, byteLength: length } = view;
    const Type = view.constructor[Symbol.species] ?? view.constructor; // Buffer itself is no constructor for a part
    let buffer;
    try {
      buffer = transfer(view.buffer);
    } catch (error) {
      request.error(error);
      return;
    }
    const pending = { buffer, bufferLength: buffer.byteLength, offset, length, filled: 0,
      least: min * element, element, Type, reader: 'byob' };
    if (controller.pending.length > 0) {
      controller.pending.push(pending);
      stream.reader.requests.push(request);
      return;
    }
    if (stream.state === 'closed') {
      request.close(new pending.Type(pending.buffer, pending.offset, 0));
      return;
    }
    if (controller.total > 0) {
      if (fillFromQueue(controller, pending)) {
        const filled = viewOf(pending);
        drained(controller);
        request.chunk(filled);
        return;
      }
      if (controller.closeRequested) {
        const error = invalidState('Invalid state: The stream ended within an element of the view');
        fail(controller, error);
        request.error(error);
        return;
      }
    }
    controller.pending.push(pending);
    stream.reader.requests.push(request);
    pullIfNeeded(controller);
  };

  const requestOf = (controller) => {
    if (controller.request === undefined && controller.pending.length > 0) {
      const [first] = controller.pending;
      const view = new Uint8Array(first.buffer, first.offset + first.filled, first.length - first.filled);
      const object = Object.create(ReadableStreamBYOBRequest.prototype);
      hide(object, { kind: 'byobRequest', controller, view });
      controller.request = object;
    }
    return controller.request ?? null;
  };
  const respond = (controller, count) => {
    const [first] = controller.pending;
    if (controller.stream.state === 'closed') {
      if (count !== 0) throw invalidState('Invalid state: A closed stream is answered with 0 bytes');
    } else {
      if (count === 0) throw invalidState(
        'Invalid state: The answer must be more than 0 bytes, as the stream is not closed');
      if (first.filled + count > first.length) throw invalidValue('The answer has more bytes than the view');
    }
    first.buffer = transfer(first.buffer);
    respondWith(controller, count);
  };
  const respondWithNewView = (controller, view) => {
    const [first] = controller.pending;
    if (controller.stream.state === 'closed') {
      if (view.byteLength !== 0) throw invalidState('Invalid state: A closed stream is answered with an empty view');
    } else if (view.byteLength === 0) {
      throw invalidState('Invalid state: The view must not be empty, as the stream is not closed');
    }
    if (first.offset + first.filled !== view.byteOffset)
      throw invalidValue('The view does not begin where the request says');
    if (first.bufferLength !== view.buffer.byteLength) throw invalidValue('The buffer of the view has another size');
    if (first.filled + view.byteLength > first.length) throw invalidValue('The view has more bytes than the request');
    const { byteLength } = view;
    first.buffer = transfer(view.buffer);
    respondWith(controller, byteLength);
  };
  const respondWith = (controller, count) => {
    const [first] = controller.pending;
    const { stream } = controller;
    invalidate(controller);
    if (stream.state === 'closed') {
      if (first.reader === 'none') controller.pending.shift();
      const filled = [];
      while (filled.length < requestsOf(stream, 'byobReader')) filled.push(controller.pending.shift());
      for (const one of filled) commit(stream, one);
    } else {
      first.filled += count;
      if (first.reader === 'none') {
        enqueueDetached(controller, first);
        for (const filled of processPending(controller)) commit(stream, filled);
      } else if (first.filled >= first.least) {
        controller.pending.shift();
        const over = first.filled % first.element;
        if (over > 0) {
          const end = first.offset + first.filled;
          enqueueBytes(controller, first.buffer.slice(end - over, end), 0, over);
        }
        first.filled -= over;
        const others = processPending(controller);
        commit(stream, first);
        for (const filled of others) commit(stream, filled);
      }
    }
    pullIfNeeded(controller);
  };

  const tee = (stream) => {
    let reader = acquire(stream.object);
    let reading = false;
    const again = [false, false];
    const canceled = [false, false];
    const reasons = [undefined, undefined];
    const ended = deferred();
    const branches = [];
    const controllerOf = (i) => branches[i].controller;

    const forwardErrors = (current) => {
      react(current.closed.promise, undefined, (error) => {
        if (current !== reader) return;
        fail(controllerOf(0), error);
        fail(controllerOf(1), error);
        if (!canceled[0] || !canceled[1]) ended.resolve();
      });
    };
    const failBoth = (error) => {
      fail(controllerOf(0), error);
      fail(controllerOf(1), error);
      ended.resolve(cancelReadable(stream, error));
    };
    const resume = () => {
      reading = false;
      if (again[0]) pull(0);
      else if (again[1]) pull(1);
    };
    const withDefault = () => {
      if (reader.kind === 'byobReader') {
        releaseBYOB(reader);
        reader = acquire(stream.object);
        forwardErrors(reader);
      }
      readDefault(reader, {
        chunk: (chunk) => {
          queueMicrotask(() => {
            again[0] = again[1] = false;
            let second = chunk;
            if (!canceled[0] && !canceled[1]) {
              try {
                second = chunk.slice();
              } catch (error) {
                failBoth(error);
                return;
              }
            }
            if (!canceled[0]) enqueue(controllerOf(0), chunk);
            if (!canceled[1]) enqueue(controllerOf(1), second);
            resume();
          });
        },
        close: () => {
          reading = false;
          for (const i of [0, 1]) {
            if (!canceled[i]) close(controllerOf(i));
            if (controllerOf(i).pending.length > 0) respond(controllerOf(i), 0);
          }
          if (!canceled[0] || !canceled[1]) ended.resolve();
        },
        error: () => { reading = false; },
      });
    };
    const withView = (view, i) => {
      if (reader.kind === 'reader') {
        releaseDefault(reader);
        reader = of(new ReadableStreamBYOBReader(stream.object), 'byobReader');
        forwardErrors(reader);
      }
      const other = 1 - i;
      readInto(reader, view, 1, {
        chunk: (chunk) => {
          queueMicrotask(() => {
            again[0] = again[1] = false;
            if (!canceled[other]) {
              let copy;
              try {
                copy = chunk.slice();
              } catch (error) {
                failBoth(error);
                return;
              }
              if (!canceled[i]) respondWithNewView(controllerOf(i), chunk);
              enqueue(controllerOf(other), copy);
            } else if (!canceled[i]) {
              respondWithNewView(controllerOf(i), chunk);
            }
            resume();
          });
        },
        close: (chunk) => {
          reading = false;
          if (!canceled[i]) close(controllerOf(i));
          if (!canceled[other]) close(controllerOf(other));
          if (chunk !== undefined) {
            if (!canceled[i]) respondWithNewView(controllerOf(i), chunk);
            if (!canceled[other] && controllerOf(other).pending.length > 0) respond(controllerOf(other), 0);
          }
          if (!canceled[i] || !canceled[other]) ended.resolve();
        },
        error: () => { reading = false; },
      });
    };
    const pull = (i) => {
      if (reading) {
        again[i] = true;
        return resolved();
      }
      reading = true;
      const request = requestOf(controllerOf(i));
      if (request === null) withDefault();
      else withView(of(request, 'byobRequest').view, i);
      return resolved();
    };
    const objects = [0, 1].map((i) => createReadableBytes({
      start() {},
      pull: () => pull(i),
      cancel: (reason) => {
        canceled[i] = true;
        reasons[i] = reason;
        if (canceled[1 - i]) ended.resolve(cancelReadable(stream, reasons));
        return ended.promise;
      },
    }));
    for (const object of objects) branches.push(of(object, 'readable'));
    forwardErrors(reader);
    return objects;
  };

  Object.assign(exports, {
    ReadableStreamBYOBReader, ReadableStreamBYOBRequest, ReadableByteStreamController, setUp, tee,
  });
})
