// stream: Node's streams.
(function (kernel, require, module) {
  'use strict';
  const base = require('internal/stream/base');
  const Readable = require('internal/stream/readable');
  const Writable = require('internal/stream/writable');
  const { Duplex, Transform, PassThrough } = require('internal/stream/duplex');
  const { finished, pipeline, pipelinePromise, addAbortSignal } = require('internal/stream/end');
  const { promisify } = require('util');
  const { Buffer } = require('buffer');

  const { Stream } = base;
  module.exports = Object.assign(Stream, {
    isDestroyed: base.isDestroyed,
    isDisturbed: base.isDisturbed,
    isErrored: base.isErrored,
    isReadable: base.isReadable,
    isWritable: base.isWritable,
    Readable,
    Writable,
    Duplex,
    Transform,
    PassThrough,
    pipeline,
    addAbortSignal,
    finished,
    destroy: base.destroyer,
    duplexPair(options) {
      const other = Symbol('other');
      const side = () => new Duplex({
        ...options,
        read() {
          const callback = this.waiting;
          this.waiting = null;
          callback?.();
        },
        write(chunk, encoding, callback) {
          if (chunk.length === 0) {
            queueMicrotask(callback);
            return;
          }
          this[other].push(chunk);
          this[other].waiting = callback;
        },
        final(callback) {
          this[other].on('end', callback);
          this[other].push(null);
        },
      });
      const pair = [side(), side()];
      [pair[0][other], pair[1][other]] = [pair[1], pair[0]];
      return pair;
    },
    compose(...streams) { return require('internal/stream/compose').compose(...streams); },
    setDefaultHighWaterMark: base.setDefaultHighWaterMark,
    getDefaultHighWaterMark: base.getDefaultHighWaterMark,
    Stream,
    _isUint8Array: (value) => value instanceof Uint8Array,
    _uint8ArrayToBuffer: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
  });
  Object.defineProperty(Stream, 'promises', {
    configurable: true, enumerable: true, get: () => require('stream/promises'),
  });
  Object.defineProperty(pipeline, promisify.custom, { enumerable: true, get: () => pipelinePromise });
  Object.defineProperty(finished, promisify.custom, { enumerable: true, get: () => finished.finished });
})
