// util.inspect and util.format, with the output of Node's.
(function (kernel, require, module, exports) {
  'use strict';
  const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { hasOwn } = Object;
  const { propertyIsEnumerable } = Object.prototype;
  const types = require('internal/types');
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  const { validateObject } = require('internal/validators');
  const custom = Symbol.for('nodejs.util.inspect.custom');
  exports.custom = custom;

  const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
  };
  exports.defaults = defaults;

  const colors = {
    __proto__: null,
    reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27],
    hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24],
    black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39],
    magenta: [35, 39], cyan: [36, 39], white: [37, 39],
    bgBlack: [40, 49], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49],
    bgMagenta: [45, 49], bgCyan: [46, 49],
    bgWhite: [47, 49], framed: [51, 54], overlined: [53, 55],
    gray: [90, 39], redBright: [91, 39], greenBright: [92, 39], yellowBright: [93, 39],
    blueBright: [94, 39], magentaBright: [95, 39],
    cyanBright: [96, 39], whiteBright: [97, 39],
    bgGray: [100, 49], bgRedBright: [101, 49], bgGreenBright: [102, 49], bgYellowBright: [103, 49],
    bgBlueBright: [104, 49],
    bgMagentaBright: [105, 49], bgCyanBright: [106, 49], bgWhiteBright: [107, 49],
  };
  const alias = (target, ...names) => {
    for (const name of names) {
      Object.defineProperty(colors, name, {
        get() { return this[target]; }, set(value) { this[target] = value; }, configurable: true, enumerable: false,
      });
    }
  };
  alias('gray', 'grey', 'blackBright');
  alias('bgGray', 'bgGrey', 'bgBlackBright');
  alias('dim', 'faint');
  alias('strikethrough', 'crossedout', 'strikeThrough', 'crossedOut');
  alias('hidden', 'conceal');
  alias('inverse', 'swapColors', 'swapcolors');
  alias('doubleunderline', 'doubleUnderline');
  const styles = {
    __proto__: null, special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow',
    undefined: 'grey', null: 'bold', string: 'green',
    symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline',
  };
  const colored = (text, style) => {
    const color = colors[styles[style]];
    return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
  };
  const plain = (text) => text;

  const escapes =
    /[\u001B\u009B](?:\][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)|[[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g;
  exports.stripColors = (text) => text.replace(escapes, '');

  // width is how many columns of a terminal a text takes.
  const wide = /[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u;
  const none =
    /[\u0000-\u001F\u007F-\u009F\u0300-\u036F\u200B-\u200F\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u{E0100}-\u{E01EF}]/u;
  const width = (text, strip = true) => {
    if (strip && text.includes('\u001b')) text = exports.stripColors(text);
    if (/^[\x20-\x7e]*$/.test(text)) return text.length;
    let n = 0;
    for (const c of text.normalize('NFC')) n += none.test(c) ? 0 : wide.test(c) ? 2 : 1;
    return n;
  };
  exports.width = width;

  // quote returns a string in quotes, of the kind that needs the fewest escapes.
  const special = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
  const specials = new RegExp(special, 'g');
  const specialsButQuote =
    /[\x00-\x1f\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const named = {
    __proto__: null, '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\', "'": "\\'",
  };
  const escape = (c) => {
    const code = c.charCodeAt(0);
    return named[c] ?? (code < 256 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`
      : `\\u${code.toString(16)}`);
  };
  const quote = (text) => {
    let mark = "'";
    if (text.includes("'")) {
      if (!text.includes('"')) mark = '"';
      else if (!text.includes('`') && !text.includes('${')) mark = '`';
    }
    if (text.length < 5000 && !special.test(text)) return mark + text + mark;
    return mark + text.replace(mark === "'" ? specials : specialsButQuote, escape) + mark;
  };
  exports.quote = quote;

  const separated = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, '_');
  const formatNumber = (paint, number, separator) => {
    if (!separator) return paint(Object.is(number, -0) ? '-0' : `${number}`, 'number');
    const whole = Math.trunc(number);
    const text = String(whole);
    if (whole === number) {
      if (!Number.isFinite(number) || text.includes('e')) return paint(text, 'number');
      return paint(text.replace(/\d+/, separated), 'number');
    }
    if (Number.isNaN(number)) return paint(text, 'number');
    const [before, fraction] = String(number).split('.');
    if (fraction === undefined || fraction.includes('e')) return paint(String(number), 'number');
    return paint(`${before.replace(/\d+/, separated)}.${fraction.replace(/\d{3}(?=\d)/g, '$&_')}`, 'number');
  };
  const formatBigInt = (paint, n, separator) =>
    paint(`${separator ? String(n).replace(/\d+/, separated) : n}n`, 'bigint');

  const plural = (n, word) => `${n} more ${word}${n > 1 ? 's' : ''}`;

  const formatPrimitive = (paint, value, ctx) => {
    switch (typeof value) {
      case 'string': {
        let rest = '';
        if (value.length > ctx.maxStringLength) {
          const left = value.length - ctx.maxStringLength;
          value = value.slice(0, ctx.maxStringLength);
          rest = `... ${plural(left, 'character')}`;
        }
        if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indentation - 4) {
          const lines = value.match(/[^\n]*\n|[^\n]+/g);
          return lines.map((line) => paint(quote(line), 'string')).join(
            ` +\n${' '.repeat(ctx.indentation + 2)}`) + rest;
        }
        return paint(quote(value), 'string') + rest;
      }
      case 'number': return formatNumber(paint, value, ctx.numericSeparator);
      case 'bigint': return formatBigInt(paint, value, ctx.numericSeparator);
      case 'boolean': return paint(`${value}`, 'boolean');
      case 'undefined': return paint('undefined', 'undefined');
      default: return paint(Symbol.prototype.toString.call(value), 'symbol');
    }
  };

  const attempt = (f) => {
    try { return f(); } catch { return undefined; }
  };

  // constructorName returns the name of the class of an object, or null if it has no prototype.
  const constructorName = (object, ctx, depth) => {
    let first;
    const start = object;
    while (object) {
      const descriptor = getOwnPropertyDescriptor(object, 'constructor');
      const made = descriptor?.value;
      if (typeof made === 'function' && made.name !== '' && attempt(() => start instanceof made))
        return String(made.name);
      object = getPrototypeOf(object);
      first ??= object;
    }
    if (first === null || first === undefined) return null;
    const kind = typeof start === 'function' ? 'Function' : Array.isArray(start) ? 'Array' : 'Object';
    if (ctx.depth !== null && depth > ctx.depth) return `${kind} <Complex prototype>`;
    const parent = constructorName(first, ctx, depth + 1);
    if (parent === null) {
      return `${kind} <${inspect(first, { ...ctx.options, customInspect: false, depth: -1 })}>`;
    }
    return `${kind} <${parent}>`;
  };

  const prefix = (constructor, tag, fallback, size = '') => {
    if (constructor === null) {
      return tag !== '' && fallback !== tag ? `[${fallback}${size}: null prototype] [${tag}] `
        : `[${fallback}${size}: null prototype] `;
    }
    return tag !== '' && constructor !== tag ? `${constructor}${size} [${tag}] ` : `${constructor}${size} `;
  };

  const keysOf = (value, hidden) => {
    const symbols = Object.getOwnPropertySymbols(value);
    if (hidden) return [...Object.getOwnPropertyNames(value), ...symbols];
    let keys;
    try {
      keys = Object.keys(value);
    } catch { // a module namespace with a variable that has no value yet
      keys = Object.getOwnPropertyNames(value);
    }
    for (const symbol of symbols) if (propertyIsEnumerable.call(value, symbol)) keys.push(symbol);
    return keys;
  };
  // inheritedKeys returns the properties of a value's classes that are no methods, as {key, descriptor}.
  const inheritedKeys = (value) => {
    const found = [];
    const seen = new Set(ownKeys(value));
    let object = getPrototypeOf(value);
    for (let level = 0; object !== null && level < 3; level++, object = getPrototypeOf(object)) {
      const made = getOwnPropertyDescriptor(object, 'constructor')?.value;
      if (typeof made === 'function' && types.builtinNames.has(made.name)) break;
      for (const key of ownKeys(object)) {
        if (key === 'constructor' || seen.has(key)) continue;
        const descriptor = getOwnPropertyDescriptor(object, key);
        if (typeof descriptor.value === 'function') continue;
        seen.add(key);
        found.push({ key, descriptor });
      }
    }
    return found;
  };
  const isIndex = (key) => typeof key === 'string' && /^(?:0|[1-9]\d{0,9})$/.test(key) && +key < 4294967295;
  const namedKeys = (value, hidden) => ownKeys(value).filter(
    (key) => !isIndex(key) && (hidden || propertyIsEnumerable.call(value, key)));

  const OBJECT = 0, ARRAY = 1, EXTRAS = 2; // kinds of what a property belongs to

  const formatValue = (ctx, value, depth, typedArray) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      return value === null ? ctx.paint('null', 'null') : formatPrimitive(ctx.paint, value, ctx);
    }
    const whole = value;
    if (types.isProxy(value)) { // none of its traps may run
      if (ctx.showProxy) return formatProxy(ctx, value, depth);
      do [value] = types.proxyParts(value); while (types.isProxy(value));
      if (value === null) return ctx.paint('<Revoked Proxy>', 'special');
    }
    if (ctx.customInspect) {
      const own = value[custom];
      if (typeof own === 'function' && own !== inspect &&
        getOwnPropertyDescriptor(value, 'constructor')?.value?.prototype !== value) {
        const left = ctx.depth === null ? null : ctx.depth - depth;
        const result = own.call(whole, left, optionsFor(ctx), inspect);
        if (result !== whole) {
          if (typeof result !== 'string') return formatValue(ctx, result, depth);
          return result.replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`);
        }
      }
    }
    if (ctx.seen.includes(value)) {
      ctx.circular ??= new Map();
      let index = ctx.circular.get(value);
      if (index === undefined) {
        index = ctx.circular.size + 1;
        ctx.circular.set(value, index);
      }
      return ctx.paint(`[Circular *${index}]`, 'special');
    }
    return formatRaw(ctx, value, depth, typedArray);
  };

  const formatProxy = (ctx, value, depth) => {
    const [target, handler] = types.proxyParts(value);
    if (target === null) return ctx.paint('<Revoked Proxy>', 'special');
    if (ctx.depth !== null && depth > ctx.depth) return ctx.paint('Proxy [Array]', 'special');
    depth++;
    ctx.indentation += 2;
    const parts = [formatValue(ctx, target, depth), formatValue(ctx, handler, depth)];
    ctx.indentation -= 2;
    return joined(ctx, parts, '', ['Proxy [', ']'], EXTRAS, depth);
  };

  // optionsFor are the options that custom functions get.
  const optionsFor = (ctx) => {
    const options = { stylize: ctx.paint, ...ctx.options };
    for (const name in defaults) options[name] = ctx[name];
    return options;
  };

  const functionBase = (value, constructor, tag) => {
    const source = Function.prototype.toString.call(value);
    if (source.startsWith('class') && source.endsWith('}')) {
      const bracket = source.slice(5, -1).indexOf('{');
      const start = source.slice(5, -1);
      if (bracket !== -1 && (!start.slice(0, bracket).includes('(') || /^\s+[^\s(]*\s+extends\s/.test(start))) {
        return classBase(value, constructor, tag);
      }
    }
    let type = 'Function';
    if (types.isGeneratorFunction(value)) type = `Generator${type}`;
    if (types.isAsyncFunction(value)) type = `Async${type}`;
    let base = `[${type}`;
    if (constructor === null) base += ' (null prototype)';
    base += value.name === '' ? ' (anonymous)' : `: ${value.name}`;
    base += ']';
    if (constructor !== type && constructor !== null) base += ` ${constructor}`;
    if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
    return base;
  };
  const classBase = (value, constructor, tag) => {
    const name = hasOwn(value, 'name') ? value.name : undefined;
    let base = `[class ${name || '(anonymous)'}`;
    if (constructor !== 'Function' && constructor !== null) base += ` [${constructor}]`;
    if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
    if (constructor !== null) {
      const parent = getPrototypeOf(value).name;
      if (parent) base += ` extends ${parent}`;
    } else {
      base += ' extends null';
    }
    return `${base}]`;
  };

  const boxedBase = (value, ctx, keys, constructor, tag) => {
    const [type, f] = types.unboxed(value);
    if (type === 'String') keys.splice(0, value.length); // the characters
    let base = `[${type}`;
    if (type !== constructor) base += constructor === null ? ' (null prototype)' : ` (${constructor})`;
    base += `: ${formatPrimitive(plain, f, ctx)}]`;
    if (tag !== '' && tag !== constructor) base += ` [${tag}]`;
    return keys.length !== 0 || ctx.paint === plain ? base : ctx.paint(base, type.toLowerCase());
  };

  // formatError returns what is shown of an error before its other properties: name, message and frames.
  const isError = (value) => types.isNativeError(value) || value instanceof Error;
  const formatError = (error, constructor, tag, ctx, keys) => {
    const title = attempt(() => Error.prototype.toString.call(error)) ?? '[object Error]';
    const own = attempt(() => error.stack);
    let text = title;
    if (typeof own === 'string') {
      const frames = hasOwn(error, 'stack') && !/^\s+at /.test(own) && own !== '' ? undefined : kernel.stackOf(error);
      text = frames === undefined ? own : title + (frames && !frames.startsWith('\n') ? `\n${frames}` : frames);
    }
    if (!ctx.showHidden && keys.length !== 0) {
      for (const name of ['name', 'message', 'stack']) {
        const at = keys.indexOf(name);
        if (at !== -1 && (typeof error[name] !== 'string' || text.includes(error[name]))) keys.splice(at, 1);
      }
    }
    if ('cause' in error && !keys.includes('cause') && hasOwn(error, 'cause')) keys.push('cause');
    if (Array.isArray(getOwnPropertyDescriptor(error, 'errors')?.value) && !keys.includes('errors'))
      keys.push('errors');
    text = named_(text, error, constructor, tag);
    const at = (error.message && text.indexOf(error.message)) || -1;
    const from = at === -1 ? 0 : at + error.message.length;
    if (!/\n\s+at /.test(text.slice(from))) text = `[${text}]`;
    if (ctx.indentation !== 0) text = text.replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`);
    return text;
  };
  // named_ puts the name of the class into the first line, where that says something else.
  const named_ = (text, error, constructor, tag) => {
    const name = error.name != null ? String(error.name) : 'Error';
    if (constructor === null || (name.endsWith('Error') && text.startsWith(name) &&
        (text.length === name.length || text[name.length] === ':' || text[name.length] === '\n'))) {
      if (constructor === null) {
        const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(text) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(text);
        const fallback = start?.[1] ?? '';
        const shown = prefix(constructor, tag, fallback || 'Error').slice(0, -1);
        return shown + text.slice(fallback.length);
      }
      if (constructor !== name && !name.includes(constructor)) {
        if (constructor.includes(name)) return constructor + text.slice(name.length);
        return `${constructor} [${name}]${text.slice(name.length)}`;
      }
    }
    return text;
  };

  const formatRaw = (ctx, value, depth, typedArray) => {
    const constructor = constructorName(value, ctx, depth);
    let tag = attempt(() => value[Symbol.toStringTag]);
    if (typeof tag !== 'string' || (tag !== '' && (ctx.showHidden ? hasOwn(value, Symbol.toStringTag) :
      propertyIsEnumerable.call(value, Symbol.toStringTag)))) tag = '';
    let keys;
    const inherited = ctx.showHidden && constructor !== null && (ctx.depth === null || depth <= ctx.depth)
      ? inheritedKeys(value) : [];
    const nothing = () => keys.length === 0 && inherited.length === 0;
    let base = '';
    let braces = ['{', '}'];
    let formatter = () => [];
    let kind = OBJECT;
    let iterable = true;

    if (Array.isArray(value)) {
      const before = constructor !== 'Array' || tag !== ''
        ? prefix(constructor, tag, 'Array', `(${value.length})`) : '';
      keys = namedKeys(value, ctx.showHidden);
      braces = [`${before}[`, ']'];
      if (value.length === 0 && nothing()) return `${braces[0]}]`;
      kind = EXTRAS;
      formatter = formatArray;
    } else if (types.isSet(value)) {
      const size = types.sizeOfSet(value);
      const before = prefix(constructor, tag, 'Set', `(${size})`);
      keys = keysOf(value, ctx.showHidden);
      if (size === 0 && nothing()) return `${before}{}`;
      braces = [`${before}{`, '}'];
      formatter = formatSet;
    } else if (types.isMap(value)) {
      const size = types.sizeOfMap(value);
      const before = prefix(constructor, tag, 'Map', `(${size})`);
      keys = keysOf(value, ctx.showHidden);
      if (size === 0 && nothing()) return `${before}{}`;
      braces = [`${before}{`, '}'];
      formatter = formatMap;
    } else if (types.isTypedArray(value)) {
      keys = namedKeys(value, ctx.showHidden);
      const fallback = constructor === null ? types.typedArrayName(value) : '';
      const before = prefix(constructor, tag, fallback, `(${value.length})`);
      braces = [`${before}[`, ']'];
      if (value.length === 0 && nothing() && !ctx.showHidden) return `${braces[0]}]`;
      formatter = formatTypedArray;
      kind = EXTRAS;
    } else if (types.isMapIterator(value) || types.isSetIterator(value)) {
      keys = keysOf(value, ctx.showHidden);
      braces = [`[${tag}] {`, '}'];
      formatter = () => [ctx.paint('<items unknown>', 'special')];
    } else {
      iterable = false;
    }

    if (!iterable) {
      keys = keysOf(value, ctx.showHidden);
      if (types.isArgumentsObject(value)) {
        braces[0] = '[Arguments] {';
      } else if (constructor === 'Object' && typeof value !== 'function' && plainKind(value)) {
        if (tag !== '') braces[0] = `${prefix(constructor, tag, 'Object')}{`;
        if (nothing()) return `${braces[0]}}`;
      } else if (typeof value === 'function') {
        base = functionBase(value, constructor, tag);
        if (nothing()) return ctx.paint(base, 'special');
      } else if (types.isRegExp(value)) {
        base = RegExp.prototype.toString.call(constructor !== null ? value : new RegExp(value));
        const before = prefix(constructor, tag, 'RegExp');
        if (before !== 'RegExp ') base = before + base;
        if (nothing() || (ctx.depth !== null && depth > ctx.depth)) return ctx.paint(base, 'regexp');
      } else if (types.isDate(value)) {
        base = Number.isNaN(types.timeOf(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
        const before = prefix(constructor, tag, 'Date');
        if (before !== 'Date ') base = before + base;
        if (nothing()) return ctx.paint(base, 'date');
      } else if (isError(value)) {
        base = formatError(value, constructor, tag, ctx, keys);
        if (nothing()) return base;
      } else if (types.isAnyArrayBuffer(value)) {
        const before = prefix(constructor, tag, types.isArrayBuffer(value) ? 'ArrayBuffer' : 'SharedArrayBuffer');
        if (typedArray === undefined) {
          formatter = formatArrayBuffer;
        } else if (nothing()) {
          return `${before}{ byteLength: ${formatNumber(ctx.paint, value.byteLength, false)} }`;
        }
        braces[0] = `${before}{`;
        keys.unshift('byteLength');
      } else if (types.isDataView(value)) {
        braces[0] = `${prefix(constructor, tag, 'DataView')}{`;
        keys.unshift('byteLength', 'byteOffset', 'buffer');
      } else if (types.isPromise(value)) {
        braces[0] = `${prefix(constructor, tag, 'Promise')}{`;
        formatter = formatPromise;
      } else if (types.isWeakSet(value)) {
        braces[0] = `${prefix(constructor, tag, 'WeakSet')}{`;
        formatter = () => [ctx.paint('<items unknown>', 'special')];
      } else if (types.isWeakMap(value)) {
        braces[0] = `${prefix(constructor, tag, 'WeakMap')}{`;
        formatter = () => [ctx.paint('<items unknown>', 'special')];
      } else if (types.isModuleNamespaceObject(value)) {
        braces[0] = `${prefix(constructor, tag, 'Module')}{`;
      } else if (types.isBoxedPrimitive(value)) {
        base = boxedBase(value, ctx, keys, constructor, tag);
        if (nothing()) return base;
      } else {
        if (nothing()) return `${prefix(constructor, tag, 'Object')}{}`;
        braces[0] = `${prefix(constructor, tag, 'Object')}{`;
      }
    }

    if (ctx.depth !== null && depth > ctx.depth) {
      let name = prefix(constructor, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1);
      if (constructor !== null) name = `[${name}]`;
      return ctx.paint(name, 'special');
    }
    depth++;
    ctx.seen.push(value);
    ctx.currentDepth = depth;
    const before = ctx.indentation;
    const output = formatter(ctx, value, depth);
    for (const key of keys) output.push(formatProperty(ctx, value, depth, key, kind));
    for (const { key, descriptor } of inherited) {
      output.push(formatProperty(ctx, value, depth, key, kind, { ...descriptor, enumerable: typeof key === 'symbol' }));
    }
    ctx.indentation = before;
    const index = ctx.circular?.get(value);
    if (index !== undefined) {
      const reference = ctx.paint(`<ref *${index}>`, 'special');
      if (ctx.compact !== true) base = base === '' ? reference : `${reference} ${base}`;
      else braces[0] = `${reference} ${braces[0]}`;
    }
    ctx.seen.pop();
    if (ctx.sorted) {
      const by = ctx.sorted === true ? undefined : ctx.sorted;
      if (kind === OBJECT) {
        output.sort(by);
      } else if (keys.length > 1) {
        const last = output.slice(output.length - keys.length).sort(by);
        output.splice(output.length - keys.length, keys.length, ...last);
      }
    }
    return joined(ctx, output, base, braces, kind, depth, value);
  };

  // plainKind reports whether an object whose constructor is Object is nothing else.
  const plainKind = (value) => !(types.isRegExp(value) || types.isDate(value) ||
    isError(value) || types.isAnyArrayBuffer(value) ||
    types.isDataView(value) || types.isPromise(value) || types.isWeakSet(value) || types.isWeakMap(value) ||
    types.isModuleNamespaceObject(value) || types.isBoxedPrimitive(value));

  const formatArray = (ctx, value, depth) => {
    const { length } = value;
    const most = Math.min(Math.max(0, ctx.maxArrayLength), length);
    const output = [];
    let at = 0;
    for (; at < length && output.length < most; at++) {
      if (hasOwn(value, at)) {
        output.push(formatProperty(ctx, value, depth, at, ARRAY));
        continue;
      }
      let next = at + 1;
      while (next < length && !hasOwn(value, next)) next++;
      const n = next - at;
      output.push(ctx.paint(`<${n} empty item${n > 1 ? 's' : ''}>`, 'undefined'));
      at = next - 1;
    }
    if (at < length) output.push(`... ${plural(length - at, 'item')}`);
    return output;
  };

  const formatTypedArray = (ctx, value, depth) => {
    const { length } = value;
    const most = Math.min(Math.max(0, ctx.maxArrayLength), length);
    const output = [];
    const format = length > 0 && typeof value[0] === 'bigint' ? formatBigInt : formatNumber;
    for (let i = 0; i < most; i++) output.push(format(ctx.paint, value[i], ctx.numericSeparator));
    if (length > most) output.push(`... ${plural(length - most, 'item')}`);
    if (ctx.showHidden) {
      ctx.indentation += 2;
      for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer']) {
        output.push(`[${key}]: ${formatValue(ctx, value[key], depth, true)}`);
      }
      ctx.indentation -= 2;
    }
    return output;
  };

  const formatArrayBuffer = (ctx, value) => {
    let bytes;
    try {
      bytes = new Uint8Array(value);
    } catch {
      return [ctx.paint('(detached)', 'special')];
    }
    const most = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
    let text = '';
    for (let i = 0; i < most; i++) text += `${i ? ' ' : ''}${bytes[i].toString(16).padStart(2, '0')}`;
    if (bytes.length > most) text += ` ... ${plural(bytes.length - most, 'byte')}`;
    return [`${ctx.paint('[Uint8Contents]', 'special')}: <${text}>`];
  };

  const formatSet = (ctx, value, depth) => {
    const output = [];
    const most = Math.min(Math.max(0, ctx.maxArrayLength), types.sizeOfSet(value));
    ctx.indentation += 2;
    let i = 0;
    types.eachOfSet(value, (item) => {
      if (i++ < most) output.push(formatValue(ctx, item, depth));
    });
    if (i > most) output.push(`... ${plural(i - most, 'item')}`);
    ctx.indentation -= 2;
    return output;
  };
  const formatMap = (ctx, value, depth) => {
    const output = [];
    const most = Math.min(Math.max(0, ctx.maxArrayLength), types.sizeOfMap(value));
    ctx.indentation += 2;
    let i = 0;
    types.eachOfMap(value, (item, key) => {
      if (i++ < most) output.push(`${formatValue(ctx, key, depth)} => ${formatValue(ctx, item, depth)}`);
    });
    if (i > most) output.push(`... ${plural(i - most, 'item')}`);
    ctx.indentation -= 2;
    return output;
  };

  const formatPromise = (ctx, value, depth) => {
    const { state, result } = types.promiseState(value);
    if (state === 'pending') return [ctx.paint('<pending>', 'special')];
    if (state === 'unknown') return [];
    ctx.indentation += 2;
    const text = formatValue(ctx, result, depth);
    ctx.indentation -= 2;
    return [state === 'rejected' ? `${ctx.paint('<rejected>', 'special')} ${text}` : text];
  };

  const formatProperty = (ctx, value, depth, key, kind, known) => {
    let text;
    let between = ' ';
    const descriptor = known ?? getOwnPropertyDescriptor(value, key) ??
      { value: value[key], configurable: true, enumerable: true };
    if (descriptor.value !== undefined) {
      const indent = ctx.compact !== true || kind !== OBJECT ? 2 : 3;
      ctx.indentation += indent;
      text = formatValue(ctx, descriptor.value, depth);
      if (indent === 3 && ctx.breakLength < width(text, ctx.colors)) between = `\n${' '.repeat(ctx.indentation)}`;
      ctx.indentation -= indent;
    } else if (descriptor.get !== undefined) {
      const label = descriptor.set !== undefined ? 'Getter/Setter' : 'Getter';
      if (ctx.getters && (ctx.getters === true || (ctx.getters === 'get' && descriptor.set === undefined) ||
          (ctx.getters === 'set' && descriptor.set !== undefined))) {
        try {
          const got = descriptor.get.call(value);
          ctx.indentation += 2;
          if (got === null)
            text = `${ctx.paint(`[${label}:`, 'special')} ${ctx.paint('null', 'null')}${ctx.paint(']', 'special')}`;
          else if (typeof got === 'object')
            text = `${ctx.paint(`[${label}]`, 'special')} ${formatValue(ctx, got, depth)}`;
          else text =
            `${ctx.paint(`[${label}:`, 'special')} ${formatPrimitive(ctx.paint, got, ctx)}${ctx.paint(']', 'special')}`;
          ctx.indentation -= 2;
        } catch (error) {
          text = `${ctx.paint(`[${label}: <Inspection threw (${error.message})>]`, 'special')}`;
        }
      } else {
        text = ctx.paint(`[${label}]`, 'special');
      }
    } else if (descriptor.set !== undefined) {
      text = ctx.paint('[Setter]', 'special');
    } else {
      text = ctx.paint('undefined', 'undefined');
    }
    if (kind === ARRAY) return text;
    let name;
    if (typeof key === 'symbol')
      name = ctx.paint(Symbol.prototype.toString.call(key).replace(specials, escape), 'symbol');
    else if (key === '__proto__') name = "['__proto__']";
    else if (descriptor.enumerable === false) name = key.replace(specials, escape);
    else if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) name = ctx.paint(key, 'name');
    else name = ctx.paint(quote(key), 'string');
    if (typeof key === 'symbol' || (descriptor.enumerable === false && key !== '__proto__')) name = `[${name}]`;
    return `${name}:${between}${text}`;
  };

  // joined puts the parts of an object together, on one line if that is short.
  const joined = (ctx, output, base, braces, kind, depth, value) => {
    const before = base ? `${base} ` : '';
    if (ctx.compact === true) {
      if (fits(ctx, output, 0, base)) return `${braces[0]}${base ? ` ${base}` : ''} ${output.join(', ')} ${braces[1]}`;
      const line = `\n${' '.repeat(ctx.indentation)}`;
      const start = base === '' && braces[0].length === 1 ? ' '
        : `${base ? ` ${base}` : ''}\n${' '.repeat(ctx.indentation)}  `;
      return `${braces[0]}${start}${output.join(`,${line}  `)} ${braces[1]}`;
    }
    if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
      const entries = output.length;
      if (kind === EXTRAS && entries > 6) output = grouped(ctx, output, value);
      if (ctx.currentDepth - depth < ctx.compact && entries === output.length) {
        const start = output.length + ctx.indentation + braces[0].length + base.length + 10;
        if (fits(ctx, output, start, base)) {
          const text = output.join(', ');
          if (!text.includes('\n')) return `${before}${braces[0]} ${text} ${braces[1]}`;
        }
      }
    }
    const line = `\n${' '.repeat(ctx.indentation)}`;
    return `${before}${braces[0]}${line}  ${output.join(`,${line}  `)}${line}${braces[1]}`;
  };
  const fits = (ctx, output, start, base) => {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (const part of output) {
      total += ctx.colors ? exports.stripColors(part).length : part.length;
      if (total > ctx.breakLength) return false;
    }
    return base === '' || !base.includes('\n');
  };

  // grouped puts the items of a long array into columns.
  const grouped = (ctx, output, value) => {
    const space = 2; // between columns
    // the last may be "... more items"
    const count = ctx.maxArrayLength < output.length ? output.length - 1 : output.length;
    const widths = [];
    let total = 0;
    let widest = 0;
    for (let i = 0; i < count; i++) {
      widths[i] = width(output[i], ctx.colors);
      total += widths[i] + space;
      widest = Math.max(widest, widths[i]);
    }
    const column = widest + space;
    if (column * 3 + ctx.indentation >= ctx.breakLength || (total / column <= 5 && widest > 6)) return output;
    const bias = Math.sqrt(column - total / output.length);
    const biased = Math.max(column - 3 - bias, 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * biased * count) / biased), // about as high as wide
      Math.floor((ctx.breakLength - ctx.indentation) / column), ctx.compact * 4, 15);
    if (columns <= 1) return output;
    const lengths = [];
    for (let i = 0; i < columns; i++) {
      let most = 0;
      for (let j = i; j < count; j += columns) most = Math.max(most, widths[j]);
      lengths.push(most + space);
    }
    let right = value !== undefined; // numbers are aligned to the right
    for (let i = 0; right && i < output.length; i++)
      right = typeof value[i] === 'number' || typeof value[i] === 'bigint';
    const rows = [];
    for (let i = 0; i < count; i += columns) {
      const end = Math.min(i + columns, count);
      let row = '';
      let j = i;
      for (; j < end - 1; j++) {
        const cell = `${output[j]}, `;
        const size = lengths[j - i] + output[j].length - widths[j];
        row += right ? cell.padStart(size) : cell.padEnd(size);
      }
      row += right ? output[j].padStart(lengths[j - i] + output[j].length - widths[j] - space) : output[j];
      rows.push(row);
    }
    if (count < output.length) rows.push(output[count]);
    return rows;
  };

  function inspect(value, options) {
    const ctx = {
      ...defaults, seen: [], circular: undefined, indentation: 0, currentDepth: 0, paint: plain, options: {},
    };
    if (arguments.length > 1) {
      if (arguments.length > 2) {
        if (arguments[2] !== undefined) [, , ctx.depth] = arguments;
        if (arguments.length > 3 && arguments[3] !== undefined) [, , , ctx.colors] = arguments;
      }
      if (typeof options === 'boolean') {
        ctx.showHidden = options;
      } else if (options) {
        for (const name of Object.keys(options)) {
          if (hasOwn(defaults, name) || name === 'stylize') ctx[name] = options[name];
          else ctx.options[name] = options[name]; // for custom functions
        }
      }
    }
    if (ctx.colors) ctx.paint = colored;
    ctx.maxArrayLength ??= Infinity;
    ctx.maxStringLength ??= Infinity;
    return formatValue(ctx, value, 0);
  }
  inspect.custom = custom;
  inspect.colors = colors;
  inspect.styles = styles;
  Object.defineProperty(inspect, 'defaultOptions', {
    get: () => defaults,
    set(options) {
      validateObject(options, 'options');
      Object.assign(defaults, options);
    },
  });
  exports.inspect = inspect;

  // format replaces %s and the like in a text.
  const formatArgument = (value, options) => inspect(value, options);
  const firstLine = (error) => error.message.split('\n', 1)[0];
  const json = (value) => {
    try {
      return JSON.stringify(value);
    } catch (error) {
      if (error.name === 'TypeError' && /circular/i.test(firstLine(error))) return '[Circular]';
      throw error;
    }
  };
  // hasOwnText reports whether the text of an object is one that its author wrote.
  const hasOwnText = (value) => {
    if (types.isProxy(value)) return false;
    if (typeof value[Symbol.toPrimitive] === 'function' && !types.isDate(value)) return true;
    if (typeof value.toString !== 'function') return false;
    if (hasOwn(value, 'toString')) return true;
    let object = value;
    do { object = getPrototypeOf(object); } while (object !== null && !hasOwn(object, 'toString'));
    if (object === null) return false;
    const made = getOwnPropertyDescriptor(object, 'constructor')?.value;
    return !(typeof made === 'function' && types.builtinNames.has(made.name));
  };

  const formatWithOptions = (options, ...args) => {
    const [first] = args;
    if (args.length === 1) return typeof first === 'string' ? first : formatArgument(first, options);
    let text = '';
    let used = 0;
    const separated = options?.numericSeparator ?? inspect.defaultOptions.numericSeparator;
    if (typeof first === 'string') {
      used = 1;
      text = first.replace(/%([%sdifjoOc])/g, (all, type) => {
        if (type === '%') return '%';
        if (used >= args.length) return all;
        const value = args[used++];
        switch (type) {
          case 's':
            if (typeof value === 'number') return formatNumber(plain, value, separated);
            if (typeof value === 'bigint') return formatBigInt(plain, value, separated);
            if (typeof value !== 'object' || value === null || hasOwnText(value)) return String(value);
            return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
          case 'd':
            if (typeof value === 'bigint') return formatBigInt(plain, value, separated);
            if (typeof value === 'symbol') return 'NaN';
            return formatNumber(plain, Number(value), separated);
          case 'i':
            if (typeof value === 'bigint') return formatBigInt(plain, value, separated);
            if (typeof value === 'symbol') return 'NaN';
            return formatNumber(plain, Number.parseInt(value, 10), separated);
          case 'f':
            return typeof value === 'symbol' ? 'NaN' : formatNumber(plain, Number.parseFloat(value), separated);
          case 'j': return json(value);
          case 'o': return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
          case 'O': return inspect(value, options);
          default: return ''; // c: a style of web browsers
        }
      });
      // A percent sign of another text than a format stays, but %% in a text with arguments is one.
    }
    for (; used < args.length; used++) {
      const value = args[used];
      text += (used > 0 ? ' ' : '') + (typeof value === 'string' ? value : formatArgument(value, options));
    }
    return text;
  };
  exports.formatWithOptions = (options, ...args) => {
    if (typeof options !== 'object' || options === null)
      throw ERR_INVALID_ARG_TYPE('inspectOptions', 'object', options);
    return formatWithOptions(options, ...args);
  };
  exports.format = (...args) => formatWithOptions(undefined, ...args);
  require('internal/urlinspect')(inspect, custom);
})
