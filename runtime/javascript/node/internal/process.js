// process as Node's, of a made-up process: standard output and error are the console.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, now } = kernel;
  const { LOG, WARN, ERROR } = kernel.levels;
  const EventEmitter = require('events');
  const errors = require('internal/errors');
  const {
    validateFunction, validateObject, validateString, validateArray, validateUint32, validateBoolean,
  } = require('internal/validators');
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE } = errors;
  errors.define('ERR_UNHANDLED_REJECTION', Error,
    (reason) => 'This error originated either by throwing inside of an async function without a catch ' +
    'block, or by rejecting a promise which was not handled with .catch(). ' +
      `The promise rejected with the reason "${reason}".`);
  const unavailable = (what, instead) => { throw errors.unavailable(what, instead); };
  const lazy = (object, name, make) => {
    Object.defineProperty(object, name, { configurable: true, enumerable: true,
      get() {
        const value = make();
        Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
        return value;
      },
      set(value) {
        Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
      } });
  };

  // process is an object of a class of its own between it and EventEmitter, as in Node.
  function process() { unavailable('new process()', 'there is only one process'); }
  Object.defineProperty(process, 'name', { value: 'process' });
  process.prototype = Object.create(EventEmitter.prototype,
    { constructor: { value: process, writable: true, configurable: true } });
  const self = Object.create(process.prototype);
  Object.defineProperty(self, Symbol.toStringTag, { value: 'process', configurable: true });
  EventEmitter.call(self);

  const version = '20.20.2';
  const given = kernel.processValues;
  Object.assign(self, {
    version: `v${version}`,
    versions: {
      node: version, v8: '11.3.244.8-node.26', uv: '1.46.0', zlib: '1.3.0.1', modules: '115', unicode: '17.0',
    },
    arch: 'wasm32',
    platform: 'linux',
    release: { name: 'node', lts: 'Iron' },
    config: Object.freeze({ target_defaults: Object.freeze({}), variables: Object.freeze({}) }),
    features: { inspector: false, debug: false, uv: false, ipv6: false, tls_alpn: false,
      tls_sni: false, tls_ocsp: false, tls: false, cached_builtins: true, require_module: true },
    title: 'node',
    pid: 1,
    ppid: 0,
    debugPort: 9229,
    argv0: 'node',
    execArgv: [],
    execPath: '/usr/bin/node',
    exiting: false,
    allowedNodeEnvironmentFlags: new Set(),
    report: undefined,
  });
  delete self.exiting;
  delete self.report;
  lazy(self, 'argv', () => ['/usr/bin/node', kernel.main.filename || '/script.js']);

  // env makes strings of what is put into it.
  self.env = new Proxy({}, {
    set(target, name, value) {
      if (typeof name === 'symbol' || typeof value === 'symbol')
        throw new TypeError('Cannot convert a Symbol value to a string');
      target[name] = `${value}`;
      if (name === 'TZ' && !/^(Etc\/)?(UTC|GMT)$/.test(value)) {
        host('console.log', WARN, 'The local time is UTC, whatever process.env.TZ says: use toLocaleString or ' +
          "Intl.DateTimeFormat with a timeZone, such as 'Europe/Oslo'");
      }
      return true;
    },
    defineProperty(target, name, descriptor) {
      const { value, writable, enumerable, configurable, get: getter, set: setter } = descriptor;
      if (getter || setter)
        throw errors.ERR_INVALID_OBJECT_DEFINE_PROPERTY('does not accept an accessor(getter/setter) descriptor');
      if (!('value' in descriptor) || !writable || !enumerable || !configurable) {
        throw errors.ERR_INVALID_OBJECT_DEFINE_PROPERTY(
          'only accepts a configurable, writable, and enumerable data descriptor');
      }
      return this.set(target, name, value);
    },
  });
  errors.define('ERR_INVALID_OBJECT_DEFINE_PROPERTY', TypeError, (text) => `'process.env' ${text}`);

  kernel.setProcess = (name, value) => {
    if (name === 'env') Object.assign(self.env, value);
    else self[name] = value;
  };
  for (const name of Object.keys(given)) kernel.setProcess(name, given[name]);

  // How it ends.
  let exitCode;
  let exiting = false;
  const checkedCode = (code) => {
    if (code === undefined || code === null) return code;
    if (typeof code === 'string' && code !== '' && Number.isInteger(+code)) return +code;
    if (typeof code !== 'number') throw ERR_INVALID_ARG_TYPE('code', 'integer', code);
    if (!Number.isInteger(code)) throw ERR_OUT_OF_RANGE('code', 'an integer', code);
    return code;
  };
  Object.defineProperty(self, 'exitCode', { configurable: true, enumerable: true,
    get() { return exitCode; },
    set(code) { exitCode = checkedCode(code); } });
  const emitExit = () => {
    if (exiting) return;
    exiting = true;
    self._exiting = true;
    self.emit('exit', exitCode ?? 0);
  };
  const method = (name, f) => {
    Object.defineProperty(f, 'name', { value: name });
    self[name] = f;
  };
  method('exit', (code) => {
    if (code !== undefined) self.exitCode = code;
    emitExit();
    const status = exitCode | 0;
    exiting = self._exiting = false; // where the call returns, it was in a library, and ends nothing else
    exitCode = undefined;
    kernel.leave('run.exit', status);
  });
  method('reallyExit', (code) => { kernel.leave('run.exit', code | 0); });
  method('abort', () => { kernel.leave('run.exit', 134); });

  // What the kernel asks when nothing has caught an error: whether a listener has.
  let capture = null;
  kernel.caught = (error, origin, promise) => {
    try {
      if (origin === 'unhandledRejection') {
        if (self.listenerCount(origin) > 0) return self.emit(origin, error, promise);
        if (capture === null && self.listenerCount('uncaughtException') === 0 &&
          self.listenerCount('uncaughtExceptionMonitor') === 0) return ended();
        if (!kernel.isError(error)) error = errors.ERR_UNHANDLED_REJECTION(shown(error));
      }
      self.emit('uncaughtExceptionMonitor', error, origin);
      if (capture !== null) {
        capture(error);
        return true;
      }
      if (self.emit('uncaughtException', error, origin)) return true;
    } catch (thrown) {
      kernel.end(thrown); // does not return
    }
    return ended();
  };
  const shown = (reason) => { try { return require('util').inspect(reason); } catch { return String(reason); } };
  const ended = () => {
    if (exitCode === undefined) exitCode = 1;
    emitExit();
    return false;
  };
  method('setUncaughtExceptionCaptureCallback', (f) => {
    if (f !== null && typeof f !== 'function') throw ERR_INVALID_ARG_TYPE('fn', ['Function', 'null'], f);
    if (f !== null && capture !== null) throw errors.ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET();
    capture = f;
  });
  errors.define('ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET', Error, () =>
    '`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active');
  method('hasUncaughtExceptionCaptureCallback', () => capture !== null);

  // What the kernel asks when nothing is left to do: whether there is something again.
  let told = -1;
  kernel.nothingLeft = (activity) => {
    if (exiting) return false;
    if (told !== activity) {
      told = activity;
      try { self.emit('beforeExit', exitCode ?? 0); } catch (error) { kernel.uncaught(error); }
      return true;
    }
    if (!kernel.returned && exitCode === undefined) exitCode = 13; // it waits for what never comes
    emitExit();
    if (kernel.returned && exitCode) host('run.exit', exitCode);
    return false;
  };

  // Time and resources.
  method('uptime', () => now() / 1000);
  method('hrtime', (before) => {
    const time = now();
    let seconds = Math.floor(time / 1000);
    let nanoseconds = Math.floor((time % 1000) * 1e6);
    if (before !== undefined) {
      validateArray(before, 'time');
      if (before.length !== 2) throw ERR_OUT_OF_RANGE('time', 2, before.length);
      seconds -= before[0];
      nanoseconds -= before[1];
      if (nanoseconds < 0) {
        seconds--;
        nanoseconds += 1e9;
      }
    }
    return [seconds, nanoseconds];
  });
  self.hrtime.bigint = () => BigInt(Math.floor(now() * 1e6));
  method('memoryUsage', () => {
    const used = host('memory');
    return { rss: used, heapTotal: used, heapUsed: used, external: 0, arrayBuffers: 0 };
  });
  self.memoryUsage.rss = () => host('memory');
  method('cpuUsage', (before) => {
    if (before !== undefined) {
      validateObject(before, 'prevValue');
      for (const part of ['user', 'system']) {
        if (typeof before[part] !== 'number') throw ERR_INVALID_ARG_TYPE(`prevValue.${part}`, 'number', before[part]);
        if (!(before[part] >= 0 && before[part] <= Number.MAX_SAFE_INTEGER))
          throw outOfRange(`prevValue.${part}`, before[part]);
      }
    }
    const user = Math.floor(now() * 1000);
    return { user: user - (before?.user ?? 0), system: 0 - (before?.system ?? 0) };
  });
  const outOfRange = (name, value) => ( // whose code is mostly that of TypeErrors
    Object.assign(new RangeError(`The property '${name}' is invalid. Received ${value}`),
      { code: 'ERR_INVALID_ARG_VALUE' }));
  method('resourceUsage', () => ({ userCPUTime: Math.floor(now() * 1000), systemCPUTime: 0,
    maxRSS: Math.ceil(host('memory') / 1024), sharedMemorySize: 0, unsharedDataSize: 0,
    unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0,
    fsWrite: 0, ipcSent: 0, ipcReceived: 0, signalsCount: 0,
    voluntaryContextSwitches: 0, involuntaryContextSwitches: 0 }));
  const limit = () => host('memory', 1);
  method('constrainedMemory', limit);
  method('availableMemory', () => Math.max(limit() - host('memory'), 0));
  method('getActiveResourcesInfo', () => kernel.activeTimers());

  method('nextTick', (callback, ...args) => {
    validateFunction(callback, 'callback');
    kernel.nextTick(callback, args);
  });
  method('cwd', () => '/');
  method('chdir', (directory) => {
    validateString(directory, 'directory');
    const target = require('path').resolve('/', directory);
    if (target !== '/' && !require('fs').existsSync(target)) {
      throw Object.assign(new Error(`ENOENT: no such file or directory, chdir / -> '${directory}'`),
        { errno: -2, code: 'ENOENT', syscall: 'chdir', path: '/', dest: directory });
    }
    if (target !== '/') unavailable('process.chdir', 'the working directory is always /, so use absolute paths');
  });
  let mask = 0o22; // which does nothing, as files have no owners
  method('umask', (wanted) => {
    const before = mask;
    if (wanted !== undefined) {
      if (typeof wanted === 'string') {
        if (!/^[0-7]+$/.test(wanted))
          throw ERR_INVALID_ARG_VALUE('mask', wanted, 'must be a 32-bit unsigned integer or an octal string');
        wanted = parseInt(wanted, 8);
      }
      validateUint32(wanted, 'mask');
      mask = wanted & 0o777;
    }
    return before;
  });
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) method(name, () => 0);
  method('getgroups', () => [0]);
  for (const name of ['setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups'])
    method(name, () => unavailable(`process.${name}`, 'there are no users'));
  for (const name of ['kill', 'dlopen', 'binding', '_linkedBinding']) {
    method(name, () => unavailable(`process.${name}`, name === 'kill' ? 'there are no other processes'
      : 'there are no native modules'));
  }
  errors.define('ERR_ASSERTION', Error, (message) => message);
  let warned = false;
  method('assert', (value, message) => {
    if (!warned) {
      warned = true;
      self.emitWarning('process.assert() is deprecated. Please use the `assert` module instead.',
        'DeprecationWarning', 'DEP0100');
    }
    if (!value) throw errors.ERR_ASSERTION(message || 'assertion error');
  });
  method('setSourceMapsEnabled', (enabled) => { validateBoolean(enabled, 'val'); });
  method('getBuiltinModule', (name) => {
    validateString(name, 'id');
    const plain = name.startsWith('node:') ? name.slice(5) : name;
    if (plain === 'test') return name === plain ? undefined : require(plain); // it has no name without the scheme
    return require('module').builtinModules.includes(plain) ? require(plain) : undefined;
  });
  method('emitWarning', (warning, type, code) => {
    let detail;
    if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
      ({ code, detail } = type);
      type = type.type;
      if (typeof detail !== 'string') detail = undefined;
    } else if (typeof type === 'function') {
      type = code = undefined;
    }
    if (type) validateString(type, 'type');
    if (typeof code === 'function') code = undefined;
    if (code) validateString(code, 'code');
    if (typeof warning === 'string') {
      warning = new Error(warning);
      warning.name = String(type || 'Warning');
      if (code !== undefined) warning.code = code;
      if (detail !== undefined) warning.detail = detail;
    } else if (!(warning instanceof Error)) {
      throw ERR_INVALID_ARG_TYPE('warning', ['Error', 'string'], warning);
    }
    if (warning.name === 'DeprecationWarning') {
      if (self.noDeprecation) return;
      if (self.throwDeprecation) {
        self.nextTick(() => { throw warning; });
        return;
      }
    }
    self.nextTick(() => {
      if (!self.noWarnings) {
        const code = warning.code ? `[${warning.code}] ` : '';
        const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
        host('console.log', WARN, `(node:1) ${code}${warning.name}: ${warning.message}${detail}`);
      }
      self.emit('warning', warning);
    });
  });

  // Standard output and error are light streams, without the module stream.
  class WriteStream extends EventEmitter {
    #level;
    #decoder = new TextDecoder();
    constructor(fd, level) {
      super();
      this.#level = level;
      Object.assign(this, { fd, isTTY: false, writable: true, writableEnded: false,
        writableFinished: false, writableHighWaterMark: 16384,
        writableLength: 0, writableNeedDrain: false, writableObjectMode: false, destroyed: false,
          closed: false, errored: null, _type: 'fs' });
    }
    // write prints text to the console. The next write continues an unfinished line.
    write(chunk, encoding, callback) {
      if (typeof encoding === 'function') {
        callback = encoding;
        encoding = undefined;
      }
      if (typeof chunk === 'string') {
        if (encoding && encoding !== 'utf8' && encoding !== 'utf-8')
          chunk = this.#decoder.decode(require('buffer').Buffer.from(chunk, encoding), { stream: true });
      } else if (chunk instanceof Uint8Array) {
        chunk = this.#decoder.decode(chunk, { stream: true });
      } else if (chunk === null) {
        throw errors.ERR_STREAM_NULL_VALUES();
      } else {
        throw ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
      }
      host('console.log', this.#level, chunk, 1);
      if (typeof callback === 'function') self.nextTick(callback);
      return true;
    }
    end(chunk, encoding, callback) {
      if (typeof chunk === 'function') callback = chunk;
      else if (chunk !== undefined && chunk !== null)
        this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
      if (typeof encoding === 'function') callback = encoding;
      if (typeof callback === 'function') self.nextTick(callback);
      return this;
    }
    cork() {}
    uncork() {}
    setDefaultEncoding() { return this; }
    destroy() { return this; } // it stays open, as in Node
    destroySoon() { return this; }
    getColorDepth() { return 1; }
    hasColors() { return false; }
    _destroy(error, callback) { callback(error); }
  }
  errors.define('ERR_STREAM_NULL_VALUES', TypeError, () => 'May not write null values to stream');
  const { write } = WriteStream.prototype;
  const redirected = (level, args, indent) => {
    const stream = level === WARN || level === ERROR ? self.stderr : self.stdout;
    if (stream.write === write) return false;
    if (args === undefined) { // console.clear
      if (stream.isTTY) stream.write('\u001b[1;1H\u001b[0J');
      return true;
    }
    const text = indent + require('internal/inspect').formatWithOptions({}, ...args).replaceAll('\n', `\n${indent}`);
    stream.write(`${text}\n`);
    return true;
  };
  const standard = (fd, level) => {
    kernel.redirected = redirected;
    return new WriteStream(fd, level);
  };
  lazy(self, 'stdout', () => standard(1, LOG));
  lazy(self, 'stderr', () => standard(2, ERROR));
  lazy(self, 'stdin', () => { // which is empty unless the host has given one
    const { Readable } = require('stream');
    const stdin = new Readable({
      highWaterMark: 65536,
      read(n) {
        const buffer = host('run.input', Math.min(n, 65536));
        this.push(buffer === undefined || buffer.byteLength === 0 ? null : require('buffer').Buffer.from(buffer));
      },
    });
    stdin.fd = 0;
    stdin.ref = stdin.unref = () => stdin;
    return stdin;
  });

  exports.process = self;
})
