// createReadStream and createWriteStream. They use the functions of fs, or those of options.fs or of an open file.
(function (kernel, require, module, exports) {
  'use strict';
  const { Readable, Writable, finished } = require('stream');
  const { Buffer } = require('buffer');
  const fs = require('fs');
  const files = require('internal/fs/files');
  const {
    ERR_INVALID_ARG_TYPE, ERR_METHOD_NOT_IMPLEMENTED, ERR_OUT_OF_RANGE, unavailable,
  } = require('internal/errors');
  const { validateBoolean, validateFunction, validateInteger } = require('internal/validators');
  const { nextTick, emitWarning } = require('process');
  const { fail } = require('internal/stream/base');

  const destroyed = Symbol('kIsPerformingIO'); // an event: what a stream has begun has ended
  const busy = Symbol('busy');

  const { optionsOf: checked } = require('internal/fs/checks');
  const optionsOf = (options) => {
    const copy = {};
    const given = checked(options);
    for (const key in given) copy[key] = given[key]; // inherited ones too
    return copy;
  };

  // functionsOf returns what a stream uses of options.fs or of fs.
  const functionsOf = (options, names) => {
    const from = options.fs || fs;
    const found = {};
    for (const name of names) {
      const f = from[name];
      if ((f === undefined || f === null) && name === 'writev' && options.fs && f !== null) continue;
      validateFunction(f, `options.fs.${name}`);
      found[name] = (...args) => from[name](...args); // as it is then
    }
    return found;
  };
  // functionsOfHandle returns what a stream uses of an open file.
  const functionsOfHandle = (stream, handle) => {
    const back = (promise, callback, results) => {
      promise.then((value) => { callback(null, ...results(value)); }, callback);
    };
    handle.on('close', () => { stream.destroy(); });
    return {
      open(path, flags, mode, callback) { nextTick(callback, null, handle.fd); },
      close(fd, callback) { back(handle.close(), callback, () => []); },
      read(fd, buffer, offset, length, position, callback) {
        back(handle.read(buffer, offset, length, position), callback, ({ bytesRead }) => [bytesRead, buffer]);
      },
      write(fd, buffer, offset, length, position, callback) {
        back(handle.write(buffer, offset, length, position), callback, ({ bytesWritten }) => [bytesWritten, buffer]);
      },
      writev(fd, buffers, position, callback) {
        back(handle.writev(buffers, position), callback, ({ bytesWritten }) => [bytesWritten, buffers]);
      },
      fsync(fd, callback) { back(handle.sync(), callback, () => []); },
    };
  };

  // prepare sets what both kinds of streams have.
  const prepare = (stream, path, options, flags, names) => {
    const { fd } = options;
    if (fd === undefined || fd === null) {
      stream.fd = null;
      stream.fs = functionsOf(options, names);
      stream.path = path instanceof URL ? files.pathOf(path) : path;
      stream.flags = options.flags === undefined ? flags : options.flags;
      stream.mode = options.mode === undefined ? 0o666 : options.mode;
      if (typeof stream.path !== 'string' && !(stream.path instanceof Uint8Array)) {
        throw ERR_INVALID_ARG_TYPE('path', ['string', 'Buffer', 'URL'], path);
      }
      files.checkPath(stream.path, 'path');
    } else if (fd instanceof files.FileHandle) {
      if (options.fs) throw ERR_METHOD_NOT_IMPLEMENTED('FileHandle with fs');
      stream.handle = fd;
      stream.fd = fd.fd;
      stream.flags = options.flags === undefined ? flags : options.flags;
      stream.fs = functionsOfHandle(stream, fd);
    } else {
      validateInteger(fd, 'fd', 0, 2147483647);
      stream.fd = fd;
      stream.fs = functionsOf(options, names);
      stream.path = path === null ? undefined : path;
      stream.flags = options.flags === undefined ? flags : options.flags;
    }
    if (options.autoDestroy === undefined) options.autoDestroy = options.autoClose === undefined
      ? true : options.autoClose;
    if (options.autoClose !== undefined && options.autoClose !== null) validateBoolean(options.autoClose, 'autoClose');
    stream.start = options.start;
    stream.pos = undefined;
    stream[busy] = false;
    if (stream.start !== undefined) {
      validateInteger(stream.start, 'start', 0);
      stream.pos = stream.start;
    }
  };
  const construct = function (callback) {
    const stream = this;
    if (typeof stream.fd === 'number') {
      callback();
      return;
    }
    if (stream.open !== original) { // of a script: it says when it is done by events
      const { emit } = stream;
      stream.emit = function (...args) {
        if (args[0] === 'open') {
          this.emit = emit;
          callback();
          return Reflect.apply(emit, this, args);
        }
        if (args[0] === 'error') {
          this.emit = emit;
          callback(args[1]);
          return false;
        }
        return Reflect.apply(emit, this, args);
      };
      stream.open();
      return;
    }
    stream.fs.open(stream.path, stream.flags, stream.mode, (error, fd) => {
      if (error) {
        callback(error);
        return;
      }
      stream.fd = fd;
      callback();
      stream.emit('open', fd);
      stream.emit('ready');
    });
  };
  let warned = false;
  function original() {
    if (warned) return;
    warned = true;
    const name = this instanceof ReadStream ? 'ReadStream' : 'WriteStream';
    emitWarning(`${name}.prototype.open() is deprecated`, 'DeprecationWarning', 'DEP0135');
  }
  const close = (stream, error, callback) => {
    if (typeof stream.fd !== 'number') {
      callback(error);
      return;
    }
    stream.fs.close(stream.fd, (failure) => { callback(failure || error); });
    stream.fd = null;
  };
  // closeWhenIdle closes the file when no operation is under way.
  const closeWhenIdle = (stream, error, callback) => {
    if (stream[busy]) stream.once(destroyed, (other) => { close(stream, error || other, callback); });
    else close(stream, error, callback);
  };
  // done ends an operation. It is false if the stream has been destroyed meanwhile.
  const done = (stream, error) => {
    stream[busy] = false;
    if (!stream.destroyed) return true;
    stream.emit(destroyed, error);
    return false;
  };

  function ReadStream(path, options) {
    if (!(this instanceof ReadStream)) return new ReadStream(path, options);
    options = optionsOf(options);
    if (options.highWaterMark === undefined) options.highWaterMark = 64 * 1024;
    prepare(this, path, options, 'r', ['open', 'read', 'close']);
    this.end = options.end ?? Infinity;
    this.bytesRead = 0;
    if (this.end !== Infinity) {
      validateInteger(this.end, 'end', 0);
      if (this.start !== undefined && this.start > this.end) {
        throw ERR_OUT_OF_RANGE('start', `<= "end" (here: ${this.end})`, this.start);
      }
      this.pos ??= 0;
    }
    Readable.call(this, options);
    if (options.encoding) this.setEncoding(options.encoding);
  }
  Object.setPrototypeOf(ReadStream.prototype, Readable.prototype);
  Object.setPrototypeOf(ReadStream, Readable);
  ReadStream.prototype._read = function (n) {
    n = this.pos !== undefined ? Math.min(this.end - this.pos + 1, n) : Math.min(this.end - this.bytesRead + 1, n);
    if (n <= 0) {
      this.push(null);
      return;
    }
    const buffer = Buffer.allocUnsafeSlow(n);
    this[busy] = true;
    this.fs.read(this.fd, buffer, 0, n, this.pos, (error, count, data) => {
      if (!done(this, error)) return;
      if (error) {
        fail(this, error);
        return;
      }
      if (count === 0) {
        this.push(null);
        return;
      }
      if (this.pos !== undefined) this.pos += count;
      this.bytesRead += count;
      if (count < data.length) data = Buffer.from(data.subarray(0, count)); // what is not used is not kept
      this.push(data);
    });
  };
  ReadStream.prototype._destroy = function (error, callback) { closeWhenIdle(this, error, callback); };
  ReadStream.prototype.close = function (callback) {
    if (typeof callback === 'function') finished(this, callback);
    this.destroy();
  };

  function WriteStream(path, options) {
    if (!(this instanceof WriteStream)) return new WriteStream(path, options);
    options = optionsOf(options);
    options.decodeStrings = true;
    prepare(this, path, options, 'w', ['open', 'write', 'writev', 'close']);
    const writes = typeof this.fs.write === 'function';
    if (!writes && !this.fs.writev) throw unavailable('a stream without write', 'give it one');
    this.flush = options.flush ?? false;
    validateBoolean(this.flush, 'options.flush');
    if (this.flush && !this.handle) this.fs.fsync = functionsOf(options, ['fsync']).fsync;
    if (!this.fs.writev) this._writev = null;
    this.bytesWritten = 0;
    Writable.call(this, options);
    if (options.encoding) this.setDefaultEncoding(options.encoding);
  }
  Object.setPrototypeOf(WriteStream.prototype, Writable.prototype);
  Object.setPrototypeOf(WriteStream, Writable);
  const maxTries = 5; // how often nothing may be written
  const writeAll = (stream, data, position, callback, tries = 0) => {
    stream.fs.write(stream.fd, data, 0, data.length, position, (error, count) => {
      if (error?.code === 'EAGAIN') {
        error = null;
        count = 0;
      }
      if (stream.destroyed || error) {
        callback(error || new Error('the stream was destroyed while it wrote'));
        return;
      }
      stream.bytesWritten += count;
      if (count < data.length && (tries = count === 0 ? tries + 1 : 0) > maxTries) {
        callback(new Error('writev failed'));
        return;
      }
      if (position !== undefined) position += count;
      if (count < data.length) writeAll(stream, data.subarray(count), position, callback, tries);
      else callback();
    });
  };
  WriteStream.prototype._write = function (chunk, encoding, callback) {
    this[busy] = true;
    writeAll(this, chunk, this.pos, (error) => {
      if (!done(this, error)) {
        callback(error);
        return;
      }
      callback(error);
    });
    if (this.pos !== undefined) this.pos += chunk.length;
  };
  WriteStream.prototype._writev = function (chunks, callback) {
    const buffers = chunks.map(({ chunk }) => chunk);
    const size = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    this[busy] = true;
    this.fs.writev(this.fd, buffers, this.pos, (error, count) => {
      const alive = done(this, error);
      if (!alive || error) {
        callback(error);
        return;
      }
      this.bytesWritten += count;
      if (count === size) {
        callback();
        return;
      }
      this[busy] = true;
      writeAll(this, Buffer.concat(buffers).subarray(count), this.pos === undefined
        ? undefined : this.pos - size + count, (failure) => {
        done(this, failure);
        callback(failure);
      });
    });
    if (this.pos !== undefined) this.pos += size;
  };
  WriteStream.prototype._destroy = function (error, callback) {
    if (this.flush && !error && typeof this.fd === 'number') {
      this.fs.fsync(this.fd, (failure) => { closeWhenIdle(this, failure || error, callback); });
      return;
    }
    closeWhenIdle(this, error, callback);
  };
  WriteStream.prototype.close = function (callback) {
    if (typeof callback === 'function') {
      if (this.closed) nextTick(callback);
      else this.on('close', callback);
    }
    if (!this.autoClose) this.on('finish', this.destroy);
    this.end();
  };
  WriteStream.prototype.destroySoon = WriteStream.prototype.end;
  for (const Type of [ReadStream, WriteStream]) {
    Type.prototype._construct = construct;
    Type.prototype.open = original;
    Object.defineProperty(Type.prototype, 'pending', { get() { return this.fd === null; }, configurable: true });
    const state = Type === ReadStream ? '_readableState' : '_writableState';
    Object.defineProperty(Type.prototype, 'autoClose', {
      get() { return this[state].autoDestroy; },
      set(value) { this[state].autoDestroy = value; },
      configurable: true,
    });
  }
  exports.ReadStream = ReadStream;
  exports.WriteStream = WriteStream;
  exports.createReadStream = (path, options) => new ReadStream(path, options);
  exports.createWriteStream = (path, options) => new WriteStream(path, options);
})
