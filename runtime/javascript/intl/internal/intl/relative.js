// Intl.RelativeTimeFormat.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, choice, receiver } = intl;
  const service = 'Intl.RelativeTimeFormat';
  const slots = kernel.slot();

  function RelativeTimeFormat(locales = undefined, options = undefined) {
    intl.needsNew(new.target, service);
    const requested = intl.canonicalList(locales);
    options = intl.toOptions(options, service);
    intl.matcher(options, service);
    const system = intl.keyword(options, 'numberingSystem');
    const style = choice(options, 'style', ['long', 'short', 'narrow'], 'long', service);
    const numeric = choice(options, 'numeric', ['always', 'auto'], 'always', service);
    const [locale, data, numberingSystem] = intl.resolve('number', requested,
      system === undefined ? '' : `nu ${system}`);
    slots.set(this, {
      locale, style, numeric, numberingSystem, key: [data, numberingSystem, style, numeric].join('|'),
    });
  }
  intl.define(RelativeTimeFormat, 'RelativeTimeFormat');

  const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
  const format = (f, operation, value, unit, method) => {
    value = Number(value);
    unit = `${unit}`;
    const singular = unit.endsWith('s') ? unit.slice(0, -1) : unit;
    if (!units.includes(singular)) throw new RangeError(`Invalid unit argument for ${method}() '${unit}'`);
    if (!Number.isFinite(value)) throw new RangeError(`Value need to be finite number for ${method}()`);
    return call(operation, f.key, intl.numeric(value), singular);
  };

  intl.methods(RelativeTimeFormat.prototype, {
    resolvedOptions() {
      const {
        locale, style, numeric, numberingSystem,
      } = receiver(slots, this, 'Intl.RelativeTimeFormat.prototype.resolvedOptions');
      return { locale, style, numeric, numberingSystem };
    },
    format(value, unit) {
      const method = 'Intl.RelativeTimeFormat.prototype.format';
      return format(receiver(slots, this, method), 'intl.relative', value, unit, method);
    },
    formatToParts(value, unit) {
      const method = 'Intl.RelativeTimeFormat.prototype.formatToParts';
      return format(receiver(slots, this, method), 'intl.relativeParts', value, unit, method).list;
    },
  });
  exports.RelativeTimeFormat = RelativeTimeFormat;
})
