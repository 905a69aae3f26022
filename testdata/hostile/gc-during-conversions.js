// Objects are freed while native code that reads them runs the script.
// ends: returns 153 characters
const holder = { list: Array.from({ length: 100 }, (_, i) => ({ toString: () => drop(i) })) };
function drop(i) {
  holder.list.length = Math.min(holder.list.length, 100 - i);
  for (let n = 0; n < 100; n++) {
    const garbage = [new ArrayBuffer(1e4)];
    garbage.push(garbage);
  }
  return 'abc';
}
return holder.list.join('').length + ' characters';
