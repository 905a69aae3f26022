// Well-known symbols are on Object.prototype, for all objects at once.
// ends: returns {"a":1} 2
for (const name of ['toPrimitive', 'toStringTag', 'isConcatSpreadable', 'unscopables',
  'species', 'match', 'replace', 'split', 'hasInstance', 'asyncIterator']) {
  Object.defineProperty(Object.prototype, Symbol[name], {
    get() {
      return name === 'toPrimitive' || name === 'hasInstance' ? undefined : 'polluted';
    },
    configurable: true,
  });
}
console.log({ a: 1 }, [1]);
return JSON.stringify(echo({ a: 1 })[0]) + ' ' + new URLSearchParams({ a: 1, b: 2 }).size;
