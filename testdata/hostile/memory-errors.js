// Errors are kept with their stacks.
// ends: memory limit
const ballast = new Uint8Array(5.5e7); // leaves less to fill
const errors = [];
const fail = (n) => (n === 0 ? new Error('kept') : fail(n - 1));
for (;;) errors.push(fail(9));
