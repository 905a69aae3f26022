// The iterators of arrays, strings and Maps are replaced by one that counts, throws and returns nothing.
// ends: returns 0 used
let used = 0;
const iterator = () => {
  used++;
  throw new Error('iterator');
};
Array.prototype[Symbol.iterator] = String.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] =
  Set.prototype[Symbol.iterator] = iterator;
Object.getPrototypeOf(Object.getPrototypeOf(new Map().keys())).next = iterator;
console.log(1, 'two', { a: [] });
await fs.writeFile('/a', 'x');
await later(1);
crypto.randomUUID();
new TextEncoder().encode('x');
return used + ' used';
