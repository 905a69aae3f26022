// The species of an array shrinks it while splice, concat, slice and map copy from it.
// ends: returns ok
class Tricky extends Array {
  static get [Symbol.species]() {
    return function (length) {
      target.length = 1;
      const made = new Array(length);
      Object.defineProperty(made, 1, { value: 1, writable: false, configurable: true });
      return made;
    };
  }
}
let target;
for (const use of [(t) => t.splice(0, 30), (t) => t.slice(2), (t) => t.concat([1], [2]),
  (t) => t.map((x) => x), (t) => t.filter(() => true), (t) => t.flat(), (t) => t.flatMap((x) => [x])]) {
  target = Tricky.from({ length: 60 }, (_, i) => ({ i }));
  try {
    use(target);
  } catch {}
}
return 'ok';
