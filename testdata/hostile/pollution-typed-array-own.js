// One typed array has properties of its own that say that it is larger, elsewhere, and another kind of thing.
// ends: returns 2,2,AB
const bytes = new Uint8Array([65, 66]);
for (const [name, value] of [
  ['length', 1e9], ['byteLength', 1e9], ['byteOffset', -5], ['buffer', new ArrayBuffer(1)], ['constructor', null],
]) {
  Object.defineProperty(bytes, name, { value });
}
Object.setPrototypeOf(bytes, { __proto__: null });
fs.writeFileSync('/a', bytes);
return [fs.statSync('/a').size, echo(bytes)[0].length, new TextDecoder().decode(bytes)].join();
