// The checks of arguments that Node's fs makes. What the prelude's functions do not know is done here, too: open files
// in the place of paths, flags, encodings of names, signals, and data that comes bit by bit.
(function (kernel, require, module, exports) {
  'use strict';
  const { fs, functions } = kernel.fs;
  const { AbortError, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = require('internal/errors');
  const {
    validateAbortSignal, validateBoolean, validateInt32, validateInteger, validateUint32,
  } = require('internal/validators');
  const files = () => require('internal/fs/files');
  const { isView } = ArrayBuffer;

  const checkEncoding = (encoding) => {
    if (!require('buffer').Buffer.isEncoding(encoding))
      throw ERR_INVALID_ARG_VALUE('encoding', encoding, 'is invalid encoding');
  };
  // optionsOf returns options that can also be an encoding, checked.
  const optionsOf = exports.optionsOf = (options) => {
    if (options === undefined || options === null) return {};
    if (typeof options === 'string') options = { encoding: options };
    else if (typeof options !== 'object') throw ERR_INVALID_ARG_TYPE('options', ['string', 'Object'], options);
    const { encoding, signal } = options;
    if (encoding && encoding !== 'buffer') checkEncoding(encoding);
    if (signal === null) throw ERR_INVALID_ARG_TYPE('options.signal', 'AbortSignal', signal);
    validateAbortSignal(signal, 'options.signal');
    return options;
  };

  // modeOf checks a mode, which is a number or an octal string.
  const modeOf = exports.modeOf = (mode, name = 'mode') => {
    if (mode === undefined || mode === null) return;
    if (typeof mode === 'string') {
      if (!/^[0-7]+$/.test(mode))
        throw ERR_INVALID_ARG_VALUE(name, mode, 'must be a 32-bit unsigned integer or an octal string');
      mode = parseInt(mode, 8);
    }
    validateUint32(mode, name);
  };
  const optional = (options, name) => {
    const value = options?.[name];
    if (value !== undefined) validateBoolean(value, `options.${name}`);
  };

  // abortable does something once what runs now has had the time to abort it.
  const abortable = async (signal, act) => {
    const check = () => { if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason }); };
    check();
    await new Promise((resolve) => { setImmediate(resolve); });
    check();
    return act();
  };
  exports.abortable = abortable;

  // isOpen tells open files from paths.
  const isOpen = (path) => typeof path === 'number' || (typeof path === 'object' && path instanceof files().FileHandle);
  const descriptor = (path) => (typeof path === 'number' ? path : path.fd);

  exports.readFile = ([path, options], later) => {
    const { encoding, flag = 'r', signal } = optionsOf(options);
    const read = () => {
      // says what there is
      if (path === 0) return functions.readFile(path, encoding === 'buffer' ? undefined : encoding);
      if (isOpen(path)) return files().readAll(descriptor(path), encoding);
      if (flag === 'r' || flag === null) return functions.readFile(path, encoding === 'buffer' ? undefined : encoding);
      const fd = files().openSync(path, flag);
      try {
        return files().readAll(fd, encoding);
      } finally {
        files().closeSync(fd);
      }
    };
    return later && signal ? abortable(signal, read) : read();
  };

  const plainFlags = new Set(['w', 'wx', 'xw', 'a', 'ax', 'xa']);
  const comesInParts = (data) => typeof data === 'object' && data !== null && !isView(data) &&
    !(data instanceof ArrayBuffer) &&
    (typeof data[Symbol.asyncIterator] === 'function' || typeof data[Symbol.iterator] === 'function');
  for (const name of ['writeFile', 'appendFile']) {
    exports[name] = ([path, data, options], later) => {
      options = optionsOf(options);
      const { encoding, signal, flush } = options;
      if (flush !== null) optional(options, 'flush');
      modeOf(options.mode);
      const flag = options.flag ?? (name === 'writeFile' ? 'w' : 'a');
      const parts = later && comesInParts(data);
      if (!parts && !isOpen(path) && !flush && plainFlags.has(flag)) {
        const write = () => functions[name](path, data,
          { flag, encoding: encoding === 'buffer' ? undefined : encoding });
        return later && signal ? abortable(signal, write) : write();
      }
      const fd = isOpen(path) ? descriptor(path) : files().openSync(path, flag, options.mode);
      const close = () => { if (!isOpen(path)) files().closeSync(fd); };
      if (later && (parts || signal || flush)) {
        const write = async () => {
          try {
            await files().writeParts(fd, parts ? data : [data], encoding, signal);
            if (flush) await new Promise((resolve, reject) => {
              fs.fsync(fd, (error) => { if (error) reject(error); else resolve(); });
            });
          } finally {
            close();
          }
        };
        if (signal && !parts) return abortable(signal, write);
        return write();
      }
      try {
        files().writeAll(fd, data, encoding);
        if (flush) fs.fsyncSync(fd);
      } finally {
        close();
      }
      return undefined;
    };
  }

  let warned = false;
  exports.truncate = ([path, length]) => {
    if (typeof path === 'number') {
      if (!warned) {
        warned = true;
        require('process').emitWarning('Using fs.truncate with a file descriptor is deprecated. ' +
          'Please use fs.ftruncate with a file descriptor instead.',
          'DeprecationWarning', 'DEP0081');
      }
      files().ftruncateSync(path, length);
      return;
    }
    if (length === undefined) length = 0;
    validateInteger(length, 'len');
    functions.truncate(path, Math.max(0, length));
  };
  exports.access = ([path, mode]) => {
    if (mode !== undefined && mode !== null) validateInteger(mode, 'mode', 0, 7);
    functions.access(path, mode ?? 0);
  };
  exports.copyFile = ([from, to, mode]) => {
    if (mode !== undefined && mode !== null) validateInteger(mode, 'mode', 0, 7);
    functions.copyFile(from, to, mode ?? 0);
  };
  exports.mkdir = ([path, options]) => {
    if (typeof options === 'number' || typeof options === 'string') {
      modeOf(options);
    } else if (options) {
      optional(options, 'recursive');
      modeOf(options.mode, 'options.mode');
    }
    return functions.mkdir(path, options);
  };
  const checkRemoval = (options) => {
    if (options === undefined) return;
    if (options === null || typeof options !== 'object' || Array.isArray(options))
      throw ERR_INVALID_ARG_TYPE('options', 'Object', options);
    optional(options, 'force');
    optional(options, 'recursive');
    if (options.retryDelay !== undefined) validateInt32(options.retryDelay, 'options.retryDelay', 0);
    if (options.maxRetries !== undefined) validateUint32(options.maxRetries, 'options.maxRetries');
  };
  exports.rm = ([path, options]) => {
    checkRemoval(options);
    functions.rm(path, options);
  };
  exports.rmdir = ([path, options]) => {
    checkRemoval(options);
    functions.rmdir(path, options);
  };
  exports.cp = ([from, to, options], later) => {
    if (options !== undefined && (options === null || typeof options !== 'object'))
      throw ERR_INVALID_ARG_TYPE('options', 'Object', options);
    if (options?.mode !== undefined) validateInteger(options.mode, 'options.mode', 0, 7);
    return functions.cp(from, to, options, !later);
  };

  // encoded returns a name in an encoding.
  const encoded = exports.encoded = (name, encoding) => {
    if (!encoding || encoding === 'utf8' || encoding === 'utf-8') return name;
    const bytes = require('buffer').Buffer.from(name);
    return encoding === 'buffer' ? bytes : bytes.toString(encoding);
  };
  exports.readdir = ([path, options]) => {
    const { encoding, recursive, withFileTypes } = optionsOf(options);
    if (recursive !== null) optional({ recursive }, 'recursive');
    const entries = functions.readdir(path, options);
    if (!encoding || encoding === 'utf8') return entries;
    if (!withFileTypes) return entries.map((name) => encoded(name, encoding));
    for (const entry of entries) entry.name = encoded(entry.name, encoding);
    return entries;
  };
})
