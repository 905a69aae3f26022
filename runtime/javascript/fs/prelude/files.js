// fs: the project's files, with the functions of Node's fs. Each does its work in the host at once. name() returns a
// promise, nameSync() the answer itself, and name(..., callback) calls back later.
(function (kernel) {
  'use strict';
  const { host, bytesOf, apply, append, defineProperty, put, setPrototypeOf } = kernel;
  const { dirname, basename, join } = kernel.modules.path;
  const { Date } = globalThis;

  // Flags of operations. The numbers are those of package runtime/javascript (files.go).
  const RECURSIVE = 1, FORCE = 2, EXCLUSIVE = 4;
  const constants = {
    F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
  };

  // inner is what few scripts use: open files, streams, and paths that are not strings.
  const inner = () => kernel.builtin('internal/fs/files');
  const file = (name, option, path, a, b, c) => {
    if (typeof path !== 'string' && path !== undefined) path = inner().pathOf(path, 'path', name);
    return host(name, option, path, a, b, c);
  };
  const fileTo = (name, option, from, to, fromName, toName) => {
    if (typeof from !== 'string' && from !== undefined) from = inner().pathOf(from, fromName, name);
    if (typeof to !== 'string' && to !== undefined) to = inner().pathOf(to, toName, name);
    return host(name, option, from, to);
  };

  const option = (options, name) => (typeof options === 'object' && options !== null ? options[name] : undefined);
  const recursive = (options) => (option(options, 'recursive') ? RECURSIVE : 0);
  const encodingOf = (options) => (typeof options === 'object' ? option(options, 'encoding') : options) ?? undefined;

  const plainFlags = {
    __proto__: null, w: 1, wx: 1, xw: 1, 'w+': 1, 'wx+': 1, a: 1, ax: 1, xa: 1, 'a+': 1, 'ax+': 1, as: 1,
  };
  // streamOf returns the number of the stream that is written to at a path where there is no file, or 0.
  const streamOf = (path) => {
    const stream = path === '/dev/stdout' ? 1 : path === '/dev/stderr' ? 2 : 0;
    return stream > 0 && functions.exists(path) ? 0 : stream;
  };
  kernel.streamOf = streamOf;
  const write = (name, path, data, options) => {
    const flag = option(options, 'flag') ?? undefined;
    const stream = streamOf(path);
    if (stream > 0) {
      kernel.builtin('fs').writeSync(stream, data, ...typeof data === 'string' ? [null, encodingOf(options)] : []);
      return;
    }
    if (flag !== undefined && (typeof flag !== 'string' || plainFlags[flag] !== 1)) { // one of those for open files
      kernel.builtin('fs');
      checked[kernel.slice(name, 'fs.'.length)]([path, data, options], false);
      return;
    }
    const encoding = encodingOf(options);
    const bytes = bytesOf(data);
    if (bytes) file(name, flag, path, bytes.buffer, bytes.offset, bytes.length);
    else file(name, flag, path, data, encoding);
  };

  // Results of stat and readdir: data, with the methods of Node's Stats and Dirent. When printed or converted to JSON,
  // the methods appear as their results.
  const kinds = new WeakMap();
  const kindOf = kernel.uncurry(WeakMap.prototype.get);
  const setKind = kernel.uncurry(WeakMap.prototype.set);
  const entryPrototype = {
    toJSON() { return { isFile: kindOf(kinds, this) === 'f', isDirectory: kindOf(kinds, this) === 'd', ...this }; },
  };

  // Scripts written for other systems use these methods as if they were booleans. A method that was read more often
  // than it was called is a sign of that: the host then looks for such a place in the source.
  let uncalled = 0;
  const method = (name, f) => {
    const value = { [name]() { uncalled--; return f(this); } }[name];
    defineProperty(entryPrototype, name, {
      __proto__: null,
      get() { uncalled++; return value; },
      set(own) { put(this, name, own); },
      enumerable: true,
      configurable: true,
    });
  };
  method('isFile', (self) => kindOf(kinds, self) === 'f');
  method('isDirectory', (self) => kindOf(kinds, self) === 'd');
  method('isSymbolicLink', () => false);
  kernel.ending = () => {
    if (uncalled > 0) host('run.uncalled');
    uncalled = 0;
  };

  const entry = (kind, data) => {
    setKind(kinds, data, kind);
    setPrototypeOf(data, entryPrototype);
    return data;
  };

  const stat = (path) => {
    const data = file('fs.stat', 0, path);
    const { kind } = data;
    delete data.kind;
    put(data, 'mtimeMs', data.mtime);
    data.mtime = new Date(data.mtime);
    return entry(kind, data);
  };
  const statAs = (path, options) => {
    if (options === undefined || options === null) return stat(path);
    try {
      const found = stat(path);
      return option(options, 'bigint') ? inner().withBigInts(found) : found;
    } catch (error) {
      if (option(options, 'throwIfNoEntry') === false && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };

  const functions = {
    __proto__: null,
    // Without an encoding, readFile gives a Buffer.
    readFile(path, options) {
      if (path === 0 || path === '/dev/stdin') {
        const content = inner().readInput(path, encodingOf(options));
        if (content !== undefined) return content;
      }
      const content = file('fs.readFile', 0, path, encodingOf(options));
      if (typeof content === 'string') return content;
      return kernel.builtin('buffer').Buffer.from(content);
    },
    writeFile(path, data, options) { write('fs.writeFile', path, data, options); },
    appendFile(path, data, options) { write('fs.appendFile', path, data, options); },
    truncate(path, length = 0) { file('fs.truncate', (length | 0) === length ? length | 0 : -1, path); },
    exists(path) {
      try {
        return file('fs.exists', 0, path) === 1;
      } catch (error) {
        if (path === undefined) throw error;
        return false;
      }
    },
    access(path, mode = constants.F_OK) { file('fs.access', mode | 0, path); },
    stat: statAs,
    lstat: statAs,
    readdir(path, options) {
      const { names, kinds: letters } = file('fs.readdir', recursive(options), path);
      if (!option(options, 'withFileTypes')) return names;
      const entries = [];
      for (let i = 0; i < names.length; i++) {
        const dir = dirname(names[i]);
        const data = { name: basename(names[i]), parentPath: dir === '.' ? path : join(path, dir) };
        append(entries, entry(letters[i], data));
      }
      return entries;
    },
    mkdir(path, options) { return file('fs.mkdir', recursive(options), path); },
    unlink(path) { file('fs.unlink', 0, path); },
    rmdir(path, options) { file('fs.rmdir', recursive(options), path); },
    rm(path, options) { file('fs.rm', recursive(options) | (option(options, 'force') ? FORCE : 0), path); },
    rename(oldPath, newPath) { fileTo('fs.rename', 0, oldPath, newPath, 'oldPath', 'newPath'); },
    copyFile(src, dest, mode = 0) {
      fileTo('fs.copyFile', mode & constants.COPYFILE_EXCL ? EXCLUSIVE : 0, src, dest, 'src', 'dest');
    },
    cp(src, dest, options, sync) {
      if (option(options, 'filter')) return inner().copy(src, dest, options, sync === true);
      const force = (option(options, 'force') ?? true) ? FORCE : 0;
      fileTo('fs.cp', recursive(options) | force | (option(options, 'errorOnExist') ? EXCLUSIVE : 0),
        src, dest, 'src', 'dest');
    },
  };

  // perform does the work of a function. node/fs.js puts its own into checked, which check as Node does: they get the
  // arguments, and whether the answer can be a promise. They are for open files, and for scripts that have asked for
  // the module, so that nothing depends on whether it happens to be loaded.
  const checked = { __proto__: null };
  const perform = (name, args, later) => (
    (kernel.fs.strict || typeof args[0] === 'number') && checked[name] ? checked[name](args, later)
      : apply(functions[name], undefined, args));

  // isMistake tells a wrong argument, which Node throws at once, from what an operation fails with.
  const isMistake = (error) => {
    const code = kernel.text(error, 'code');
    return typeof code === 'string' && code[0] === 'E' && code[1] === 'R' && code[2] === 'R' && code[3] === '_';
  };

  const callLater = (callback, name, args) => {
    let answer;
    try {
      const value = perform(name, args, true);
      if (value instanceof kernel.Promise) {
        kernel.then(value, (result) => {
          kernel.answer(callback, [null, result]);
        }, (error) => { kernel.answer(callback, [error]); });
        return;
      }
      answer = name === 'exists' ? [value] : value === undefined ? [null] : [null, value];
    } catch (error) {
      if (isMistake(error)) throw error;
      answer = [error];
    }
    kernel.answer(callback, answer);
  };

  const fs = {};
  for (const name in functions) {
    fs[name] = function (...args) {
      const last = args.length - 1;
      if (last < 0 || typeof args[last] !== 'function') return kernel.asAnswer(perform, name, args, true);
      const callback = args[last];
      args.length = last;
      callLater(callback, name, args);
    };
    fs[`${name}Sync`] = function (...args) { return perform(name, args, false); };
    for (const made of [name, `${name}Sync`]) {
      defineProperty(fs[made], 'name', { __proto__: null, value: made, configurable: true });
    }
  }
  const { existsSync } = fs;
  fs.existsSync = { existsSync(path) { return path !== undefined && existsSync(path); } }.existsSync;
  fs.cpSync = { cpSync(src, dest, options) { return functions.cp(src, dest, options, true); } }.cpSync;
  fs.constants = constants;
  fs.promises = fs;
  kernel.define('fs', fs);
  // node/fs.js adds what few scripts use
  kernel.fs = { fs, functions, checked, strict: false, entryPrototype, entry, isMistake };
})
