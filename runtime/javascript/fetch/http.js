// http: requests, which go the way of fetch. There are no connections here, so there are no servers, and what agents
// and sockets are told has no effect.
(function (kernel, require, module, exports) {
  'use strict';
  const { METHODS, STATUS_CODES, maxHeaderSize } = require('internal/http/constants');
  const { OutgoingMessage, validateHeaderName, validateHeaderValue } = require('internal/http/outgoing');
  const { IncomingMessage } = require('internal/http/incoming');
  const { Agent, ClientRequest, globalAgent } = require('internal/http/client');
  const { absent } = require('internal/http/servers');

  const request = (...args) => new ClientRequest('http:', ...args);
  const get = (...args) => request(...args).end();
  Object.assign(exports, {
    METHODS, STATUS_CODES, maxHeaderSize, Agent, ClientRequest, IncomingMessage,
    OutgoingMessage, validateHeaderName, validateHeaderValue,
    setMaxIdleHTTPParsers() {}, request, get, globalAgent,
    ...absent('http', ['createServer'], ['Server', 'ServerResponse']),
  });
})
