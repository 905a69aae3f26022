// fs/promises: the functions of fs give promises if they get no callback.
(function (kernel, require, module) {
  'use strict';
  module.exports = require('fs');
})
