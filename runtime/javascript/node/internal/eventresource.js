// EventEmitterAsyncResource of events: an emitter that calls its listeners in the context in which it was made.
(function (kernel, require, module) {
  'use strict';
  const EventEmitter = require('events');
  const { AsyncResource } = require('async_hooks');
  const errors = require('internal/errors');
  const { validateString } = require('internal/validators');

  class EmitterResource extends AsyncResource {
    #emitter;
    constructor(emitter, type, options) {
      super(type, options);
      this.#emitter = emitter;
    }
    get eventEmitter() { return this.#emitter; }
  }

  module.exports = class EventEmitterAsyncResource extends EventEmitter {
    #resource;
    constructor(options) {
      let name = options;
      if (typeof options === 'string') {
        options = undefined;
      } else {
        if (new.target === EventEmitterAsyncResource) validateString(options?.name, 'options.name');
        name = options?.name || new.target.name;
      }
      super(options);
      this.#resource = new EmitterResource(this, name, options);
    }
    static #resourceOf(self) {
      if (typeof self !== 'object' || self === null || !(#resource in self))
        throw errors.ERR_INVALID_THIS('EventEmitterAsyncResource');
      return self.#resource;
    }
    emit(event, ...args) {
      return EventEmitterAsyncResource.#resourceOf(this).runInAsyncScope(EventEmitter.prototype.emit,
        this, event, ...args);
    }
    emitDestroy() { EventEmitterAsyncResource.#resourceOf(this).emitDestroy(); }
    get asyncId() { return EventEmitterAsyncResource.#resourceOf(this).asyncId(); }
    get triggerAsyncId() { return EventEmitterAsyncResource.#resourceOf(this).triggerAsyncId(); }
    get asyncResource() { return EventEmitterAsyncResource.#resourceOf(this); }
  };
})
