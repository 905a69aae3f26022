// Methods of Map, Set and their weak forms are replaced.
// ends: returns true
for (const type of [Map, Set, WeakMap, WeakSet, WeakRef, FinalizationRegistry]) {
  for (const name of Object.getOwnPropertyNames(type.prototype)) {
    if (name === 'constructor') continue;
    Object.defineProperty(type.prototype, name, {
      get() {
        throw new Error('replaced');
      },
    });
  }
}
fs.writeFileSync('/a', 'x');
const target = new EventTarget();
let heard = false;
target.addEventListener('event', () => (heard = true));
target.dispatchEvent(new Event('event'));
console.log(new Map(), fs.statSync('/a').isFile());
return heard && fs.statSync('/a').isFile();
