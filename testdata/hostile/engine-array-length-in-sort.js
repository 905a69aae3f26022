// A comparison changes the length of the array that is being sorted, its elements and its kind.
// ends: returns ok
for (let turn = 0; turn < 50; turn++) {
  const array = Array.from({ length: 50 }, (_, i) => 50 - i);
  let n = 0;
  array.sort((a, b) => {
    if (++n === turn) array.length = 0;
    if (n === turn + 3) array.push({}, 'x', 1.5);
    if (n === turn + 5) array[2 ** 31] = 1;
    return a - b;
  });
}
return 'ok';
