// Intl.DateTimeFormat, and toLocaleString of dates.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, choice, checkNumber, flag, keyword, receiver } = intl;
  const { stringify } = kernel;
  const service = 'Intl.DateTimeFormat';
  const slots = kernel.slot();

  const names = ['narrow', 'short', 'long'];
  const digits = ['2-digit', 'numeric'];
  const styles = ['full', 'long', 'medium', 'short'];
  const fields = [
    ['weekday', names], ['era', names], ['year', digits], ['month', ['2-digit', 'numeric', 'narrow', 'short', 'long']],
    ['day', digits], ['dayPeriod', names], ['hour', digits], ['minute', digits], ['second', digits],
  ];
  const zoneNames = ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'];

  // initialize reads the options in the order of ECMA-402. What must be there (required), and what is added if nothing
  // of it is (defaults), depends on the caller.
  const initialize = (locales, options, required, defaults) => {
    const requested = intl.canonicalList(locales);
    if (options === undefined) options = { __proto__: null };
    else if (options === null) throw new TypeError('Cannot convert undefined or null to object');
    else options = Object(options);
    intl.matcher(options, service);
    const o = { __proto__: null, locales: requested, required, defaults };
    o.calendar = keyword(options, 'calendar');
    o.numberingSystem = keyword(options, 'numberingSystem');
    const hour12 = flag(options, 'hour12');
    if (hour12 !== undefined) o.hour12 = `${hour12}`;
    o.hourCycle = choice(options, 'hourCycle', ['h11', 'h12', 'h23', 'h24'], undefined, service);
    const zone = options.timeZone;
    if (zone !== undefined) {
      o.timeZone = `${zone}`;
      if (o.timeZone === '') throw badZone('');
    }
    let explicit;
    const field = (name, value) => {
      if (value === undefined) return;
      o[name] = value;
      explicit ??= name;
    };
    for (let i = 0; i < fields.length; i++)
      field(fields[i][0], choice(options, fields[i][0], fields[i][1], undefined, service));
    field('fractionalSecondDigits', checkNumber(options.fractionalSecondDigits, 'fractionalSecondDigits', 1, 3));
    field('timeZoneName', choice(options, 'timeZoneName', zoneNames, undefined, service));
    choice(options, 'formatMatcher', ['best fit', 'basic'], 'best fit', service);
    o.dateStyle = choice(options, 'dateStyle', styles, undefined, service);
    o.timeStyle = choice(options, 'timeStyle', styles, undefined, service);
    if (o.dateStyle !== undefined || o.timeStyle !== undefined) {
      if (explicit !== undefined) {
        throw new TypeError(
          `Can't set option ${explicit} when ${o.dateStyle !== undefined ? 'dateStyle' : 'timeStyle'} is used`);
      }
      if (required === 'date' && o.timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
      if (required === 'time' && o.dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    }
    const resolved = call('intl.dateResolved', stringify(o));
    if (resolved === undefined) throw badZone(o.timeZone);
    o.locales = [resolved.list[0].value];
    return { key: stringify(o), resolved: resolved.list, bound: undefined };
  };
  const badZone = (name) => new RangeError(`Invalid time zone specified: ${kernel.slice(name, 0, 200)}`);

  // timeOf returns a value as a time, as TimeClip does. A missing one is now.
  const timeOf = (value) => {
    if (value === undefined) return Date.now();
    value = typeof value === 'object' && value !== null || typeof value === 'function' ? Number(value) : +value;
    if (!(Math.abs(value) <= 8.64e15)) throw new RangeError('Invalid time value');
    return Math.trunc(value);
  };
  const format = (f, time) => call('intl.date', f.key, `${time}`);

  function DateTimeFormat(locales = undefined, options = undefined) {
    const object = new.target === undefined ? Object.create(DateTimeFormat.prototype) : this;
    slots.set(object, initialize(locales, options, 'any', 'date'));
    return object;
  }
  intl.define(DateTimeFormat, 'DateTimeFormat');

  const range = (object, operation, method, start, end) => {
    const f = receiver(slots, object, `Intl.DateTimeFormat.prototype.${method}`);
    if (start === undefined || end === undefined) throw new TypeError('Invalid time value');
    return call(operation, f.key, `${timeOf(start)}`, `${timeOf(end)}`);
  };

  intl.methods(DateTimeFormat.prototype, {
    resolvedOptions() {
      const { resolved } = receiver(slots, this, 'Intl.DateTimeFormat.prototype.resolvedOptions');
      const result = {};
      for (let i = 0; i < resolved.length; i++) result[resolved[i].name] = resolved[i].value;
      return result;
    },
    formatToParts(date) {
      const f = receiver(slots, this, 'Intl.DateTimeFormat.prototype.formatToParts');
      return call('intl.dateParts', f.key, `${timeOf(date)}`).list;
    },
    get format() {
      const f = receiver(slots, this, 'get Intl.DateTimeFormat.prototype.format');
      if (f.bound === undefined) {
        f.bound = (date) => format(f, timeOf(date));
        kernel.defineProperty(f.bound, 'name', { __proto__: null, value: '', configurable: true });
      }
      return f.bound;
    },
    formatRange(startDate, endDate) { return range(this, 'intl.dateRange', 'formatRange', startDate, endDate); },
    formatRangeToParts(startDate, endDate) {
      return range(this, 'intl.dateRangeParts', 'formatRangeToParts', startDate, endDate).list;
    },
  });

  // Formatters of a locale without options, which loops over dates use.
  const plain = { __proto__: null };
  let kept = 0;
  const maxKept = 64;

  exports.toLocaleString = (time, locales, options, required, defaults) => {
    if (time !== time) return 'Invalid Date';
    if (options !== undefined || locales !== undefined && typeof locales !== 'string') {
      return format(initialize(locales, options, required, defaults), time);
    }
    const key = `${required} ${defaults} ${locales ?? ''}`;
    let f = plain[key];
    if (f === undefined) {
      f = initialize(locales, options, required, defaults);
      if (kept < maxKept) {
        plain[key] = f;
        kept++;
      }
    }
    return format(f, time);
  };
  exports.DateTimeFormat = DateTimeFormat;
})
