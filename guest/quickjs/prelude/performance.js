// performance: a clock that runs evenly, and when it began. The engine's own says nothing of use about the latter.
(function (kernel) {
  'use strict';
  const { now } = kernel;
  const { now: date } = Date;
  let origin; // found when it is asked for, since the prelude may run long before the script
  kernel.forgetOrigin = () => { origin = undefined; }; // and so may libraries

  class Performance {
    now() { return now(); }
    get timeOrigin() { return origin ??= date() - now(); }
    toJSON() { return { timeOrigin: this.timeOrigin }; }
  }
  kernel.decorate(Performance.prototype, 'Performance');
  kernel.define('performance', new Performance());
})
