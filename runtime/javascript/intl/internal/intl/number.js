// Intl.NumberFormat, and toLocaleString of numbers.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, choice, number, checkNumber, numeric, receiver } = intl;
  const service = 'Intl.NumberFormat';
  const slots = kernel.slot();

  const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
  const modes = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];

  // digitOptions reads how many digits a number has, as SetNumberFormatDigitOptions of ECMA-402 says.
  const digitOptions = (options, minDefault, maxDefault, notation, name) => {
    const minimumIntegerDigits = number(options, 'minimumIntegerDigits', 1, 21, 1);
    let minFraction = options.minimumFractionDigits;
    let maxFraction = options.maximumFractionDigits;
    let minSignificant = options.minimumSignificantDigits;
    let maxSignificant = options.maximumSignificantDigits;
    const roundingIncrement = number(options, 'roundingIncrement', 1, 5000, 1);
    if (!increments.includes(roundingIncrement)) throw new RangeError('roundingIncrement value is out of range.');
    const roundingMode = choice(options, 'roundingMode', modes, 'halfExpand', name);
    const priority = choice(options, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto', name);
    const trailingZeroDisplay = choice(options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto', name);
    if (roundingIncrement !== 1) maxDefault = minDefault;
    const hasSignificant = minSignificant !== undefined || maxSignificant !== undefined;
    const hasFraction = minFraction !== undefined || maxFraction !== undefined;
    const significant = priority !== 'auto' || hasSignificant;
    const fraction = priority !== 'auto' || !(significant || (!hasFraction && notation === 'compact'));
    const digits = {
      minimumIntegerDigits, minimumFractionDigits: undefined, maximumFractionDigits: undefined,
      minimumSignificantDigits: undefined, maximumSignificantDigits: undefined,
      roundingIncrement, roundingMode, roundingPriority: 'auto', trailingZeroDisplay,
    };
    if (significant) {
      if (hasSignificant) {
        digits.minimumSignificantDigits = minSignificant = checkNumber(minSignificant,
          'minimumSignificantDigits', 1, 21, 1);
        digits.maximumSignificantDigits = checkNumber(maxSignificant, 'maximumSignificantDigits',
          minSignificant, 21, 21);
      } else {
        digits.minimumSignificantDigits = 1;
        digits.maximumSignificantDigits = 21;
      }
    }
    if (fraction) {
      if (hasFraction) {
        minFraction = checkNumber(minFraction, 'minimumFractionDigits', 0, 100, undefined);
        maxFraction = checkNumber(maxFraction, 'maximumFractionDigits', 0, 100, undefined);
        if (minFraction === undefined) minFraction = Math.min(minDefault, maxFraction);
        else if (maxFraction === undefined) maxFraction = Math.max(maxDefault, minFraction);
        else if (minFraction > maxFraction) throw new RangeError('maximumFractionDigits value is out of range.');
        digits.minimumFractionDigits = minFraction;
        digits.maximumFractionDigits = maxFraction;
      } else {
        digits.minimumFractionDigits = minDefault;
        digits.maximumFractionDigits = maxDefault;
      }
    }
    if (!significant && !fraction) {
      digits.minimumFractionDigits = digits.maximumFractionDigits = 0;
      digits.minimumSignificantDigits = 1;
      digits.maximumSignificantDigits = 2;
      digits.roundingPriority = 'morePrecision';
    } else if (priority !== 'auto') {
      digits.roundingPriority = priority;
    }
    if (roundingIncrement !== 1) {
      if (digits.roundingPriority !== 'auto' || hasSignificant)
        throw new TypeError('RoundingType is not fractionDigits');
      if (digits.maximumFractionDigits !== digits.minimumFractionDigits) {
        throw new RangeError('maximumFractionDigits not equal to minimumFractionDigits');
      }
    }
    return digits;
  };
  exports.digitOptions = digitOptions;

  const grouping = (options, fallback) => {
    let value = options.useGrouping;
    if (value === undefined) return fallback;
    if (value === true) return 'always';
    if (!value) return false;
    value = `${value}`;
    if (value === 'true' || value === 'false') return fallback;
    if (!['min2', 'auto', 'always'].includes(value)) throw intl.outOfRange(value, service, 'useGrouping');
    return value;
  };

  const isUnit = (unit) => call('intl.isUnit', unit.slice(0, 100)) === 1;

  // key returns the options as the host reads them (numberOptions in package intl).
  const key = (f) => {
    const text = (value) => (value === undefined ? '' : value);
    return [
      f.data, f.numberingSystem, f.style, text(f.currency), text(f.currencyDisplay), text(f.currencySign), text(f.unit),
      text(f.unitDisplay), f.notation, text(f.compactDisplay), f.signDisplay, `${f.useGrouping}`,
      f.minimumIntegerDigits,
      text(f.minimumFractionDigits), text(f.maximumFractionDigits), text(f.minimumSignificantDigits),
      text(f.maximumSignificantDigits), f.roundingMode, f.roundingIncrement, f.roundingPriority, f.trailingZeroDisplay,
    ].join('|');
  };
  exports.key = key;

  const initialize = (locales, options) => {
    const requested = intl.canonicalList(locales);
    options = intl.toOptions(options, service);
    intl.matcher(options, service);
    const system = intl.keyword(options, 'numberingSystem');
    const style = choice(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal', service);
    let { currency } = options;
    if (currency !== undefined) {
      currency = `${currency}`;
      if (!/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
      currency = currency.toUpperCase();
    } else if (style === 'currency') {
      throw new TypeError('Currency code is required with currency style.');
    }
    const currencyDisplay = choice(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'],
      'symbol', service);
    const currencySign = choice(options, 'currencySign', ['standard', 'accounting'], 'standard', service);
    let { unit } = options;
    if (unit !== undefined) {
      unit = `${unit}`;
      if (!isUnit(unit)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
    } else if (style === 'unit') {
      throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
    }
    const unitDisplay = choice(options, 'unitDisplay', ['short', 'narrow', 'long'], 'short', service);
    const notation = choice(options, 'notation', ['standard', 'scientific', 'engineering', 'compact'],
      'standard', service);
    const money = style === 'currency';
    let minDefault = 0;
    let maxDefault = style === 'percent' ? 0 : 3;
    if (money) minDefault = maxDefault = call('intl.currencyDigits', currency);
    const digits = digitOptions(options, minDefault, maxDefault, notation, service);
    const compactDisplay = choice(options, 'compactDisplay', ['short', 'long'], 'short', service);
    const useGrouping = grouping(options, notation === 'compact' ? 'min2' : 'auto');
    const signDisplay = choice(options, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'],
      'auto', service);
    const [locale, data, numberingSystem] = intl.resolve('number', requested,
      system === undefined ? '' : `nu ${system}`);
    const f = {
      locale, data, numberingSystem, style,
      currency: money ? currency : undefined,
      currencyDisplay: money ? currencyDisplay : undefined,
      currencySign: money ? currencySign : undefined,
      unit: style === 'unit' ? unit : undefined,
      unitDisplay: style === 'unit' ? unitDisplay : undefined,
      notation, compactDisplay: notation === 'compact' ? compactDisplay : undefined,
      signDisplay, useGrouping, ...digits,
      key: '', bound: undefined,
    };
    f.key = key(f);
    return f;
  };

  const format = (f, value) => call('intl.number', f.key, numeric(value));

  function NumberFormat(locales = undefined, options = undefined) {
    const object = new.target === undefined ? Object.create(NumberFormat.prototype) : this;
    slots.set(object, initialize(locales, options));
    return object;
  }
  intl.define(NumberFormat, 'NumberFormat');

  const range = (f, operation, start, end) => {
    if (start === undefined) throw new TypeError('Invalid start : undefined');
    if (end === undefined) throw new TypeError('Invalid end : undefined');
    start = numeric(start);
    end = numeric(end);
    if (start === 'NaN') throw new RangeError('Invalid start : NaN');
    if (end === 'NaN') throw new RangeError('Invalid end : NaN');
    return call(operation, f.key, start, end);
  };

  const shown = ['locale', 'numberingSystem', 'style', 'currency', 'currencyDisplay',
    'currencySign', 'unit', 'unitDisplay',
    'minimumIntegerDigits', 'minimumSignificantDigits', 'maximumSignificantDigits',
    'minimumFractionDigits', 'maximumFractionDigits',
    'useGrouping', 'notation', 'compactDisplay', 'signDisplay', 'roundingMode', 'roundingIncrement',
    'trailingZeroDisplay',
    'roundingPriority'];

  // resolved returns those of the properties that are set, as an object.
  exports.resolved = (data, names) => {
    const result = {};
    for (const name of names) if (data[name] !== undefined) result[name] = data[name];
    return result;
  };

  intl.methods(NumberFormat.prototype, {
    resolvedOptions() {
      return exports.resolved(receiver(slots, this, 'Intl.NumberFormat.prototype.resolvedOptions'), shown);
    },
    formatToParts(value) {
      const f = receiver(slots, this, 'Intl.NumberFormat.prototype.formatToParts');
      return call('intl.numberParts', f.key, numeric(value)).list;
    },
    get format() {
      const f = receiver(slots, this, 'get Intl.NumberFormat.prototype.format');
      if (f.bound === undefined) {
        f.bound = (value) => format(f, value);
        kernel.defineProperty(f.bound, 'name', { __proto__: null, value: '', configurable: true });
      }
      return f.bound;
    },
    formatRange(start, end) {
      return range(receiver(slots, this, 'Intl.NumberFormat.prototype.formatRange'), 'intl.numberRange', start, end);
    },
    formatRangeToParts(start, end) {
      return range(receiver(slots, this, 'Intl.NumberFormat.prototype.formatRangeToParts'),
        'intl.numberRangeParts', start, end).list;
    },
  });

  let plain; // the formatter of no locale and no options
  exports.toLocaleString = (value, locales, options) => {
    if (locales === undefined && options === undefined) {
      if (plain === undefined) plain = initialize(undefined, undefined);
      return format(plain, value);
    }
    return format(initialize(locales, options), value);
  };
  exports.NumberFormat = NumberFormat;
})
