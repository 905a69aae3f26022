// What the host gives to a run: functions that call it, and global values. Values cross as JSON. Bytes in them cross in
// one buffer beside it, and stand in the JSON as strings that begin with a mark that is made anew for each run.
(function (kernel) {
  'use strict';
  const { host, stringify, bytesOf, define, keys, Promise, Uint8Array, indexOf, slice } = kernel;
  const { hasOwn } = Object;
  const toBigIntText = kernel.uncurry(BigInt.prototype.toString);
  const fill = kernel.uncurry(Uint8Array.prototype.set);
  const sliceBuffer = kernel.uncurry(ArrayBuffer.prototype.slice);

  // encode returns {json, buffer}. What JSON has no words for is left out, as JSON.stringify does; a BigInt becomes its
  // decimal text.
  const encode = (value) => {
    const parts = [];
    let total = 0;
    const json = stringify(value, function (key, item) {
      if (typeof item === 'bigint') return toBigIntText(item);
      const isBuffer = typeof item === 'object' && item !== null && hasOwn(item, 'type') && item.type === 'Buffer';
      const bytes = bytesOf(isBuffer ? this[key] : item); // before its toJSON
      if (!bytes) return item;
      kernel.append(parts, bytes);
      const text = `${kernel.mark}${total}:${bytes.length}`;
      total += bytes.length;
      return text;
    });
    if (parts.length === 0) return { json, buffer: undefined };
    const all = new Uint8Array(total);
    for (let i = 0, at = 0; i < parts.length; i++) {
      const { buffer, offset, length } = parts[i];
      fill(all, new Uint8Array(buffer, offset, length), at);
      at += length;
    }
    return { json, buffer: bytesOf(all).buffer };
  };

  // decode puts the bytes of buffer where the marks are. value is fresh from the host, so it is plain data.
  const decode = (value, buffer) => {
    if (typeof value === 'string') {
      if (indexOf(value, kernel.mark) !== 0) return value;
      const colon = indexOf(value, ':', kernel.mark.length);
      const offset = +slice(value, kernel.mark.length, colon);
      return new Uint8Array(sliceBuffer(buffer, offset, offset + +slice(value, colon + 1)));
    }
    if (typeof value === 'object' && value !== null) {
      const names = keys(value);
      for (let i = 0; i < names.length; i++) value[names[i]] = decode(value[names[i]], buffer);
    }
    return value;
  };

  // unwrap turns a host function's answer into a value: {error: null, bytes, value}, {error: [name, message, code]}, or
  // the value itself, if it is no object.
  const unwrap = (answer) => {
    if (typeof answer !== 'object' || answer === null) return answer;
    if (answer.error) throw kernel.makeError(answer.error[0], answer.error[1], answer.error[2]);
    return answer.bytes ? decode(answer.value, host('attachment')) : answer.value;
  };

  const pending = { __proto__: null };
  let calls = 0;

  // primitives returns the JSON of a list, or undefined if it has an object or a BigInt.
  const primitives = (list) => {
    let json = '[';
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      if (i > 0) json += ',';
      switch (typeof value) {
        case 'string': json += stringify(value); break;
        case 'number': json += value - value === 0 ? value : 'null'; break;
        case 'boolean': json += value; break;
        case 'undefined': json += 'null'; break;
        default:
          if (value !== null) return undefined;
          json += 'null';
      }
    }
    return json + ']';
  };

  // encodeList encodes the arguments of a call. A script's Array.prototype.toJSON must not apply to the list itself.
  const encodeList = (args) => {
    const json = primitives(args);
    if (json !== undefined) return { json, buffer: undefined };
    kernel.defineProperty(args, 'toJSON', { __proto__: null, value: undefined });
    return encode(args);
  };

  const makeFunction = (number, async) => {
    if (!async) {
      return function (...args) {
        const { json, buffer } = encodeList(args);
        return unwrap(host('run.call', number, json, buffer));
      };
    }
    return function (...args) {
      return new Promise((resolve, reject) => {
        const { json, buffer } = encodeList(args);
        const id = ++calls;
        pending[id] = { resolve, reject };
        host('run.callAsync', number, json, buffer, id);
      });
    };
  };

  // deliver settles the promise of a call. The host calls it when the function has returned.
  kernel.deliver = (id, answer) => {
    const { resolve, reject } = pending[id];
    delete pending[id];
    try {
      resolve(unwrap(answer));
    } catch (error) {
      reject(error);
    }
  };

  // set defines a property. Globals are not enumerable.
  const set = (target, name, value) => {
    if (target === globalThis) define(name, value);
    else kernel.put(target, name, value);
  };

  // process is loaded when it is first used, and gets these then.
  kernel.processValues = { __proto__: null };
  kernel.setProcess = (name, value) => { kernel.processValues[name] = value; };

  // place defines a.b.c on the global object, and a and a.b if they are missing.
  const place = (path, value) => {
    if (path[0] === '') { // for built-in modules only
      kernel[path[1]] = value;
      return;
    }
    if (path.length === 2 && path[0] === 'process') {
      kernel.setProcess(path[1], value);
      return;
    }
    let target = globalThis;
    for (let i = 0; i < path.length - 1; i++) {
      if (typeof target[path[i]] !== 'object' || target[path[i]] === null) set(target, path[i], {});
      target = target[path[i]];
    }
    set(target, path[path.length - 1], value);
  };

  // install takes {mark, functions: [{path, async, number}], globals: [{path, value}], lazy: {global: module}}.
  kernel.install = (setup) => {
    kernel.mark = setup.mark;
    if (setup.lazy !== undefined) kernel.lazyGlobals(setup.lazy);
    const buffer = host('attachment');
    for (let i = 0; i < setup.functions.length; i++) {
      const { path, async, number } = setup.functions[i];
      const name = path[path.length - 1];
      const fn = makeFunction(number | 0, async);
      kernel.defineProperty(fn, 'name', { __proto__: null, value: name, configurable: true });
      place(path, fn);
    }
    for (let i = 0; i < setup.globals.length; i++) {
      const { path, value } = setup.globals[i];
      place(path, decode(value, buffer));
    }
  };
  kernel.encode = encode;
})
