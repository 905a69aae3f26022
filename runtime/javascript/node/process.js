(function (kernel, require, module) {
  'use strict';
  module.exports = require('internal/process').process;
})
