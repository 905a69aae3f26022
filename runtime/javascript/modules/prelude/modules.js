// require, and imports of files that are not ES modules. The host resolves names and reads files; the engine runs ES
// modules.
(function (kernel) {
  'use strict';
  const { host, apply, append, stringify, define, defineProperty, keys, slice, TypeError, makeError } = kernel;
  const { getOwnPropertyDescriptor } = Reflect;
  const parse = JSON.parse;
  const lastIndexOf = kernel.uncurry(String.prototype.lastIndexOf);
  const builtins = kernel.modules;
  const maxNames = 10000; // exports of a file that can be imported by name

  // Modules that have been loaded, by path, which scripts know as require.cache.
  const cache = { __proto__: null };

  // Module objects: what Node's class Module has on its prototype, beside what node/module.js adds.
  const modulePrototype = {
    require(id) { return requireFor(this)(id); },
    get paths() { return builtin('module')._nodeModulePaths(this.path); },
  };
  kernel.moduleCache = cache;
  kernel.modulePrototype = modulePrototype;
  const newModule = (path, parent) => {
    const module = {
      __proto__: modulePrototype, id: path, path: directory(path), exports: {}, filename: path,
      loaded: false, children: [], parent,
    };
    if (parent !== undefined) append(parent.children, module);
    return module;
  };

  // builtin returns a built-in module. Most are loaded when they are first used.
  const builtin = (name) => {
    if (name in builtins) return builtins[name];
    if (slice(name, 0, 7) === 'absent:') return builtins[name] = builtin('internal/absent')(slice(name, 7));
    const code = host('module.builtin', name);
    if (code === undefined) throw makeError('Error', `Cannot find module '${name}'`, 'MODULE_NOT_FOUND');
    const module = { exports: {} };
    builtins[name] = module.exports; // modules that require each other get the exports so far
    try {
      apply(code, module.exports, [kernel, builtin, module, module.exports]);
    } catch (error) {
      delete builtins[name];
      throw error;
    }
    return builtins[name] = module.exports;
  };
  kernel.builtin = builtin;

  // lazyGlobals takes {global: module}, and defines the globals so that their modules are loaded when they are first
  // used.
  kernel.lazyGlobals = (globals) => {
    const names = keys(globals);
    for (let i = 0; i < names.length; i++) lazyGlobal(names[i], globals[names[i]]);
  };
  const lazyGlobal = (name, module) => {
    const { get, set } = getOwnPropertyDescriptor({
      get [name]() {
        const value = builtin(module)[name];
        define(name, value);
        return value;
      },
      set [name](value) { define(name, value); },
    }, name);
    defineProperty(globalThis, name, { __proto__: null, get, set, enumerable: false, configurable: true });
  };

  const starting = { __proto__: null };
  const load = (path, parent) => {
    if (path[0] !== '/') {
      if (path === 'fs' || path === 'fs/promises') kernel.fs.strict = true;
      return builtin(path);
    }
    const known = cache[path];
    if (known !== undefined) {
      if (starting[path]) {
        throw makeError('Error', `Cannot require() ES Module ${path} in a cycle: it is still being loaded`,
          'ERR_REQUIRE_CYCLE_MODULE');
      }
      if (parent !== undefined && known.parent === undefined) known.parent = parent; // it was imported before
      return known.exports;
    }
    const module = newModule(path, parent);
    cache[path] = module; // files that require each other get the exports so far
    try {
      starting[path] = true; // nothing else of an ES module's graph may require it before it is linked
      let code;
      try {
        code = host('module.load', path);
      } finally {
        delete starting[path];
      }
      if (typeof code === 'string') module.exports = json(path, code);
      else if (typeof code === 'object') module.exports = moduleExports(path, code);
      else if (typeof code !== 'function') throw makeError('SyntaxError', `${path}: a closing bracket too many`);
      else apply(code, module.exports, [module.exports, requireFor(module), module, path, module.path]);
    } catch (error) {
      if (cache[path] === module) delete cache[path];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  };

  const json = (path, text) => {
    try {
      return parse(text);
    } catch (error) {
      throw makeError('SyntaxError', `${path} is not valid JSON: ${kernel.text(error, 'message') ?? ''}`);
    }
  };

  const exportsName = '__module_exports'; // what package module makes of 'module.exports'

  // moduleExports returns what require gives for an ES module, of which there is the promise of its evaluation.
  const moduleExports = (path, promise) => {
    if (host('promise.state', promise) === 2) {
      kernel.then(promise, undefined, () => {});
      throw kernel.inside(promise);
    }
    const namespace = host('module.namespace', path);
    if (exportsName in namespace) return namespace[exportsName];
    if (!('default' in namespace) || '__esModule' in namespace) return namespace;
    return host('module.namespace', path, true); // importers that were compiled from ES modules look for __esModule
  };

  const directory = (path) => {
    const end = lastIndexOf(path, '/');
    return end > 0 ? slice(path, 0, end) : '/';
  };

  // requireFor returns the function for a module.
  const main = newModule('', undefined); // the script as a module
  main.id = '.';
  main.parent = null;
  const requireFor = (module) => {
    const path = module === main ? '' : module.filename;
    const find = (id) => {
      if (typeof id !== 'string' || id === '')
        throw new TypeError('require needs the name of a module, which is a string');
      return host('module.resolve', id, path);
    };
    const resolve = (id) => {
      const found = find(id);
      return id === `node:${found}` ? id : found;
    };
    const require = (id) => load(find(id), module);
    define('paths', (id) => builtin('module')._resolveLookupPaths(id, path), resolve);
    define('resolve', resolve, require);
    define('main', main, require);
    define('cache', cache, require);
    return require;
  };
  kernel.requireFor = (path) => requireFor(newModule(path, undefined));
  define('require', requireFor(main));
  kernel.main = main;

  // startMain defines the variables of a CommonJS module in the root for the script with a name. Libraries run before
  // that: seeing these variables, some would not define their globals. The returned function gives the script's
  // exports, or undefined if there are none.
  kernel.startMain = (name) => {
    const { exports } = main;
    main.filename = `/${name}`;
    define('module', main);
    define('exports', exports);
    define('__filename', main.filename);
    define('__dirname', '/');
    return () => {
      try {
        return main.exports !== exports || keys(exports).length > 0 ? main.exports : undefined;
      } catch {
        return undefined; // an export that throws
      }
    };
  };

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // isIdentifier accepts ASCII names, including reserved words.
  const isIdentifier = (name) => {
    for (let i = 0; i < name.length; i++) {
      const c = name[i];
      const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c === '_' || c === '$';
      if (!letter && (i === 0 || c < '0' || c > '9')) return false;
    }
    return name !== '';
  };

  // shim runs a file that is not an ES module, or a built-in module, and returns the source of an ES module that wraps
  // it: its exports can be imported by name, and all of them are the default export. Only for packages is that so for
  // files that were compiled from an ES module too.
  kernel.shim = (path, forPackages) => {
    const value = load(path);
    shims[path] = true;
    let text = `const module = ${accessor}(${stringify(path)});\n`;
    text += !forPackages && isObject(value) && value.__esModule === true && 'default' in value ?
      'export default module.default;\n' : 'export default module;\n';
    if (!isObject(value)) return text;
    const names = keys(value);
    for (let i = 0; i < names.length && i < maxNames; i++) {
      if (names[i] === 'default' || !isIdentifier(names[i])) continue; // the engine supports no other names in imports
      text += `const v${i} = module.${names[i]}; export { v${i} as ${names[i]} };\n`;
    }
    return text;
  };
  const accessor = '__toolrun_exports';
  // scripts get nothing else this way: there are built-in modules that are not for them
  const shims = { __proto__: null };
  define(accessor, (path) => { // modules can get values only from global variables
    if (typeof path !== 'string' || !shims[path])
      throw makeError('Error', `Cannot find module '${kernel.String(path)}'`, 'MODULE_NOT_FOUND');
    return load(path);
  });

  // library loads a library file with exports, and makes these a global with a name, unless the name is empty or taken.
  kernel.library = (path, name, isModule) => {
    if (!isModule) {
      publish(name, load(path));
      return;
    }
    kernel.then(import(path), (namespace) => {
      const names = keys(namespace);
      publish(name, names.length === 1 && names[0] === 'default' ? namespace.default : namespace);
    }, kernel.failed);
  };
  const publish = (name, value) => {
    if (name === '' || name in globalThis || (typeof value === 'object' && value !== null && keys(value).length === 0))
      return;
    define(name, value);
  };

  // preload loads a module as the script will, and returns the promise of that.
  kernel.preload = (id, required) => {
    const loading = required ? requiring(id) : import(id);
    kernel.then(loading, undefined, () => {});
    return loading;
  };
  const requiring = async (id) => { load(host('module.resolve', id, ''), main); };

  // meta makes the import.meta of a module what it is in Node.
  kernel.meta = (meta, path) => {
    const url = (path) => `file://${replaceAll(replaceAll(encode(path), '?', '%3F'), '#', '%23')}`;
    delete meta.url;
    delete meta.main;
    kernel.put(meta, 'dirname', directory(path));
    kernel.put(meta, 'filename', path);
    kernel.put(meta, 'resolve', (specifier) => {
      const found = host('module.resolve', kernel.String(specifier), path, 1);
      return found[0] === '/' ? url(found) : `node:${found}`;
    });
    kernel.put(meta, 'url', url(path));
  };
  const encode = encodeURI;
  const replaceAll = kernel.uncurry(String.prototype.replaceAll);

  // raise throws an error that the host describes.
  kernel.raise = (error) => { throw makeError(error[0], error[1], error[2], error[3]); };
})
