// Object.prototype has setters that throw for all names that are likely.
// ends: returns [7,{"a":8}]
for (const name of ['length', 'json', 'buffer', 'resolve', 'reject', 'value', 'error',
  'name', 'message', 'code', 'stack', 'list', 'next', 'done', 'kind', 'names']) {
  Object.defineProperty(Object.prototype, name, {
    __proto__: null,
    set() {
      throw new Error('setter');
    },
    get() {
      return undefined;
    },
    configurable: true,
  });
}
console.log([1, { b: 2 }]);
return JSON.stringify(await later(7, { a: 8 }));
