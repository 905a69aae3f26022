// Timers. The host calls kernel.tick repeatedly: it runs the first due timer, or returns how long to wait. Between two
// ticks the host runs all promise reactions.
(function (kernel) {
  'use strict';
  const { now, apply, append, list, TypeError, define } = kernel;
  const { ceil, trunc } = Math;
  const maxDelay = 2 ** 31 - 1;

  // What async_hooks knows of the code that runs: its context, and its number (0 if nobody has asked for it).
  kernel.context = undefined;
  kernel.turn = 1;

  // A binary heap of {due, id, callback, args, every, handle, context} with the next timer on top, and its live entries
  // by id.
  let heap = [];
  let dead = 0; // stopped entries in the heap
  const live = new Map();
  const { get: mapGet, set: mapSet, delete: mapDelete } = Map.prototype;
  const lookup = kernel.uncurry(mapGet);
  const store = kernel.uncurry(mapSet);
  const remove = kernel.uncurry(mapDelete);
  let ids = 0;
  let running; // the timer whose callback runs, unless that has stopped it

  const before = (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order);
  const push = (timer) => {
    let i = heap.length;
    append(heap, timer);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(heap[i], heap[parent])) break;
      const other = heap[parent];
      heap[parent] = heap[i];
      heap[i] = other;
      i = parent;
    }
  };
  const pop = () => {
    const top = heap[0];
    const last = heap[heap.length - 1];
    heap.length--;
    if (heap.length > 0) {
      heap[0] = last;
      for (let i = 0; ;) {
        let child = 2 * i + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], heap[i])) break;
        const other = heap[child];
        heap[child] = heap[i];
        heap[i] = other;
        i = child;
      }
    }
    return top;
  };

  const immediate = -0.5; // the delay of setImmediate: such a timer is due, after those that are due already
  let order = 0;
  let ran = 0; // timers
  let foreground = 0; // live timers that keep the run going after the script has returned
  const start = (callback, delay, args, repeat, background = false) => {
    if (typeof callback !== 'function')
      throw kernel.builtin('internal/errors').ERR_INVALID_ARG_TYPE('callback', 'function', callback);
    if (delay !== immediate) {
      delay = +delay;
      if (delay > maxDelay) {
        kernel.builtin('timers');
        kernel.longDelay(delay);
      }
      if (!(delay >= 1 && delay <= maxDelay)) delay = 1; // as Node does
      delay = trunc(delay);
    }
    const timer = {
      due: delay === immediate ? now() : now() + delay, order: order++, id: ++ids,
      callback, args, delay, every: repeat ? delay : -1, background,
      handle: undefined, context: kernel.context,
    };
    timer.handle = new (delay === immediate ? Immediate : Timeout)(timer);
    if (!background) foreground++;
    store(live, timer.id, timer);
    push(timer);
    return timer.handle;
  };
  const forget = (timer) => {
    remove(live, timer.id);
    if (!timer.background) foreground--;
  };
  const stop = (id) => {
    if (id === undefined || id === null || typeof id === 'symbol') return;
    const timer = typeof id === 'object' ? timerOf(id) : lookup(live, +id);
    if (timer === running) running = undefined;
    if (!timer || timer.callback === undefined || lookup(live, timer.id) !== timer) return;
    timer.callback = timer.args = undefined; // it stays in the heap until it is due or too many are dead
    forget(timer);
    if (++dead > 1000 && dead > heap.length / 2) {
      const old = heap;
      heap = [];
      dead = 0;
      for (let i = 0; i < old.length; i++) if (old[i].callback !== undefined) push(old[i]);
    }
  };

  // What scripts get of a timer.
  let timerOf;
  let bind;
  class Immediate {
    #timer;
    static {
      timerOf = (object) => (#timer in object ? object.#timer : undefined);
      bind = (handle, timer) => { handle.#timer = timer; };
    }
    constructor(timer) { this.#timer = timer; }
    hasRef() { return !this.#timer.background; }
    ref() { return keep(this, true); }
    unref() { return keep(this, false); }
    get _destroyed() { return lookup(live, this.#timer.id) !== this.#timer; }
    [Symbol.dispose]() { stop(this); }
  }
  // keep says whether a timer keeps the run going after the script has returned.
  const keep = (handle, wanted) => {
    const timer = timerOf(handle);
    if (timer?.background === wanted) {
      timer.background = !wanted;
      if (lookup(live, timer.id) === timer) foreground += wanted ? 1 : -1;
    }
    return handle;
  };
  class Timeout extends Immediate {
    close() {
      stop(this);
      return this;
    }
    refresh() {
      const old = timerOf(this);
      if (old.callback === undefined) return this;
      const next = { ...old, due: now() + old.delay, order: order++ };
      if (lookup(live, old.id) === old) stop(this);
      if (!next.background) foreground++;
      bind(this, next);
      store(live, next.id, next);
      push(next);
      return this;
    }
    [Symbol.toPrimitive]() { return timerOf(this).id; }
  }
  define('setTimeout', function setTimeout(callback, delay = 0, ...args) {
    return start(callback, delay, args, false);
  });
  define('setInterval', function setInterval(callback, delay = 0, ...args) {
    return start(callback, delay, args, true);
  });
  define('setImmediate', function setImmediate(callback, ...args) { return start(callback, immediate, args, false); });
  define('clearTimeout', function clearTimeout(id) { stop(id); });
  define('clearInterval', function clearInterval(id) { stop(id); });
  define('clearImmediate', function clearImmediate(id) { stop(id); });

  // startBackground starts a timer that does not keep the run going after the script has returned.
  kernel.startBackground = (callback, delay) => start(callback, delay, [], false, true);

  // activeTimers returns the kinds of the timers that keep the run going.
  kernel.activeTimers = () => {
    const names = [];
    const add = ({ background, delay }) => {
      if (!background) append(names, delay === immediate ? 'Immediate' : 'Timeout');
    };
    if (running !== undefined && running.delay !== immediate && lookup(live, running.id) === undefined) add(running);
    kernel.mapEach(live, add);
    return names;
  };

  // tick runs what process.nextTick got in promise reactions, or a due timer, and returns 0. Otherwise it returns the
  // milliseconds until the next timer, or -1 if there is none to wait for. calls is how many calls of host functions
  // are pending; below zero, timers do not run. rejections says that promises may have been rejected without a handler:
  // before a timer runs, the host has to look at them, and -2 is returned.
  kernel.tick = (calls, rejections) => {
    if (ticks.length > 0) {
      kernel.endTurn();
      return 0;
    }
    kernel.context = undefined;
    if (rejections) return -2;
    if (calls < 0) return -1;
    while (heap.length > 0 && heap[0].callback === undefined) {
      pop();
      dead--;
    }
    if (heap.length === 0 || (kernel.returned && foreground === 0 && calls === 0)) {
      return calls === 0 && !kernel.session && kernel.nothingLeft?.(ran) ? 0 : -1;
    }
    const wait = heap[0].due - now();
    if (wait > 0) return ceil(wait) | 0;
    const timer = pop();
    const { callback, args } = timer;
    ran++;
    if (timer.every < 0) {
      forget(timer);
    } else {
      timer.due = now() + timer.every;
      timer.order = order++;
      push(timer);
    }
    running = timer;
    attempt(callback, args, timer.handle, timer.context);
    running = undefined;
    kernel.endTurn();
    return 0;
  };

  // What process.nextTick gets while the script or a timer runs is called when that has ended, before all promise
  // reactions; what it gets in a reaction, when there are no more reactions.
  let ticks = list();
  kernel.endTurn = () => {
    for (let i = 0; i < ticks.length; i++) {
      if (ticks[i] === undefined) continue; // it has ended a library, and nothing else
      const { callback, args, context } = ticks[i];
      ticks[i] = undefined;
      attempt(callback, args, undefined, context);
    }
    if (ticks.length > 0) ticks = list();
  };
  kernel.nextTick = (callback, args) => { append(ticks, { callback, args, context: kernel.context }); };

  // An exception in a microtask would end the run, because nothing would catch it.
  const enqueue = queueMicrotask;
  const attempt = (callback, args, self, context) => {
    kernel.context = context;
    kernel.turn = 0;
    try {
      apply(callback, self, args);
    } catch (error) {
      kernel.uncaught(error);
    }
  };
  kernel.later = (callback, args) => {
    const { context } = kernel;
    enqueue(() => { attempt(callback, args, undefined, context); });
  };

  // In Node, operations on files are answered in a turn of their own. Here they are answered at once, in a promise
  // reaction; but after the timers that are due, which would otherwise have to wait until code that does one operation
  // after the other has ended.
  kernel.timersAreDue = () => heap.length > 0 && heap[0].due <= now();
  kernel.afterTimers = () => new kernel.Promise((resolve) => { start(resolve, immediate, [], false); });
  kernel.answer = (callback, args) => {
    if (kernel.timersAreDue()) start(() => { apply(callback, undefined, args); }, immediate, [], false);
    else kernel.later(callback, args);
  };
  // asAnswer gives a promise of what an operation returns.
  // an async function, so that nothing that scripts can replace makes the promise
  kernel.asAnswer = async (operation, ...args) => {
    let answer;
    try {
      answer = apply(operation, undefined, args);
    } catch (error) {
      if (kernel.timersAreDue()) await kernel.afterTimers();
      throw error;
    }
    if (kernel.timersAreDue() && !(answer instanceof kernel.Promise)) await kernel.afterTimers();
    return answer;
  };

  define('queueMicrotask', function queueMicrotask(callback) {
    if (typeof callback !== 'function') throw new TypeError('the argument of queueMicrotask must be a function');
    kernel.later(callback, []);
  });
})
