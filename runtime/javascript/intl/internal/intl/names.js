// Intl.DisplayNames.
(function (kernel, require, module, exports) {
  'use strict';
  const intl = require('internal/intl');
  const { call, choice, receiver } = intl;
  const service = 'Intl.DisplayNames';
  const slots = kernel.slot();
  const types = ['language', 'region', 'script', 'currency', 'calendar', 'dateTimeField'];

  function DisplayNames(locales, options) {
    intl.needsNew(new.target, service);
    const requested = intl.canonicalList(locales);
    if (options === undefined) throw new TypeError('invalid_argument');
    options = intl.strictOptions(options);
    intl.matcher(options, service);
    const style = choice(options, 'style', ['narrow', 'short', 'long'], 'long', service);
    const type = choice(options, 'type', types, undefined, service);
    if (type === undefined) throw new TypeError('invalid_argument');
    const fallback = choice(options, 'fallback', ['code', 'none'], 'code', service);
    const languageDisplay = choice(options, 'languageDisplay', ['dialect', 'standard'], 'dialect', service);
    const [locale, data] = intl.resolve('plain', requested);
    slots.set(this, {
      locale, style, type, fallback, languageDisplay, key: [data, type, style, languageDisplay].join('|'),
    });
  }
  intl.define(DisplayNames, 'DisplayNames', { length: 2 });

  intl.methods(DisplayNames.prototype, {
    resolvedOptions() {
      const {
        locale, style, type, fallback, languageDisplay,
      } = receiver(slots, this, 'Intl.DisplayNames.prototype.resolvedOptions');
      const result = { locale, style, type, fallback };
      if (type === 'language') result.languageDisplay = languageDisplay;
      return result;
    },
    of(code) {
      const names = receiver(slots, this, 'Intl.DisplayNames.prototype.of');
      code = `${code}`;
      // The answer is 0 for an invalid code; or - or + for one without a name of its own or with it, and the name.
      const answer = code.length > 500 ? 0 : call('intl.name', names.key, code);
      if (answer === 0) throw new RangeError('invalid_argument');
      if (answer[0] === '-' && names.fallback === 'none') return undefined;
      return answer.slice(1);
    },
  });
  exports.DisplayNames = DisplayNames;
})
