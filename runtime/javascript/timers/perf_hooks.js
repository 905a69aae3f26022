// perf_hooks
(function (kernel, require, module, exports) {
  'use strict';
  Object.assign(exports, require('internal/performance'), { constants: {} });
  for (const name of ['monitorEventLoopDelay', 'createHistogram']) {
    exports[name] = { [name](options) { return require('internal/histogram')[name](options); } }[name];
  }
})
