// OutgoingMessage: a message that is written, with its headers.
(function (kernel, require, module, exports) {
  'use strict';
  const { Writable } = require('stream');
  const { define } = require('internal/errors');
  define('ERR_HTTP_HEADERS_SENT', Error, (what) => `Cannot ${what} headers after they are sent to the client`);
  define('ERR_HTTP_INVALID_HEADER_VALUE', TypeError, (value, name) => `Invalid value "${value}" for header "${name}"`);
  define('ERR_INVALID_CHAR', TypeError, (what, name) => `Invalid character in ${what} ["${name}"]`);
  define('ERR_INVALID_HTTP_TOKEN', TypeError, (what, value) => `${what} must be a valid HTTP token ["${value}"]`);
  const {
    ERR_HTTP_HEADERS_SENT, ERR_HTTP_INVALID_HEADER_VALUE, ERR_INVALID_ARG_TYPE, ERR_INVALID_CHAR,
    ERR_INVALID_HTTP_TOKEN,
  } =
    require('internal/errors');

  const token = exports.token = /^[\w!#$%&'*+.^`|~-]+$/;
  const value = /^[\t\x20-\x7e\x80-\xff]*$/;
  const validateHeaderName = exports.validateHeaderName = (name, label) => {
    if (typeof name !== 'string' || !token.test(name)) throw ERR_INVALID_HTTP_TOKEN(label || 'Header name', name);
  };
  const validateHeaderValue = exports.validateHeaderValue = (name, given) => {
    if (given === undefined) throw ERR_HTTP_INVALID_HEADER_VALUE(given, name);
    for (const one of Array.isArray(given) ? given : [given]) {
      if (!value.test(`${one}`)) throw ERR_INVALID_CHAR('header content', name);
    }
  };

  exports.OutgoingMessage = class OutgoingMessage extends Writable {
    #fields = new Map(); // by name in lower case: [name, value]
    constructor(options) {
      super({ autoDestroy: false, decodeStrings: true, ...options });
      this.headersSent = false;
    }
    #change(what) {
      if (this.headersSent) throw ERR_HTTP_HEADERS_SENT(what);
    }
    setHeader(name, value) {
      this.#change('set');
      validateHeaderName(name);
      validateHeaderValue(name, value);
      this.#fields.set(name.toLowerCase(), [name, value]);
      return this;
    }
    setHeaders(headers) {
      for (const [name, value] of headers) this.setHeader(name, value);
      return this;
    }
    appendHeader(name, value) {
      const before = this.getHeader(name);
      return this.setHeader(name, before === undefined ? value : [].concat(before, value));
    }
    getHeader(name) {
      if (typeof name !== 'string') throw ERR_INVALID_ARG_TYPE('name', 'string', name);
      return this.#fields.get(name.toLowerCase())?.[1];
    }
    hasHeader(name) { return this.getHeader(name) !== undefined; }
    removeHeader(name) {
      this.#change('remove');
      this.#fields.delete(name.toLowerCase());
    }
    getHeaderNames() { return [...this.#fields.keys()]; }
    getRawHeaderNames() { return Array.from(this.#fields.values(), ([name]) => name); }
    getHeaders() {
      const headers = { __proto__: null };
      for (const [name, [, value]] of this.#fields) headers[name] = value;
      return headers;
    }
    flushHeaders() {}
    addTrailers() {}
    get finished() { return this.writableEnded; }
  };
})
