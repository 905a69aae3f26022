// Objects that are also streams, which most programs do not need: the stream's part begins when it is first used.
(function (kernel, require, module, exports) {
  'use strict';
  const names = ['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners',
    'prependListener', 'prependOnceListener',
    'emit', 'listeners', 'rawListeners', 'listenerCount', 'eventNames', 'setMaxListeners',
    'getMaxListeners', 'pipe', 'unpipe', 'read',
    'push', 'unshift', 'pause', 'resume', 'isPaused', 'setEncoding', 'wrap', 'write',
    'end', 'cork', 'uncork', 'setDefaultEncoding',
    'destroy', 'destroyed', 'closed', 'errored', 'readable', 'writable', 'readableEnded',
    'readableFlowing', 'readableLength',
    'readableHighWaterMark', 'readableObjectMode', 'readableEncoding', 'readableAborted',
    'readableDidRead', 'writableEnded',
    'writableFinished', 'writableLength', 'writableHighWaterMark', 'writableObjectMode',
    'writableCorked', 'writableNeedDrain',
    'writableAborted', '_readableState', '_writableState', '_undestroy', '_destroy',
    '_write', '_final', '_read', 'iterator', 'map', 'filter', 'forEach',
    'toArray', 'some', 'every', 'find', 'flatMap', 'drop', 'take', 'reduce', 'asIndexedPairs',
      'compose', Symbol.asyncIterator];
  const begun = new WeakSet();

  // lazyTransform makes a constructor function one for transform streams. options(object) are those of the stream. It
  // returns a function that begins the stream's part of an object.
  exports.lazyTransform = (Type, options = () => undefined) => {
    let prototype;
    const begin = (object) => {
      if (object === Type.prototype || begun.has(object)) return;
      const { Transform } = require('stream');
      if (prototype === undefined) {
        prototype = Transform.prototype;
        Object.setPrototypeOf(Type.prototype, prototype);
        Object.setPrototypeOf(Type, Transform);
      }
      begun.add(object);
      Transform.call(object, options(object));
    };
    for (const name of names) {
      if (Object.hasOwn(Type.prototype, name)) continue;
      Object.defineProperty(Type.prototype, name, {
        configurable: true,
        get() {
          begin(this);
          return prototype === undefined ? undefined : Reflect.get(prototype, name, this);
        },
        set(value) {
          begin(this);
          if (prototype === undefined || !Reflect.set(prototype, name, value, this)) {
            Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
          }
        },
      });
    }
    return begin;
  };
})
