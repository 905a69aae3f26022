// Intl: the object itself, and what its classes share. Each class is in a file of its own (internal/intl/NAME.js),
// which exports the class and is loaded when it is first used. Formatting is the work of package internal/js/intl.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, defineProperty } = kernel;
  const { create } = Object;

  // call calls a function of the host. Its arguments are texts and numbers.
  exports.call = (name, a, b, c) => host(name, a, b, c);

  const outOfRange = (value, service, property) =>
    new RangeError(`Value ${value} out of range for ${service} options property ${property}`);

  // toOptions returns an options argument as an object.
  exports.toOptions = (options, service) => {
    if (options === undefined) return { __proto__: null };
    if (options === null) throw new TypeError(`${service} called on null or undefined`);
    return Object(options);
  };

  // strictOptions does the same for newer classes, which take nothing but objects.
  exports.strictOptions = (options) => {
    if (options === undefined) return { __proto__: null };
    if (typeof options !== 'object' && typeof options !== 'function' || options === null)
      throw new TypeError('invalid_argument');
    return options;
  };

  // choice reads an option that is one of several texts.
  exports.choice = (options, property, values, fallback, service) => {
    let value = options[property];
    if (value === undefined) return fallback;
    value = `${value}`;
    if (!values.includes(value)) throw outOfRange(value, service, property);
    return value;
  };
  exports.outOfRange = outOfRange;

  // flag reads a boolean option: undefined if it is missing.
  exports.flag = (options, property) => {
    const value = options[property];
    return value === undefined ? undefined : Boolean(value);
  };

  // number checks the value of a numeric option.
  const number = (value, property, min, max, fallback) => {
    if (value === undefined) return fallback;
    value = Number(value);
    if (!(value >= min && value <= max)) throw new RangeError(`${property} value is out of range.`);
    return Math.floor(value);
  };
  exports.checkNumber = number;
  exports.number = (options, property, min, max, fallback) => number(options[property], property, min, max, fallback);

  // keyword reads an option that is a type of the Unicode extension, such as numberingSystem.
  exports.keyword = (options, property) => {
    let value = options[property];
    if (value === undefined) return undefined;
    value = `${value}`;
    if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(value)) throw new RangeError(`Invalid ${property} : ${value}`);
    return value;
  };

  exports.matcher = (options, service) => exports.choice(options, 'localeMatcher',
    ['lookup', 'best fit'], 'best fit', service);

  const maxLocales = 100; // the host looks at no more

  const canonical = (tag) => {
    const text = tag.length > 512 ? undefined : exports.call('intl.tag', tag);
    if (text === undefined) throw new RangeError('Incorrect locale information provided');
    return text;
  };
  exports.canonical = canonical;

  // canonicalList returns the tags of a list of locales, without repetitions.
  const canonicalList = (locales) => {
    if (locales === undefined) return [];
    if (typeof locales === 'string') return [canonical(locales)];
    if (exports.localeOf?.(locales) !== undefined) return [exports.localeOf(locales)];
    const list = [];
    if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
    const object = Object(locales);
    const length = Math.min(Math.max(Math.trunc(object.length) || 0, 0), Number.MAX_SAFE_INTEGER);
    for (let i = 0; i < length; i++) {
      if (!(i in object)) {
        if (!Array.isArray(object)) continue;
        if (list.length === 0 && i > 1e6) break; // a list of holes
        continue;
      }
      const value = object[i];
      if (typeof value !== 'string' && (typeof value !== 'object' && typeof value !== 'function' || value === null)) {
        throw new TypeError('Language ID should be string or object.');
      }
      const tag = exports.localeOf?.(value) ?? canonical(`${value}`);
      if (!list.includes(tag)) kernel.append(list, tag);
      if (list.length >= maxLocales) throw new RangeError(`more than ${maxLocales} locales`);
    }
    return list;
  };
  exports.canonicalList = canonicalList;

  // resolve negotiates the locale: choices are keys of the Unicode extension and values of options by turns. The result
  // is [locale, locale of the data, values of the keys...]; a value is empty if the locale's own is used.
  exports.resolve = (kind, locales, choices = '') => exports.call('intl.resolve',
    kind, locales.join(' '), choices).split('|');

  // receiver returns the data of this, or throws what V8 throws.
  exports.receiver = (slots, object, method) => {
    const data = slots.get(object);
    if (data !== undefined) return data;
    let shown = typeof object === 'object' && object !== null ? `#<${object.constructor?.name ?? 'Object'}>`
      : String(object);
    if (typeof object === 'function') shown = String(object);
    throw new TypeError(`Method ${method} called on incompatible receiver ${shown}`);
  };

  // needsNew throws if a class is called as a function.
  exports.needsNew = (target, name) => {
    if (target === undefined) throw new TypeError(`Constructor ${name} requires 'new'`);
  };

  const hidden = (object, name, value) => {
    defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  };

  // define makes a class a proper one of Intl: methods that are not enumerable, its tag, and supportedLocalesOf.
  exports.define = (type, name, { length = 0, supported = true } = {}) => {
    const service = `Intl.${name}`;
    defineProperty(type, 'name', { __proto__: null, value: name, configurable: true });
    defineProperty(type, 'length', { __proto__: null, value: length, configurable: true });
    defineProperty(type, 'prototype', { __proto__: null, writable: false, enumerable: false, configurable: false });
    defineProperty(type.prototype, Symbol.toStringTag, { __proto__: null, value: service, configurable: true });
    if (supported) {
      hidden(type, 'supportedLocalesOf', {
        supportedLocalesOf(locales, options = undefined) {
          const list = canonicalList(locales);
          if (options !== undefined) exports.matcher(exports.toOptions(options, `${service}.supportedLocalesOf`),
            `${service}.supportedLocalesOf`);
          if (list.length === 0) return list;
          const found = exports.call('intl.supported', list.join(' '));
          return found === '' ? [] : found.split(' ');
        },
      }.supportedLocalesOf);
      defineProperty(type.supportedLocalesOf, 'length', { __proto__: null, value: 1, configurable: true });
    }
    hidden(exports.Intl, name, type);
    return type;
  };

  // methods adds methods and getters to a prototype as a class would: they are not enumerable.
  exports.methods = (prototype, members) => {
    for (const name of Reflect.ownKeys(members)) {
      const descriptor = Object.getOwnPropertyDescriptor(members, name);
      descriptor.enumerable = false;
      defineProperty(prototype, name, descriptor);
    }
  };

  // numeric returns a value as the text of a number, which the host reads.
  const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  exports.numeric = (value) => {
    if (typeof value === 'object' && value !== null || typeof value === 'function') value = primitive(value);
    if (typeof value === 'bigint') return `${value}`;
    if (typeof value === 'string') {
      const number = Number(value);
      const text = value.trim();
      if (Number.isFinite(number) && decimal.test(text)) return text;
      value = number;
    }
    if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a number');
    value = +value;
    return value === 0 && 1 / value < 0 ? '-0' : `${value}`;
  };

  const primitive = (value) => {
    const convert = value[Symbol.toPrimitive];
    if (convert !== undefined && convert !== null) {
      const result = Reflect.apply(convert, value, ['number']);
      if (typeof result === 'object' && result !== null || typeof result === 'function') {
        throw new TypeError('Cannot convert object to primitive value');
      }
      return result;
    }
    for (const name of ['valueOf', 'toString']) {
      if (typeof value[name] !== 'function') continue;
      const result = value[name]();
      if (typeof result !== 'object' && typeof result !== 'function' || result === null) return result;
    }
    throw new TypeError('Cannot convert object to primitive value');
  };

  // convert changes the case of a text for a language with rules of its own: undefined for others.
  exports.convert = (text, locales, direction) => {
    const [tag] = canonicalList(locales);
    return tag === undefined ? undefined : exports.call('intl.case', tag, direction, text);
  };

  const Intl = {};
  exports.Intl = Intl;
  defineProperty(Intl, Symbol.toStringTag, { __proto__: null, value: 'Intl', configurable: true });
  exports.methods(Intl, {
    getCanonicalLocales(locales) { return canonicalList(locales); },
    supportedValuesOf(key) {
      key = `${key}`;
      const text = exports.call('intl.values', key.slice(0, 100));
      if (text === undefined) throw new RangeError(`Invalid key : ${key}`);
      return text.split(' ');
    },
  });

  // The classes, and the modules that export them.
  const classes = {
    NumberFormat: 'number', PluralRules: 'plural', RelativeTimeFormat: 'relative', ListFormat: 'list', Locale: 'locale',
    DisplayNames: 'names', DateTimeFormat: 'date', Collator: 'collator',
    Segmenter: 'segmenter',
  };
  for (const name of Object.keys(classes)) {
    defineProperty(Intl, name, {
      __proto__: null, enumerable: false, configurable: true,
      get() {
        const type = require(`internal/intl/${classes[name]}`)[name];
        hidden(Intl, name, type);
        return type;
      },
      set(value) { hidden(Intl, name, value); },
    });
  }
})
