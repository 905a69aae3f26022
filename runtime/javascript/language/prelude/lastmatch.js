// RegExp.$1, RegExp.lastMatch and the like: what the last match of a regular expression was, as in Node. The engine
// keeps it.
(function (kernel) {
  'use strict';
  const { host, slice, String, defineProperty } = kernel;
  const { RegExp } = globalThis;
  const part = (n) => host('regexp.match', n);

  // between returns the last match's string from where a group begins or ends to where one does; both are parts of
  // opMatch.
  const between = (from, to) => {
    if (part(0) === 0) return '';
    const start = from === 0 ? 0 : part(from);
    return start < 0 ? '' : slice(part(1), start, to === 0 ? undefined : part(to));
  };
  // What is assigned to RegExp.input is there until the next match.
  let assigned = '';
  let assignedAt = 0;
  const input = () => {
    const number = part(0);
    return number === assignedAt ? assigned : part(1);
  };
  const assign = (value) => {
    assigned = String(value);
    assignedAt = part(0);
  };
  const define = (name, get, set = () => {}) => {
    const descriptor = { get [name]() { return get(); }, set [name](value) { set(value); } };
    const { get: getter, set: setter } = Object.getOwnPropertyDescriptor(descriptor, name);
    defineProperty(getter, 'name', { __proto__: null, value: `get ${name}`, configurable: true });
    defineProperty(RegExp, name, { __proto__: null, get: getter, set: setter, enumerable: false, configurable: true });
  };
  const both = (long, short, get, set) => {
    define(long, get, set);
    define(short, get, set);
  };
  both('input', '$_', input, assign);
  both('lastMatch', '$&', () => between(2, 3));
  both('lastParen', '$+', () => {
    const n = part(-1) - 1;
    return n > 0 ? between(2 * n + 2, 2 * n + 3) : '';
  });
  both('leftContext', '$`', () => between(0, 2));
  both('rightContext', "$'", () => between(3, 0));
  for (let n = 1; n <= 9; n++) define(`$${n}`, () => between(2 * n + 2, 2 * n + 3));
})
