// Garbage in cycles is collected by a getter while a changed copy of an array-like object is only half there.
// ends: returns 4 times 1000
for (let i = 0; i < 200; i++) new Uint8Array(8000).fill(0xff); // what freed memory has
const source = { length: 1000 };
Object.defineProperty(source, 500, {
  get() {
    for (let i = 0; i < 60; i++) {
      const garbage = { block: new ArrayBuffer(1 << 19) };
      garbage.self = garbage;
    }
    return 1;
  },
});
const { toReversed, toSorted, toSpliced, with: replaced } = Array.prototype;
const lengths = new Set([
  toReversed.call(source), toSorted.call(source), toSpliced.call(source, 0, 1, 2), replaced.call(source, 3, 4),
].map((copy) => copy.length));
return '4 times ' + [...lengths];
