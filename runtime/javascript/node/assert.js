// assert
(function (kernel, require, module) {
  'use strict';
  const { host } = kernel;
  const AssertionError = require('internal/assertionerror');
  const { isDeepEqual, isDeepStrictEqual } = require('internal/comparisons');
  const { inspect } = require('internal/inspect');
  const {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_RETURN_VALUE, ERR_MISSING_ARGS,
  } = require('internal/errors');
  const types = require('internal/types');

  const raise = (options) => {
    if (options.message instanceof Error || types.isNativeError(options.message)) throw options.message;
    throw new AssertionError(options);
  };

  // quoted returns the call of a function of this module as it is written in the script.
  const quoted = (f) => {
    host('caller'); // forgets what was captured before
    Error.captureStackTrace?.({}, f);
    const text = host('caller');
    return text === undefined ? '' : `:\n\n  ${text}\n`;
  };
  const innerOk = (f, count, value, message) => {
    if (value) return;
    let generated = false;
    if (count === 0) {
      generated = true;
      message = 'No value argument passed to `assert.ok()`';
    } else if (message == null) {
      generated = true;
      message = `The expression evaluated to a falsy value${quoted(f)}`;
    }
    if (types.isNativeError(message)) throw message;
    const error = new AssertionError({ actual: value, expected: true, message, operator: '==', stackStartFn: f });
    error.generatedMessage = generated;
    throw error;
  };
  function assert(...args) { innerOk(assert, args.length, ...args); }
  assert.ok = function ok(...args) { innerOk(ok, args.length, ...args); };

  let warned = false;
  assert.fail = function fail(actual, expected, message, operator, stackStartFn) {
    const count = arguments.length;
    if (actual == null && count <= 1) {
      if (actual != null) throw actual;
      message = 'Failed';
    } else if (count === 1) {
      message = actual;
      actual = undefined;
    } else if (count === 2) {
      operator = '!=';
    }
    if (count > 1 && !warned) {
      warned = true;
      process.emitWarning('assert.fail() with more than one argument is deprecated. ' +
        'Please use assert.strictEqual() instead or only pass a message.',
        'DeprecationWarning', 'DEP0094');
    }
    if (types.isNativeError(message)) throw message;
    const options = {
      actual, expected, operator: operator === undefined ? 'fail' : operator, stackStartFn: stackStartFn ?? fail,
    };
    if (message !== undefined) options.message = message;
    const error = new AssertionError(options);
    if (count === 0 || (count === 1 && actual === undefined && message === 'Failed')) error.generatedMessage = true;
    throw error;
  };
  assert.AssertionError = AssertionError;

  // comparison defines a method that fails unless holds(actual, expected).
  const comparison = (name, holds, operator = name) => {
    assert[name] = {
      [name](actual, expected, message) {
        if (arguments.length < 2) throw ERR_MISSING_ARGS('actual', 'expected');
        if (!holds(actual, expected)) raise({ actual, expected, message, operator, stackStartFn: assert[name] });
      },
    }[name];
  };
  /* eslint-disable eqeqeq */
  comparison('equal', (a, b) => a == b || (a !== a && b !== b), '==');
  comparison('notEqual', (a, b) => a != b && !(a !== a && b !== b), '!=');
  /* eslint-enable eqeqeq */
  comparison('deepEqual', isDeepEqual);
  comparison('notDeepEqual', (a, b) => !isDeepEqual(a, b));
  comparison('deepStrictEqual', isDeepStrictEqual);
  comparison('notDeepStrictEqual', (a, b) => !isDeepStrictEqual(a, b));
  comparison('strictEqual', Object.is);
  comparison('notStrictEqual', (a, b) => !Object.is(a, b));

  // A Comparison is what is compared when an error is expected to have certain properties.
  class Comparison {
    constructor(object, keys, actual) {
      for (const key of keys) {
        if (key in object) {
          if (actual !== undefined && typeof actual[key] === 'string' && types.isRegExp(object[key]) &&
            object[key].exec(actual[key]) !== null) {
            this[key] = actual[key];
          } else {
            this[key] = object[key];
          }
        }
      }
    }
  }
  const compareKey = (actual, expected, key, message, keys, f) => {
    if (key in actual && isDeepStrictEqual(actual[key], expected[key])) return;
    if (message) raise({ actual, expected, message, operator: f.name, stackStartFn: f });
    const error = new AssertionError({
      actual: new Comparison(actual, keys), expected: new Comparison(expected, keys, actual),
      operator: 'deepStrictEqual', stackStartFn: f,
    });
    error.actual = actual;
    error.expected = expected;
    error.operator = f.name;
    throw error;
  };

  // checkThrown fails unless what was thrown is as expected: a regular expression, a class, an object or a function.
  const checkThrown = (actual, expected, message, f) => {
    let generated = false;
    let fail = false;
    if (typeof expected !== 'function') {
      if (types.isRegExp(expected)) {
        const text = String(actual);
        if (expected.exec(text) !== null) return;
        if (!message) {
          generated = true;
          message = `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`;
        }
        fail = true;
      } else if (typeof actual !== 'object' || actual === null) {
        const error = new AssertionError({ actual, expected, message, operator: 'deepStrictEqual', stackStartFn: f });
        error.operator = f.name;
        throw error;
      } else {
        const keys = Object.keys(expected);
        if (expected instanceof Error) keys.push('name', 'message');
        else if (keys.length === 0) throw ERR_INVALID_ARG_VALUE('error', expected, 'may not be an empty object');
        for (const key of keys) {
          if (typeof actual[key] === 'string' && types.isRegExp(expected[key]) &&
            expected[key].exec(actual[key]) !== null) continue;
          compareKey(actual, expected, key, message, keys, f);
        }
        return;
      }
    } else if (expected.prototype !== undefined && actual instanceof expected) {
      return;
    } else if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
      if (!message) {
        generated = true;
        message = `The error is expected to be an instance of "${expected.name}". Received `;
        message += types.isNativeError(actual) ? `"${actual.name}"` : `"${inspect(actual, { depth: -1 })}"`;
        if (types.isNativeError(actual)) message += `\n\nError message:\n\n${actual.message}`;
      }
      fail = true;
    } else {
      const result = expected.call({}, actual);
      if (result !== true) {
        if (!message) {
          generated = true;
          const name = expected.name ? `"${expected.name}" ` : '';
          message = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
          if (types.isNativeError(actual)) message += `\n\nCaught error:\n\n${actual}`;
        }
        fail = true;
      }
    }
    if (fail) {
      if (types.isNativeError(message)) throw message;
      const error = new AssertionError({ actual, expected, message, operator: f.name, stackStartFn: f });
      error.generatedMessage = generated;
      throw error;
    }
  };

  const nothing = Symbol('nothing was thrown');
  const thrownBy = (f) => {
    if (typeof f !== 'function') throw ERR_INVALID_ARG_TYPE('fn', 'Function', f);
    try { f(); } catch (error) { return error; }
    return nothing;
  };
  const isPromise = (value) => types.isPromise(value) || (
    value !== null && typeof value === 'object' && typeof value.then === 'function' &&
      typeof value.catch === 'function');
  const rejectionOf = async (promise) => {
    let result;
    if (typeof promise === 'function') {
      result = promise();
      if (!isPromise(result)) throw ERR_INVALID_RETURN_VALUE('instance of Promise', 'promiseFn', result);
    } else if (isPromise(promise)) {
      result = promise;
    } else {
      throw ERR_INVALID_ARG_TYPE('promiseFn', ['Function', 'Promise'], promise);
    }
    try { await result; } catch (error) { return error; }
    return nothing;
  };

  const ERR_AMBIGUOUS_ARGUMENT = (message) => {
    const made = new TypeError(`The "error/message" argument is ambiguous. ${message}`);
    made.code = 'ERR_AMBIGUOUS_ARGUMENT';
    return made;
  };
  const expectThrown = (f, actual, error, message) => {
    if (typeof error === 'string') {
      if (message !== undefined) throw ERR_INVALID_ARG_TYPE('error', ['Object', 'Error', 'Function', 'RegExp'], error);
      if (typeof actual === 'object' && actual !== null ? actual.message === error : actual === error) {
        throw ERR_AMBIGUOUS_ARGUMENT(typeof actual === 'object' ?
          `The error message "${actual.message}" is identical to the message.`
            : `The error "${actual}" is identical to the message.`);
      }
      message = error;
      error = undefined;
    } else if (error != null && typeof error !== 'object' && typeof error !== 'function') {
      throw ERR_INVALID_ARG_TYPE('error', ['Object', 'Error', 'Function', 'RegExp'], error);
    }
    if (actual === nothing) {
      let details = '';
      if (error?.name) details += ` (${error.name})`;
      details += message ? `: ${message}` : '.';
      const kind = f === assert.rejects ? 'rejection' : 'exception';
      raise({ actual: undefined, expected: error, operator: f.name, message: `Missing expected ${kind}${details}`,
        stackStartFn: f });
    }
    if (error) checkThrown(actual, error, message, f);
  };
  const expectNothing = (f, actual, error, message) => {
    if (actual === nothing) return;
    if (typeof error === 'string') {
      message = error;
      error = undefined;
    }
    const matches = error && (typeof error === 'function' ?
      (error.prototype !== undefined && actual instanceof error) ||
        (!Object.prototype.isPrototypeOf.call(Error, error) && error.call({}, actual) === true) :
      types.isRegExp(error) && error.exec(String(actual)) !== null);
    if (!error || matches) {
      const details = message ? `: ${message}` : '.';
      const kind = f === assert.doesNotReject ? 'rejection' : 'exception';
      raise({
        actual, expected: error, operator: f.name, stackStartFn: f,
        message: `Got unwanted ${kind}${details}\nActual message: "${actual?.message}"`,
      });
    }
    throw actual;
  };

  assert.throws = function throws(f, ...args) { expectThrown(throws, thrownBy(f), ...args); };
  assert.rejects = async function rejects(promise, ...args) {
    expectThrown(rejects, await rejectionOf(promise), ...args);
  };
  assert.doesNotThrow = function doesNotThrow(f, ...args) { expectNothing(doesNotThrow, thrownBy(f), ...args); };
  assert.doesNotReject = async function doesNotReject(promise, ...args) {
    expectNothing(doesNotReject, await rejectionOf(promise), ...args);
  };

  assert.ifError = function ifError(value) {
    if (value === null || value === undefined) return;
    let message = 'ifError got unwanted exception: ';
    if (typeof value === 'object' && typeof value.message === 'string') {
      message += value.message.length === 0 && value.constructor ? value.constructor.name : value.message;
    } else {
      message += inspect(value);
    }
    const error = new AssertionError({
      actual: value, expected: null, operator: 'ifError', message, stackStartFn: ifError,
    });
    error.generatedMessage = false;
    throw error;
  };

  const matching = (name, wanted) => {
    assert[name] = {
      [name](text, regexp, message) {
        if (!types.isRegExp(regexp)) throw ERR_INVALID_ARG_TYPE('regexp', 'RegExp', regexp);
        if (typeof text === 'string' && (regexp.exec(text) !== null) === wanted) return;
        if (types.isNativeError(message)) throw message;
        const generated = !message;
        message ||= typeof text !== 'string' ?
          `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})` :
          `The input ${wanted ? 'did not' : 'was expected to not'} match the regular expression ` +
            `${inspect(regexp)}. Input:\n\n${inspect(text)}\n`;
        const error = new AssertionError({
          actual: text, expected: regexp, message, operator: name, stackStartFn: assert[name],
        });
        error.generatedMessage = generated;
        throw error;
      },
    }[name];
  };
  matching('match', true);
  matching('doesNotMatch', false);

  function strict(...args) { innerOk(strict, args.length, ...args); }
  Object.assign(strict, assert, {
    equal: assert.strictEqual, deepEqual: assert.deepStrictEqual, notEqual: assert.notStrictEqual,
    notDeepEqual: assert.notDeepStrictEqual,
  });
  for (const f of [assert, strict]) { // not enumerable, since what imports assert by name would load it
    Object.defineProperty(f, 'CallTracker', {
      get: () => require('internal/calltracker').CallTracker, configurable: true,
    });
    f.strict = strict;
  }
  module.exports = assert;
})
