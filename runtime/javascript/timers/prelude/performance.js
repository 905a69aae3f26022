// The origin of performance, which the module internal/performance defines. The engine's own origin is wrong here.
(function (kernel) {
  'use strict';
  const { now } = kernel;
  const { now: date } = Date;
  let origin; // computed at first use, since the prelude may have run long before the script
  kernel.forgetOrigin = () => { origin = undefined; }; // and so may libraries
  kernel.timeOrigin = () => origin ??= date() - now();
})
