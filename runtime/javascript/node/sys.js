// sys: the old name of util.
(function (kernel, require, module) {
  'use strict';
  module.exports = require('util');
})
