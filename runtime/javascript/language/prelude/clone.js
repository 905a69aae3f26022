// structuredClone.
(function (kernel) {
  'use strict';
  const {
    uncurry, getter, isArray, isView, keys, bytesOf, list, put, getPrototypeOf, isPlain, TypeError, DOMException,
  } = kernel;
  const { mapSize, mapEach, setSize, setEach, typedArrayName } = kernel;
  const { getOwnPropertyDescriptor } = Reflect;
  const { iterator } = Symbol;

  const dateTime = uncurry(Date.prototype.getTime);
  const source = getter(RegExp.prototype, 'source');
  const regexpFlags = [
    ['hasIndices', 'd'], ['global', 'g'], ['ignoreCase', 'i'], ['multiline', 'm'], ['dotAll', 's'], ['unicode', 'u'],
    ['unicodeSets', 'v'], ['sticky', 'y'],
  ].map(([name, flag]) => ({ has: getter(RegExp.prototype, name), flag }));
  const flagsOf = (regexp) => {
    let flags = '';
    for (let i = 0; i < regexpFlags.length; i++) if (regexpFlags[i].has(regexp)) flags += regexpFlags[i].flag;
    return flags;
  };
  const symbolText = uncurry(Symbol.prototype.toString);
  const objectPrototype = Object.prototype;
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const setAdd = uncurry(Set.prototype.add);
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const isResizable = getter(ArrayBuffer.prototype, 'resizable');
  const isDetached = getter(ArrayBuffer.prototype, 'detached');
  const { trunc } = Math;
  const maxByteLength = getter(ArrayBuffer.prototype, 'maxByteLength');
  const fill = uncurry(Uint8Array.prototype.set);
  const typedArrayLength = getter(getPrototypeOf(Uint8Array.prototype), 'length');
  const stackOf = (error) => getOwnPropertyDescriptor(error, 'stack')?.value;

  const Types = { Map, Set, Date, RegExp, ArrayBuffer, Uint8Array, Array };
  const views = { __proto__: null, DataView };
  for (const Type of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array]) views[Type.name] = Type;
  const errors = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const nativeIsError = Error.isError;
  const boxes = [Number, String, Boolean, BigInt].map((type) => uncurry(type.prototype.valueOf));
  const box = Object;

  // Objects whose identity or state cannot be copied.
  const isPrototypeOf = uncurry(Object.prototype.isPrototypeOf);
  const uncloneable = [
    Promise, WeakMap, WeakSet, WeakRef, FinalizationRegistry, SharedArrayBuffer, Symbol,
  ].map((type) => type.prototype);
  uncloneable[uncloneable.length] = getPrototypeOf(getPrototypeOf([][iterator]())); // of all iterators and generators

  // attempt returns f(value), or undefined if value is of the wrong kind for f. Other exceptions propagate: a stack
  // overflow must not look like a wrong kind.
  const typeErrorPrototype = TypeError.prototype;
  const attempt = (f, value) => {
    try {
      return f(value);
    } catch (error) {
      if (getPrototypeOf(error) !== typeErrorPrototype) throw error;
      return undefined;
    }
  };
  const refuse = (what) => { throw new DOMException(`${what} could not be cloned.`, 'DataCloneError'); };

  const copyProperties = (from, to, seen) => {
    const names = keys(from);
    for (let i = 0; i < names.length; i++) {
      // A getter may have removed a later property.
      if (getOwnPropertyDescriptor(from, names[i])?.enumerable) put(to, names[i], clone(from[names[i]], seen));
    }
    return to;
  };

  const copyBuffer = (buffer, length, resizable) => {
    const options = resizable && isResizable(buffer)
      ? { __proto__: null, maxByteLength: maxByteLength(buffer) } : undefined;
    const copy = new Types.ArrayBuffer(length, options);
    const old = bufferLength(buffer);
    fill(new Types.Uint8Array(copy), new Types.Uint8Array(buffer, 0, old < length ? old : length));
    return copy;
  };
  const cloneBuffer = (buffer) => {
    if (isDetached(buffer)) refuse('#<ArrayBuffer>');
    return copyBuffer(buffer, bufferLength(buffer), true);
  };

  // transfer moves the bytes of a buffer to a new one.
  const transfer = (buffer, newLength, resizable) => {
    let length = bufferLength(buffer); // throws for anything else
    if (newLength !== undefined) {
      length = trunc(+newLength) || 0;
      if (!(length >= 0 && length <= 2 ** 53 - 1)) throw new RangeError('invalid array buffer length');
    }
    if (isDetached(buffer)) throw new TypeError('ArrayBuffer is detached');
    const copy = copyBuffer(buffer, length, resizable);
    kernel.detach(buffer);
    return copy;
  };
  kernel.transfer = (buffer) => transfer(buffer, undefined, true);
  const methods = {
    transfer(newLength = undefined) { return transfer(this, newLength, true); },
    transferToFixedLength(newLength = undefined) { return transfer(this, newLength, false); },
  };
  kernel.define('transfer', methods.transfer, ArrayBuffer.prototype);
  kernel.define('transferToFixedLength', methods.transferToFixedLength, ArrayBuffer.prototype);

  const cloneView = (view, seen) => {
    const { buffer, offset, length } = attempt(bytesOf, view) ?? refuse('#<ArrayBuffer>');
    const name = typedArrayName(view) ?? 'DataView';
    return new views[name](clone(buffer, seen), offset, name === 'DataView' ? length : typedArrayLength(view));
  };

  const cloneError = (error, seen) => {
    const { name } = error;
    const message = getOwnPropertyDescriptor(error, 'message');
    const copy = new (errors[name] ?? errors.Error)();
    mapSet(seen, error, copy);
    const stack = stackOf(error);
    put(copy, 'stack', typeof stack === 'string' ? stack : '', false);
    if (message && 'value' in message) put(copy, 'message', `${message.value}`, false);
    const cause = getOwnPropertyDescriptor(error, 'cause');
    if (cause && 'value' in cause) put(copy, 'cause', clone(cause.value, seen), false);
    return copy;
  };

  const cloneDOMException = (error) => {
    const copy = new DOMException(error.message, error.name);
    put(copy, 'stack', stackOf(error), false);
    return copy;
  };

  const cloneMap = (map, seen) => {
    const copy = new Types.Map();
    mapSet(seen, map, copy);
    const entries = list(); // before a getter can change the map
    mapEach(map, (value, key) => { entries[entries.length] = { key, value }; });
    for (let i = 0; i < entries.length; i++) mapSet(copy, clone(entries[i].key, seen), clone(entries[i].value, seen));
    return copy;
  };
  const cloneSet = (set, seen) => {
    const copy = new Types.Set();
    mapSet(seen, set, copy);
    const items = list();
    setEach(set, (item) => { items[items.length] = item; });
    for (let i = 0; i < items.length; i++) setAdd(copy, clone(items[i], seen));
    return copy;
  };

  // special returns the clone of an object that is neither plain nor an array, or undefined.
  const special = (value, seen) => {
    const copy = isPlain(value) ? undefined : builtIn(value, seen);
    if (copy !== undefined) return copy;
    for (let i = 0; i < kernel.cloners.length; i++) {
      const copied = kernel.cloners[i](value);
      if (copied !== undefined) return copied;
    }
    for (let i = 0; i < uncloneable.length; i++) {
      if (isPrototypeOf(uncloneable[i], value)) refuse(`#<${kernel.text(value.constructor, 'name') ?? 'Object'}>`);
    }
    for (let i = kernel.inspectors.length - 1; i >= 0; i--) {
      const known = kernel.inspectors[i](value);
      if (known) refuse(`#<${known.name}>`);
    }
    return undefined;
  };

  // builtIn returns the clone of an object of one of the engine's classes, or undefined.
  const builtIn = (value, seen) => {
    const time = attempt(dateTime, value);
    if (time !== undefined) return new Types.Date(time);
    if (isView(value)) return cloneView(value, seen);
    if (attempt(bufferLength, value) !== undefined) return cloneBuffer(value);
    if (attempt(mapSize, value) !== undefined) return cloneMap(value, seen);
    if (attempt(setSize, value) !== undefined) return cloneSet(value, seen);
    if (attempt(kernel.nameOfDOMException, value) !== undefined) return cloneDOMException(value);
    if (nativeIsError(value)) return cloneError(value, seen);
    const flags = attempt(flagsOf, value);
    if (flags !== undefined) return new Types.RegExp(source(value), flags);
    for (let i = 0; i < boxes.length; i++) {
      const primitive = attempt(boxes[i], value);
      if (primitive !== undefined) return box(primitive);
    }
    return undefined;
  };

  // clone returns the clone of a value. seen has the clones of all objects so far, for cycles and shared references.
  // Data that is nested too deeply causes the engine's RangeError.
  const clone = (value, seen) => {
    if (typeof value === 'symbol') refuse(symbolText(value));
    if (typeof value === 'function') refuse(kernel.format(value));
    if (typeof value !== 'object' || value === null) return value;
    const known = mapGet(seen, value);
    if (known !== undefined) return known;
    if (isArray(value)) {
      const copy = new Types.Array(value.length);
      mapSet(seen, value, copy);
      return copyProperties(value, copy, seen);
    }
    const prototype = getPrototypeOf(value);
    if (prototype !== objectPrototype && prototype !== null) {
      const copy = special(value, seen);
      if (copy !== undefined) {
        mapSet(seen, value, copy);
        return copy;
      }
    }
    const copy = {};
    mapSet(seen, value, copy);
    return copyProperties(value, copy, seen);
  };

  // What modules with other classes add: cloners return the clone of an object of their class, or undefined. movers
  // return {value, move}, what takes the place of an object that is transferred, and a function that finishes that; or
  // undefined.
  kernel.cloners = list();
  kernel.movers = list();

  // cloneWith clones a value and transfers a list of objects: {value, moved}, where moved takes the place of these.
  kernel.cloneWith = (value, transferred) => {
    const seen = new Types.Map();
    const listed = new Types.Map();
    const moved = list();
    const moves = list();
    for (let i = 0; i < transferred.length; i++) {
      const item = transferred[i];
      if (mapGet(listed, item)) refuse('An object that is transferred twice');
      mapSet(listed, item, true);
      if (attempt(bufferLength, item) !== undefined) {
        if (isDetached(item)) refuse('#<ArrayBuffer>');
        moves[moves.length] = () => {
          if (isDetached(item)) refuse('#<ArrayBuffer>');
          kernel.detach(item);
        };
        continue;
      }
      let mover;
      for (let j = 0; j < kernel.movers.length && !mover; j++) mover = kernel.movers[j](item);
      if (!mover) refuse('A value that cannot be transferred');
      mapSet(seen, item, mover.value);
      moved[moved.length] = mover.value;
      moves[moves.length] = mover.move;
    }
    const copy = clone(value, seen);
    for (let i = 0; i < moves.length; i++) moves[i]();
    return { value: copy, moved };
  };

  kernel.define('structuredClone', function structuredClone(value, options = undefined) {
    if (arguments.length === 0)
      throw kernel.makeError('TypeError', 'The "value" argument must be specified', 'ERR_MISSING_ARGS');
    if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
      throw kernel.makeError('TypeError', 'The options argument must be either an object or undefined',
        'ERR_INVALID_ARG_TYPE');
    }
    const transferred = options?.transfer ?? undefined;
    if (transferred !== undefined && typeof transferred !== 'object') {
      throw kernel.makeError('TypeError', 'Optional transferList argument must be an iterable', 'ERR_INVALID_ARG_TYPE');
    }
    return transferred === undefined ? clone(value, new Types.Map())
      : kernel.cloneWith(value, list([...transferred])).value;
  });
})
