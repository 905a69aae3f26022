// A length is an object whose value changes each time it is asked for.
// ends: returns ok
let n = 0;
const length = { valueOf: () => [10, 4294967295, -1, 0, 2 ** 53, NaN][n++ % 6] };
for (const name of ['fill', 'indexOf', 'join', 'slice', 'splice', 'copyWithin', 'reverse',
  'includes', 'lastIndexOf', 'at', 'with', 'toSpliced']) {
  for (let i = 0; i < 6; i++) {
    const array = [1, 2, 3];
    try {
      array.length = length;
    } catch {}
    try {
      [1, 2, 3][name](length, length, length);
    } catch {}
  }
}
return 'ok';
