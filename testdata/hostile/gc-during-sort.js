// While an array is sorted, its comparison drops the elements and makes so much garbage that they are collected.
// ends: returns 300 elements
const array = Array.from({ length: 300 }, (_, i) => ({ n: (i * 7919) % 300 }));
let turns = 0;
array.sort((a, b) => {
  if (turns++ % 100 === 0) {
    array.length = 0;
    for (let i = 0; i < 100; i++) {
      const garbage = { bytes: new Uint8Array(1e5) };
      garbage.self = garbage;
    }
  }
  return a.n - b.n;
});
return array.length + ' elements';
