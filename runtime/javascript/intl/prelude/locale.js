// The methods that write values as people of a locale do. What they need is loaded when they are first called
// (internal/intl).
(function (kernel) {
  'use strict';
  const { define, TypeError, builtin, uncurry } = kernel;
  const numberValue = uncurry(Number.prototype.valueOf);
  const bigintValue = uncurry(BigInt.prototype.valueOf);

  // method replaces a method of the engine that ignores locales.
  const method = (prototype, name, value) => {
    kernel.defineProperty(value, 'name', { __proto__: null, value: name, configurable: true });
    kernel.defineProperty(value, 'length', { __proto__: null, value: 0, configurable: true });
    define(name, value, prototype);
  };
  kernel.localeMethod = method;

  method(Number.prototype, 'toLocaleString', { toLocaleString(locales, options) {
    let value;
    try {
      value = numberValue(this);
    } catch { throw new TypeError("Number.prototype.toLocaleString requires that 'this' be a Number"); }
    return builtin('internal/intl/number').toLocaleString(value, locales, options);
  } }.toLocaleString);

  method(BigInt.prototype, 'toLocaleString', { toLocaleString(locales, options) {
    let value;
    try {
      value = bigintValue(this);
    } catch { throw new TypeError("BigInt.prototype.toLocaleString requires that 'this' be a BigInt"); }
    return builtin('internal/intl/number').toLocaleString(value, locales, options);
  } }.toLocaleString);

  // Arrays pass locales and options on to their elements.
  const joined = (array, length, locales, options) => {
    let text = '';
    for (let i = 0; i < length; i++) {
      const value = array[i];
      if (i > 0) text += ',';
      if (value !== undefined && value !== null) text += `${value.toLocaleString(locales, options)}`;
    }
    return text;
  };
  const inside = []; // arrays whose text is being made: one that contains itself is empty there
  method(Array.prototype, 'toLocaleString', { toLocaleString(locales, options) {
    if (this === undefined || this === null)
      throw new TypeError('Array.prototype.toLocaleString called on null or undefined');
    const array = Object(this);
    for (let i = 0; i < inside.length; i++) if (inside[i] === array) return '';
    kernel.append(inside, array);
    try {
      return joined(array, +array.length, locales, options);
    } finally {
      inside.length--;
    }
  } }.toLocaleString);
  const typedArray = kernel.getPrototypeOf(Uint8Array.prototype);
  const length = kernel.getter(typedArray, 'length');
  const values = uncurry(typedArray.values);
  method(typedArray, 'toLocaleString', { toLocaleString(locales, options) {
    values(this); // throws for anything else
    return joined(this, length(this), locales, options);
  } }.toLocaleString);
})
