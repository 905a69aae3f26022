// Dates and expressions are used with properties, conversions and subclasses that do not fit.
// ends: returns ok
const expression = /(a)(b)?/dgy;
for (const lastIndex of [
  -1, 2 ** 31, 2 ** 53, NaN, 1n, {}, 'x', { valueOf: () => (expression.compile?.('('.repeat(0) + 'x', 'y'), 1) },
]) {
  try {
    expression.lastIndex = lastIndex;
    expression.exec('abab');
    'abab'.replace(expression, (...args) => args.length);
  } catch {}
}
const date = new Date(0);
for (const name of Object.getOwnPropertyNames(Date.prototype).filter((n) => n.startsWith('set'))) {
  date[name]({ valueOf: () => (date.setTime(NaN), 8.64e15) }, { valueOf: () => (date.setTime(1), -(2 ** 53)) });
}
return 'ok';
