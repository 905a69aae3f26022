// Globals that the prelude may look up are getters that count and throw.
// ends: returns 0 looked up
let count = 0;
const { defineProperty } = Object;
const params = new URLSearchParams('a=b');
for (const name of [
  'Array', 'Object', 'Promise', 'Uint8Array', 'Error', 'TypeError', 'String', 'JSON', 'Reflect', 'Symbol', 'Map',
    'WeakMap', 'DOMException', 'queueMicrotask', 'setTimeout', 'performance', 'crypto', 'Event', 'AbortController',
]) {
  defineProperty(globalThis, name, {
    get() {
      count++;
      throw new SyntaxError('looked up');
    },
  });
}
console.log([1], { a: 1 });
await fs.writeFile('/a', 'x');
await later(1);
params.append('b', 'c');
return count + ' looked up';
