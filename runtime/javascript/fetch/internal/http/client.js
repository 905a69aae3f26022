// ClientRequest: a request that is sent when it has been written to its end, through the host (../fetching.js).
// Redirects are not followed, as in Node; whoever follows them makes requests that the host checks.
(function (kernel, require, module, exports) {
  'use strict';
  const EventEmitter = require('events');
  const { nextTick } = require('process');
  const { Buffer } = require('buffer');
  const { urlToHttpOptions } = require('url');
  const { OutgoingMessage, token } = require('internal/http/outgoing');
  const { IncomingMessage, failure, start } = require('internal/http/incoming');
  const { define } = require('internal/errors');
  define('ERR_INVALID_PROTOCOL', TypeError, (is, wanted) => `Protocol "${is}" not supported. Expected "${wanted}"`);
  define('ERR_UNESCAPED_CHARACTERS', TypeError, (what) => `${what} contains unescaped characters`);
  const {
    AbortError, ERR_INVALID_ARG_TYPE, ERR_INVALID_HTTP_TOKEN, ERR_INVALID_PROTOCOL, ERR_UNESCAPED_CHARACTERS,
  } = require('internal/errors');

  const hungUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

  // A Socket stands for the connection of one request, which the host has: it has a timeout, and ends the request.
  class Socket extends EventEmitter {
    #request;
    #timer;
    #ms = 0;
    constructor(request, encrypted) {
      super();
      this.#request = request;
      this.connecting = false;
      this.destroyed = false;
      this.readable = this.writable = true;
      if (encrypted) this.encrypted = this.authorized = true;
    }
    setTimeout(ms, listener) {
      this.#ms = Number(ms) || 0;
      if (listener) this[this.#ms > 0 ? 'once' : 'off']('timeout', listener);
      this.active();
      return this;
    }
    get timeout() { return this.#ms; }
    active() {
      clearTimeout(this.#timer);
      if (this.#ms > 0 && !this.destroyed) this.#timer = setTimeout(() => this.emit('timeout'), this.#ms);
    }
    over() {
      if (this.destroyed) return;
      this.destroyed = true;
      this.readable = this.writable = false;
      clearTimeout(this.#timer);
      nextTick(() => this.emit('close', false));
    }
    destroy(error) {
      if (!this.destroyed) this.#request.destroy(error);
      return this;
    }
    setKeepAlive() { return this; }
    setNoDelay() { return this; }
    ref() { return this; }
    unref() { return this; }
  }

  exports.Agent = class Agent extends EventEmitter {
    constructor(options) {
      super();
      this.options = { __proto__: null, ...options, path: null };
      this.defaultPort = 80;
      this.protocol = 'http:';
      this.requests = { __proto__: null };
      this.sockets = { __proto__: null };
      this.freeSockets = { __proto__: null };
      this.keepAlive = this.options.keepAlive || false;
      this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
      this.maxSockets = this.options.maxSockets || Infinity;
      this.maxFreeSockets = this.options.maxFreeSockets || 256;
      this.maxTotalSockets = this.options.maxTotalSockets || Infinity;
      this.scheduling = this.options.scheduling || 'lifo';
    }
    getName(options = {}) {
      return `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}`;
    }
    destroy() {}
  };
  exports.globalAgent = new exports.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });

  // optionsOf takes what request takes: a URL, options, or both, and a listener. It returns the options and the
  // listener.
  const optionsOf = (input, options, listener) => {
    if (typeof options === 'function') [options, listener] = [undefined, options];
    if (typeof input === 'string') input = new URL(input);
    if (input === null || typeof input !== 'object')
      throw ERR_INVALID_ARG_TYPE('url', ['string', 'Object', 'URL'], input);
    return [{ ...input instanceof URL ? urlToHttpOptions(input) : input, ...options }, listener];
  };

  exports.ClientRequest = class ClientRequest extends OutgoingMessage {
    #parts = [];
    #url;
    #id;
    #source;
    constructor(wanted, input, given, callback) {
      super();
      // new http.ClientRequest(url)
      if (!/^https?:$/.test(wanted)) [wanted, input, given, callback] = ['http:', wanted, input, given];
      const [options, listener] = optionsOf(input, given, callback);
      const secure = wanted === 'https:';
      const protocol = options.protocol || wanted;
      if (protocol !== wanted) throw ERR_INVALID_PROTOCOL(protocol, wanted);
      const method = options.method ?? 'GET';
      if (typeof method !== 'string') throw ERR_INVALID_ARG_TYPE('options.method', 'string', method);
      if (!token.test(method || 'GET')) throw ERR_INVALID_HTTP_TOKEN('Method', method);
      const path = `${options.path || '/'}`;
      if (/[^\x21-\xff]/.test(path)) throw ERR_UNESCAPED_CHARACTERS('Request path');
      if (options.socketPath) throw new Error('requests go to hosts, not to sockets of files');
      const host = `${options.hostname || options.host || 'localhost'}`;
      if (/[/?#@\\]/.test(host))
        throw Object.assign(new Error(`"${host}" is not the name of a host`), { code: 'ENOTFOUND' });
      const port = options.port || options.defaultPort || (secure ? 443 : 80);
      const name = /:/.test(host) && !/^\[/.test(host) ? `[${host}]` : host;
      this.method = method.toUpperCase() || 'GET';
      this.path = path;
      this.host = host;
      this.protocol = protocol;
      this.agent = options.agent || undefined;
      this.res = null;
      this.aborted = false;
      this.reusedSocket = false;
      this.maxHeadersCount = null;
      this.shouldKeepAlive = true;
      this.#url = `${protocol}//${name}:${port}${path.startsWith('/') ? '' : '/'}${path}`;
      if (Array.isArray(options.headers)) {
        const flat = options.headers.flat();
        for (let i = 0; i + 1 < flat.length; i += 2) this.appendHeader(flat[i], flat[i + 1]);
      } else {
        for (const header of Object.keys(options.headers ?? {})) this.setHeader(header, options.headers[header]);
      }
      if (!this.hasHeader('host') && options.setHost !== false) {
        this.setHeader('Host', Number(port) === (secure ? 443 : 80) ? name : `${name}:${port}`);
      }
      if (options.auth && !this.hasHeader('authorization')) {
        this.setHeader('Authorization', `Basic ${Buffer.from(`${options.auth}`).toString('base64')}`);
      }
      if (listener) this.once('response', listener);
      this.socket = new Socket(this, secure);
      this.socket.on('timeout', () => this.emit('timeout'));
      nextTick(() => { if (!this.destroyed) this.emit('socket', this.socket); });
      if (options.timeout !== undefined) this.socket.setTimeout(options.timeout);
      const { signal } = options;
      if (signal) {
        const abort = () => this.destroy(new AbortError(undefined, { cause: signal.reason }));
        if (signal.aborted) nextTick(abort);
        else {
          signal.addEventListener('abort', abort);
          this.once('close', () => signal.removeEventListener('abort', abort));
        }
      }
    }
    get connection() { return this.socket; }
    setTimeout(ms, listener) {
      if (listener) this.once('timeout', listener);
      this.socket.setTimeout(ms);
      return this;
    }
    clearTimeout(listener) { return this.setTimeout(0, listener); }
    setNoDelay() {}
    setSocketKeepAlive() {}
    abort() {
      if (this.aborted) return;
      this.aborted = true;
      nextTick(() => this.emit('abort'));
      this.destroy();
    }
    _write(chunk, encoding, callback) {
      this.#parts.push(chunk);
      this.socket.active();
      callback();
    }
    _final(callback) {
      this.headersSent = true;
      this.#send().catch((error) => this.destroy(failure(error)));
      callback();
    }
    async #send() {
      if (kernel.fetchBegin === undefined) {
        throw Object.assign(new Error("there is no network here: whoever runs this can allow hosts, " +
          "as in --allow 'GET https://example.com/**'"),
          { code: 'denied' });
      }
      const { Source, begin, hasNoBody } = require('internal/fetching');
      const body = this.#parts.length === 0 ? null : Buffer.concat(this.#parts);
      this.#parts = [];
      const headers = [];
      const values = this.getHeaders();
      for (const name of this.getRawHeaderNames()) {
        for (const value of [].concat(values[name.toLowerCase()])) headers.push(name, `${value}`);
      }
      if (this.destroyed) return;
      const got = await begin((id) => { this.#id = id; }, this.method, this.#url, 'manual', headers, body);
      const source = hasNoBody(this.method, got.status) ? undefined : new Source(this.#id, got);
      if (source === undefined || this.destroyed) this.#end(source);
      if (this.destroyed) return;
      this.#source = source;
      this.socket.active();
      const res = this.res = new IncomingMessage(this.socket);
      res.req = this;
      start(res, got, source);
      res.once('end', () => this.destroy()).once('close', () => this.destroy());
      if (!this.emit('response', res)) res.resume();
    }
    #end(source) {
      if (source !== undefined) source.cancel();
      else if (this.#id !== undefined) require('internal/fetching').end(this.#id);
    }
    _destroy(error, callback) {
      const { res } = this;
      if (!res?.complete) this.#end(this.#source);
      this.socket.over();
      if (res !== null && !res.destroyed && !res.readableEnded && !res.complete) res.destroy(error ?? undefined);
      callback(error ?? (res === null ? hungUp() : null));
    }
  };
})
