// The core of the prelude: the host primitive, and the parts of the language that the prelude uses, saved before any
// script can replace them. Every file of the prelude is a function that gets the kernel, an object that no script can
// reach.
(function (kernel, wrapper) {
  'use strict';

  // The engine passes a wrapper that calls the native primitive as primitive.call(this, ...), a property that scripts
  // can replace. Extract the primitive itself.
  const { prototype: functionPrototype } = Function;
  const { call, bind } = functionPrototype;
  let primitive;
  functionPrototype.call = function () { primitive = this; };
  wrapper();
  functionPrototype.call = call;

  // uncurry(f)(self, ...args) is f.call(self, ...args), whatever becomes of Function.prototype.call.
  const uncurry = bind.bind(call);
  const getter = (object, name) => uncurry(Object.getOwnPropertyDescriptor(object, name).get);
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);

  kernel.uncurry = uncurry;
  kernel.getter = getter;
  kernel.apply = Reflect.apply;
  kernel.defineProperty = Reflect.defineProperty;
  kernel.getPrototypeOf = Reflect.getPrototypeOf;
  kernel.setPrototypeOf = Reflect.setPrototypeOf;
  kernel.keys = Object.keys;
  kernel.isArray = Array.isArray;
  kernel.isView = ArrayBuffer.isView;
  kernel.join = uncurry(Array.prototype.join);
  kernel.sort = Array.prototype.sort;
  kernel.toSorted = Array.prototype.toSorted;
  kernel.stringify = JSON.stringify;
  kernel.String = String;
  kernel.Error = Error;
  kernel.TypeError = TypeError;
  kernel.Promise = Promise;
  kernel.then = uncurry(Promise.prototype.then);
  kernel.Uint8Array = Uint8Array;
  kernel.indexOf = uncurry(String.prototype.indexOf);
  kernel.slice = uncurry(String.prototype.slice);
  kernel.mapSize = getter(Map.prototype, 'size');
  kernel.mapEach = uncurry(Map.prototype.forEach);
  kernel.setSize = getter(Set.prototype, 'size');
  kernel.setEach = uncurry(Set.prototype.forEach);
  kernel.typedArrayName = getter(typedArray, Symbol.toStringTag);
  kernel.now = uncurry(performance.now).bind(undefined, performance);

  const objectPrototype = Object.prototype;
  const arrayPrototype = Array.prototype;

  // bytesOf(value) is {buffer, offset, length} for an ArrayBuffer or a view of one, and undefined for anything else.
  const arrayBufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const sharedLength = getter(SharedArrayBuffer.prototype, 'byteLength');
  const typeOfArray = getter(typedArray, Symbol.toStringTag);
  const viewParts = (view, name) => {
    const ofTypedArray = getter(typedArray, name);
    const ofDataView = getter(DataView.prototype, name);
    return (value) => (typeOfArray(value) === undefined ? ofDataView(value) : ofTypedArray(value));
  };
  const viewBuffer = viewParts(typedArray, 'buffer');
  const viewOffset = viewParts(typedArray, 'byteOffset');
  const viewLength = viewParts(typedArray, 'byteLength');
  kernel.bytesOf = (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const prototype = kernel.getPrototypeOf(value);
    // the usual case
    if (prototype === objectPrototype || prototype === arrayPrototype || prototype === null) return undefined;
    if (kernel.isView(value)) {
      return { buffer: viewBuffer(value), offset: viewOffset(value), length: viewLength(value) };
    }
    if (kernel.isPlain(value)) return undefined;
    try {
      return { buffer: value, offset: 0, length: arrayBufferLength(value) };
    } catch { /* not an ArrayBuffer */ }
    try {
      return { buffer: value, offset: 0, length: sharedLength(value) };
    } catch {
      return undefined;
    }
  };

  // This engine evaluates template literals by calling concat, so scripts must not replace it.
  kernel.defineProperty(String.prototype, 'concat', { __proto__: null, writable: false, configurable: false });

  // The built-in modules, by name.
  kernel.modules = { __proto__: null };

  // Levels of the console, for the function console.log of the host.
  kernel.levels = { LOG: 0, INFO: 1, WARN: 2, ERROR: 3, DEBUG: 4 };

  // host(name, ...) calls a function of the host. It returns a string, a number, an ArrayBuffer, an object or
  // undefined; an error is an array [name, message, code, path, syscall, errno], which is thrown as an Error object.
  kernel.host = (name, a, b, c, d, e, f, g) => {
    const result = primitive(name, a, b, c, d, e, f, g);
    if (kernel.isArray(result))
      throw kernel.makeError(result[0], result[1], result[2], result[3], result[4], result[5]);
    return result;
  };
  // inside returns what a promise or a proxy has inside, which can also be an array: it is never an error.
  kernel.inside = (value, part) => primitive('value.inside', value, part, 0, 0, 0, 0, 0);

  // isPlain reports whether a value is an array or an object that holds only properties. The engine's getters could
  // tell too, but each would throw an exception.
  kernel.isPlain = (value) => kernel.host('value.plain', value);

  const errors = { __proto__: null, Error, TypeError, RangeError, SyntaxError };
  kernel.makeError = (name, message, code, path, syscall, errno) => {
    const Type = errors[name] ?? Error;
    const error = new Type(message);
    if (name !== '' && !errors[name]) kernel.define('name', name, error);
    if (code !== undefined && code !== null) put(error, 'code', code);
    if (path !== undefined && path !== null) put(error, 'path', path);
    if (errno !== undefined) { // Node lists them, too: here they would only make what is shown longer
      put(error, 'errno', errno, false);
      put(error, 'syscall', syscall, false);
    }
    return error;
  };

  // put sets a property as an object literal does, without calling setters.
  const put = (object, name, value, enumerable = true) => {
    kernel.defineProperty(object, name, { __proto__: null, value, writable: true, enumerable, configurable: true });
  };
  kernel.put = put;

  // define defines a global like the standard ones: writable, and not listed by for-in.
  kernel.define = (name, value, target = globalThis) => {
    put(target, name, value, false);
  };

  // list makes an array that inherits nothing: writing to it calls no setter, and JSON.stringify finds no toJSON.
  kernel.list = (array = []) => {
    kernel.setPrototypeOf(array, null);
    return array;
  };

  // append adds to the end of a list without calling setters of Array.prototype.
  kernel.append = (list, value) => { put(list, list.length, value); };

  // Stack frames could expose the prelude's functions and their this. Leave only names and positions.
  let frame;
  Error.prepareStackTrace = (error, frames) => { frame = frames[0]; return ''; };
  void new Error().stack;
  Error.prepareStackTrace = undefined;
  const frames = kernel.getPrototypeOf(frame);
  delete frames.getFunction;
  delete frames.getThis;
  kernel.frames = frames;
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const { set: setPrepare } = prepare;
  prepare.set = function prepareStackTrace(value) {
    if (typeof value === 'function') kernel.builtin('internal/callsites');
    kernel.apply(setPrepare, this, [value]);
  };
  kernel.defineProperty(Error, 'prepareStackTrace', prepare);

  // What declarations with using call. Node has these symbols, too, and nothing that makes them the language's own.
  const symbol = (name) => {
    kernel.defineProperty(Symbol, name, { __proto__: null, value: Symbol(`Symbol.${name}`) });
  };
  symbol('dispose');
  symbol('asyncDispose');

  // Remove the globals of the engine's command line.
  for (const name of [
    'std', 'os', 'bjson', 'print', 'scriptArgs', 'gc', 'navigator', 'performance', 'QJS_PROXY_VALUE',
  ]) {
    delete globalThis[name];
  }

  // In this engine these detach a buffer but leave its views with the freed memory, except where the new length is 0.
  const transfer = uncurry(ArrayBuffer.prototype.transfer);
  kernel.detach = (buffer) => { transfer(buffer, 0); };
  delete ArrayBuffer.prototype.transfer;
  delete ArrayBuffer.prototype.transferToFixedLength;
})
