// performance: a monotonic clock and its origin. The engine's own origin is wrong here.
(function (kernel) {
  'use strict';
  const { now } = kernel;
  const { now: date } = Date;
  let origin; // computed at first use, since the prelude may have run long before the script
  kernel.forgetOrigin = () => { origin = undefined; }; // and so may libraries

  class Performance {
    now() { return now(); }
    get timeOrigin() { return origin ??= date() - now(); }
    toJSON() { return { timeOrigin: this.timeOrigin }; }
  }
  kernel.decorate(Performance.prototype, 'Performance');
  kernel.define('performance', new Performance());
})
