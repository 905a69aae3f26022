// Intl.Collator and localeCompare.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, choice, flag, keyword, receiver } = intl;
  const { host } = kernel;
  const service = 'Intl.Collator';
  const slots = kernel.slot();

  const initialize = (locales, options) => {
    const requested = intl.canonicalList(locales);
    options = intl.toOptions(options, service);
    const usage = choice(options, 'usage', ['sort', 'search'], 'sort', service);
    intl.matcher(options, service);
    const collation = keyword(options, 'collation');
    const numeric = flag(options, 'numeric');
    const caseFirst = choice(options, 'caseFirst', ['upper', 'lower', 'false'], undefined, service);
    let choices = usage === 'sort' && collation !== undefined ? `co ${collation}` : '';
    if (numeric !== undefined) choices += ` kn ${numeric}`;
    if (caseFirst !== undefined) choices += ` kf ${caseFirst}`;
    const [
      locale, data, type, digits, first, punctuation,
    ] = intl.resolve(usage === 'sort' ? 'collator' : 'searcher', requested, choices);
    const sensitivity = choice(options, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant', service);
    const ignorePunctuation = flag(options, 'ignorePunctuation') ?? punctuation === 'true';
    const c = {
      locale, usage, sensitivity, ignorePunctuation, collation: type, numeric: digits === 'true', caseFirst: first,
      key: '', bound: undefined,
    };
    c.key = `${data} ${usage} ${type} ${sensitivity} ${c.ignorePunctuation} ${c.numeric} ${first}`;
    return c;
  };

  // comparison returns the function that compares by a collator's options. Sorting compares each text many times, so
  // after some comparisons it keeps a key for each, which the engine compares by itself. One of two texts is often that
  // of the comparison before.
  const usualComparisons = 32;
  const longText = 200; // in code units; keys of longer texts are not kept
  const perKey = 100; // about how many bytes it takes to keep one, beside the texts
  let room; // for keys, in bytes
  const comparison = (options) => {
    let compared = 0, left = 0;
    let lastX, keyX, lastY, keyY;
    const keys = new Map();
    const keyOf = (text) => {
      const key = host('intl.key', options, text);
      left -= perKey + 2 * text.length + key.length;
      if (left < 0) {
        keys.clear();
        room ??= host('intl.room');
        left = room;
      }
      keys.set(text, key);
      return key;
    };
    return (x, y) => {
      if (typeof x !== 'string') x = `${x}`;
      if (typeof y !== 'string') y = `${y}`;
      if (x === y) return 0;
      if (compared < usualComparisons || x.length > longText || y.length > longText) {
        compared++;
        return host('intl.compare', options, x, y);
      }
      if (x !== lastX) {
        keyX = keys.get(x) ?? keyOf(x);
        lastX = x;
      }
      if (y !== lastY) {
        keyY = keys.get(y) ?? keyOf(y);
        lastY = y;
      }
      return keyX < keyY ? -1 : keyX > keyY ? 1 : 0;
    };
  };

  // Arrays of texts are sorted in one call of the host by the comparison of a collator, once a script has asked for
  // one.
  const comparisons = new WeakMap(); // the options, by the function
  const sorted = (array, compare) => {
    const options = comparisons.get(compare);
    if (options === undefined || !kernel.isArray(array) || !kernel.isPlain(array)) return undefined;
    const { length } = array;
    if (length < usualComparisons) return undefined;
    const texts = [];
    const order = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      const text = array[i];
      if (typeof text !== 'string' || text.length > longText) return undefined;
      texts[i] = text;
      order[i] = text.length;
    }
    if (host('intl.order', options, kernel.join(texts, ''), order.buffer) === undefined) return undefined;
    const result = [];
    for (let i = 0; i < length; i++) result[i] = texts[order[i]];
    return result;
  };
  let sorts = false;
  const sortByHost = () => {
    if (sorts) return;
    sorts = true;
    const { prototype } = Array;
    const { sort, toSorted } = kernel;
    if (prototype.sort === sort) {
      kernel.put(prototype, 'sort', { sort(compare) {
        const result = sorted(this, compare);
        if (result === undefined) return kernel.apply(sort, this, [compare]);
        for (let i = 0; i < result.length; i++) this[i] = result[i];
        return this;
      } }.sort, false);
    }
    if (prototype.toSorted === toSorted) {
      kernel.put(prototype, 'toSorted', { toSorted(compare) {
        return sorted(this, compare) ?? kernel.apply(toSorted, this, [compare]);
      } }.toSorted, false);
    }
  };

  function Collator(locales = undefined, options = undefined) {
    const object = new.target === undefined ? Object.create(Collator.prototype) : this;
    slots.set(object, initialize(locales, options));
    return object;
  }
  intl.define(Collator, 'Collator');

  intl.methods(Collator.prototype, {
    resolvedOptions() {
      const c = receiver(slots, this, 'Intl.Collator.prototype.resolvedOptions');
      const { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst } = c;
      return { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst };
    },
    get compare() {
      const c = receiver(slots, this, 'get Intl.Collator.prototype.compare');
      if (c.bound === undefined) {
        c.bound = comparison(c.key);
        comparisons.set(c.bound, c.key);
        sortByHost();
        kernel.defineProperty(c.bound, 'name', { __proto__: null, value: '', configurable: true });
      }
      return c.bound;
    },
  });

  // Comparisons of a locale without options, which sorting uses.
  const plain = { __proto__: null };
  let kept = 0;
  const maxKept = 64;
  let usual;

  // usual returns the comparison of no locale.
  exports.usual = () => (usual ??= comparison(initialize().key));
  exports.localeCompare = (text, that, locales, options) => {
    if (options !== undefined || locales !== undefined && typeof locales !== 'string') {
      return call('intl.compare', initialize(locales, options).key, text, that);
    }
    if (locales === undefined) return exports.usual()(text, that);
    let c = plain[locales];
    if (c === undefined) {
      c = comparison(initialize(locales, options).key);
      if (kept++ < maxKept) plain[locales] = c;
    }
    return c(text, that);
  };
  exports.Collator = Collator;
})
