// console
(function (kernel, require, module) {
  'use strict';
  module.exports = console;
})
