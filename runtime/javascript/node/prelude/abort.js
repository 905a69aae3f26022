// AbortController and AbortSignal.
(function (kernel) {
  'use strict';
  const {
    slot, expose, derive, list, makeTarget, getHandler, setHandler, TypeError, DOMException, EventTarget,
  } = kernel;
  const { create } = Object;
  const maxDelay = 2 ** 31 - 1; // of timers
  const wrong = (name, type, value) => kernel.builtin('internal/errors').ERR_INVALID_ARG_TYPE(name, type, value);

  // {aborted, reason, actions, sources, dependents}: actions run on an abort, before the event. The signal follows its
  // sources; its dependents follow it.
  const signals = slot('AbortSignal');

  class AbortSignal {
    constructor() { throw new TypeError('Illegal constructor'); }
    static abort(reason = undefined) {
      const signal = makeSignal();
      abortNow(signals.get(signal), reason);
      return signal;
    }
    static timeout(milliseconds) {
      const delay = +milliseconds;
      if (!(delay >= 0 && delay <= 2 ** 53 - 1))
        throw new TypeError('AbortSignal.timeout needs a number of milliseconds');
      const signal = makeSignal();
      // After the script has returned, nothing waits for this.
      kernel.startBackground(() => {
        abort(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      }, delay < maxDelay ? delay : maxDelay);
      return signal;
    }
    static any(iterable) {
      const sources = list();
      if (typeof iterable?.[Symbol.iterator] !== 'function' || typeof iterable !== 'object')
        throw wrong('signals', 'Array', iterable);
      for (const source of iterable) {
        if (!signals.get(source)) throw wrong(`signals[${sources.length}]`, 'AbortSignal', source);
        sources[sources.length] = source;
      }
      const signal = makeSignal();
      const data = signals.get(signal);
      for (let i = 0; i < sources.length; i++) {
        const { aborted, reason } = signals.get(sources[i]);
        if (aborted) {
          abortNow(data, reason);
          return signal;
        }
      }
      for (let i = 0; i < sources.length; i++) follow(signal, data, sources[i]);
      return signal;
    }
    get aborted() { return signals.of(this).aborted; }
    get reason() { return signals.of(this).reason; }
    throwIfAborted() {
      const { aborted, reason } = signals.of(this);
      if (aborted) throw reason;
    }
    get onabort() {
      signals.of(this);
      return getHandler(this, 'abort');
    }
    set onabort(callback) {
      signals.of(this);
      setHandler(this, 'abort', callback);
    }
  }
  const { prototype } = AbortSignal;
  derive(AbortSignal, EventTarget);
  expose(AbortSignal);

  const makeSignal = () => {
    const signal = create(prototype);
    makeTarget(signal);
    signals.set(signal, { aborted: false, reason: undefined, actions: list(), sources: list(), dependents: list() });
    return signal;
  };

  // follow makes a signal abort together with a source or, if that source follows others itself, with those.
  const follow = (signal, data, source) => {
    const { sources, dependents } = signals.get(source);
    if (sources.length > 0) {
      for (let i = 0; i < sources.length; i++) follow(signal, data, sources[i]);
      return;
    }
    for (let i = 0; i < data.sources.length; i++) if (data.sources[i] === source) return;
    data.sources[data.sources.length] = source;
    dependents[dependents.length] = signal;
  };

  const abortNow = (data, reason) => {
    data.aborted = true;
    data.reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
  };
  const abort = (signal, reason) => {
    const data = signals.get(signal);
    if (data.aborted) return;
    abortNow(data, reason);
    const told = list([signal]);
    for (let i = 0; i < data.dependents.length; i++) {
      const dependent = signals.get(data.dependents[i]);
      if (dependent.aborted) continue;
      abortNow(dependent, data.reason);
      told[told.length] = data.dependents[i];
    }
    data.dependents = list();
    for (let i = 0; i < told.length; i++) {
      const { actions } = signals.get(told[i]);
      signals.get(told[i]).actions = list();
      for (let j = 0; j < actions.length; j++) actions[j]();
      kernel.fire(told[i], 'abort');
    }
  };

  kernel.isSignal = (value) => signals.get(value) !== undefined;
  kernel.isAborted = (signal) => signals.get(signal).aborted;
  kernel.onAbort = (signal, action) => {
    const { actions } = signals.get(signal);
    actions[actions.length] = action;
  };

  const controllers = slot('AbortController');
  class AbortController {
    constructor() { controllers.set(this, { signal: makeSignal() }); }
    get signal() { return controllers.of(this).signal; }
    abort(reason = undefined) { abort(controllers.of(this).signal, reason); }
  }
  expose(AbortController);

  kernel.inspect(signals, 'AbortSignal',
    ({ aborted, reason }) => (aborted ? ['aborted', true, 'reason', reason] : ['aborted', false]));
  kernel.inspect(controllers, 'AbortController', ({ signal }) => ['signal', signal]);
})
