// Timers. The host calls kernel.tick repeatedly: it runs the first due timer, or returns how long to wait. Between two
// ticks the host runs all promise reactions.
(function (kernel) {
  'use strict';
  const { now, apply, append, TypeError, define } = kernel;
  const { ceil } = Math;
  const maxDelay = 2 ** 31 - 1;

  // A binary heap of {due, id, callback, args, every} with the next timer on top, and its live entries by id.
  let heap = [];
  let dead = 0; // stopped entries in the heap
  const live = new Map();
  const { get: mapGet, set: mapSet, delete: mapDelete } = Map.prototype;
  const lookup = kernel.uncurry(mapGet);
  const store = kernel.uncurry(mapSet);
  const remove = kernel.uncurry(mapDelete);
  let ids = 0;

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

  let order = 0;
  let foreground = 0; // live timers that keep the run going after the script has returned
  const start = (callback, delay, args, repeat, background = false) => {
    if (typeof callback !== 'function') throw new TypeError('the first argument of a timer must be a function');
    delay = +delay;
    if (!(delay >= 1 && delay <= maxDelay)) delay = 1; // as Node does
    const timer = { due: now() + delay, order: order++, id: ++ids, callback, args, every: repeat ? delay : -1, background };
    if (!background) foreground++;
    store(live, timer.id, timer);
    push(timer);
    return timer.id;
  };
  const forget = (timer) => {
    remove(live, timer.id);
    if (!timer.background) foreground--;
  };
  const stop = (id) => {
    if (typeof id !== 'number') id = +id;
    const timer = lookup(live, id);
    if (!timer) return;
    timer.callback = timer.args = undefined; // it stays in the heap until it is due or too many are dead
    forget(timer);
    if (++dead > 1000 && dead > heap.length / 2) {
      const old = heap;
      heap = [];
      dead = 0;
      for (let i = 0; i < old.length; i++) if (old[i].callback !== undefined) push(old[i]);
    }
  };

  define('setTimeout', function setTimeout(callback, delay = 0, ...args) { return start(callback, delay, args, false); });
  define('setInterval', function setInterval(callback, delay = 0, ...args) { return start(callback, delay, args, true); });
  define('clearTimeout', function clearTimeout(id) { stop(id); });
  define('clearInterval', function clearInterval(id) { stop(id); });

  // startBackground starts a timer that does not keep the run going after the script has returned.
  kernel.startBackground = (callback, delay) => start(callback, delay, [], false, true);

  // tick runs a due timer and returns 0. Otherwise it returns the milliseconds until the next one, or -1 if there is
  // none to wait for. calls is how many calls of host functions are pending.
  kernel.tick = (calls) => {
    while (heap.length > 0 && heap[0].callback === undefined) {
      pop();
      dead--;
    }
    if (heap.length === 0 || (kernel.returned && foreground === 0 && calls === 0)) return -1;
    const wait = heap[0].due - now();
    if (wait > 0) return ceil(wait) | 0;
    const timer = pop();
    const { callback, args } = timer;
    if (timer.every < 0) {
      forget(timer);
    } else {
      timer.due = now() + timer.every;
      timer.order = order++;
      push(timer);
    }
    try {
      apply(callback, undefined, args);
    } catch (error) {
      kernel.uncaught(error);
    }
    return 0;
  };

  // An exception in a microtask would end the run, because nothing would catch it.
  const enqueue = queueMicrotask;
  kernel.later = (callback, args) => {
    enqueue(() => {
      try {
        apply(callback, undefined, args);
      } catch (error) {
        kernel.uncaught(error);
      }
    });
  };
  define('queueMicrotask', function queueMicrotask(callback) {
    if (typeof callback !== 'function') throw new TypeError('the argument of queueMicrotask must be a function');
    kernel.later(callback, []);
  });
})
