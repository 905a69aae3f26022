// What of fs few scripts use: open files, and paths that are not strings. An open file is kept here; for the host, each
// of its operations is one on the path, so what renames or removes a file takes it away from those who have it open.
(function (kernel, require, module, exports) {
  'use strict';
  const { host } = kernel;
  const fs = require('fs');
  const { Buffer } = require('buffer');
  const errors = require('internal/errors');
  const {
    validateBuffer, validateFunction, validateInt32, validateInteger, validateObject,
  } = require('internal/validators');
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE } = errors;

  const maxOpen = 1024;
  const opened = new Map(); // {path, reads, writes, appends, position} by number

  const failure = (code, text, syscall, path) => {
    const error = new Error(`${code}: ${text}, ${syscall}${path === undefined ? '' : ` '${path}'`}`);
    Object.assign(error, { code, syscall });
    if (path !== undefined) error.path = path;
    return error;
  };
  exports.failure = failure;
  Object.defineProperty(exports, 'FileHandle', {
    get: () => require('internal/fs/handle').FileHandle, enumerable: true,
  });
  Object.defineProperty(exports, 'Dir', { get: () => require('internal/fs/dir').Dir, enumerable: true });
  const find = (fd, syscall) => {
    if (typeof fd !== 'number') throw ERR_INVALID_ARG_TYPE('fd', 'number', fd);
    validateInteger(fd, 'fd', 0, 2147483647);
    const found = opened.get(fd);
    if (!found) throw failure('EBADF', 'bad file descriptor', syscall);
    return found;
  };

  // input reads at most n bytes of standard input, as soon as there are some. It gives none at the end, and undefined
  // if there is no standard input.
  const input = (n) => {
    const buffer = host('run.input', Math.min(n, 65536));
    return buffer === undefined ? undefined : new Uint8Array(buffer);
  };
  exports.readInput = (path, encoding) => {
    if (path === 0 && opened.has(0)) return undefined;
    const chunks = [];
    for (;;) {
      const chunk = input(65536);
      if (chunk === undefined) return undefined;
      if (chunk.length === 0) break;
      chunks.push(chunk);
    }
    const all = Buffer.concat(chunks);
    return encoding === undefined || encoding === 'buffer' ? all : all.toString(encoding);
  };

  // pathOf returns the path that a URL or a Buffer stands for, or an open file, for the functions that take one.
  const takeOpen = new Set(['fs.readFile', 'fs.writeFile', 'fs.appendFile', 'fs.truncate']);
  exports.pathOf = (path, name = 'path', operation = undefined) => {
    if (typeof path === 'string') return path;
    if (path instanceof URL) return require('url').fileURLToPath(path);
    if (path instanceof Uint8Array) return Buffer.from(path).toString();
    if (takeOpen.has(operation)) {
      if (path instanceof exports.FileHandle) path = path.fd;
      if (path === 0) throw errors.unavailable('standard input',
        'read a file of the project, or put the data into the code');
      if (typeof path === 'number') return find(path, operation === 'fs.readFile' ? 'read' : 'write').path;
    }
    throw ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'URL'], path);
  };

  // checkPath refuses paths with zeros, as in Node.
  exports.checkPath = (path, name) => {
    if (typeof path === 'string' ? path.includes('\0') : path.includes(0)) {
      throw ERR_INVALID_ARG_VALUE(name, path, 'must be a string, Uint8Array, or URL without null bytes');
    }
  };

  // Opening.
  const letters = /^(r|rs|sr|w|wx|xw|a|ax|xa|as|sa)(\+?)$/;
  const parseFlags = (flags) => {
    if (typeof flags === 'number') {
      validateInt32(flags, 'flags');
      const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = fs.constants;
      const way = flags & 3;
      return { reads: way !== 1, writes: way !== 0, creates: !!(flags & O_CREAT),
        exclusive: !!(flags & O_EXCL), truncates: !!(flags & O_TRUNC),
        appends: !!(flags & O_APPEND) };
    }
    const found = typeof flags === 'string' ? letters.exec(flags) : null;
    if (!found) throw ERR_INVALID_ARG_VALUE('flags', flags);
    const [, letter, plus] = found;
    const reads = letter.includes('r');
    return { reads: reads || plus !== '', writes: !reads || plus !== '', creates: !reads,
      exclusive: letter.includes('x'),
      truncates: letter.includes('w'), appends: letter.includes('a') };
  };
  exports.openSync = (path, flags = 'r', mode = undefined) => {
    if (typeof path !== 'string') path = exports.pathOf(path);
    exports.checkPath(path, 'path');
    const how = parseFlags(flags ?? 'r');
    if (mode !== undefined && mode !== null) require('internal/fs/checks').modeOf(mode); // files have none here
    if (opened.size >= maxOpen)
      throw failure('EMFILE', 'too many open files (close those that are no longer needed)', 'open', path);
    if (path === '/dev/stdin' && !how.writes && input(0) !== undefined) return 0;
    const stream = how.writes ? kernel.streamOf(path) : 0;
    if (stream > 0) return stream;
    const exists = fs.existsSync(path);
    if (how.creates && (!exists || how.exclusive)) fs.writeFileSync(path, '', { flag: how.exclusive ? 'wx' : 'w' });
    else if (how.writes && how.truncates) fs.writeFileSync(path, '');
    const stats = fs.statSync(path);
    if (how.writes && stats.isDirectory()) throw failure('EISDIR', 'illegal operation on a directory', 'open', path);
    if (how.writes) fs.accessSync(path, fs.constants.W_OK);
    let fd = 3;
    while (opened.has(fd)) fd++;
    opened.set(fd, {
      path: exports.realpathSync(path), reads: how.reads, writes: how.writes, appends: how.appends, position: 0,
    });
    return fd;
  };
  exports.closeSync = (fd) => {
    if (fd === 0 && !opened.has(0) && input(0) !== undefined) return;
    if ((fd === 1 || fd === 2) && !opened.has(fd)) return;
    find(fd, 'close');
    opened.delete(fd);
  };

  // Reading and writing.
  const positionOf = (position) => {
    if (position === undefined || position === null || position === -1 || position === -1n) return -1;
    if (typeof position === 'number') validateInteger(position, 'position', -1);
    else if (typeof position !== 'bigint') throw ERR_INVALID_ARG_TYPE('position', ['integer', 'bigint'], position);
    else if (position < -(2n ** 63n) || position >= 2n ** 63n) {
      throw ERR_OUT_OF_RANGE('position', `>= ${-(2n ** 63n)} && <= ${2n ** 63n - 1n}`, position);
    }
    return position;
  };
  const readAt = (file, view, position) => {
    let done = 0;
    while (done < view.length) {
      const part = new Uint8Array(host('fs.readPart', 0, file.path, String(BigInt(position) + BigInt(done)),
        view.length - done));
      if (part.length === 0) break;
      view.set(part, done);
      done += part.length;
    }
    return done;
  };
  const range = (buffer, offset, length) => {
    if (offset === null || offset === undefined) offset = 0;
    else validateInteger(offset, 'offset', 0);
    length = length ?? buffer.byteLength - offset;
    validateInteger(length, 'length');
    if (offset > buffer.byteLength) throw ERR_OUT_OF_RANGE('offset', `<= ${buffer.byteLength}`, offset);
    if (length < 0) throw ERR_OUT_OF_RANGE('length', '>= 0', length);
    if (length > buffer.byteLength - offset)
      throw ERR_OUT_OF_RANGE('length', `<= ${buffer.byteLength - offset}`, length);
    return new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
  };
  exports.readSync = (...args) => {
    let [fd, buffer, offset, length, position] = args;
    if (typeof fd !== 'number') throw ERR_INVALID_ARG_TYPE('fd', 'number', fd);
    validateBuffer(buffer, 'buffer');
    if (args.length === 3 && offset !== undefined && offset !== null) validateObject(offset, 'options');
    if (typeof offset === 'object' && offset !== null)
      ({ offset = 0, length = buffer.byteLength - offset, position = null } = offset);
    const from = positionOf(position);
    length ??= buffer.byteLength - (offset ?? 0);
    if (length === 0) return 0;
    if (buffer.byteLength === 0) throw ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
    const view = range(buffer, offset, length);
    if (fd === 0 && !opened.has(0)) {
      const chunk = input(view.length) ?? [];
      view.set(chunk);
      return chunk.length;
    }
    const file = find(fd, 'read');
    if (!file.reads) throw failure('EBADF', 'bad file descriptor', 'read');
    const done = readAt(file, view, from < 0 ? file.position : from);
    if (from < 0) file.position += done;
    return done;
  };
  // readAll returns what is left of an open file.
  exports.readAll = (fd, encoding) => {
    const input0 = fd === 0 ? exports.readInput(fd, encoding) : undefined;
    if (input0 !== undefined) return input0;
    const file = find(fd, 'read');
    const { size } = fs.statSync(file.path);
    const content = Buffer.alloc(Math.max(size - file.position, 0));
    const all = content.subarray(0, exports.readSync(fd, content, 0, content.length));
    return encoding && encoding !== 'buffer' ? all.toString(encoding) : all;
  };
  const toBytes = (data, encoding) => (typeof data === 'string' ? Buffer.from(data, encoding) : data);
  const writeBytes = (fd, bytes, position) => {
    if ((fd === 1 || fd === 2) && !opened.has(fd)) {
      const { stdout, stderr } = require('process');
      (fd === 1 ? stdout : stderr).write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
      return bytes.length;
    }
    const file = find(fd, 'write');
    if (!file.writes) throw failure('EBADF', 'bad file descriptor', 'write');
    if (bytes.length === 0) return 0;
    const to = positionOf(position);
    const where = file.appends ? undefined : String(to < 0 ? file.position : to);
    host('fs.writePart', 0, file.path, bytes.buffer, bytes.byteOffset, bytes.byteLength, where);
    if (to < 0) file.position += bytes.length;
    return bytes.length;
  };
  exports.writeSync = (fd, data, offset, length, position) => {
    if (ArrayBuffer.isView(data)) {
      if (typeof offset === 'object' && offset !== null)
        ({ offset = 0, length = data.byteLength - offset, position = null } = offset);
      return writeBytes(fd, range(data, offset, length), position);
    }
    if (typeof data !== 'string')
      throw ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    return writeBytes(fd, toBytes(data, typeof length === 'string' ? length : 'utf8'), offset);
  };
  exports.writeAll = (fd, data, encoding) => {
    if (data instanceof ArrayBuffer) data = new Uint8Array(data);
    if (typeof data !== 'string' && !ArrayBuffer.isView(data))
      throw ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    exports.writeSync(fd, typeof data === 'string'
      ? toBytes(data, encoding === 'buffer' ? undefined : encoding) : data);
  };
  // writeParts writes what comes bit by bit, until a signal aborts it.
  exports.writeParts = async (fd, data, encoding, signal) => {
    const check = () => { if (signal?.aborted) throw new errors.AbortError(undefined, { cause: signal.reason }); };
    check();
    for await (const part of data) {
      check();
      exports.writeAll(fd, part, encoding);
    }
    check();
  };
  const checkViews = (buffers) => {
    if (!Array.isArray(buffers) || !buffers.every((buffer) => ArrayBuffer.isView(buffer))) {
      throw ERR_INVALID_ARG_TYPE('buffers', 'ArrayBufferView[]', buffers);
    }
  };
  exports.readvSync = (fd, buffers, position) => {
    checkViews(buffers);
    let total = 0;
    for (const buffer of buffers) {
      const done = exports.readSync(fd, buffer, 0, buffer.byteLength,
        typeof position === 'number' ? position + total : null);
      total += done;
      if (done < buffer.byteLength) break;
    }
    return total;
  };
  exports.writevSync = (fd, buffers, position) => {
    checkViews(buffers);
    return exports.writeSync(fd,
      Buffer.concat(buffers.map((b) => Buffer.from(b.buffer, b.byteOffset, b.byteLength))), 0, undefined,
      typeof position === 'number' ? position : null);
  };
  exports.fstatSync = (fd, options) => {
    if (fd !== 0 || opened.has(0) || input(0) === undefined) return fs.statSync(find(fd, 'fstat').path, options);
    const stats = kernel.fs.entry('p', { size: 0, readonly: true, mtime: new Date(0), mtimeMs: 0 });
    Object.defineProperty(stats, 'isFIFO', { value: () => true, configurable: true });
    return options?.bigint ? exports.withBigInts(stats) : stats;
  };
  exports.ftruncateSync = (fd, length = 0) => {
    if (typeof fd === 'number') validateInteger(length, 'len');
    const file = find(fd, 'ftruncate');
    if (!file.writes) throw failure('EINVAL', 'invalid argument', 'ftruncate');
    fs.truncateSync(file.path, Math.max(0, length));
  };
  exports.fsyncSync = (fd) => { find(fd, 'fsync'); };
  exports.fdatasyncSync = (fd) => { find(fd, 'fdatasync'); };

  let warned = false;
  exports.mkdtempSync = (prefix, options) => {
    const checks = require('internal/fs/checks');
    const { encoding } = checks.optionsOf(options);
    prefix = exports.pathOf(prefix, 'prefix');
    exports.checkPath(prefix, 'prefix');
    if (prefix.endsWith('X') && !warned) {
      warned = true;
      require('process').emitWarning('mkdtemp() templates ending with X are not portable. ' +
        'For details see: https://nodejs.org/api/fs.html');
    }
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
    for (;;) {
      let path = prefix;
      for (let i = 0; i < 6; i++) path += alphabet[Math.floor(Math.random() * alphabet.length)];
      try {
        fs.mkdirSync(path);
        return checks.encoded(path, encoding);
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
    }
  };
  exports.realpathSync = (path, options) => {
    path = exports.pathOf(path);
    const checks = require('internal/fs/checks');
    const { encoding } = checks.optionsOf(options);
    fs.statSync(path);
    return checks.encoded(require('path').resolve('/', path), encoding);
  };
  exports.opendirSync = (path, options) => new exports.Dir(exports.pathOf(path), options);

  // answer calls back with the results of f or its error. Without a callback it gives a promise of the first result.
  // Of functions that only have callbacks in Node, wrong arguments are always thrown at once.
  const answer = exports.answer = (callback, f, asPromise = (values) => values[0], throws = false) => {
    if (callback === undefined) {
      if (throws) {
        try {
          const values = f();
          return kernel.asAnswer(() => asPromise(values));
        } catch (error) {
          if (kernel.fs.isMistake(error)) throw error;
          return Promise.reject(error);
        }
      }
      return kernel.asAnswer(() => asPromise(f()));
    }
    validateFunction(callback, 'cb');
    let values;
    try {
      values = [null, ...f()];
    } catch (error) {
      if (kernel.fs.isMistake(error)) throw error;
      values = [error];
    }
    kernel.answer(callback, values);
    return undefined;
  };
  const plain = (name, count, throws) => { // count: of the arguments before the callback
    const sync = exports[`${name}Sync`];
    exports[name] = (...args) => {
      const callback = typeof args[args.length - 1] === 'function' ? args.pop() : undefined;
      if (callback === undefined && args[count] !== undefined) validateFunction(args[count], 'cb');
      return answer(callback, () => {
        const value = sync(...args);
        return value === undefined ? [] : [value];
      }, undefined, throws);
    };
  };
  for (const name of ['close', 'fsync', 'fdatasync']) plain(name, 1, true);
  for (const name of ['fstat', 'ftruncate']) plain(name, 2, true);
  for (const name of ['mkdtemp', 'realpath', 'opendir']) plain(name, 2, false);
  exports.open = (...args) => {
    const callback = typeof args[args.length - 1] === 'function' ? args.pop() : undefined;
    if (callback === undefined && args[3] !== undefined) validateFunction(args[3], 'cb');
    return answer(callback, () => [exports.openSync(...args)], ([fd]) => new exports.FileHandle(fd));
  };
  // transfer makes a function that calls back with how much was read or written, and the buffers.
  const transfer = (name, count, what, prepare = (args) => args) => {
    const sync = exports[`${name}Sync`];
    exports[name] = (...args) => {
      const callback = typeof args[args.length - 1] === 'function' ? args.pop() : undefined;
      args = prepare(args);
      return answer(callback, () => [sync(...args), args[1]], ([n]) => ({ [count]: n, [what]: args[1] }), true);
    };
  };
  transfer('read', 'bytesRead', 'buffer', (args) => {
    let [fd, buffer, ...rest] = args;
    if (args.length <= 2 && !ArrayBuffer.isView(buffer)) { // all options in an object, or none
      if (buffer !== undefined && buffer !== null) validateObject(buffer, 'options');
      const options = buffer ?? {};
      ({ buffer = Buffer.alloc(16384) } = options);
      rest = [options];
    }
    return [fd, buffer, ...rest];
  });
  transfer('write', 'bytesWritten', 'buffer');
  transfer('readv', 'bytesRead', 'buffers');
  transfer('writev', 'bytesWritten', 'buffers');

  // withBigInts makes the Stats of stat(path, {bigint: true}).
  exports.withBigInts = (stats) => {
    const result = Object.create(Object.getPrototypeOf(stats), {});
    const big = { size: BigInt(stats.size), mode: BigInt(stats.mode) };
    for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
      big[`${name}Ms`] = BigInt(Math.floor(stats.mtimeMs));
      big[`${name}Ns`] = BigInt(Math.floor(stats.mtimeMs)) * 1000000n;
      big[name] = new Date(stats.mtimeMs);
    }
    for (const name of ['isFile', 'isDirectory', 'isSymbolicLink']) {
      const is = stats[name]();
      Object.defineProperty(result, name, { value: () => is, enumerable: false, configurable: true });
    }
    for (const name of Object.keys(big))
      Object.defineProperty(result, name, { value: big[name], enumerable: true, configurable: true });
    return result;
  };

  // copy is cp with a filter, which is asked about everything before anything is copied.
  exports.copy = (src, dest, options, sync) => {
    const { join } = require('path');
    const { filter, ...plainOptions } = options;
    validateFunction(filter, 'options.filter');
    const chosen = [];
    const walk = function* (from, to) {
      if (!(yield [from, to])) return;
      const directory = fs.statSync(from).isDirectory();
      chosen.push({ from, to, directory });
      if (!directory) return;
      if (!options.recursive) {
        fs.cpSync(from, to, plainOptions); // refuses it
        return;
      }
      for (const name of fs.readdirSync(from)) yield* walk(join(from, name), join(to, name));
    };
    const copyChosen = () => {
      for (const { from, to, directory } of chosen) {
        if (directory) fs.mkdirSync(to, { recursive: true });
        else fs.cpSync(from, to, plainOptions);
      }
    };
    const steps = walk(exports.pathOf(src), exports.pathOf(dest));
    if (sync) {
      for (let step = steps.next(); !step.done;) {
        const keep = filter(...step.value);
        if (typeof keep?.then === 'function') throw errors.ERR_INVALID_RETURN_VALUE('boolean', 'filter', keep);
        step = steps.next(keep);
      }
      copyChosen();
      return undefined;
    }
    return (async () => {
      for (let step = steps.next(); !step.done;) step = steps.next(await filter(...step.value));
      copyChosen();
    })();
  };
})
