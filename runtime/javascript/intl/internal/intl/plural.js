// Intl.PluralRules.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, numeric, receiver } = intl;
  const { digitOptions, key, resolved } = require('internal/intl/number');
  const service = 'Intl.PluralRules';
  const slots = kernel.slot();

  function PluralRules(locales = undefined, options = undefined) {
    intl.needsNew(new.target, service);
    const requested = intl.canonicalList(locales);
    options = intl.toOptions(options, service);
    intl.matcher(options, service);
    const type = intl.choice(options, 'type', ['cardinal', 'ordinal'], 'cardinal', service);
    const digits = digitOptions(options, 0, 3, 'standard', service);
    const [locale, data] = intl.resolve('plain', requested);
    const rules = { locale, data, numberingSystem: 'latn', style: 'decimal', notation: 'standard',
      signDisplay: 'auto', useGrouping: 'auto', type, ...digits };
    // The host reads the type from the first letter.
    rules.key = (type === 'ordinal' ? 'o' : 'c') + key(rules);
    slots.set(this, rules);
  }
  intl.define(PluralRules, 'PluralRules');

  const shown = ['locale', 'type', 'minimumIntegerDigits', 'minimumSignificantDigits', 'maximumSignificantDigits',
    'minimumFractionDigits', 'maximumFractionDigits'];
  intl.methods(PluralRules.prototype, {
    resolvedOptions() {
      const rules = receiver(slots, this, 'Intl.PluralRules.prototype.resolvedOptions');
      const result = resolved(rules, shown);
      result.pluralCategories = call('intl.plurals', rules.data, rules.type).split(' ');
      return result;
    },
    select(value) {
      const rules = receiver(slots, this, 'Intl.PluralRules.prototype.select');
      return call('intl.plural', rules.key, numeric(Number(value)));
    },
    selectRange(start, end) {
      const rules = receiver(slots, this, 'Intl.PluralRules.prototype.selectRange');
      if (start === undefined) throw new TypeError('Invalid startRange : undefined');
      if (end === undefined) throw new TypeError('Invalid endRange : undefined');
      start = Number(start);
      end = Number(end);
      if (Number.isNaN(start)) throw new RangeError('Invalid startRange : NaN');
      if (Number.isNaN(end)) throw new RangeError('Invalid endRange : NaN');
      return call('intl.pluralRange', rules.key, numeric(start), numeric(end));
    },
  });
  exports.PluralRules = PluralRules;
})
