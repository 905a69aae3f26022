// module: the class of module objects, createRequire, and which modules are built in.
(function (kernel, require, module) {
  'use strict';
  const { host } = kernel;
  const { ERR_INVALID_ARG_VALUE } = require('internal/errors');

  // What Node has; which of them are here, the host says.
  const names = `_http_agent assert assert/strict async_hooks buffer child_process cluster console constants crypto
    dgram diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector module net os
    path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl stream
    stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty url
    util util/types v8 vm wasi worker_threads zlib`.split(/\s+/);
  const isHere = (name) => {
    try {
      return host('module.resolve', `node:${name}`, '')[0] !== '/';
    } catch {
      return false;
    }
  };

  function Module(id = '', parent = undefined) {
    this.id = id;
    this.path = dirname(id);
    this.exports = {};
    if (parent?.children) parent.children.push(this);
    this.parent = parent;
    this.filename = null;
    this.loaded = false;
    this.children = [];
  }
  const { dirname } = kernel.modules.path;
  Module.prototype = kernel.modulePrototype;
  const define = (object, name, value) => Object.defineProperty(object, name,
    { value, writable: true, configurable: true });
  define(Module.prototype, 'constructor', Module);
  define(Module.prototype, '_compile', function _compile(content, filename) {
    const code = (0, eval)(`${Module.wrapper[0]}${String(content).replace(/^#!.*/, '')}${Module.wrapper[1]}`);
    this.filename ??= filename;
    return Reflect.apply(code, this.exports, [
      this.exports, Module.createRequire(filename), this, filename, dirname(filename),
    ]);
  });

  Module.Module = Module;
  Module._cache = kernel.moduleCache;
  Module.wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
  Module.wrap = (script) => Module.wrapper[0] + script + Module.wrapper[1];
  Module._nodeModulePaths = (from) => {
    const paths = [];
    for (let dir = from; ; dir = dirname(dir)) {
      if (!dir.endsWith('/node_modules')) paths.push(dir === '/' ? '/node_modules' : `${dir}/node_modules`);
      if (dir === '/' || dir === '.') return paths;
    }
  };
  Module._resolveLookupPaths = (id, path) => {
    if (Module.isBuiltin(id)) return null;
    const dir = path === '' ? '/' : dirname(path);
    return /^\.\.?(\/|$)/.test(id) ? [dir] : [...Module._nodeModulePaths(dir), '/lib', '/lib/node_modules'];
  };
  Module._resolveFilename = (id, parent) => kernel.requireFor(parent?.filename ?? '').resolve(id);
  Module._load = (id, parent) => kernel.requireFor(parent?.filename ?? '')(id);
  Module.syncBuiltinESMExports = () => {};

  let found;
  Object.defineProperty(Module, 'builtinModules', {
    get: () => (found ??= names.filter(isHere)), enumerable: true, configurable: true,
  });
  Module.isBuiltin = (name) => {
    if (typeof name !== 'string') return false;
    const plain = name.startsWith('node:') ? name.slice(5) : name;
    return names.includes(plain) && isHere(plain);
  };
  Module.createRequire = (filename) => {
    let path = filename;
    // import.meta.url of the script
    if (typeof filename === 'string' && /^file:\/\/[^/]+$/.test(filename)) path = `/${filename.slice(7)}`;
    else if (filename instanceof URL || (typeof filename === 'string' && filename.startsWith('file:')))
      path = require('url').fileURLToPath(filename);
    if (typeof path !== 'string' || path[0] !== '/') {
      throw ERR_INVALID_ARG_VALUE('filename', filename,
        'must be a file URL object, file URL string, or absolute path string');
    }
    return kernel.requireFor(path);
  };
  module.exports = Module;
})
