// diagnostics_channel
(function (kernel, require, module, exports) {
  'use strict';
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  const { validateFunction } = require('internal/validators');
  const channels = new Map();

  class Channel {
    #subscribers = [];
    #stores = new Map();
    constructor(name) { this.name = name; }
    get hasSubscribers() { return this.#subscribers.length > 0 || this.#stores.size > 0; }
    subscribe(subscriber) {
      validateFunction(subscriber, 'subscription');
      this.#subscribers = [...this.#subscribers, subscriber];
    }
    unsubscribe(subscriber) {
      const at = this.#subscribers.indexOf(subscriber);
      if (at < 0) return false;
      this.#subscribers = this.#subscribers.toSpliced(at, 1);
      return true;
    }
    bindStore(store, transform) { this.#stores.set(store, transform); }
    unbindStore(store) { return this.#stores.delete(store); }
    publish(message) {
      for (const subscriber of this.#subscribers) {
        try {
          subscriber(message, this.name);
        } catch (error) {
          process.nextTick(() => { throw error; });
        }
      }
    }
    runStores(message, f, self, ...args) {
      let run = () => {
        this.publish(message);
        return Reflect.apply(f, self, args);
      };
      for (const [store, transform] of this.#stores) {
        const next = run;
        run = () => {
          let value = message;
          try {
            if (transform) value = transform(message);
          } catch (error) {
            process.nextTick(() => { throw error; });
            return next();
          }
          return store.run(value, next);
        };
      }
      return run();
    }
  }

  const channel = (name) => {
    if (typeof name !== 'string' && typeof name !== 'symbol')
      throw ERR_INVALID_ARG_TYPE('channel', ['string', 'symbol'], name);
    let found = channels.get(name);
    if (found === undefined) {
      found = new Channel(name);
      channels.set(name, found);
    }
    return found;
  };

  const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  class TracingChannel {
    constructor(names) {
      for (const event of events) {
        const given = typeof names === 'string' ? `tracing:${names}:${event}` : names[event];
        if (typeof given !== 'string' && !(given instanceof Channel)) {
          throw ERR_INVALID_ARG_TYPE(`nameOrChannels.${event}`, ['string', 'Channel'], given);
        }
        this[event] = typeof given === 'string' ? channel(given) : given;
      }
    }
    get hasSubscribers() { return events.some((event) => this[event].hasSubscribers); }
    subscribe(handlers) {
      for (const event of events) if (handlers[event]) this[event].subscribe(handlers[event]);
    }
    unsubscribe(handlers) {
      let done = true;
      for (const event of events) if (handlers[event] && !this[event].unsubscribe(handlers[event])) done = false;
      return done;
    }
    #fail(context, error) {
      context.error = error;
      this.error.publish(context);
    }
    traceSync(f, context = {}, self, ...args) {
      if (!this.hasSubscribers) return Reflect.apply(f, self, args);
      return this.start.runStores(context, () => {
        try {
          context.result = Reflect.apply(f, self, args);
          return context.result;
        } catch (error) {
          this.#fail(context, error);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    tracePromise(f, context = {}, self, ...args) {
      if (!this.hasSubscribers) return Reflect.apply(f, self, args);
      const settled = (key, value) => {
        if (key === 'error') this.#fail(context, value);
        else context.result = value;
        this.asyncStart.publish(context);
        this.asyncEnd.publish(context);
      };
      return this.start.runStores(context, () => {
        try {
          return Promise.resolve(Reflect.apply(f, self, args)).then(
            (value) => { settled('result', value); return value; },
            (error) => { settled('error', error); throw error; });
        } catch (error) {
          this.#fail(context, error);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    traceCallback(f, position = -1, context = {}, self, ...args) {
      if (!this.hasSubscribers) return Reflect.apply(f, self, args);
      const callback = args.at(position);
      validateFunction(callback, 'callback');
      const wrapped = (...results) => {
        if (results[0]) this.#fail(context, results[0]);
        else [, context.result] = results;
        return this.asyncStart.runStores(context, () => {
          try { return callback(...results); } finally { this.asyncEnd.publish(context); }
        });
      };
      args.splice(position, 1, wrapped);
      return this.start.runStores(context, () => {
        try {
          return Reflect.apply(f, self, args);
        } catch (error) {
          this.#fail(context, error);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
  }
  Object.assign(exports, {
    channel,
    hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
    subscribe(name, subscriber) { channel(name).subscribe(subscriber); },
    unsubscribe: (name, subscriber) => channel(name).unsubscribe(subscriber),
    tracingChannel: (names) => new TracingChannel(names),
    Channel,
  });
})
