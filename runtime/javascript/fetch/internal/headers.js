// Headers (https://fetch.spec.whatwg.org/#headers-class), with the messages of Node's.
(function (kernel, require, module, exports) {
  'use strict';
  const { inspect } = require('internal/inspect');
  // {list: a list of [name, value, name as written], immutable, sorted: what iteration gives, or undefined}
  const headers = kernel.slot();
  const token = /^[!#$%&'*+\-.^_`|~\w]+$/;
  exports.token = token;

  const needs = (args, n, name) => {
    if (args.length < n) throw new TypeError(
      `Headers.${name}: ${n} argument${n > 1 ? 's' : ''} required, but${n > 1 ? ' only' : ''} ${args.length} found.`);
  };
  const byteString = (value) => {
    if (typeof value === 'symbol') throw new TypeError('Headers: a symbol cannot be converted to a ByteString.');
    const text = `${value}`;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 255) {
        throw new TypeError(`Cannot convert argument to a ByteString because ` +
          `the character at index ${i} has a value of ${code} which is greater than 255.`);
      }
    }
    return text;
  };
  const nameOf = (value, where) => {
    const name = byteString(value);
    if (!token.test(name)) throw new TypeError(`Headers.${where}: "${name}" is an invalid header name.`);
    return name;
  };
  const valueOf = (value, where) => {
    const text = byteString(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    if (/[\0\n\r]/.test(text)) throw new TypeError(`Headers.${where}: "${text}" is an invalid header value.`);
    return text;
  };
  const changing = (data) => {
    if (data.immutable) throw new TypeError('immutable');
    data.sorted = undefined;
    return data;
  };
  const combined = (list, name) => {
    const values = list.filter(([key]) => key === name).map(([, value]) => value);
    return values.length === 0 ? null : values.join(name === 'cookie' ? '; ' : ', ');
  };
  const sorted = (data) => {
    if (data.sorted !== undefined) return data.sorted;
    const result = [];
    for (const name of [...new Set(data.list.map(([key]) => key))].sort()) {
      if (name !== 'set-cookie') result.push([name, combined(data.list, name)]);
      else for (const [key, value] of data.list) if (key === name) result.push([name, value]);
    }
    data.sorted = result;
    return result;
  };
  const append = (data, name, value) => {
    name = nameOf(name, 'append');
    value = valueOf(value, 'append');
    changing(data).list.push([name.toLowerCase(), value, name]);
  };

  const fill = (data, init) => {
    if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
      throw new TypeError('Headers constructor: Argument 1 could not be converted to one of: ' +
        'sequence<sequence<ByteString>>, record<ByteString, ByteString>.');
    }
    const from = headers.get(init);
    if (from !== undefined && init[Symbol.iterator] === Headers.prototype.entries) {
      data.list.push(...from.list);
      return;
    }
    if (init[Symbol.iterator] === undefined || init[Symbol.iterator] === null) {
      const pairs = [];
      for (const name of Reflect.ownKeys(init)) {
        if (Reflect.getOwnPropertyDescriptor(init, name)?.enumerable)
          pairs.push([byteString(name), byteString(init[name])]);
      }
      for (const [name, value] of pairs) append(data, name, value);
      return;
    }
    let i = 0;
    for (const entry of init) {
      if (typeof entry !== 'object' || entry === null || typeof entry[Symbol.iterator] !== 'function') {
        throw new TypeError(`Headers contructor: init[${i}] (${inspect(entry)}) is not iterable.`);
      }
      const pair = [...entry];
      if (pair.length !== 2)
        throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${pair.length}.`);
      append(data, pair[0], pair[1]);
      i++;
    }
  };

  class Headers {
    constructor(init = undefined) {
      const data = { list: [], immutable: false, sorted: undefined };
      if (init !== undefined) fill(data, init);
      headers.set(this, data);
    }
    append(name, value) {
      const data = headers.of(this);
      needs(arguments, 2, 'append');
      append(data, name, value);
    }
    delete(name) {
      const data = headers.of(this);
      needs(arguments, 1, 'delete');
      name = nameOf(name, 'delete').toLowerCase();
      changing(data).list = data.list.filter(([key]) => key !== name);
    }
    get(name) {
      const { list } = headers.of(this);
      needs(arguments, 1, 'get');
      return combined(list, nameOf(name, 'get').toLowerCase());
    }
    has(name) {
      const { list } = headers.of(this);
      needs(arguments, 1, 'has');
      name = nameOf(name, 'has').toLowerCase();
      return list.some(([key]) => key === name);
    }
    set(name, value) {
      const data = headers.of(this);
      needs(arguments, 2, 'set');
      name = nameOf(name, 'set');
      const entry = [name.toLowerCase(), valueOf(value, 'set'), name];
      const at = changing(data).list.findIndex(([key]) => key === entry[0]);
      if (at < 0) data.list.push(entry);
      else data.list = data.list.filter(([key], i) => i <= at || key !== entry[0]).with(at, entry);
    }
    getSetCookie() { return headers.of(this).list.filter(([key]) => key === 'set-cookie').map(([, value]) => value); }
    keys() { return iterate(headers.of(this), ([name]) => name); }
    values() { return iterate(headers.of(this), ([, value]) => value); }
    entries() { return iterate(headers.of(this), ([name, value]) => [name, value]); }
    forEach(callback, self = undefined) {
      const data = headers.of(this);
      needs(arguments, 1, 'forEach');
      if (typeof callback !== 'function')
        throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
      for (let i = 0; i < sorted(data).length; i++) {
        const [name, value] = sorted(data)[i];
        callback.call(self, value, name, this);
      }
    }
    [inspect.custom](depth, options) {
      const { list } = headers.of(this);
      const shown = {};
      const seen = new Set();
      for (const [name, , written] of list) {
        if (!seen.has(name)) shown[written] = combined(list, name);
        seen.add(name);
      }
      return `Headers ${inspect(shown, options)}`;
    }
  }
  kernel.decorate(Headers.prototype, 'Headers');
  Object.defineProperty(Headers.prototype, Symbol.iterator,
    { value: Headers.prototype.entries, writable: true, enumerable: false, configurable: true });
  exports.Headers = Headers;
  kernel.inspect(headers, 'Headers', (data) => sorted(data).flat());

  // Iterators see what changes meanwhile.
  const iterators = kernel.slot();
  const iteratorPrototype = {
    __proto__: Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
    next() {
      const it = iterators.of(this);
      const list = sorted(it.data);
      return it.at < list.length ? { value: it.show(list[it.at++]), done: false } : { value: undefined, done: true };
    },
  };
  kernel.decorate(iteratorPrototype, 'Headers Iterator');
  const iterate = (data, show) => {
    const iterator = Object.create(iteratorPrototype);
    iterators.set(iterator, { data, at: 0, show });
    return iterator;
  };

  exports.freeze = (object) => {
    headers.of(object).immutable = true;
    return object;
  };
  exports.contains = (object, name) => headers.of(object).list.some(([key]) => key === name);
  exports.add = (object, name, value) => { headers.of(object).list.push([name, value, name]); };
})
