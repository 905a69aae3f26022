// constants: the old place of those of os, fs and crypto.
(function (kernel, require, module, exports) {
  'use strict';
  const { errno, signals, priority } = require('os').constants;
  Object.assign(exports, errno, signals, priority, require('fs').constants);
})
