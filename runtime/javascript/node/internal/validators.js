// Checks of arguments, which throw what Node throws.
(function (kernel, require, module, exports) {
  'use strict';
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE, list } = require('internal/errors');

  const type = (name, expected, check) => (value, argument) => {
    if (!check(value)) throw ERR_INVALID_ARG_TYPE(argument, expected, value);
  };
  exports.validateString = type('validateString', 'string', (v) => typeof v === 'string');
  exports.validateBoolean = type('validateBoolean', 'boolean', (v) => typeof v === 'boolean');
  exports.validateFunction = type('validateFunction', 'Function', (v) => typeof v === 'function');
  exports.validateArray = type('validateArray', 'Array', (v) => Array.isArray(v));
  exports.validateObject = type('validateObject', 'Object',
    (v) => typeof v === 'object' && v !== null && !Array.isArray(v));
  exports.validateBuffer = type('validateBuffer', ['Buffer', 'TypedArray', 'DataView'], (v) => ArrayBuffer.isView(v));
  exports.validateAbortSignal = type('validateAbortSignal', 'AbortSignal',
    (v) => v === undefined || (typeof v === 'object' && v !== null && 'aborted' in v));

  exports.validateNumber = (value, name, min = undefined, max = undefined) => {
    if (typeof value !== 'number') throw ERR_INVALID_ARG_TYPE(name, 'number', value);
    if ((min !== undefined && value < min) || (max !== undefined && value > max) ||
        ((min !== undefined || max !== undefined) && Number.isNaN(value))) {
      const range = [
        min !== undefined ? `>= ${min}` : '', max !== undefined ? `<= ${max}` : '',
      ].filter(Boolean).join(' && ');
      throw ERR_OUT_OF_RANGE(name, range, value);
    }
  };

  const integer = (low, high) => (value, name, min = low, max = high) => {
    if (typeof value !== 'number') throw ERR_INVALID_ARG_TYPE(name, 'number', value);
    if (!Number.isInteger(value)) throw ERR_OUT_OF_RANGE(name, 'an integer', value);
    if (value < min || value > max) throw ERR_OUT_OF_RANGE(name, `>= ${min} && <= ${max}`, value);
  };
  exports.validateInteger = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  exports.validateInt32 = integer(-2147483648, 2147483647);
  exports.validateUint32 = (value, name, positive = false) => {
    if (typeof value !== 'number') throw ERR_INVALID_ARG_TYPE(name, 'number', value);
    if (!Number.isInteger(value)) throw ERR_OUT_OF_RANGE(name, 'an integer', value);
    const min = positive ? 1 : 0;
    if (value < min || value > 4294967295) throw ERR_OUT_OF_RANGE(name, `>= ${min} && <= 4294967295`, value);
  };

  exports.validateOneOf = (value, name, allowed) => {
    if (!allowed.includes(value)) {
      const shown = list(allowed.map((v) => (typeof v === 'string' ? `'${v}'` : String(v))));
      throw ERR_INVALID_ARG_VALUE(name, value, `must be one of: ${shown.replace(/,? or /, ', ')}`);
    }
  };
})
