// Intl.Locale.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, receiver } = intl;
  const slots = kernel.slot();

  intl.localeOf = (value) => slots.get(value);

  const keywords = [['calendar', 'ca'], ['collation', 'co'], ['hourCycle', 'hc'],
    ['caseFirst', 'kf'], ['numeric', 'kn'],
    ['numberingSystem', 'nu']];
  const values = { hourCycle: ['h11', 'h12', 'h23', 'h24'], caseFirst: ['upper', 'lower', 'false'] };

  const valid = { language: /^([a-z]{2,3}|[a-z]{5,8})$/i, script: /^[a-z]{4}$/i, region: /^([a-z]{2}|[0-9]{3})$/i };
  const type = /^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i;

  function Locale(tag, options = undefined) {
    intl.needsNew(new.target, 'Intl.Locale');
    if (typeof tag !== 'string' && (typeof tag !== 'object' && typeof tag !== 'function' || tag === null)) {
      throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
    }
    const text = slots.get(tag) ?? `${tag}`;
    options = intl.toOptions(options, 'Intl.Locale');
    const parts = [];
    const invalid = () => new RangeError('Incorrect locale information provided');
    if (text.length > 512 || call('intl.tag', text) === undefined) throw invalid();
    for (const name of Object.keys(valid)) {
      const value = options[name];
      if (value === undefined) continue;
      parts.push(name, checked(`${value}`, valid[name], invalid));
    }
    for (const [name, key] of keywords) {
      let value = options[name];
      if (value === undefined) continue;
      value = name === 'numeric' ? `${Boolean(value)}` : `${value}`;
      if (values[name] && !values[name].includes(value)) throw intl.outOfRange(value, 'locale', name);
      parts.push(key, checked(value, type, invalid));
    }
    const locale = call('intl.locale', text, parts.join(' '));
    if (locale === undefined) throw invalid();
    slots.set(this, locale);
  }
  intl.define(Locale, 'Locale', { length: 1, supported: false });

  const checked = (value, pattern, invalid) => {
    if (value.length > 100 || !pattern.test(value)) throw invalid();
    return value;
  };

  const part = (locale, name) => call('intl.localePart', locale, name);
  const info = (locale, what) => {
    const text = call('intl.localeInfo', locale, what);
    return text === '' ? [] : text.split(' ');
  };
  const of = (locale, member) => receiver(slots, locale, `Intl.Locale.prototype.${member}`);
  const make = (tag) => new Locale(tag);

  intl.methods(Locale.prototype, {
    toString() { return of(this, 'toString'); },
    maximize() { return make(call('intl.maximize', of(this, 'maximize'))); },
    minimize() { return make(call('intl.minimize', of(this, 'minimize'))); },
    get language() { return part(of(this, 'language'), 'language'); },
    get script() { return part(of(this, 'script'), 'script'); },
    get region() { return part(of(this, 'region'), 'region'); },
    get baseName() { return part(of(this, 'baseName'), 'base'); },
    get calendar() { return part(of(this, 'calendar'), 'ca'); },
    get caseFirst() { return part(of(this, 'caseFirst'), 'kf'); },
    get collation() { return part(of(this, 'collation'), 'co'); },
    get hourCycle() { return part(of(this, 'hourCycle'), 'hc'); },
    get numeric() { return part(of(this, 'numeric'), 'kn') === ''; },
    get numberingSystem() { return part(of(this, 'numberingSystem'), 'nu'); },
    get calendars() { return info(of(this, 'calendars'), 'calendars'); },
    get collations() { return info(of(this, 'collations'), 'collations'); },
    get hourCycles() { return info(of(this, 'hourCycles'), 'hourCycles'); },
    get numberingSystems() { return info(of(this, 'numberingSystems'), 'numberingSystems'); },
    get textInfo() { return { direction: info(of(this, 'textInfo'), 'direction')[0] }; },
    get timeZones() {
      const locale = of(this, 'timeZones');
      return part(locale, 'region') === undefined ? undefined : info(locale, 'timeZones');
    },
    get weekInfo() {
      const [first, minimum, ...weekend] = info(of(this, 'weekInfo'), 'week');
      return { firstDay: Number(first), weekend: weekend.map(Number), minimalDays: Number(minimum) };
    },
  });
  exports.Locale = Locale;
})
