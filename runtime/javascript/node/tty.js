// tty: the console of a run is no terminal.
(function (kernel, require, module, exports) {
  'use strict';
  exports.isatty = () => false;
  exports.ReadStream = function ReadStream() { throw new Error('there are no terminals here'); };
  exports.WriteStream = function WriteStream() { throw new Error('there are no terminals here'); };
})
