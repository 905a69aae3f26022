// Sorting by a language's rules.
const same = {};
const text = (f) => {
  try {
    return JSON.stringify(f(), (key, value) => (value === undefined ? 'undefined' : value));
  } catch (e) {
    return `${e.name}: ${e.message}`;
  }
};
const put = (name, f) => { same[name] = text(f); };

let seed = 7;
const random = (n) => (seed = (seed * 16807) % 2147483647) % n;
const words = (count, letters) => Array.from({ length: count },
  () => Array.from({ length: random(7) }, () => letters[random(letters.length)]).join(''));
const lists = {
  ASCII: words(120, [...'abcAB -_1290.']),
  Latin: words(120, [...'aàáâbcçdeéfößsñzžåøAÄÉ ']),
  mixed: words(90, [...'aä日本カか한글бωعا😀🇩🇪', 'e\u0301', '\u0328', 'ﬁ', '\ud800', '\0']),
  short: ['z', 'a', 'ä', 'Z', 'A'],
};
for (const [name, list] of Object.entries(lists)) {
  for (const [locale, options] of [['en'], ['de'], ['sv'], ['es'], ['fr', { sensitivity: 'base' }],
    ['en', { numeric: true }],
    ['en', { caseFirst: 'upper' }], ['en', { sensitivity: 'accent' }], ['de', { ignorePunctuation: true }], ['ja']]) {
    put(`${name} ${locale} ${JSON.stringify(options)}`,
      () => list.slice().sort(new Intl.Collator(locale, options).compare));
  }
  put(`${name} toSorted`, () => list.toSorted(new Intl.Collator().compare));
  put(`${name} by a function`, () => {
    const { compare } = new Intl.Collator();
    return list.slice().sort((a, b) => compare(b, a));
  });
  put(`${name} localeCompare`, () => list.slice().sort((a, b) => a.localeCompare(b)));
  put(`${name} localeCompare of a locale`, () => list.slice().sort((a, b) => a.localeCompare(b, 'sv')));
}

// Arrays of other things than texts.
const { compare } = new Intl.Collator('en', { numeric: true });
const many = lists.ASCII.slice(0, 40);
put('it returns the array', () => { const a = many.slice(); return a.sort(compare) === a; });
put('toSorted does not', () => {
  const a = many.slice();
  return [a.toSorted(compare) === a, a.join() === many.join()];
});
put('numbers', () => Array.from({ length: 40 }, (_, i) => (i * 7) % 40).sort(compare));
put('numbers and texts', () => [...many, 5, null, true].sort(compare));
put('undefined', () => [undefined, ...many, undefined].sort(compare).slice(-3));
put('holes', () => { const a = many.slice(); delete a[3]; a.sort(compare); return [a.length, 39 in a, 3 in a]; });
put('an array-like object', () => Array.prototype.sort.call({ length: 2, 0: 'b', 1: 'a' }, compare));
put('a frozen array', () => { try { Object.freeze(many.slice()).sort(compare); } catch (e) { return e.name; } });
put('a class', () => {
  class List extends Array {}
  const a = List.from(many).sort(compare);
  return [a instanceof List, a];
});
put('a proxy', () => new Proxy(many.slice(), {}).sort(compare));
put('an argument that is none', () => { try { many.slice().sort(1); } catch (e) { return e.name; } });
put('null', () => { try { Array.prototype.sort.call(null, compare); } catch (e) { return e.name; } });
put('without an argument', () => [3, 20, 100].sort());
put('a function that throws', () => many.slice().sort(() => { throw new RangeError('no'); }));
put('the properties', () => ['sort', 'toSorted'].map((name) => {
  const d = Object.getOwnPropertyDescriptor(Array.prototype, name);
  return [
    name, d.value.name, d.value.length, d.enumerable, d.writable, d.configurable, Object.hasOwn(d.value, 'prototype'),
  ];
}));
put('it is no constructor', () => { try { new Array.prototype.sort(); } catch (e) { return e.name; } });
put('its text', () => String(Array.prototype.sort).includes('[native code]'));
put('the properties of compare', () => [compare.name, compare.length, Object.hasOwn(compare, 'prototype')]);
put('what is no text', () => [
  compare(1, 10), compare(null, undefined), compare({}, []), 'a'.localeCompare(), 'u'.localeCompare(undefined),
]);

module.exports = same;
