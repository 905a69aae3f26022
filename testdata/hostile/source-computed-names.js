// Object literals with the same name a hundred thousand times, and with as many names.
// ends: time limit or memory limit
const names = Array.from({ length: 3e4 }, (_, i) => `'n${i}': ${i}, 'n': 1, ['c' + ${i}]: 2`);
for (;;) (0, eval)('({' + names.join() + '})');
