// Thousands of timers throw, each an error that is reported with its stack.
// ends: time limit or memory limit or returns done
const fail = (n) => (n === 0 ? null.property : fail(n - 1));
for (let i = 0; i < 3e4; i++) setTimeout(() => fail(50), 0);
return 'done';
