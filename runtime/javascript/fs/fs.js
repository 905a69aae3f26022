// fs: what the prelude has, and what few scripts use: open files, streams, and more of Stats. The global fs gets it
// too.
(function (kernel, require, module) {
  'use strict';
  const { fs, functions, checked, entryPrototype } = kernel.fs;
  const hidden = (object, name, value) => {
    Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
  };

  // Most calls need no checks but those of the host.
  const isPlain = (value) => typeof value === 'string' || value === undefined || value instanceof Uint8Array;
  const check = (name, plain) => {
    checked[name] = (args, later) => {
      if (args.length <= 1 ? !(args[0] instanceof Object) && typeof args[0] !== 'number'
        : plain && args.every(isPlain)) {
        return Reflect.apply(functions[name], undefined, args);
      }
      return require('internal/fs/checks')[name](args, later);
    };
  };
  for (const name of ['readFile', 'writeFile', 'appendFile']) check(name, true);
  for (const name of ['truncate', 'access', 'copyFile', 'mkdir', 'rm', 'rmdir', 'cp', 'readdir']) check(name, false);

  // forward adds a function of another module, which is loaded when the function is first called.
  const forward = (name, from) => {
    fs[name] = { [name]: function (...args) { return Reflect.apply(require(from)[name], fs, args); } }[name];
  };
  for (const name of [
    'open', 'close', 'read', 'write', 'readv', 'writev', 'fstat', 'ftruncate', 'fsync',
    'fdatasync', 'mkdtemp', 'realpath', 'opendir',
  ]) {
    forward(name, 'internal/fs/files');
    forward(`${name}Sync`, 'internal/fs/files');
  }
  for (const name of ['chmod', 'fchmod', 'chown', 'fchown', 'lchown', 'utimes', 'futimes',
    'lutimes', 'link', 'symlink', 'readlink', 'statfs']) {
    forward(name, 'internal/fs/missing');
    forward(`${name}Sync`, 'internal/fs/missing');
  }
  forward('_toUnixTimestamp', 'internal/fs/missing');
  forward('createReadStream', 'internal/fs/streams');
  forward('createWriteStream', 'internal/fs/streams');
  fs.realpath.native = fs.realpath;
  fs.realpathSync.native = fs.realpathSync;
  Object.defineProperty(fs, 'Dir', {
    get: () => require('internal/fs/files').Dir, enumerable: false, configurable: true,
  });
  for (const name of ['ReadStream', 'WriteStream']) {
    Object.defineProperty(fs, name, {
      get: () => require('internal/fs/streams')[name], enumerable: false, configurable: true,
    });
  }
  Object.assign(fs.constants, {
    O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512,
    O_APPEND: 1024, O_NOATIME: 0x40000, UV_FS_O_FILEMAP: 0,
    S_IFMT: 0o170000, S_IFREG: 0o100000, S_IFDIR: 0o40000, S_IFLNK: 0o120000,
    S_IRWXU: 0o700, S_IRUSR: 0o400, S_IWUSR: 0o200, S_IXUSR: 0o100, S_IRWXG: 0o70,
    S_IRGRP: 0o40, S_IWGRP: 0o20, S_IXGRP: 0o10,
    S_IRWXO: 7, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1,
  });

  // What util.promisify gives of functions with more than one result: they give promises themselves.
  const custom = Symbol.for('nodejs.util.promisify.custom');
  for (const name of ['read', 'write', 'readv', 'writev', 'exists']) {
    const f = fs[name];
    hidden(f, custom, { [name](...args) { return f(...args); } }[name]);
  }

  for (const name of ['isFIFO', 'isSocket', 'isBlockDevice', 'isCharacterDevice']) {
    hidden(entryPrototype, name, { [name]() { return false; } }[name]);
  }
  // computed defines a property of Stats that entries of directories do not have.
  const computed = (name, get) => {
    Object.defineProperty(entryPrototype, name, {
      get() { return this.mtimeMs === undefined ? undefined : get(this); },
      set(value) {
        Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      },
      enumerable: false,
      configurable: true,
    });
  };
  for (const name of ['atime', 'ctime', 'birthtime']) {
    computed(name, (stats) => new Date(stats.mtimeMs));
    computed(`${name}Ms`, (stats) => stats.mtimeMs);
  }
  computed('mode', (stats) => (stats.isDirectory() ? 0o40755 : 0o100644) & (stats.readonly ? ~0o222 : ~0));
  module.exports = fs;
})
