// fs: the project's files, with the functions of Node's fs. Each does its work in the host at once. name() returns a
// promise, nameSync() the answer itself, and name(..., callback) calls back later.
(function (kernel) {
  'use strict';
  const { host, ops, bytesOf, apply, append, define, defineProperty, put, setPrototypeOf, Uint8Array, TypeError } = kernel;
  const { dirname, basename, join } = kernel.modules.path;

  // Flags of operations. The numbers are those of package runtime/javascript (files.go).
  const RECURSIVE = 1, FORCE = 2, EXCLUSIVE = 4;
  const constants = {
    F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
  };

  const file = (name, option, path, a, b, c) => host(ops.file, name, option, path, a, b, c);

  const option = (options, name) => (typeof options === 'object' && options !== null ? options[name] : undefined);
  const recursive = (options) => (option(options, 'recursive') ? RECURSIVE : 0);
  const encodingOf = (options) => (typeof options === 'object' ? option(options, 'encoding') : options) ?? undefined;

  const write = (name, path, data, options) => {
    const flag = option(options, 'flag') ?? undefined;
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
    get mtimeMs() { return this.mtime; },
    toJSON() { return { isFile: kindOf(kinds, this) === 'f', isDirectory: kindOf(kinds, this) === 'd', ...this }; },
  };

  // Scripts written for other systems use these methods as if they were booleans. A method that was read more often than
  // it was called is a sign of that: the host then looks for such a place in the source.
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
    if (uncalled > 0) host(ops.uncalled);
    uncalled = 0;
  };

  const entry = (kind, data) => {
    setKind(kinds, data, kind);
    setPrototypeOf(data, entryPrototype);
    return data;
  };

  const stat = (path) => {
    const data = file('stat', 0, path);
    const { kind } = data;
    delete data.kind;
    return entry(kind, data);
  };

  // textOf is what the bytes that readFile gives have as toString, as those of Node's do. The numbers that other Uint8Arrays make of
  // themselves are never what is meant by the content of a file.
  const textOf = function toString(encoding = 'utf8') {
    const bytes = bytesOf(this);
    if (!bytes) throw new TypeError('toString of the content of a file is called on something else');
    return host(ops.web, 'text', encoding, bytes.buffer, bytes.offset, bytes.length);
  };

  const functions = {
    __proto__: null,
    // Without an encoding, readFile gives a Uint8Array.
    readFile(path, options) {
      const content = file('readFile', 0, path, encodingOf(options));
      if (typeof content === 'string') return content;
      const bytes = new Uint8Array(content);
      define('toString', textOf, bytes);
      return bytes;
    },
    writeFile(path, data, options) { write('writeFile', path, data, options); },
    appendFile(path, data, options) { write('appendFile', path, data, options); },
    truncate(path, length = 0) { file('truncate', (length | 0) === length ? length | 0 : -1, path); },
    exists(path) {
      try {
        return file('exists', 0, path) === 1;
      } catch (error) {
        if (path === undefined) throw error;
        return false;
      }
    },
    access(path, mode = constants.F_OK) { file('access', mode | 0, path); },
    stat,
    lstat: stat,
    readdir(path, options) {
      const { names, kinds: letters } = file('readdir', recursive(options), path);
      if (!option(options, 'withFileTypes')) return names;
      const entries = [];
      for (let i = 0; i < names.length; i++) {
        const dir = dirname(names[i]);
        const data = { name: basename(names[i]), parentPath: dir === '.' ? path : join(path, dir) };
        append(entries, entry(letters[i], data));
      }
      return entries;
    },
    mkdir(path, options) { file('mkdir', recursive(options), path); },
    unlink(path) { file('unlink', 0, path); },
    rmdir(path, options) { file('rmdir', recursive(options), path); },
    rm(path, options) { file('rm', recursive(options) | (option(options, 'force') ? FORCE : 0), path); },
    rename(oldPath, newPath) { file('rename', 0, oldPath, newPath); },
    copyFile(src, dest, mode = 0) { file('copyFile', mode & constants.COPYFILE_EXCL ? EXCLUSIVE : 0, src, dest); },
    cp(src, dest, options) {
      const force = (option(options, 'force') ?? true) ? FORCE : 0;
      file('cp', recursive(options) | force | (option(options, 'errorOnExist') ? EXCLUSIVE : 0), src, dest);
    },
  };

  // promise must be an async function, so that nothing that scripts can replace makes the promise.
  const promise = async (f, args) => apply(f, undefined, args);

  const callLater = (callback, f, args) => {
    let answer;
    try {
      const value = apply(f, undefined, args);
      answer = f === functions.exists ? [value] : [null, value];
    } catch (error) {
      answer = [error];
    }
    kernel.later(callback, answer);
  };

  const fs = {};
  for (const name in functions) {
    const f = functions[name];
    fs[name] = function (...args) {
      const last = args.length - 1;
      if (last < 0 || typeof args[last] !== 'function') return promise(f, args);
      const callback = args[last];
      args.length = last;
      callLater(callback, f, args);
    };
    fs[`${name}Sync`] = function (...args) { return apply(f, undefined, args); };
    for (const made of [name, `${name}Sync`]) {
      defineProperty(fs[made], 'name', { __proto__: null, value: made, configurable: true });
    }
  }
  const { existsSync } = fs;
  fs.existsSync = { existsSync(path) { return path !== undefined && existsSync(path); } }.existsSync;
  fs.constants = constants;
  fs.promises = fs;
  kernel.define('fs', fs);
  kernel.modules.fs = kernel.modules['fs/promises'] = fs;
})
