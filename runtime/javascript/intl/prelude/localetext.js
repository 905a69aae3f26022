// The methods of dates and strings that depend on a locale. What they need is loaded when they are first called
// (internal/intl).
(function (kernel) {
  'use strict';
  const { builtin, uncurry, localeMethod, TypeError } = kernel;
  const { prototype } = Date;
  const time = uncurry(prototype.valueOf);

  const dateMethod = (name, required, defaults) => {
    localeMethod(prototype, name, { [name](locales, options) {
      let value;
      try {
        value = time(this);
      } catch { throw new TypeError(`Method Date.prototype.${name} called on incompatible receiver ${String(this)}`); }
      return builtin('internal/intl/date').toLocaleString(value, locales, options, required, defaults);
    } }[name]);
  };
  dateMethod('toLocaleString', 'any', 'all');
  dateMethod('toLocaleDateString', 'date', 'date');
  dateMethod('toLocaleTimeString', 'time', 'time');

  // The engine does not name the zone, which is always UTC here.
  const zoneName = ' (Coordinated Universal Time)';
  const named = (name) => {
    const text = uncurry(prototype[name]);
    kernel.define(name, { [name]() {
      const result = text(this);
      return result === 'Invalid Date' ? result : result + zoneName;
    } }[name], prototype);
  };
  named('toString');
  named('toTimeString');

  // Strings.
  const { prototype: stringPrototype } = String;
  const toUpper = uncurry(stringPrototype.toUpperCase);
  const toLower = uncurry(stringPrototype.toLowerCase);
  const stringMethod = (name, length, value) => {
    localeMethod(stringPrototype, name, value);
    kernel.defineProperty(value, 'length', { __proto__: null, value: length, configurable: true });
  };
  const textOf = (value, name) => {
    if (typeof value === 'string') return value;
    if (value === undefined || value === null)
      throw new TypeError(`String.prototype.${name} called on null or undefined`);
    return `${value}`;
  };

  let usual, compare; // sorting calls them often
  stringMethod('localeCompare', 1, { localeCompare(that, locales, options) {
    const text = typeof this === 'string' ? this : textOf(this, 'localeCompare');
    if (locales === undefined && options === undefined) {
      // in this engine ??= takes microseconds
      if (usual === undefined) usual = builtin('internal/intl/collator').usual();
      return usual(text, that);
    }
    if (compare === undefined) compare = builtin('internal/intl/collator').localeCompare;
    return compare(text, typeof that === 'string' ? that : `${that}`, locales, options);
  } }.localeCompare);
  stringMethod('toLocaleUpperCase', 0, { toLocaleUpperCase(locales) {
    const text = textOf(this, 'toLocaleUpperCase');
    return locales === undefined ? toUpper(text) : builtin('internal/intl').convert(text, locales, 'upper') ??
      toUpper(text);
  } }.toLocaleUpperCase);
  stringMethod('toLocaleLowerCase', 0, { toLocaleLowerCase(locales) {
    const text = textOf(this, 'toLocaleLowerCase');
    return locales === undefined ? toLower(text) : builtin('internal/intl').convert(text, locales, 'lower') ??
      toLower(text);
  } }.toLocaleLowerCase);
})
