// Event and EventTarget, without a tree: a target gets only its own events.
(function (kernel) {
  'use strict';
  const { slot, expose, list, now, apply, constants, TypeError, DOMException } = kernel;
  const phases = { __proto__: null, NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };

  const events = slot('Event');
  const makeEvent = (object, type, init, trusted) => {
    events.set(object, {
      type, bubbles: !!init?.bubbles, cancelable: !!init?.cancelable, composed: !!init?.composed, trusted, time: now(),
      target: null, current: null, phase: 0, stopped: false, stoppedNow: false, canceled: false, passive: false,
    });
  };
  const cancel = (event) => { if (event.cancelable && !event.passive) event.canceled = true; };

  class Event {
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new TypeError('Event needs a type');
      makeEvent(this, `${type}`, init, false);
    }
    get type() { return events.of(this).type; }
    get target() { return events.of(this).target; }
    get srcElement() { return events.of(this).target; }
    get currentTarget() { return events.of(this).current; }
    composedPath() {
      const { current } = events.of(this);
      return current === null ? [] : [current];
    }
    get eventPhase() { return events.of(this).phase; }
    stopPropagation() { events.of(this).stopped = true; }
    get cancelBubble() { return events.of(this).stopped; }
    set cancelBubble(value) { if (value) events.of(this).stopped = true; }
    stopImmediatePropagation() {
      const event = events.of(this);
      event.stopped = event.stoppedNow = true;
    }
    get bubbles() { return events.of(this).bubbles; }
    get cancelable() { return events.of(this).cancelable; }
    get returnValue() { return !events.of(this).canceled; }
    set returnValue(value) { if (!value) cancel(events.of(this)); }
    preventDefault() { cancel(events.of(this)); }
    get defaultPrevented() { return events.of(this).canceled; }
    get composed() { return events.of(this).composed; }
    get isTrusted() { return events.of(this).trusted; }
    get timeStamp() { return events.of(this).time; }
  }
  constants(Event, phases);
  constants(Event.prototype, phases);
  expose(Event);
  kernel.inspect(events, 'Event', ({ type, canceled, cancelable, target }) => (
    ['type', type, 'defaultPrevented', canceled, 'cancelable', cancelable, 'target', target]));

  // {listeners}: a list of {type, callback, capture, once, passive, handler, removed}
  const targets = slot('EventTarget');
  kernel.makeTarget = (object) => { targets.set(object, { listeners: list() }); };

  const captures = (options) => !!(typeof options === 'object' && options !== null ? options.capture : options);
  const find = (target, type, callback, capture) => {
    const { listeners } = target;
    for (let i = 0; i < listeners.length; i++) {
      const l = listeners[i];
      if (l.type === type && l.callback === callback && l.capture === capture && !l.handler) return l;
    }
    return undefined;
  };
  const remove = (target, listener) => {
    listener.removed = true;
    const kept = list();
    for (let i = 0; i < target.listeners.length; i++) {
      if (!target.listeners[i].removed) kept[kept.length] = target.listeners[i];
    }
    target.listeners = kept;
  };

  // an option: stopImmediatePropagation does not keep the event from the listener
  kernel.resistant = Symbol('resistant');
  class EventTarget {
    constructor() { kernel.makeTarget(this); }
    addEventListener(type, callback, options = undefined) {
      const target = targets.of(this);
      type = `${type}`;
      const capture = captures(options);
      const detailed = typeof options === 'object' && options !== null;
      const once = detailed && !!options.once;
      const passive = detailed && !!options.passive;
      const signal = detailed ? options.signal : undefined;
      if (signal !== undefined && !kernel.isSignal(signal))
        throw new TypeError('the option signal must be an AbortSignal');
      if (callback === null || callback === undefined) return;
      if (typeof callback !== 'function' && typeof callback !== 'object') {
        throw new TypeError('an event listener must be a function or an object');
      }
      if ((signal !== undefined && kernel.isAborted(signal)) || find(target, type, callback, capture)) return;
      const resists = detailed && options[kernel.resistant] === true;
      const listener = { type, callback, capture, once, passive, resists, handler: false, removed: false };
      target.listeners[target.listeners.length] = listener;
      if (signal !== undefined) kernel.onAbort(signal, () => { remove(target, listener); });
    }
    removeEventListener(type, callback, options = undefined) {
      const target = targets.of(this);
      const listener = find(target, `${type}`, callback, captures(options));
      if (listener) remove(target, listener);
    }
    dispatchEvent(event) {
      const target = targets.of(this);
      const data = events.get(event);
      if (!data) throw new TypeError('dispatchEvent needs an Event');
      if (data.phase !== 0) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
      data.trusted = false;
      return dispatch(this, target, event, data);
    }
  }
  expose(EventTarget);
  kernel.EventTarget = EventTarget;
  kernel.inspect(targets, 'EventTarget', () => []);

  // dispatch calls the listeners that existed when it began and still do. Their exceptions are reported.
  const dispatch = (object, target, event, data) => {
    const { listeners } = target;
    const { length } = listeners;
    data.target = data.current = object;
    data.phase = phases.AT_TARGET;
    for (let round = 0; round < 2 && !data.stopped; round++) { // first those for the capturing phase
      for (let i = 0; i < length; i++) {
        const l = listeners[i];
        if (data.stoppedNow && !l.resists) continue;
        if (l.type !== data.type || l.removed || l.capture !== (round === 0)) continue;
        if (l.once) remove(target, l);
        data.passive = l.passive;
        try {
          if (typeof l.callback === 'function') {
            apply(l.callback, object, [event]);
          } else {
            const { handleEvent } = l.callback;
            if (typeof handleEvent !== 'function') throw new TypeError('the event listener has no method handleEvent');
            apply(handleEvent, l.callback, [event]);
          }
        } catch (error) {
          kernel.nextTick(() => { throw error; }, []);
        }
        data.passive = false;
      }
    }
    data.phase = 0;
    data.current = null;
    data.stopped = data.stoppedNow = false;
    return !data.canceled;
  };

  // listenersOf returns {type, callback} for each listener of a target.
  kernel.listenersOf = (object) => {
    const { listeners } = targets.of(object);
    const all = [];
    for (let i = 0; i < listeners.length; i++)
      kernel.append(all, { type: listeners[i].type, callback: listeners[i].callback });
    return all;
  };

  // fire dispatches an event of the runtime itself.
  const { create } = Object;
  const { prototype } = Event;
  kernel.fire = (object, type) => {
    const target = targets.get(object);
    if (target.listeners.length === 0) return;
    const event = create(prototype);
    makeEvent(event, type, undefined, true);
    dispatch(object, target, event, events.get(event));
  };

  // getHandler and setHandler are for attributes like onabort.
  const handlerOf = (target, type) => {
    for (let i = 0; i < target.listeners.length; i++) {
      if (target.listeners[i].handler && target.listeners[i].type === type) return target.listeners[i];
    }
    return undefined;
  };
  kernel.getHandler = (object, type) => handlerOf(targets.of(object), type)?.callback ?? null;
  kernel.setHandler = (object, type, callback) => {
    const target = targets.of(object);
    const old = handlerOf(target, type);
    if (typeof callback !== 'function') {
      if (old) remove(target, old);
    } else if (old) {
      old.callback = callback;
    } else {
      target.listeners[target.listeners.length] = {
        type, callback, capture: false, once: false, passive: false, handler: true, removed: false,
      };
    }
  };
})
