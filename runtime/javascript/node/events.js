// events: Node's EventEmitter.
(function (kernel, require, module) {
  'use strict';
  const { AbortError, ERR_INVALID_ARG_TYPE, ERR_UNHANDLED_ERROR } = require('internal/errors');
  const { validateAbortSignal, validateBoolean, validateFunction, validateNumber } = require('internal/validators');
  const { later } = kernel;

  const captureRejections = Symbol.for('nodejs.rejection');
  const errorMonitor = Symbol('events.errorMonitor');
  const capture = Symbol('kCapture');
  let defaultMaxListeners = 10;

  function EventEmitter(options) { EventEmitter.init.call(this, options); }
  EventEmitter.prototype._events = undefined;
  EventEmitter.prototype._eventsCount = 0;
  EventEmitter.prototype._maxListeners = undefined;

  EventEmitter.init = function (options) {
    if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
      this._events = { __proto__: null };
      this._eventsCount = 0;
    }
    this._maxListeners ||= undefined;
    if (options?.captureRejections) {
      validateBoolean(options.captureRejections, 'options.captureRejections');
      this[capture] = true;
    } else {
      this[capture] = EventEmitter.prototype[capture];
    }
  };
  Object.defineProperty(EventEmitter.prototype, capture, { value: false, writable: true, enumerable: false });

  EventEmitter.prototype.setMaxListeners = function setMaxListeners(n) {
    validateNumber(n, 'setMaxListeners', 0);
    this._maxListeners = n;
    return this;
  };
  const maxListenersOf = (emitter) => emitter._maxListeners ?? defaultMaxListeners;
  EventEmitter.prototype.getMaxListeners = function getMaxListeners() { return maxListenersOf(this); };

  const call = (emitter, listener, args, type) => {
    const result = Reflect.apply(listener, emitter, args);
    if (result === undefined || result === null || !emitter[capture]) return;
    try {
      const { then } = result;
      if (typeof then === 'function') {
        then.call(result, undefined, (error) => { later(unhandledRejection, [emitter, error, type, args]); });
      }
    } catch (error) {
      emitter.emit('error', error);
    }
  };
  const unhandledRejection = (emitter, error, type, args) => {
    if (typeof emitter[captureRejections] === 'function') {
      emitter[captureRejections](error, type, ...args);
      return;
    }
    const previous = emitter[capture];
    try {
      emitter[capture] = false;
      emitter.emit('error', error);
    } finally {
      emitter[capture] = previous;
    }
  };

  EventEmitter.prototype.emit = function emit(type, ...args) {
    const events = this._events;
    if (type === 'error') {
      if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
      if (events?.error === undefined) {
        const [error] = args;
        if (error instanceof Error) throw error;
        let shown;
        try { shown = require('util').inspect(error); } catch { shown = error; }
        const unhandled = ERR_UNHANDLED_ERROR(args.length > 0 ? shown : undefined);
        unhandled.context = error;
        throw unhandled;
      }
    }
    const handler = events?.[type];
    if (handler === undefined) return false;
    if (typeof handler === 'function') {
      call(this, handler, args, type);
    } else {
      const listeners = handler.slice();
      for (let i = 0; i < listeners.length; i++) call(this, listeners[i], args, type);
    }
    return true;
  };

  const checkListener = (listener) => { validateFunction(listener, 'listener'); };

  const add = (emitter, type, listener, prepend) => {
    checkListener(listener);
    let events = emitter._events;
    if (events === undefined) {
      events = emitter._events = { __proto__: null };
      emitter._eventsCount = 0;
    } else if (events.newListener !== undefined) {
      emitter.emit('newListener', type, listener.listener ?? listener);
      events = emitter._events; // the listener may have replaced it
    }
    const existing = events[type];
    if (existing === undefined) {
      events[type] = listener;
      emitter._eventsCount++;
      return emitter;
    }
    let all;
    if (typeof existing === 'function') all = events[type] = prepend ? [listener, existing] : [existing, listener];
    else if (prepend) (all = existing).unshift(listener);
    else (all = existing).push(listener);
    const max = maxListenersOf(emitter);
    if (max > 0 && all.length > max && !all.warned) {
      all.warned = true;
      const warning = new Error(
        `Possible EventEmitter memory leak detected. ${all.length} ${String(type)} listeners added to ` +
        `${require('util').inspect(emitter, { depth: -1 })}. MaxListeners is ${max}. ` +
          'Use emitter.setMaxListeners() to increase limit');
      process.emitWarning(
        Object.assign(warning, { name: 'MaxListenersExceededWarning', emitter, type, count: all.length }));
    }
    return emitter;
  };
  EventEmitter.prototype.addListener = function addListener(type, listener) {
    return add(this, type, listener, false);
  };
  EventEmitter.prototype.on = EventEmitter.prototype.addListener;
  EventEmitter.prototype.prependListener = function prependListener(type, listener) {
    return add(this, type, listener, true);
  };

  const onceWrapper = (target, type, listener) => {
    const state = { fired: false };
    const wrapped = function (...args) {
      if (state.fired) return undefined;
      target.removeListener(type, wrapped);
      state.fired = true;
      return Reflect.apply(listener, target, args);
    };
    wrapped.listener = listener;
    return wrapped;
  };
  EventEmitter.prototype.once = function once(type, listener) {
    checkListener(listener);
    return this.on(type, onceWrapper(this, type, listener));
  };
  EventEmitter.prototype.prependOnceListener = function prependOnceListener(type, listener) {
    checkListener(listener);
    return this.prependListener(type, onceWrapper(this, type, listener));
  };

  const forget = (emitter, type) => {
    if (--emitter._eventsCount === 0) emitter._events = { __proto__: null };
    else delete emitter._events[type];
  };
  EventEmitter.prototype.removeListener = function removeListener(type, listener) {
    checkListener(listener);
    const events = this._events;
    const existing = events?.[type];
    if (existing === undefined) return this;
    if (existing === listener || existing.listener === listener) {
      forget(this, type);
      if (events.removeListener) this.emit('removeListener', type, existing.listener ?? listener);
    } else if (typeof existing !== 'function') {
      let at = existing.length - 1;
      while (at >= 0 && existing[at] !== listener && existing[at].listener !== listener) at--;
      if (at < 0) return this;
      existing.splice(at, 1);
      if (existing.length === 1) [events[type]] = existing;
      if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
    }
    return this;
  };
  EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

  EventEmitter.prototype.removeAllListeners = function removeAllListeners(type) {
    const events = this._events;
    if (events === undefined) return this;
    if (events.removeListener === undefined) { // nobody has to be told
      if (arguments.length === 0) {
        this._events = { __proto__: null };
        this._eventsCount = 0;
      } else if (events[type] !== undefined) {
        forget(this, type);
      }
      return this;
    }
    if (arguments.length === 0) {
      for (const key of Reflect.ownKeys(events)) {
        if (key !== 'removeListener') this.removeAllListeners(key);
      }
      this.removeAllListeners('removeListener');
      this._events = { __proto__: null };
      this._eventsCount = 0;
      return this;
    }
    const listeners = events[type];
    if (typeof listeners === 'function') this.removeListener(type, listeners);
    else if (listeners !== undefined) for (let i = listeners.length - 1; i >= 0; i--)
      this.removeListener(type, listeners[i]);
    return this;
  };

  const listenersOf = (emitter, type, unwrap) => {
    const existing = emitter._events?.[type];
    if (existing === undefined) return [];
    const all = typeof existing === 'function' ? [existing] : existing.slice();
    return unwrap ? all.map((listener) => listener.listener ?? listener) : all;
  };
  EventEmitter.prototype.listeners = function listeners(type) { return listenersOf(this, type, true); };
  EventEmitter.prototype.rawListeners = function rawListeners(type) { return listenersOf(this, type, false); };
  EventEmitter.prototype.listenerCount = function listenerCount(type, listener) {
    const all = listenersOf(this, type, false);
    return listener == null ? all.length : all.filter((l) => l === listener || l.listener === listener).length;
  };
  EventEmitter.prototype.eventNames = function eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
  };

  // What works on emitters and on EventTargets.
  const isTarget = (emitter) => typeof emitter?.addEventListener === 'function';
  const listen = (emitter, type, listener, flags) => {
    if (typeof emitter?.on === 'function') {
      if (flags?.once) emitter.once(type, listener);
      else emitter.on(type, listener);
    } else if (isTarget(emitter)) {
      emitter.addEventListener(type, listener, flags);
    } else {
      throw ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
    }
  };
  const unlisten = (emitter, type, listener) => {
    if (typeof emitter.removeListener === 'function') emitter.removeListener(type, listener);
    else emitter.removeEventListener(type, listener);
  };

  async function once(emitter, type, options = {}) {
    const { signal } = options;
    validateAbortSignal(signal, 'options.signal');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    return new Promise((resolve, reject) => {
      const done = () => {
        unlisten(emitter, type, onEvent);
        if (typeof emitter.removeListener === 'function') emitter.removeListener('error', onError);
        signal?.removeEventListener('abort', onAbort);
      };
      const onEvent = (...args) => { done(); resolve(args); };
      const onError = (error) => { done(); reject(error); };
      const onAbort = () => { done(); reject(new AbortError(undefined, { cause: signal.reason })); };
      listen(emitter, type, onEvent, { once: true });
      if (type !== 'error' && typeof emitter.once === 'function') emitter.once('error', onError);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  // on is an async iterator over the events of a type.
  function on(emitter, type, options = {}) {
    const { signal } = options;
    validateAbortSignal(signal, 'options.signal');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    const values = [];
    const waiting = [];
    let failure = null;
    let finished = false;
    const onEvent = (...args) => {
      if (waiting.length > 0) waiting.shift().resolve({ value: args, done: false });
      else values.push(args);
    };
    const onError = (error) => {
      if (waiting.length > 0) waiting.shift().reject(error);
      else failure = { error };
      iterator.return();
    };
    const onAbort = () => { onError(new AbortError(undefined, { cause: signal.reason })); };
    const close = options.close ?? [];
    const onClose = () => { iterator.return(); };
    const iterator = {
      __proto__: Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype),
      next() {
        if (values.length > 0) return Promise.resolve({ value: values.shift(), done: false });
        if (failure !== null) {
          const { error } = failure;
          failure = null;
          return Promise.reject(error);
        }
        if (finished) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve, reject) => { waiting.push({ resolve, reject }); });
      },
      return() {
        if (!finished) {
          finished = true;
          unlisten(emitter, type, onEvent);
          if (type !== 'error' && !isTarget(emitter)) unlisten(emitter, 'error', onError);
          for (const name of close) unlisten(emitter, name, onClose);
          signal?.removeEventListener('abort', onAbort);
          for (const { resolve } of waiting) resolve({ value: undefined, done: true });
        }
        return Promise.resolve({ value: undefined, done: true });
      },
      throw(error) {
        if (!(error instanceof Error)) throw ERR_INVALID_ARG_TYPE('EventEmitter.AsyncIterator', 'Error', error);
        onError(error);
      },
      [Symbol.asyncIterator]() { return this; },
    };
    listen(emitter, type, onEvent);
    if (type !== 'error' && !isTarget(emitter)) listen(emitter, 'error', onError);
    for (const name of close) listen(emitter, name, onClose);
    signal?.addEventListener('abort', onAbort, { once: true });
    return iterator;
  }

  const ofTarget = (target) => kernel.listenersOf(target);
  EventEmitter.once = once;
  EventEmitter.on = on;
  EventEmitter.getEventListeners = (emitter, type) => {
    if (typeof emitter?.listeners === 'function') return emitter.listeners(type);
    if (isTarget(emitter)) return ofTarget(emitter).filter((l) => l.type === type).map((l) => l.callback);
    throw ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], emitter);
  };
  EventEmitter.listenerCount = (emitter, type) => (
    typeof emitter?.listenerCount === 'function' ? emitter.listenerCount(type)
      : EventEmitter.getEventListeners(emitter, type).length);
  const targetLimits = new WeakMap();
  EventEmitter.getMaxListeners = (emitter) => {
    if (typeof emitter?.getMaxListeners === 'function') return emitter.getMaxListeners();
    if (isTarget(emitter)) return targetLimits.get(emitter) ?? defaultMaxListeners;
    throw ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], emitter);
  };
  EventEmitter.setMaxListeners = (n = defaultMaxListeners, ...emitters) => {
    validateNumber(n, 'setMaxListeners', 0);
    if (emitters.length === 0) defaultMaxListeners = n;
    for (const emitter of emitters) {
      if (typeof emitter?.setMaxListeners === 'function') emitter.setMaxListeners(n);
      else if (isTarget(emitter)) targetLimits.set(emitter, n);
      else throw ERR_INVALID_ARG_TYPE('eventTargets', ['EventEmitter', 'EventTarget'], emitter);
    }
  };
  EventEmitter.addAbortListener = (signal, listener) => {
    if (signal === undefined) throw ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
    validateAbortSignal(signal, 'signal');
    validateFunction(listener, 'listener');
    let remove;
    if (signal.aborted) {
      queueMicrotask(() => listener());
    } else {
      signal.addEventListener('abort', listener, { once: true, [kernel.resistant]: true });
      remove = () => { signal.removeEventListener('abort', listener); };
    }
    return { __proto__: null, [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() { remove?.(); } };
  };
  Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
    enumerable: true,
    get: () => defaultMaxListeners,
    set(n) {
      validateNumber(n, 'defaultMaxListeners', 0);
      defaultMaxListeners = n;
    },
  });
  Object.defineProperty(EventEmitter, 'captureRejections', {
    enumerable: true,
    get: () => EventEmitter.prototype[capture],
    set(value) {
      validateBoolean(value, 'EventEmitter.captureRejections');
      EventEmitter.prototype[capture] = value;
    },
  });
  Object.defineProperty(EventEmitter, 'EventEmitterAsyncResource', {
    get: () => require('internal/eventresource'), enumerable: true, configurable: true,
  });
  EventEmitter.captureRejectionSymbol = captureRejections;
  EventEmitter.errorMonitor = errorMonitor;
  EventEmitter.usingDomains = false;
  EventEmitter.EventEmitter = EventEmitter;
  module.exports = EventEmitter;
})
