// Intl.Segmenter. The host divides a text piece by piece, as far as the script asks.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, choice, receiver } = intl;
  const { slice } = kernel;
  const service = 'Intl.Segmenter';
  const slots = kernel.slot();
  const segmentsSlots = kernel.slot();
  const iteratorSlots = kernel.slot();

  class Segmenter {
    constructor(locales = undefined, options = undefined) {
      const requested = intl.canonicalList(locales);
      options = intl.strictOptions(options);
      intl.matcher(options, service);
      const [locale, data] = intl.resolve('plain', requested);
      const granularity = choice(options, 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme', service);
      slots.set(this, { locale, granularity, key: `${data} ${granularity}` });
    }
  }
  // As in Node, a call without new says so.
  function constructor(locales = undefined, options = undefined) {
    if (new.target === undefined) throw new TypeError("Constructor Intl.Segmenter requires 'new'");
    return Reflect.construct(Segmenter, [locales, options], new.target);
  }
  constructor.prototype = Segmenter.prototype;
  kernel.defineProperty(Segmenter.prototype, 'constructor',
    { __proto__: null, value: constructor, writable: true, enumerable: false, configurable: true });
  intl.define(constructor, 'Segmenter');

  const pieceLength = 16384; // units of UTF-16 that the host gets at first

  // more asks the host for further boundaries. It returns false at the end of the text.
  const more = (s) => {
    const { text, starts } = s;
    while (s.end < text.length) {
      const piece = slice(text, s.end, s.end + s.piece);
      const last = s.end + s.piece >= text.length;
      const { list } = call('intl.segments', s.key, piece, last ? 'last' : '');
      for (let i = 0; i < list.length; i++) {
        kernel.append(starts, s.end * 2 + list[i] % 2); // where a segment begins, and whether it is a word
        s.end += Math.floor(list[i] / 2);
      }
      if (list.length > 0) {
        s.piece = pieceLength;
        return true;
      }
      s.piece *= 2; // a segment that is longer
    }
    return false;
  };

  // segment returns the data of the segment with a number.
  const segment = (s, i) => {
    const index = Math.floor(s.starts[i] / 2);
    const end = i + 1 < s.starts.length ? Math.floor(s.starts[i + 1] / 2) : s.end;
    const result = { segment: slice(s.text, index, end), index, input: s.text };
    if (s.words) result.isWordLike = s.starts[i] % 2 === 1;
    return result;
  };

  const segmentsPrototype = {};
  intl.methods(segmentsPrototype, {
    containing(index) {
      const s = receiver(segmentsSlots, this, '%SegmentsPrototype%.containing');
      index = Math.trunc(Number(index)) || 0;
      if (index < 0 || index >= s.text.length) return undefined;
      while (s.end <= index && more(s));
      let low = 0;
      let high = s.starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (Math.floor(s.starts[middle] / 2) <= index) low = middle;
        else high = middle - 1;
      }
      return segment(s, low);
    },
    [Symbol.iterator]() {
      const s = receiver(segmentsSlots, this, '%SegmentsPrototype%[Symbol.iterator]');
      const iterator = Object.create(iteratorPrototype);
      iteratorSlots.set(iterator, { segments: s, next: 0 });
      return iterator;
    },
  });

  const iteratorPrototype = Object.create(kernel.getPrototypeOf(kernel.getPrototypeOf([][Symbol.iterator]())));
  intl.methods(iteratorPrototype, {
    next() {
      const it = receiver(iteratorSlots, this, '%SegmentIterator.prototype%.next');
      const s = it.segments;
      if (it.next >= s.starts.length && !more(s)) return { value: undefined, done: true };
      return { value: segment(s, it.next++), done: false };
    },
  });
  kernel.defineProperty(iteratorPrototype, Symbol.toStringTag,
    { __proto__: null, value: 'Segmenter String Iterator', configurable: true });

  intl.methods(Segmenter.prototype, {
    resolvedOptions() {
      const { locale, granularity } = receiver(slots, this, 'Intl.Segmenter.prototype.resolvedOptions');
      return { locale, granularity };
    },
    segment(input) {
      const { key, granularity } = receiver(slots, this, 'Intl.Segmenter.prototype.segment');
      const segments = Object.create(segmentsPrototype);
      segmentsSlots.set(segments, {
        key, words: granularity === 'word', text: `${input}`, starts: kernel.list(), end: 0, piece: pieceLength,
      });
      return segments;
    },
  });
  exports.Segmenter = constructor;
})
