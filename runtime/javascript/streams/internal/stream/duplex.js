// Duplex, Transform and PassThrough.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const Readable = require('internal/stream/readable');
  const Writable = require('internal/stream/writable');
  const { inherit } = base;

  function Duplex(options) {
    if (!(this instanceof Duplex)) return new Duplex(options);
    Readable.call(this, options);
    Writable.call(this, options);
    this.allowHalfOpen = options?.allowHalfOpen !== false;
    if (options?.readable === false) {
      Object.assign(this._readableState, { readable: false, ended: true, endEmitted: true });
    }
    if (options?.writable === false) {
      Object.assign(this._writableState, { writable: false, ending: true, ended: true, finished: true });
    }
  }
  inherit(Duplex, Readable);
  Readable.isDuplex = (stream) => stream instanceof Duplex;
  Object.defineProperty(Readable, 'isDuplex', { enumerable: false });

  // What Writables have, Duplexes have too.
  for (const name of Object.keys(Writable.prototype)) Duplex.prototype[name] ||= Writable.prototype[name];
  const both = ['closed', 'errored'];
  for (const name of Object.getOwnPropertyNames(Writable.prototype)) {
    if (/^writable/.test(name) || both.includes(name)) {
      Object.defineProperty(Duplex.prototype, name, Object.getOwnPropertyDescriptor(Writable.prototype, name));
    }
  }
  Duplex.prototype.destroy = Writable.prototype.destroy;
  base.getters(Duplex.prototype, {
    get destroyed() {
      if (this._readableState === undefined || this._writableState === undefined) return false;
      return this._readableState.destroyed && this._writableState.destroyed;
    },
    set destroyed(value) {
      if (!this._readableState || !this._writableState) return;
      this._readableState.destroyed = value;
      this._writableState.destroyed = value;
    },
  });
  Duplex.fromWeb = (pair, options) => require('internal/stream/adapters').fromWebDuplex(pair, options);
  Duplex.toWeb = (duplex) => require('internal/stream/adapters').toWebDuplex(duplex);
  Duplex.from = (body) => require('internal/stream/compose').from(body);
  exports.Duplex = Duplex;

  const waiting = Symbol('kCallback');
  function Transform(options) {
    if (!(this instanceof Transform)) return new Transform(options);
    const limit = options?.readableHighWaterMark ?? options?.highWaterMark;
    if (limit === 0) { // one chunk must go through
      options = { ...options, highWaterMark: null, readableHighWaterMark: limit,
        writableHighWaterMark: options.writableHighWaterMark || 0 };
    }
    Duplex.call(this, options);
    this._readableState.sync = false;
    this[waiting] = null;
    if (options) {
      if (typeof options.transform === 'function') this._transform = options.transform;
      if (typeof options.flush === 'function') this._flush = options.flush;
    }
    this.on('prefinish', function () { if (this._final !== final) final.call(this); });
  }
  inherit(Transform, Duplex);
  function final(callback) {
    if (typeof this._flush !== 'function' || this.destroyed) {
      this.push(null);
      callback?.();
      return;
    }
    this._flush((error, data) => {
      if (error) {
        if (callback) callback(error);
        else this.destroy(error);
        return;
      }
      if (data != null) this.push(data);
      this.push(null);
      callback?.();
    });
  }
  Transform.prototype._final = final;
  Transform.prototype._transform = function () { throw errors.ERR_METHOD_NOT_IMPLEMENTED('_transform()'); };
  Transform.prototype._write = function (chunk, encoding, callback) {
    const r = this._readableState;
    const w = this._writableState;
    const { length } = r;
    this._transform(chunk, encoding, (error, value) => {
      if (error) {
        callback(error);
        return;
      }
      if (value != null) this.push(value);
      if (w.ended || length === r.length || r.length < r.highWaterMark) callback();
      else this[waiting] = callback;
    });
  };
  Transform.prototype._read = function () {
    const callback = this[waiting];
    if (!callback) return;
    this[waiting] = null;
    callback();
  };
  exports.Transform = Transform;

  function PassThrough(options) {
    if (!(this instanceof PassThrough)) return new PassThrough(options);
    Transform.call(this, options);
  }
  inherit(PassThrough, Transform);
  PassThrough.prototype._transform = function (chunk, encoding, callback) { callback(null, chunk); };
  exports.PassThrough = PassThrough;
})
