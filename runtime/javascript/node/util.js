// util
(function (kernel, require, module, exports) {
  'use strict';
  const { inspect, format, formatWithOptions, stripColors } = require('internal/inspect');
  const { ERR_INVALID_ARG_TYPE, ERR_FALSY_VALUE_REJECTION, ERR_OUT_OF_RANGE } = require('internal/errors');
  const {
    validateAbortSignal, validateFunction, validateNumber, validateOneOf, validateString,
  } = require('internal/validators');
  const types = require('internal/types');
  const { later } = kernel;

  const customPromisify = Symbol.for('nodejs.util.promisify.custom');
  const promisify = (original) => {
    validateFunction(original, 'original');
    const custom = original[customPromisify];
    if (custom) {
      validateFunction(custom, 'util.promisify.custom');
      return Object.defineProperty(custom, customPromisify,
        { value: custom, enumerable: false, writable: false, configurable: true });
    }
    const names = original[promisifyArgs];
    const made = function (...args) {
      return new Promise((resolve, reject) => {
        Reflect.apply(original, this, [...args, (error, ...values) => {
          if (error) reject(error);
          else if (names !== undefined && values.length > 1)
            resolve(Object.fromEntries(names.map((name, i) => [name, values[i]])));
          else resolve(values[0]);
        }]);
      });
    };
    Object.setPrototypeOf(made, Object.getPrototypeOf(original));
    Object.defineProperty(made, customPromisify, {
      value: made, enumerable: false, writable: false, configurable: true,
    });
    return Object.defineProperties(made, Object.getOwnPropertyDescriptors(original));
  };
  promisify.custom = customPromisify;
  const promisifyArgs = Symbol('customPromisifyArgs');
  for (const name of ['setTimeout', 'setImmediate']) {
    if (typeof globalThis[name] !== 'function') continue;
    Object.defineProperty(globalThis[name], customPromisify,
      { configurable: true, get: () => require('timers/promises')[name] });
  }

  const callbackify = (original) => {
    validateFunction(original, 'original');
    const made = function (...args) {
      const callback = args.pop();
      validateFunction(callback, 'last argument');
      const done = callback.bind(this);
      Reflect.apply(original, this, args).then(
        (value) => { later(done, [null, value]); },
        (reason) => {
          if (!reason) {
            const error = ERR_FALSY_VALUE_REJECTION();
            error.reason = reason;
            reason = error;
          }
          later(done, [reason]);
        });
    };
    const descriptors = Object.getOwnPropertyDescriptors(original);
    if (typeof descriptors.length.value === 'number') descriptors.length.value++;
    if (typeof descriptors.name.value === 'string') descriptors.name.value += 'Callbackified';
    return Object.defineProperties(made, descriptors);
  };

  const inherits = (constructor, parent) => {
    if (constructor === undefined || constructor === null) throw ERR_INVALID_ARG_TYPE('ctor', 'Function', constructor);
    if (parent === undefined || parent === null) throw ERR_INVALID_ARG_TYPE('superCtor', 'Function', parent);
    if (parent.prototype === undefined) throw ERR_INVALID_ARG_TYPE('superCtor.prototype', 'Object', parent.prototype);
    Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(constructor.prototype, parent.prototype);
  };

  const warned = new Set();
  const deprecate = (f, message, code) => {
    if (typeof f !== 'function') throw ERR_INVALID_ARG_TYPE('fn', 'Function', f);
    if (code !== undefined) validateString(code, 'code');
    let told = false;
    const warn = () => {
      if (told || (code !== undefined && warned.has(code))) return;
      told = true;
      if (code !== undefined) warned.add(code);
      process.emitWarning(message, 'DeprecationWarning', code, deprecated);
    };
    function deprecated(...args) {
      warn();
      return new.target ? Reflect.construct(f, args, new.target) : Reflect.apply(f, this, args);
    }
    Object.setPrototypeOf(deprecated, f);
    if (f.prototype) deprecated.prototype = f.prototype;
    return deprecated;
  };

  const debuglog = (set, callback) => {
    const log = () => {}; // NODE_DEBUG is never set
    Object.defineProperty(log, 'enabled', { get: () => false, configurable: true, enumerable: true });
    callback?.(log);
    return log;
  };

  const aborted = async (signal, resource) => {
    if (signal === undefined) throw ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
    validateAbortSignal(signal, 'signal');
    if (resource === null || (typeof resource !== 'object' && typeof resource !== 'function')) {
      throw ERR_INVALID_ARG_TYPE('resource', 'Object', resource);
    }
    if (signal.aborted) return undefined;
    return new Promise((resolve) => { signal.addEventListener('abort', () => { resolve(); }, { once: true }); });
  };

  const systemErrors = new Map([
    [-1, ['EPERM', 'operation not permitted']], [-2, ['ENOENT', 'no such file or directory']],
    [-5, ['EIO', 'i/o error']],
    [-9, ['EBADF', 'bad file descriptor']], [-11, ['EAGAIN', 'resource temporarily unavailable']],
    [-12, ['ENOMEM', 'not enough memory']],
    [-13, ['EACCES', 'permission denied']], [-17, ['EEXIST', 'file already exists']],
    [-18, ['EXDEV', 'cross-device link not permitted']], [-20, ['ENOTDIR', 'not a directory']],
    [-21, ['EISDIR', 'illegal operation on a directory']], [-22, ['EINVAL', 'invalid argument']],
    [-24, ['EMFILE', 'too many open files']], [-27, ['EFBIG', 'file too large']],
    [-28, ['ENOSPC', 'no space left on device']],
    [-30, ['EROFS', 'read-only file system']], [-32, ['EPIPE', 'broken pipe']],
    [-36, ['ENAMETOOLONG', 'name too long']],
    [-39, ['ENOTEMPTY', 'directory not empty']], [-40, ['ELOOP', 'too many symbolic links encountered']],
    [-98, ['EADDRINUSE', 'address already in use']], [-104, ['ECONNRESET', 'connection reset by peer']],
    [-110, ['ETIMEDOUT', 'connection timed out']], [-111, ['ECONNREFUSED', 'connection refused']],
  ]);
  const getSystemErrorName = (number) => {
    validateNumber(number, 'err');
    if (number >= 0 || !Number.isSafeInteger(number)) throw ERR_OUT_OF_RANGE('err', 'a negative integer', number);
    return systemErrors.get(number)?.[0] ?? `Unknown system error ${number}`;
  };

  const styleText = (style, text) => {
    validateString(text, 'text');
    const names = Array.isArray(style) ? style : [style];
    let before = '';
    let after = '';
    for (const name of names) {
      const codes = inspect.colors[name];
      if (codes === undefined) validateOneOf(name, 'format', Object.keys(inspect.colors));
      before += `\u001b[${codes[0]}m`;
      after = `\u001b[${codes[1]}m${after}`;
    }
    return before + text + after;
  };

  // logTime is the time as util.log writes it: 5 Jan 09:08:07.
  const logTime = () => {
    const [, month, day, , time] = new Date().toString().split(' ');
    return `${+day} ${month} ${time}`;
  };

  Object.assign(exports, {
    _extend(target, source) {
      return source === null || typeof source !== 'object' ? target : Object.assign(target, source);
    },
    aborted,
    callbackify,
    debug: debuglog,
    debuglog,
    deprecate,
    format,
    formatWithOptions,
    getSystemErrorMap: () => systemErrors,
    getSystemErrorName,
    inherits,
    inspect,
    isArray: Array.isArray,
    isDeepStrictEqual(a, b) { return require('internal/comparisons').isDeepStrictEqual(a, b); },
    parseEnv(text) { return require('internal/parseenv')(text); },
    parseArgs(config) { return require('internal/parseargs')(config); },
    promisify,
    stripVTControlCharacters(text) {
      validateString(text, 'str');
      return stripColors(text);
    },
    styleText,
    toUSVString(text) { return `${text}`.toWellFormed(); },
    transferableAbortController: () => new AbortController(),
    transferableAbortSignal: (signal) => signal,
    types,
    TextDecoder,
    TextEncoder,

    // The checks of old programs.
    isBoolean: (v) => typeof v === 'boolean',
    isBuffer: (v) => v instanceof Uint8Array && v.constructor?.name === 'Buffer',
    isDate: types.isDate,
    isError: (v) => types.isNativeError(v) || v instanceof Error,
    isFunction: (v) => typeof v === 'function',
    isNull: (v) => v === null,
    isNullOrUndefined: (v) => v === null || v === undefined,
    isNumber: (v) => typeof v === 'number',
    isObject: (v) => v !== null && typeof v === 'object',
    isPrimitive: (v) => v === null || (typeof v !== 'object' && typeof v !== 'function'),
    isRegExp: types.isRegExp,
    isString: (v) => typeof v === 'string',
    isSymbol: (v) => typeof v === 'symbol',
    isUndefined: (v) => v === undefined,
    log(...args) { console.log('%s - %s', logTime(), format(...args)); },
  });
})
