// https: see http.js.
(function (kernel, require, module, exports) {
  'use strict';
  const http = require('internal/http/client');
  const { absent } = require('internal/http/servers');

  class Agent extends http.Agent {
    constructor(options) {
      super(options);
      this.defaultPort = 443;
      this.protocol = 'https:';
    }
  }
  const request = (...args) => new http.ClientRequest('https:', ...args);
  const get = (...args) => request(...args).end();
  Object.assign(exports, {
    Agent, globalAgent: new Agent(), request, get, ...absent('https', ['createServer'], ['Server']),
  });
})
