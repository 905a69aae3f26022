// require, and imports of files that are not ES modules. The host resolves names and reads files; the engine runs ES
// modules.
(function (kernel) {
  'use strict';
  const { host, ops, apply, stringify, define, keys, slice, TypeError, makeError } = kernel;
  const parse = JSON.parse;
  const lastIndexOf = kernel.uncurry(String.prototype.lastIndexOf);
  const builtins = kernel.modules;
  const maxNames = 10000; // exports of a file that can be imported by name

  // Files that have been loaded, by path: {exports, id, filename, loaded}.
  const loaded = { __proto__: null };

  const load = (path) => {
    if (path in builtins) return builtins[path];
    if (path in loaded) return loaded[path].exports;
    const module = { exports: {}, id: path, filename: path, loaded: false };
    const code = host(ops.loadFile, path);
    if (typeof code === 'string') {
      try {
        module.exports = parse(code);
      } catch (error) {
        throw makeError('SyntaxError', `${path} is not valid JSON: ${kernel.text(error, 'message') ?? ''}`);
      }
      loaded[path] = module;
    } else {
      if (typeof code !== 'function') throw makeError('SyntaxError', `${path}: a closing bracket too many`);
      loaded[path] = module; // files that require each other get the exports so far
      try {
        apply(code, module.exports, [module.exports, requireFor(path), module, path, directory(path)]);
      } catch (error) {
        delete loaded[path];
        throw error;
      }
    }
    module.loaded = true;
    return module.exports;
  };

  const directory = (path) => {
    const end = lastIndexOf(path, '/');
    return end > 0 ? slice(path, 0, end) : '/';
  };

  // requireFor returns the function for a file, or for the script itself, whose path is ''.
  const main = { exports: {}, id: '.', filename: '', loaded: false }; // the script as a module
  const requireFor = (path) => {
    const resolve = (id) => {
      if (typeof id !== 'string' || id === '') throw new TypeError('require needs the name of a module, which is a string');
      return host(ops.resolve, id, path);
    };
    const require = (id) => load(resolve(id));
    define('resolve', resolve, require);
    define('main', main, require);
    return require;
  };
  define('require', requireFor(''));

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
  // it: its exports can be imported by name, and all of them are the default export.
  kernel.shim = (path) => {
    const value = load(path);
    let text = `const module = ${accessor}(${stringify(path)});\n`;
    text += isObject(value) && value.__esModule === true && 'default' in value ?
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
  define(accessor, load); // modules can get values only from global variables

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
    if (name === '' || name in globalThis || (typeof value === 'object' && value !== null && keys(value).length === 0)) return;
    define(name, value);
  };

  // raise throws an error that the host describes.
  kernel.raise = (error) => { throw makeError(error[0], error[1], error[2], error[3]); };
})
