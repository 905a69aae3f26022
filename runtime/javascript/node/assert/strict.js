// assert/strict
(function (kernel, require, module) {
  'use strict';
  module.exports = require('assert').strict;
})
