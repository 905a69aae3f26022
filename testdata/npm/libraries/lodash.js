const _ = require('lodash');
const fp = require('lodash/fp');
const people = [{ n: 'Ann', a: 31 }, { n: 'Bob', a: 25 }, { n: 'Cy', a: 31 }];
return JSON.stringify([
  _.chain(people).groupBy('a').mapValues((g) => _.map(g, 'n')).value(), _.merge({ a: { b: 1 } }, { a: { c: [2] } }),
  _.camelCase('foo bar-baz'),
  _.template('<%- x %>!')({ x: '<b>' }), fp.flow(fp.map((x) => x * 2), fp.sum)([1, 2]),
  _.cloneDeep({ m: new Map([[1, { a: 1 }]]) }).m.get(1),
  _.isEqual(Buffer.from('a'), Buffer.from('a')), _.debounce.length, require('lodash/chunk')([1, 2, 3], 2),
]);
