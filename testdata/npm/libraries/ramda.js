const R = require('ramda');
return JSON.stringify([
  R.pipe(R.groupBy(R.prop('k')), R.map(R.pluck('v')))([{ k: 'a', v: 1 }, { k: 'b', v: 2 }, { k: 'a', v: 3 }]),
  R.over(R.lensPath(['a', 'b']), R.inc, { a: { b: 1 } }),
  R.curry((a, b, c) => a + b + c)(1)(2, 3), R.transduce(R.compose(R.map(R.inc), R.take(2)), R.flip(R.append), [],
    [1, 2, 3]), R.equals(new Set([1]), new Set([1])),
]);
