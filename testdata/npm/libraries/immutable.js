const { Map, List, Record, Set, fromJS, is, Range } = require('immutable');
const state = fromJS({ users: [{ name: 'a', tags: ['x'] }], n: 1 });
const next = state.updateIn(['users', 0, 'tags'], (t) => t.push('y')).set('n', 2);
const Point = Record({ x: 0, y: 0 });
return JSON.stringify([
  next, state.getIn(['users', 0, 'tags']).size, is(Map({ a: 1 }), Map({ a: 1 })), List([3, 1, 2]).sort(),
  Set([1, 1, 2]), new Point({ y: 5 }).toString(),
  Range(0, 1e6).filter((n) => n % 7 === 0).take(3), next.hashCode() === fromJS(next.toJS()).hashCode(),
]);
