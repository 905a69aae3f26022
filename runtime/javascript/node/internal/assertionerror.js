// AssertionError, whose message shows how two values differ.
(function (kernel, require, module) {
  'use strict';
  const { inspect } = require('internal/inspect');
  const { validateObject } = require('internal/validators');
  const types = require('internal/types');

  const titles = {
    __proto__: null,
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    strictEqual: 'Expected values to be strictly equal:',
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
    notIdentical: 'Values have same structure but are not reference-equal:',
    notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
  };
  const maxShort = 12;
  const maxLines = 50; // of a difference that are shown

  // withoutStack copies an error, as its stack would hide the difference.
  const withoutStack = (error) => {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
    Object.defineProperty(copy, 'message', { __proto__: null, value: error.message });
    return copy;
  };
  const show = (value) => inspect(types.isNativeError(value) ? withoutStack(value) : value, {
    compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity,
    showHidden: false, showProxy: false, sorted: true, getters: true,
  });
  const isObjectLike = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // alike ignores the comma behind what is the last item in one of the two.
  const alike = (a, b) => a === b || `${a},` === b || a === `${b},`;

  const longer = (a, b) => (a.length > b.length ? a : b);

  // difference returns the lines of two texts, with marks before those that only one has.
  const difference = (actual, expected) => {
    const a = actual.split('\n');
    const b = expected.split('\n');
    let start = 0;
    while (start < a.length && start < b.length && alike(a[start], b[start])) start++;
    let end = 0;
    while (end < a.length - start && end < b.length - start && alike(a[a.length - 1 - end], b[b.length - 1 - end]))
      end++;
    const middle = changes(a.slice(start, a.length - end), b.slice(start, b.length - end));
    const lines = [...a.slice(0, start).map((text, i) => [' ', longer(text, b[i])]),
      ...middle, ...a.slice(a.length - end).map((text) => [' ', text])];
    const kept = [];
    let skipped = false;
    const shown = lines.map((line, i) => i < 2 || i >= lines.length - 3 ||
      lines.slice(Math.max(0, i - 1), i + 3).some(([mark]) => mark !== ' '));
    for (let i = 0; i < lines.length; i++) {
      if (shown[i]) {
        kept.push(`${lines[i][0]} ${lines[i][1]}`);
      } else if (shown[i - 1]) {
        kept.push('...');
        skipped = true;
      }
      if (kept.length > maxLines) {
        kept.push('...');
        skipped = true;
        break;
      }
    }
    return { text: kept.join('\n'), skipped };
  };
  // changes finds the longest common lines of two short lists; long ones are shown one after the other.
  const changes = (a, b) => {
    if (a.length * b.length > 40000) return [...a.map((text) => ['+', text]), ...b.map((text) => ['-', text])];
    const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        table[i][j] = alike(a[i], b[j]) ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
      }
    }
    const lines = [];
    let i = 0;
    let j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && alike(a[i], b[j])) {
        lines.push([' ', longer(a[i++], b[j++])]);
      } else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) {
        lines.push(['+', a[i++]]);
      } else {
        lines.push(['-', b[j++]]);
      }
    }
    return lines;
  };

  const compare = (actual, expected, operator) => {
    const shownActual = show(actual);
    const shownExpected = show(expected);
    if (operator === 'strictEqual' && isObjectLike(actual) && isObjectLike(expected)) operator = 'strictEqualObject';
    const a = shownActual.split('\n');
    const b = shownExpected.split('\n');
    if (a.length === 1 && b.length === 1 && a[0] !== b[0]) {
      const short = (!isObjectLike(actual) || actual === null) && (!isObjectLike(expected) || expected === null) &&
        (actual !== 0 || expected !== 0);
      if (short && a[0].length + b[0].length <= maxShort) return `${titles[operator]}\n\n${a[0]} !== ${b[0]}\n`;
      if (operator !== 'strictEqualObject' && a[0].length + b[0].length < 80) {
        let same = 0;
        while (a[0][same] === b[0][same]) same++;
        const mark = same > 2 ? `\n${' '.repeat(same + 2)}^` : '';
        return `${titles[operator]}\n+ actual - expected\n\n+ ${a[0]}\n- ${b[0]}${mark}`;
      }
    }
    if (shownActual === shownExpected) {
      const lines = a.length > maxLines ? [...a.slice(0, maxLines), '...'] : a;
      return `${titles.notIdentical}\n\n${lines.join('\n')}\n`;
    }
    const { text, skipped } = difference(shownActual, shownExpected);
    return `${titles[operator]}\n+ actual - expected${skipped ? ' ... Lines skipped' : ''}\n\n${text}`;
  };

  const messageFor = ({ actual, expected, operator }) => {
    if (operator === 'deepStrictEqual' || operator === 'strictEqual') return compare(actual, expected, operator);
    if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') {
      let title = titles[operator];
      if (operator === 'notStrictEqual' && isObjectLike(actual)) title = titles.notStrictEqualObject;
      const lines = show(actual).split('\n');
      if (lines.length > maxLines) lines.splice(maxLines, lines.length, '...');
      return lines.length === 1 ? `${title}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`
        : `${title}\n\n${lines.join('\n')}\n`;
    }
    let a = show(actual);
    let b = show(expected);
    if (operator === 'notDeepEqual' && a === b) {
      a = `${titles.notDeepEqual}\n\n${a}`;
      return a.length > 1024 ? `${a.slice(0, 1021)}...` : a;
    }
    if (a.length > 512) a = `${a.slice(0, 509)}...`;
    if (b.length > 512) b = `${b.slice(0, 509)}...`;
    if (operator === 'deepEqual') return `${titles.deepEqual}\n\n${a}\n\nshould loosely deep-equal\n\n${b}`;
    if (operator === 'notDeepEqual')
      return `${titles.notDeepEqualUnequal}\n\n${a}\n\nshould not loosely deep-equal\n\n${b}`;
    return `${a} ${operator} ${b}`;
  };

  const define = (error, name, value) => {
    Object.defineProperty(error, name, {
      __proto__: null, value, enumerable: false, writable: true, configurable: true,
    });
  };

  class AssertionError extends Error {
    constructor(options) {
      validateObject(options, 'options');
      const { message, operator, actual, expected } = options;
      super(message != null ? String(message) : messageFor(options));
      this.generatedMessage = !message;
      this.code = 'ERR_ASSERTION';
      if (options.details) {
        this.actual = undefined;
        this.expected = undefined;
        this.operator = undefined;
        options.details.forEach((detail, i) => {
          this[`message ${i}`] = detail.message;
          this[`actual ${i}`] = detail.actual;
          this[`expected ${i}`] = detail.expected;
          this[`operator ${i}`] = detail.operator;
        });
      } else {
        this.actual = actual;
        this.expected = expected;
        this.operator = operator;
      }
      define(this, 'name', 'AssertionError [ERR_ASSERTION]'); // for the stack
      Error.captureStackTrace?.(this, options.stackStartFn ?? options.stackStartFunction);
      define(this, 'name', 'AssertionError');
    }
    toString() { return `${this.name} [${this.code}]: ${this.message}`; }
    [inspect.custom](depth, context) {
      return inspect(this, { ...context, customInspect: false, depth: 0 });
    }
  }
  module.exports = AssertionError;
})
