// MessageChannel, MessagePort, BroadcastChannel and MessageEvent
// (https://html.spec.whatwg.org/multipage/web-messaging.html). All ends are in the same run, so nothing waits for a
// port unless a message is on its way to it.
(function (kernel, require, module, exports) {
  'use strict';
  const {
    slot, decorate, derive, makeTarget, getHandler, setHandler, cloneWith, append, list, DOMException, EventTarget,
  } = kernel;
  const { TypeError, setImmediate } = globalThis;
  const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;
  const apply = Reflect.apply;
  const publish = (type) => {
    decorate(type.prototype, type.name);
    exports[type.name] = type;
  };

  const events = slot(); // {data, origin, id, source, ports}
  class MessageEvent extends Event {
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new TypeError('MessageEvent needs a type');
      super(type, init);
      const { data = null, lastEventId = '', origin = '', ports = [], source = null } = init ?? {};
      if (source !== null && ends.get(source) === undefined) throw new TypeError('the source must be a MessagePort');
      events.set(this, { data, origin: `${origin}`, id: `${lastEventId}`, source, ports: Object.freeze([...ports]) });
    }
    get data() { return events.of(this).data; }
    get origin() { return events.of(this).origin; }
    get lastEventId() { return events.of(this).id; }
    get source() { return events.of(this).source; }
    get ports() { return events.of(this).ports; }
  }
  publish(MessageEvent);

  // transferOf reads the second argument of postMessage: a list, or {transfer}.
  const transferOf = (options) => {
    if (options === undefined || options === null) return list();
    if (typeof options !== 'object' && typeof options !== 'function')
      throw new TypeError('the options of postMessage must be a list or an object');
    const transfer = typeof options[Symbol.iterator] === 'function' ? options : options.transfer ?? [];
    if (typeof transfer !== 'object' || typeof transfer[Symbol.iterator] !== 'function')
      throw new TypeError('transfer must be a list');
    const found = list();
    for (const item of transfer) found[found.length] = item;
    return found;
  };
  const deliver = (object, type, init) => { apply(dispatchEvent, object, [new MessageEvent(type, init)]); };

  // Data of ports: an end of a channel {port, other, queue, first, started, closed, pumping}. first is where
  // the queue begins. It is undefined after a transfer.
  const ends = slot();
  const made = {};

  // pump makes a task for each message that waits for an end that has started.
  const pump = (end) => {
    if (!end.started || end.pumping || end.queue.length === 0) return;
    end.pumping = true;
    setImmediate(() => {
      end.pumping = false;
      if (end.closed || !end.started || end.port === undefined || end.queue.length === 0) return;
      const { value, moved } = end.queue[end.first];
      end.queue[end.first++] = undefined;
      if (end.first === end.queue.length || end.first > 1000 + end.queue.length / 2) {
        end.queue = end.queue.slice(end.first);
        end.first = 0;
      }
      if (end.queue.length > 0) pump(end);
      const ports = [];
      for (let i = 0; i < moved.length; i++) append(ports, moved[i]);
      deliver(end.port, 'message', { data: value, ports });
    });
  };
  const close = (end) => {
    if (end.closed) return;
    end.closed = true;
    end.queue = [];
    end.first = 0;
    setImmediate(() => { if (end.port !== undefined) apply(dispatchEvent, end.port, [new Event('close')]); });
  };
  const start = (end) => {
    if (end === undefined || end.started) return;
    end.started = true;
    pump(end);
  };

  class MessagePort {
    constructor(token = undefined, end = undefined) {
      if (token !== made) throw Object.assign(new TypeError('Illegal constructor'),
        { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
      makeTarget(this);
      ends.set(this, { end });
      end.port = this;
    }
    postMessage(message, options = undefined) {
      const { end } = ends.of(this);
      if (arguments.length === 0) {
        throw Object.assign(new TypeError('The "message" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
      }
      const transfer = transferOf(options);
      for (let i = 0; i < transfer.length; i++) {
        if (transfer[i] === this) throw new DOMException('Transfer list contains source port', 'DataCloneError');
      }
      // nobody could get it
      const doomed = end !== undefined && end.other.port !== undefined && includes(transfer, end.other.port);
      const sent = cloneWith(message, transfer);
      if (end === undefined || end.closed) return;
      if (doomed) {
        close(end);
        return;
      }
      if (end.other.closed) return;
      append(end.other.queue, sent);
      pump(end.other);
    }
    start() { start(ends.of(this).end); }
    close(callback = undefined) {
      const { end } = ends.of(this);
      if (typeof callback === 'function') this.once('close', callback);
      if (end === undefined || end.closed) return;
      const { other } = end;
      close(end);
      // What has been sent before arrives before the other end closes.
      const closeOther = () => {
        if (other.started && other.queue.length > 0) setImmediate(closeOther);
        else close(other);
      };
      setImmediate(closeOther);
    }
    addEventListener(type, callback, options = undefined) {
      const { end } = ends.of(this);
      apply(addEventListener, this, [type, callback, options]);
      if (`${type}` === 'message') start(end); // as in Node
    }
    get onmessage() {
      ends.of(this);
      return getHandler(this, 'message');
    }
    set onmessage(callback) {
      const { end } = ends.of(this);
      setHandler(this, 'message', callback);
      start(end);
    }
    get onmessageerror() {
      ends.of(this);
      return getHandler(this, 'messageerror');
    }
    set onmessageerror(callback) {
      ends.of(this);
      setHandler(this, 'messageerror', callback);
    }
    get onclose() {
      ends.of(this);
      return getHandler(this, 'close');
    }
    set onclose(callback) {
      ends.of(this);
      setHandler(this, 'close', callback);
    }
  }
  const includes = (items, item) => {
    for (let i = 0; i < items.length; i++) if (items[i] === item) return true;
    return false;
  };
  derive(MessagePort, EventTarget);
  publish(MessagePort);

  // Node's ports have methods of an EventEmitter too. Their listeners get the message itself.
  const listeners = new WeakMap(); // by port: [{type, callback, listener}]
  const listen = (port, type, callback, once) => {
    if (typeof callback !== 'function') {
      throw Object.assign(new TypeError('The "listener" argument must be of type function.'),
        { code: 'ERR_INVALID_ARG_TYPE' });
    }
    const known = listeners.get(port) ?? [];
    const entry = { type, callback, listener: undefined };
    entry.listener = (event) => {
      if (once) known.splice(known.indexOf(entry), 1);
      apply(callback, port, event instanceof MessageEvent ? [event.data] : []);
    };
    known.push(entry);
    listeners.set(port, known);
    port.addEventListener(type, entry.listener, { once });
    return port;
  };
  const unlisten = (port, type, callback) => {
    const known = listeners.get(port) ?? [];
    for (let i = known.length - 1; i >= 0; i--) {
      if ((type === undefined || known[i].type === type) &&
        (callback === undefined || known[i].callback === callback)) {
        apply(removeEventListener, port, [known[i].type, known[i].listener]);
        known.splice(i, 1);
        if (callback !== undefined) break;
      }
    }
    return port;
  };
  const emitter = {
    on(type, callback) { return listen(this, `${type}`, callback, false); },
    addListener(type, callback) { return listen(this, `${type}`, callback, false); },
    once(type, callback) { return listen(this, `${type}`, callback, true); },
    off(type, callback) { return unlisten(this, `${type}`, callback); },
    removeListener(type, callback) { return unlisten(this, `${type}`, callback); },
    removeAllListeners(type = undefined) {
      return unlisten(this, type === undefined ? undefined : `${type}`, undefined);
    },
    listenerCount(type) { return (listeners.get(this) ?? []).filter((entry) => entry.type === `${type}`).length; },
    ref() {},
    unref() {},
    hasRef() { return false; },
  };
  for (const name of Object.keys(emitter)) kernel.define(name, emitter[name], MessagePort.prototype);

  const newEnd = () => ({
    port: undefined, other: undefined, queue: [], first: 0, started: false, closed: false, pumping: false,
  });
  const channels = slot();
  class MessageChannel {
    constructor() {
      const one = newEnd();
      const two = newEnd();
      one.other = two;
      two.other = one;
      channels.set(this, { port1: new MessagePort(made, one), port2: new MessagePort(made, two) });
    }
    get port1() { return channels.of(this).port1; }
    get port2() { return channels.of(this).port2; }
  }
  publish(MessageChannel);

  // A port that is transferred leaves its end to a new one, which has yet to be started.
  append(kernel.movers, (value) => {
    const data = ends.get(value);
    if (data === undefined) return undefined;
    const { end } = data;
    if (end === undefined || end.closed)
      throw new DOMException('The port is closed or has been transferred', 'DataCloneError');
    const port = Object.create(MessagePort.prototype);
    makeTarget(port);
    ends.set(port, { end: undefined });
    return {
      value: port,
      move() {
        data.end = undefined;
        end.started = false;
        end.port = port;
        ends.get(port).end = end;
      },
    };
  });
  append(kernel.cloners, (value) => {
    if (ends.get(value) === undefined) return undefined;
    throw new DOMException('Object that needs transfer was found in message but not listed in transferList',
      'DataCloneError');
  });

  // The channels with a name, in the order in which they were made.
  const named = new Map();
  const broadcasts = slot(); // {name, object, closed}
  class BroadcastChannel {
    constructor(name) {
      if (arguments.length === 0)
        throw Object.assign(new TypeError('The "name" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
      name = `${name}`;
      makeTarget(this);
      const channel = { name, object: this, closed: false };
      broadcasts.set(this, channel);
      if (!named.has(name)) named.set(name, new Set());
      named.get(name).add(channel);
    }
    get name() { return broadcasts.of(this).name; }
    postMessage(message) {
      const channel = broadcasts.of(this);
      if (arguments.length === 0)
        throw Object.assign(new TypeError('The "message" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
      if (channel.closed) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
      const { value } = cloneWith(message, list());
      for (const other of named.get(channel.name)) {
        if (other === channel) continue;
        setImmediate(() => {
          if (!other.closed) deliver(other.object, 'message', { data: cloneWith(value, list()).value });
        });
      }
    }
    close() {
      const channel = broadcasts.of(this);
      channel.closed = true;
      const others = named.get(channel.name);
      others?.delete(channel);
      if (others?.size === 0) named.delete(channel.name);
    }
    get onmessage() {
      broadcasts.of(this);
      return getHandler(this, 'message');
    }
    set onmessage(callback) {
      broadcasts.of(this);
      setHandler(this, 'message', callback);
    }
    get onmessageerror() {
      broadcasts.of(this);
      return getHandler(this, 'messageerror');
    }
    set onmessageerror(callback) {
      broadcasts.of(this);
      setHandler(this, 'messageerror', callback);
    }
  }
  derive(BroadcastChannel, EventTarget);
  publish(BroadcastChannel);
  for (const name of ['ref', 'unref'])
    kernel.define(name, { [name]() { return this; } }[name], BroadcastChannel.prototype);
})
