// Intl.ListFormat.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { choice, receiver } = intl;
  const service = 'Intl.ListFormat';
  const slots = kernel.slot();
  const kinds = { conjunction: 'standard', disjunction: 'or', unit: 'unit' };
  const widths = { long: '', short: '-short', narrow: '-narrow' };

  // Some patterns depend on the element that follows: [language, pattern, test, other pattern].
  const changes = [
    ['es', '{0} y {1}', /^(hi(?![ae])|i)/i, '{0} e {1}'],
    ['es', '{0} o {1}', /^(h?o|8|11(?= |$))/i, '{0} u {1}'],
    ['he', '{0} ו{1}', /^(?!\p{Script=Hebrew})./su, '{0} ו-{1}'],
  ];

  // split takes a pattern apart: the texts before, between and after its two elements.
  const split = (pattern) => {
    const first = pattern.indexOf('{0}');
    const second = pattern.indexOf('{1}');
    return [pattern.slice(0, first), pattern.slice(first + 3, second), pattern.slice(second + 3)];
  };

  function ListFormat(locales = undefined, options = undefined) {
    intl.needsNew(new.target, service);
    const requested = intl.canonicalList(locales);
    options = intl.strictOptions(options);
    intl.matcher(options, service);
    const type = choice(options, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction', service);
    const style = choice(options, 'style', ['long', 'short', 'narrow'], 'long', service);
    const [locale, data] = intl.resolve('plain', requested);
    const patterns = intl.call('intl.list', data, kinds[type] + widths[style]).split('|');
    slots.set(this, { locale, type, style, patterns });
  }
  intl.define(ListFormat, 'ListFormat');

  const strings = (list) => {
    if (list === undefined) return [];
    const texts = [];
    if (list === null || typeof list[Symbol.iterator] !== 'function') {
      const shown = list === null || typeof list === 'object' ? `${list}` : `${typeof list} ${String(list)}`;
      throw new TypeError(`${shown} is not iterable (cannot read property Symbol(Symbol.iterator))`);
    }
    for (const text of list) {
      if (typeof text !== 'string') throw new TypeError(`Iterable yielded ${String(text)} which is not a string`);
      texts.push(text);
    }
    return texts;
  };

  // pattern returns a pattern, as it is before an element.
  const pattern = (f, index, next) => {
    const text = f.patterns[index];
    const language = f.locale.split('-')[0];
    for (const [of, from, test, to] of changes) if (of === language && from === text && test.test(next))
      return split(to);
    return split(text);
  };

  // parts returns the elements and what is between them. As in V8, empty ones are not there.
  const parts = (f, list) => {
    const elements = strings(list);
    const result = [];
    const before = []; // literals in front, the innermost first
    const put = (type, value) => {
      if (value === '') return;
      if (type === 'literal' && result.at(-1)?.type === 'literal') result.at(-1).value += value;
      else result.push({ type, value });
    };
    for (let i = 0; i < elements.length; i++) {
      if (i === 0) {
        put('element', elements[i]);
        continue;
      }
      let index = 1;
      if (elements.length === 2) index = 3;
      else if (i === elements.length - 1) index = 2;
      else if (i === 1) index = 0;
      const [head, between, tail] = pattern(f, index, elements[i]);
      if (head !== '') before.push({ type: 'literal', value: head });
      put('literal', between);
      put('element', elements[i]);
      put('literal', tail);
    }
    return [...before.reverse(), ...result];
  };

  intl.methods(ListFormat.prototype, {
    resolvedOptions() {
      const { locale, type, style } = receiver(slots, this, 'Intl.ListFormat.prototype.resolvedOptions');
      return { locale, type, style };
    },
    format(list) {
      return parts(receiver(slots, this, 'Intl.ListFormat.prototype.format'), list).map((part) => part.value).join('');
    },
    formatToParts(list) { return parts(receiver(slots, this, 'Intl.ListFormat.prototype.formatToParts'), list); },
  });
  exports.ListFormat = ListFormat;
})
