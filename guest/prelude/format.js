// How values and errors look in console output and results: strings raw, plain data as two-space JSON, and for what
// JSON has no words (undefined, NaN, Map, functions, cycles...) what a person expects.
(function (kernel) {
  'use strict';
  const { host, ops, uncurry, getter, stringify, String, isArray, isView, keys, getPrototypeOf, slice, append } = kernel;
  const { Error: BaseError, Uint8Array, mapSize, mapEach, setSize, setEach, typedArrayName } = kernel;
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

  // attempt returns f(value), or undefined where value is not of the kind that f is for.
  const attempt = (f, value) => {
    try { return f(value); } catch { return undefined; }
  };

  const isError = (value) => (nativeIsError ? nativeIsError(value) : value instanceof BaseError) || kernel.isDOMException(value);

  // text returns the string that a property of an error holds, without trusting it.
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

  // block lays out items between brackets, one a line.
  const block = (open, items, close, indent) => {
    if (items.length === 0) return open + close;
    const inner = `${indent}  `;
    return `${open}\n${inner}${kernel.join(items, `,\n${inner}`)}\n${indent}${close}`;
  };

  // inspected is an object of a class of the web platform, as kernel.inspect has it.
  const inspected = ({ name, parts, arrow }, indent, seen) => {
    const items = [];
    for (let i = 0; i < parts.length; i += 2) {
      append(items, stringify(parts[i]) + arrow + format(parts[i + 1], `${indent}  `, seen));
    }
    return block(`${name} {`, items, '}', indent);
  };

  // exotic returns the text of an object that is not plain data, or undefined.
  const exotic = (value, indent, seen) => {
    const inner = `${indent}  `;
    const time = attempt(dateTime, value);
    if (time !== undefined) return time === time ? stringify(dateISO(value)) : 'Invalid Date';
    if (isError(value)) return `[${errorTitle(value)}]`;
    if (attempt(mapSize, value) !== undefined) {
      const items = [];
      mapEach(value, (v, k) => { append(items, `${format(k, inner, seen)} => ${format(v, inner, seen)}`); });
      return block(`Map(${mapSize(value)}) {`, items, '}', indent);
    }
    if (attempt(setSize, value) !== undefined) {
      const items = [];
      setEach(value, (v) => { append(items, format(v, inner, seen)); });
      return block(`Set(${setSize(value)}) {`, items, '}', indent);
    }
    const bytes = kernel.bytesOf(value);
    if (bytes) return bufferText(value, bytes);
    if (attempt(regexpFlags, value) !== undefined) return attempt(regexpSource, value);
    for (let i = 0; i < unbox.length; i++) {
      const boxed = attempt(unbox[i], value);
      if (boxed !== undefined) return primitive(boxed);
    }
    if (isPromise(value)) return 'Promise {}';
    for (let i = kernel.inspectors.length - 1; i >= 0; i--) { // classes come after those that they extend
      const shown = kernel.inspectors[i](value);
      if (shown) return inspected(shown, indent, seen);
    }
    return undefined;
  };

  // format returns the text of a value inside of others; seen holds the objects around it.
  const format = (value, indent, seen) => {
    if (typeof value === 'function') return functionText(value);
    if (typeof value !== 'object' || value === null) return primitive(value);
    for (let outer = seen; outer; outer = outer.next) {
      if (outer.value === value) return '[Circular]';
    }
    const array = isArray(value);
    const depth = seen ? seen.depth + 1 : 0;
    if (depth >= maxDepth) return array ? '[Array]' : '[Object]';
    seen = { value, next: seen, depth };

    const prototype = getPrototypeOf(value);
    if (prototype !== objectPrototype && prototype !== arrayPrototype && prototype !== null) {
      const special = exotic(value, indent, seen);
      if (special !== undefined) return special;
    }
    if (typeof value.toJSON === 'function') return format(value.toJSON(''), indent, seen);

    const inner = `${indent}  `;
    const items = [];
    if (array) {
      const { length } = value;
      for (let i = 0; i < length; i++) append(items, format(value[i], inner, seen));
      return block('[', items, ']', indent);
    }
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      append(items, `${stringify(names[i])}: ${format(value[names[i]], inner, seen)}`);
    }
    return block('{', items, '}', indent);
  };

  const errorTitle = (error, message = text(error, 'message') ?? '') => {
    const name = text(error, 'name') ?? 'Error';
    return message === '' ? name : name === '' ? message : `${name}: ${message}`;
  };

  const stack = (error) => slice(text(error, 'stack') ?? '', 0, maxStack);

  // stackOf returns the frames of an error's stack that are of scripts, with the lines and columns that were written.
  const stackOf = (error) => host(ops.stack, stack(error));

  // messageOf returns the message of an error, with what the host can say beyond it.
  const messageOf = (error) => {
    const message = text(error, 'message') ?? '';
    return host(ops.explain, text(error, 'name') ?? 'Error', message, stack(error)) ?? message;
  };

  // errorText is an error with its causes, of which budget.left are still to be shown.
  const errorText = (error, budget) => {
    let out = errorTitle(error, messageOf(error)) + stackOf(error);
    const inner = (value) => (isError(value) ? errorText(value, budget) : top(value));
    const { cause, errors } = attempt((e) => ({ cause: e.cause, errors: e.errors }), error) ?? {};
    if (cause !== undefined && budget.left-- > 0) out += `\nCaused by: ${inner(cause)}`;
    if (isArray(errors)) {
      for (let i = 0; i < errors.length && budget.left-- > 0; i++) out += `\nError ${i + 1}: ${inner(errors[i])}`;
    }
    return out;
  };

  // top returns the text of a value by itself. It cannot fail: a getter or proxy that throws is part of the text.
  const top = (value) => {
    if (typeof value === 'string') return value;
    try {
      if (typeof value === 'object' && value !== null) {
        if (isError(value)) return errorText(value, { left: maxCauses });
        const time = attempt(dateTime, value);
        if (time !== undefined) return time === time ? dateISO(value) : 'Invalid Date';
      }
      return format(value, '', undefined);
    } catch (error) {
      return `[a value that cannot be shown: ${attempt(errorTitle, error) ?? 'unknown error'}]`;
    }
  };

  kernel.format = top;
  kernel.isError = isError;
  kernel.messageOf = messageOf;
  kernel.stackOf = stackOf;
  kernel.text = text;
})
