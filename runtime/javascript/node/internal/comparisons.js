// Deep equality, by the rules of Node's assert.deepEqual and assert.deepStrictEqual.
(function (kernel, require, module, exports) {
  'use strict';
  const types = require('internal/types');
  const { getPrototypeOf, ownKeys } = Reflect;
  const { hasOwn, is } = Object;
  const enumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);

  const NONE = 0, SET = 1, MAP = 2, LIST = 3; // how the content of an object is compared beside its properties

  const isObject = (v) => typeof v === 'object' && v !== null;

  const equal = (a, b, strict, seen) => {
    if (a === b) return a !== 0 || !strict || is(a, b);
    if (strict) {
      if (typeof a !== 'object') return typeof a === 'number' && Number.isNaN(a) && Number.isNaN(b);
      if (typeof b !== 'object' || a === null || b === null) return false;
      if (getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    } else {
      if (!isObject(a)) return !isObject(b) && (a == b || (Number.isNaN(a) && Number.isNaN(b)));
      if (!isObject(b)) return false;
    }
    const tag = Object.prototype.toString.call(a);
    if (tag !== Object.prototype.toString.call(b)) return false;

    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false;
      const keys = namesOf(a, strict);
      if (keys.length !== namesOf(b, strict).length) return false;
      return sameContent(a, b, strict, seen, LIST, keys);
    }
    if (Array.isArray(b)) return false;
    if (tag === '[object Object]' && !types.isMap(a) && !types.isSet(a) && plain(a) && plain(b))
      return sameContent(a, b, strict, seen, NONE);
    if (types.isDate(a)) {
      if (!types.isDate(b) || !is(types.timeOf(a), types.timeOf(b))) return false;
    } else if (types.isRegExp(a)) {
      if (!types.isRegExp(b) || a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex)
        return false;
    } else if (types.isNativeError(a) || a instanceof Error) {
      if ((!types.isNativeError(b) && !(b instanceof Error)) || a.message !== b.message || a.name !== b.name)
        return false;
      for (const key of ['cause', 'errors']) {
        if (hasOwn(a, key) !== hasOwn(b, key) || (hasOwn(a, key) && !equal(a[key], b[key], strict, seen))) return false;
      }
    } else if (ArrayBuffer.isView(a)) {
      if (!ArrayBuffer.isView(b) || types.typedArrayName(a) !== types.typedArrayName(b)) return false;
      if (!strict && (types.isFloat32Array(a) || types.isFloat64Array(a))) {
        if (a.length !== b.length) return false;
        for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
      } else if (!sameBytes(a, b)) {
        return false;
      }
      const keys = namesOf(a, strict);
      if (keys.length !== namesOf(b, strict).length) return false;
      return sameContent(a, b, strict, seen, NONE, keys);
    } else if (types.isSet(a)) {
      if (!types.isSet(b) || types.sizeOfSet(a) !== types.sizeOfSet(b)) return false;
      return sameContent(a, b, strict, seen, SET);
    } else if (types.isMap(a)) {
      if (!types.isMap(b) || types.sizeOfMap(a) !== types.sizeOfMap(b)) return false;
      return sameContent(a, b, strict, seen, MAP);
    } else if (types.isAnyArrayBuffer(a)) {
      if (!types.isAnyArrayBuffer(b) || !sameBytes(new Uint8Array(a), new Uint8Array(b))) return false;
    } else if (types.isBoxedPrimitive(a)) {
      if (!types.isBoxedPrimitive(b)) return false;
      const [nameA, valueA] = types.unboxed(a);
      const [nameB, valueB] = types.unboxed(b);
      if (nameA !== nameB || !is(valueA, valueB)) return false;
    } else if (types.isMap(b) || types.isSet(b) || ArrayBuffer.isView(b) || types.isDate(b) || types.isRegExp(b) ||
        types.isAnyArrayBuffer(b) || types.isBoxedPrimitive(b) || types.isNativeError(b) || b instanceof Error) {
      return false;
    } else if (types.isKeyObject(a) || types.isCryptoKey(a)) {
      if (!kernel.cryptoKeys.same(a, b, (x, y) => equal(x, y, strict, seen))) return false;
    } else if (types.isWeakMap(a) || types.isWeakSet(a) || types.isPromise(a)) {
      return false;
    }
    return sameContent(a, b, strict, seen, NONE);
  };

  const plain = (value) => {
    const prototype = getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  };
  const sameBytes = (a, b) => {
    const x = new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
    const y = new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
    if (x.length !== y.length) return false;
    let i = 0;
    if (x.length > 64 && a.byteOffset % 4 === 0 && b.byteOffset % 4 === 0) { // four at a time
      const v = new Int32Array(a.buffer, a.byteOffset, x.length >> 2);
      const w = new Int32Array(b.buffer, b.byteOffset, x.length >> 2);
      for (let j = 0; j < v.length; j++) if (v[j] !== w[j]) return false;
      i = x.length & ~3;
    }
    for (; i < x.length; i++) if (x[i] !== y[i]) return false;
    return true;
  };

  // namesOf returns the properties of a list that are no items.
  const isIndex = (key) => String(key >>> 0) === key && key !== '4294967295';
  const namesOf = (list, strict) => {
    const keys = ownKeys(list);
    if (!types.isProxy(list)) { // the items come first
      let first = keys.length;
      while (first > 0 && (typeof keys[first - 1] === 'symbol' || !isIndex(keys[first - 1]))) first--;
      keys.splice(0, first);
    }
    return keys.filter((key) => (typeof key === 'symbol' ? strict : !isIndex(key)) && enumerable(list, key));
  };

  const sameContent = (a, b, strict, seen, kind, keys) => {
    if (keys === undefined) {
      keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      if (strict) {
        const symbols = Object.getOwnPropertySymbols(a).filter((s) => enumerable(a, s));
        if (symbols.length !== Object.getOwnPropertySymbols(b).filter((s) => enumerable(b, s)).length) return false;
        keys = keys.concat(symbols);
      }
    }
    for (const key of keys) if (!hasOwn(b, key) || !enumerable(b, key)) return false;
    if (keys.length === 0 && (kind === NONE || (kind === LIST && a.length === 0) ||
      (kind === SET && types.sizeOfSet(a) === 0) ||
        (kind === MAP && types.sizeOfMap(a) === 0))) return true;
    if (seen === undefined) {
      seen = { a: new Map(), b: new Map(), position: 0 };
    } else { // in a cycle, both must lead back to the same place
      const at = seen.a.get(a);
      if (at !== undefined) {
        const other = seen.b.get(b);
        if (other !== undefined) return at === other;
      }
      seen.position++;
    }
    seen.a.set(a, seen.position);
    seen.b.set(b, seen.position);
    const same = compareContent(a, b, strict, seen, kind, keys);
    seen.a.delete(a);
    seen.b.delete(b);
    return same;
  };

  const compareContent = (a, b, strict, seen, kind, keys) => {
    if (kind === SET && !sameSets(a, b, strict, seen)) return false;
    if (kind === MAP && !sameMaps(a, b, strict, seen)) return false;
    if (kind === LIST) {
      for (let i = 0; i < a.length; i++) {
        if (hasOwn(a, i)) {
          if (!hasOwn(b, i) || !equal(a[i], b[i], strict, seen)) return false;
        } else if (hasOwn(b, i)) {
          return false;
        }
      }
    }
    for (const key of keys) if (!equal(a[key], b[key], strict, seen)) return false;
    return true;
  };

  // sameSets looks for each item of one set in the other. Loosely, primitives can be equal to others as well.
  const needsSearch = (value, strict) => isObject(value) || (!strict && typeof value !== 'symbol');
  const sameSets = (a, b, strict, seen) => {
    const open = [];
    for (const item of setItems(b)) if (!setHas(a, item) || (isObject(item) && !setHas(a, item))) open.push(item);
    for (const item of setItems(a)) {
      if (setHas(b, item)) continue;
      if (!needsSearch(item, strict)) return false;
      const at = open.findIndex((other) => needsSearch(other, strict) && equal(item, other, strict, seen));
      if (at === -1) return false;
      open.splice(at, 1);
    }
    return open.length === 0;
  };
  const sameMaps = (a, b, strict, seen) => {
    const left = new Map(mapEntries(b));
    const open = [];
    for (const [key, value] of mapEntries(a)) {
      if (left.has(key) && equal(value, left.get(key), strict, seen)) left.delete(key);
      else if (!needsSearch(key, strict)) return false;
      else open.push([key, value]);
    }
    const others = [...left];
    for (const [key, value] of open) {
      const at = others.findIndex(([k, v]) => needsSearch(k, strict) && equal(key, k, strict, seen) &&
        equal(value, v, strict, seen));
      if (at === -1) return false;
      others.splice(at, 1);
    }
    return others.length === 0;
  };
  const setHas = kernel.uncurry(Set.prototype.has);
  const setItems = (set) => {
    const items = [];
    types.eachOfSet(set, (item) => { items.push(item); });
    return items;
  };
  const mapEntries = (map) => {
    const entries = [];
    types.eachOfMap(map, (value, key) => { entries.push([key, value]); });
    return entries;
  };

  exports.isDeepEqual = (a, b) => equal(a, b, false, undefined);
  exports.isDeepStrictEqual = (a, b) => equal(a, b, true, undefined);
})
