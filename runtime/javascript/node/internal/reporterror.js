// reportError: an error as if nothing had caught it.
(function (kernel, require, module, exports) {
  'use strict';
  exports.reportError = { // a method cannot be constructed
    reportError(error) {
      if (arguments.length === 0) throw new TypeError('reportError needs an argument');
      kernel.uncaught(error);
    },
  }.reportError;
})
