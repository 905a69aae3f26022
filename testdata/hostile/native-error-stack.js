// Errors are made at the end of a long stack of calls, each of which has a long name.
// ends: time limit or memory limit
const name = 'x'.repeat(10000);
const { [name]: deep } = { [name]: (n) => (n === 0 ? new Error('deep').stack.length : deep(n - 1)) };
Error.stackTraceLimit = 500;
for (;;) deep(500);
