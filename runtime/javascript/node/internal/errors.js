// Errors with codes, whose texts are those of Node: each is a function that returns the error.
(function (kernel, require, module, exports) {
  'use strict';

  // nodeError makes a constructor-like function for a code: text(...args) gives the message.
  const nodeError = (code, Type, text) => {
    exports[code] = (...args) => {
      const error = new Type(text(...args));
      // Node's errors have the code in the stack only, not in the name.
      Object.defineProperty(error, 'code', {
        __proto__: null, value: code, writable: true, enumerable: true, configurable: true,
      });
      Object.defineProperty(error, 'toString', {
        __proto__: null, value() {
          return `${this.name} [${code}]: ${this.message}`;
        }, writable: true, enumerable: false, configurable: true,
      });
      return error;
    };
  };

  exports.define = nodeError; // for the codes of one module

  // received describes a value as Node's messages end: "Received type number (5)".
  const received = (value) => {
    if (value === null || value === undefined) return ` Received ${value}`;
    if (typeof value === 'function') return ` Received function ${value.name}`;
    if (typeof value === 'object') {
      if (value.constructor?.name) return ` Received an instance of ${value.constructor.name}`;
      return ` Received ${show(value, { depth: -1 })}`;
    }
    let shown = show(value, { colors: false });
    if (shown.length > 28) shown = `${shown.slice(0, 25)}...`;
    return ` Received type ${typeof value} (${shown})`;
  };
  const show = (value, options) => require('util').inspect(value, options);
  exports.received = received;

  const primitiveTypes = [
    'string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol',
  ];
  const list = (words, conjunction = 'or') => {
    if (words.length < 3) return words.join(` ${conjunction} `);
    return `${words.slice(0, -1).join(', ')}, ${conjunction} ${words[words.length - 1]}`;
  };
  exports.list = list;

  nodeError('ERR_INVALID_ARG_TYPE', TypeError, (name, expected, actual) => {
    expected = Array.isArray(expected) ? expected : [expected];
    const named = name.endsWith(' argument') ? `The ${name}`
      : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
    const types = [];
    const instances = [];
    const others = [];
    for (const value of expected) {
      if (primitiveTypes.includes(value)) types.push(value.toLowerCase());
      else if (/^([A-Z][a-z0-9]*)+$/.test(value)) instances.push(value);
      else others.push(value);
    }
    if (instances.length > 0 && types.includes('object')) { // "of type object or an instance of X" says less
      types.splice(types.indexOf('object'), 1);
      instances.push('Object');
    }
    const parts = [];
    if (types.length > 0) parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${list(types)}`);
    if (instances.length > 0) parts.push(`an instance of ${list(instances)}`);
    if (others.length > 1) parts.push(`one of ${list(others)}`);
    else if (others.length === 1) parts.push(others[0].toLowerCase() === others[0] ? others[0] : `an ${others[0]}`);
    return `${named} must be ${parts.join(' or ')}.${received(actual)}`;
  });
  nodeError('ERR_INVALID_ARG_VALUE', TypeError, (name, value, reason = 'is invalid') => {
    let shown = show(value);
    if (shown.length > 128) shown = `${shown.slice(0, 128)}...`;
    return `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${shown}`;
  });
  nodeError('ERR_OUT_OF_RANGE', RangeError, (name, range, actual, whole = false) => {
    let shown;
    if (Number.isInteger(actual) && Math.abs(actual) > 2 ** 32) {
      shown = underscored(String(actual));
    } else if (typeof actual === 'bigint') {
      shown = String(actual);
      if (actual > 2n ** 32n || actual < -(2n ** 32n)) shown = underscored(shown);
      shown += 'n';
    } else {
      shown = show(actual);
    }
    return `${whole ? name : `The value of "${name}" is out of range.`} It must be ${range}. Received ${shown}`;
  });
  const underscored = (text) => {
    let rest = '';
    let i = text.length;
    for (const start = text[0] === '-' ? 1 : 0; i >= start + 4; i -= 3) rest = `_${text.slice(i - 3, i)}${rest}`;
    return text.slice(0, i) + rest;
  };
  nodeError('ERR_MISSING_ARGS', TypeError, (...names) => {
    const quoted = names.map((name) => (Array.isArray(name) ? name.map((n) => `"${n}"`).join(' or ') : `"${name}"`));
    return `The ${list(quoted, 'and')} argument${names.length > 1 ? 's' : ''} must be specified`;
  });
  nodeError('ERR_INVALID_THIS', TypeError, (type) => `Value of "this" must be of type ${type}`);
  nodeError('ERR_METHOD_NOT_IMPLEMENTED', Error, (name) => `The ${name} method is not implemented`);
  nodeError('ERR_ILLEGAL_CONSTRUCTOR', TypeError, () => 'Illegal constructor');
  nodeError('ERR_INVALID_RETURN_VALUE', TypeError, (expected, name, value) => (
    `Expected ${expected} to be returned from the "${name}" function but ` +
      `got${received(value).slice(' Received'.length)}.`));
  nodeError('ERR_UNAVAILABLE_DURING_EXIT', Error, () => 'Cannot call function in process exit handler');
  nodeError('ERR_UNHANDLED_ERROR', Error,
    (error) => (error === undefined ? 'Unhandled error.' : `Unhandled error. (${error})`));
  nodeError('ERR_FALSY_VALUE_REJECTION', Error, () => 'Promise was rejected with falsy value');
  nodeError('ERR_UNKNOWN_ENCODING', TypeError,
    (encoding) => `Unknown encoding: ${typeof encoding === 'object' ? show(encoding) : String(encoding)}`);

  // unavailable is the error of what Node has and this runtime has not: it says what there is instead.
  exports.unavailable = (what, instead) => {
    const error = new Error(`${what} is not available here: ${instead}`);
    error.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
    return error;
  };

  // AbortError is what an operation fails with that an AbortSignal has ended.
  exports.AbortError = class AbortError extends Error {
    constructor(message = 'The operation was aborted', options = undefined) {
      super(message, options);
      this.code = 'ABORT_ERR';
      this.name = 'AbortError';
    }
  };
})
