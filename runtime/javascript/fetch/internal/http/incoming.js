// IncomingMessage: a response as it is read.
(function (kernel, require, module, exports) {
  'use strict';
  const { Readable } = require('stream');

  // Of these, the first one counts.
  const once = new Set(['age', 'authorization', 'content-length', 'content-type',
    'etag', 'expires', 'from', 'host', 'if-modified-since',
    'if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization',
      'referer', 'retry-after', 'server', 'user-agent']);

  class IncomingMessage extends Readable {
    constructor(socket) {
      super({ read() {} });
      this.socket = socket;
      this.req = null;
      this.httpVersion = '1.1';
      this.httpVersionMajor = 1;
      this.httpVersionMinor = 1;
      this.complete = false;
      this.aborted = false;
      this.url = '';
      this.method = null;
      this.statusCode = null;
      this.statusMessage = null;
      this.rawHeaders = [];
      this.rawTrailers = [];
      this.headers = {};
      this.headersDistinct = { __proto__: null };
      this.trailers = {};
      this.trailersDistinct = { __proto__: null };
    }
    get connection() { return this.socket; }
    setTimeout(ms, listener) {
      if (listener) this.on('timeout', listener);
      this.socket?.setTimeout(ms, () => this.emit('timeout'));
      return this;
    }
    _destroy(error, callback) {
      if (!this.readableEnded || !this.complete) {
        this.aborted = true;
        this.emit('aborted');
      }
      if (!error && !this.readableEnded && this.listenerCount('error') > 0) {
        error = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
      }
      this.req?.socket.over();
      callback(error);
    }
  }
  exports.IncomingMessage = IncomingMessage;

  // start gives a message what the host says of a response, whose body comes from a source (../fetching.js) or is
  // empty.
  exports.start = (message, got, source) => {
    message.statusCode = got.status;
    message.statusMessage = got.statusText;
    message.rawHeaders = got.headers;
    for (let i = 0; i < got.headers.length; i += 2) {
      const name = got.headers[i].toLowerCase();
      const value = got.headers[i + 1];
      (message.headersDistinct[name] ??= []).push(value);
    }
    for (const [name, values] of Object.entries(message.headersDistinct)) {
      message.headers[name] = name === 'set-cookie' ? values : once.has(name) ? values[0] : values.join(', ');
    }
    let reading = false;
    message._read = () => {
      if (reading) return;
      if (source === undefined) {
        message.complete = true;
        message.push(null);
        return;
      }
      reading = true;
      source.read().then((data) => {
        reading = false;
        message.socket.active();
        if (message.destroyed) return;
        message.complete = data === undefined;
        message.push(data ?? null);
      }, (error) => message.destroy(exports.failure(error)));
    };
  };

  // failure makes an error of fetch one of a connection, with the code that Node has for it.
  const codes = [[/: there is no host of this name$/, 'ENOTFOUND'], [/: the connection was refused$/, 'ECONNREFUSED'],
    [/: it does not answer in time$/, 'ETIMEDOUT']];
  exports.failure = ({ message, code }) => {
    if (code === 'network') code = codes.find(([text]) => text.test(message))?.[1] ?? 'ECONNRESET';
    return Object.assign(new Error(message), { code });
  };
})
