// CustomEvent
(function (kernel, require, module, exports) {
  'use strict';
  const details = kernel.slot();

  class CustomEvent extends Event {
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new TypeError('CustomEvent needs a type');
      super(type, init);
      const detail = init?.detail;
      details.set(this, { detail: detail === undefined ? null : detail });
    }
    get detail() { return details.of(this).detail; }
  }
  kernel.decorate(CustomEvent.prototype, 'CustomEvent');
  exports.CustomEvent = CustomEvent;
})
