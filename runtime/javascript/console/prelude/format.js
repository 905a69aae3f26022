// How values and errors look in console output and results: strings raw, plain data as two-space JSON, and everything
// that JSON lacks (undefined, NaN, Map, functions, cycles...) in a readable form.
(function (kernel) {
  'use strict';
  const {
    host, uncurry, getter, stringify, String, isArray, isView, keys, getPrototypeOf, isPlain, indexOf, slice, list,
  } = kernel;
  const { Uint8Array, mapSize, mapEach, setSize, setEach, typedArrayName } = kernel;
  const objectPrototype = Object.prototype;
  const arrayPrototype = Array.prototype;
  const is = Object.is;
  const symbolToString = uncurry(Symbol.prototype.toString);
  const bigintToString = uncurry(BigInt.prototype.toString);
  const dateTime = uncurry(Date.prototype.getTime);
  const dateISO = uncurry(Date.prototype.toISOString);
  const regexpSource = uncurry(RegExp.prototype.toString);
  const regexpFlags = getter(RegExp.prototype, 'global');
  const unbox = [Number, String, Boolean, BigInt, Symbol].map((type) => uncurry(type.prototype.valueOf));
  const functionSource = uncurry(Function.prototype.toString);
  const isPromise = uncurry(Object.prototype.isPrototypeOf).bind(undefined, Promise.prototype);
  const nativeIsError = Error.isError;

  const maxDepth = 100;
  const maxBytes = 32; // of a buffer that are shown
  const maxCauses = 16; // of an error that are shown
  const maxStack = 32768; // characters of a stack that are shown
  const maxLabels = 1000; // names that are kept
  const maxLabel = 64; // characters of each

  // attempt returns f(value), or undefined if value is of the wrong kind for f.
  const attempt = (f, value) => {
    try { return f(value); } catch { return undefined; }
  };

  const isError = (value) => nativeIsError(value) ||
    (typeof value === 'object' && value !== null && !isPlain(value) && kernel.isDOMException(value));

  // text returns a property of an error if it is a string, whatever getters do.
  const text = (object, name) => {
    const value = attempt((o) => o[name], object);
    return typeof value === 'string' ? value : undefined;
  };

  const primitive = (value) => {
    switch (typeof value) {
      case 'string': return stringify(value);
      case 'number': return is(value, -0) ? '-0' : `${value}`;
      case 'bigint': return `${bigintToString(value)}n`;
      case 'symbol': return symbolToString(value);
      default: return `${value}`; // boolean, undefined, null
    }
  };

  const functionText = (value) => {
    const name = text(value, 'name');
    const isClass = slice(attempt(functionSource, value) ?? '', 0, 5) === 'class';
    return `[${isClass ? 'class' : 'Function'}: ${name || '(anonymous)'}]`;
  };

  const bufferText = (value, bytes) => {
    const name = isView(value) ? typedArrayName(value) ?? 'DataView' : 'ArrayBuffer';
    let shown;
    let length;
    if (isView(value) && name !== 'DataView') {
      length = bytes.length / value.BYTES_PER_ELEMENT;
      shown = value;
    } else {
      length = bytes.length;
      shown = new Uint8Array(bytes.buffer, bytes.offset, bytes.length);
    }
    let list = '';
    for (let i = 0; i < length && i < maxBytes; i++) list += (i ? ', ' : '') + primitive(shown[i]);
    if (length > maxBytes) list += `, ... ${length - maxBytes} more`;
    return `${name}(${length}) [${list}]`;
  };

  // The text of an object is assembled from pieces. lineAt(level) begins a line with an indentation.
  const lines = list(['\n']);
  const lineAt = (level) => {
    for (let i = lines.length; i <= level; i++) lines[i] = `${lines[i - 1]}  `;
    return lines[level];
  };

  // item begins an item of a block, in which each item has a line; n is the number of items before.
  const item = (pieces, n, open, level) => {
    pieces[pieces.length] = n === 0 ? open : ',';
    pieces[pieces.length] = lineAt(level + 1);
  };
  const close = (pieces, n, open, bracket, level) => {
    pieces[pieces.length] = n === 0 ? open : lineAt(level);
    pieces[pieces.length] = bracket;
  };

  // label returns a property's name in front of its value. Most names are repeated, so they are cached.
  let labels = { __proto__: null };
  let known = 0;
  const label = (name) => {
    const before = labels[name];
    if (before !== undefined) return before;
    const text = `${stringify(name)}: `;
    if (name.length > maxLabel) return text;
    if (known++ === maxLabels) {
      labels = { __proto__: null };
      known = 0;
    }
    labels[name] = text;
    return text;
  };

  // inspected returns the text of an object of a class with kernel.inspect.
  const inspected = ({ name, parts, arrow }, level, seen, pieces) => {
    const open = `${name} {`;
    let n = 0;
    for (let i = 0; i < parts.length; i += 2) {
      item(pieces, n++, open, level);
      pieces[pieces.length] = stringify(parts[i]) + arrow;
      format(parts[i + 1], level + 1, seen, pieces);
    }
    close(pieces, n, open, '}', level);
  };

  // leaf returns the text of an object that is not plain and contains no other values, or undefined.
  const leaf = (value) => {
    const time = attempt(dateTime, value);
    if (time !== undefined) return time === time ? stringify(dateISO(value)) : 'Invalid Date';
    if (isError(value)) return `[${errorTitle(value)}]`;
    const bytes = kernel.bytesOf(value);
    if (bytes) return bufferText(value, bytes);
    if (attempt(regexpFlags, value) !== undefined) return attempt(regexpSource, value);
    for (let i = 0; i < unbox.length; i++) {
      const boxed = attempt(unbox[i], value);
      if (boxed !== undefined) return primitive(boxed);
    }
    return undefined;
  };

  // collection adds the text of a Map or Set, or returns false.
  const collection = (value, level, seen, pieces) => {
    let n = 0;
    let open;
    if (attempt(mapSize, value) !== undefined) {
      open = `Map(${mapSize(value)}) {`;
      mapEach(value, (v, k) => {
        item(pieces, n++, open, level);
        format(k, level + 1, seen, pieces);
        pieces[pieces.length] = ' => ';
        format(v, level + 1, seen, pieces);
      });
    } else if (attempt(setSize, value) !== undefined) {
      open = `Set(${setSize(value)}) {`;
      setEach(value, (v) => {
        item(pieces, n++, open, level);
        format(v, level + 1, seen, pieces);
      });
    } else {
      return false;
    }
    close(pieces, n, open, '}', level);
    return true;
  };

  // promise adds the text of a promise, or returns false.
  const promise = (value, level, seen, pieces) => {
    const state = host('promise.state', value);
    if (state < 0) return false;
    pieces.promises = true;
    pieces[pieces.length] = state === 0 ? 'Promise { <pending>' : state === 1 ? 'Promise { ' : 'Promise { <rejected> ';
    if (state > 0) format(kernel.inside(value), level, seen, pieces);
    pieces[pieces.length] = ' }';
    return true;
  };

  // exotic adds the text of an object that is not an array or a plain object, or returns false.
  const exotic = (value, level, seen, pieces) => {
    let text;
    if (!isPlain(value)) {
      if (collection(value, level, seen, pieces)) return true;
      text = leaf(value);
    }
    if (text === undefined && isPromise(value) && promise(value, level, seen, pieces)) return true;
    if (text !== undefined) {
      pieces[pieces.length] = text;
      return true;
    }
    for (let i = kernel.inspectors.length - 1; i >= 0; i--) { // classes come after their base classes
      const shown = kernel.inspectors[i](value);
      if (shown) {
        inspected(shown, level, seen, pieces);
        return true;
      }
    }
    return false;
  };

  // hasJSON reports whether the text of a primitive value is its JSON.
  const hasJSON = (value) => {
    switch (typeof value) {
      case 'string': case 'boolean': return true;
      case 'number': return value - value === 0 && !is(value, -0);
      default: return value === null;
    }
  };

  // format adds the text of a value, nested level deep, to pieces, a kernel.list; seen has the objects around it.
  // pieces.odd becomes true if the text is not the value's JSON.
  const format = (value, level, seen, pieces) => {
    if (typeof value !== 'object' || value === null) {
      if (!hasJSON(value)) pieces.odd = true;
      pieces[pieces.length] = typeof value === 'function' ? functionText(value) : primitive(value);
      return;
    }
    for (let outer = seen; outer; outer = outer.next) {
      if (outer.value === value) {
        pieces.odd = true;
        pieces[pieces.length] = '[Circular]';
        return;
      }
    }
    const array = isArray(value);
    const depth = seen ? seen.depth + 1 : 0;
    if (depth >= maxDepth) {
      pieces.odd = true;
      pieces[pieces.length] = array ? '[Array]' : '[Object]';
      return;
    }
    seen = { value, next: seen, depth };

    const prototype = getPrototypeOf(value);
    if (prototype !== objectPrototype && prototype !== arrayPrototype && prototype !== null &&
      exotic(value, level, seen, pieces)) {
      pieces.odd = true;
      return;
    }
    if (typeof value.toJSON === 'function') {
      pieces.odd = true; // the method can tell who calls it
      format(value.toJSON(''), level, seen, pieces);
      return;
    }
    if (array) {
      const { length } = value;
      let n = 0;
      for (; n < length; n++) {
        item(pieces, n, '[', level);
        format(value[n], level + 1, seen, pieces);
      }
      close(pieces, n, '[', ']', level);
      return;
    }
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      item(pieces, i, '{', level);
      pieces[pieces.length] = label(names[i]);
      format(value[names[i]], level + 1, seen, pieces);
    }
    close(pieces, names.length, '{', '}', level);
  };

  const errorTitle = (error) => {
    const message = text(error, 'message') ?? '';
    const name = text(error, 'name') ?? 'Error';
    return message === '' ? name : name === '' ? message : `${name}: ${message}`;
  };

  // stackOf returns the script's frames of an error's stack, each after a line break.
  const stackOf = (error) => {
    const stack = text(error, 'stack') ?? '';
    const title = errorTitle(error);
    return host('error.stack', slice(indexOf(stack, title) === 0 ? slice(stack, title.length) : stack, 0, maxStack));
  };

  // errorText returns the text of an error with up to budget.left causes.
  const errorText = (error, budget) => {
    let out = errorTitle(error) + stackOf(error);
    const inner = (value) => (isError(value) ? errorText(value, budget) : top(value));
    const { cause, errors } = attempt((e) => ({ cause: e.cause, errors: e.errors }), error) ?? {};
    if (cause !== undefined && budget.left-- > 0) out += `\nCaused by: ${inner(cause)}`;
    if (isArray(errors)) {
      for (let i = 0; i < errors.length && budget.left-- > 0; i++) out += `\nError ${i + 1}: ${inner(errors[i])}`;
    }
    return out;
  };

  // top returns the text of a whole value. It cannot fail: exceptions of getters and proxies become part of the text.
  // details.json becomes true if the text is the value's JSON, apart from white space, and details.promises if there
  // are promises in it.
  const top = (value, details) => {
    if (typeof value === 'string') return value;
    try {
      if (typeof value !== 'object' && typeof value !== 'function') return primitive(value);
      if (value !== null && !isPlain(value)) {
        if (isError(value)) return errorText(value, { left: maxCauses });
        const time = attempt(dateTime, value);
        if (time !== undefined) return time === time ? dateISO(value) : 'Invalid Date';
      }
      const pieces = list();
      format(value, 0, undefined, pieces);
      const out = kernel.join(pieces, '');
      if (details) {
        details.json = !pieces.odd;
        details.promises = pieces.promises === true;
      }
      return out;
    } catch (error) {
      return `[a value that cannot be shown: ${attempt(errorTitle, error) ?? 'unknown error'}]`;
    }
  };

  kernel.format = top;
  kernel.isError = isError;
  kernel.stackOf = stackOf;
  kernel.text = text;
})
