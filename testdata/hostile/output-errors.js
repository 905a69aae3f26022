// Errors with long messages and long lists of causes are shown.
// ends: time limit or memory limit
let error = new Error('x'.repeat(1e5));
for (let i = 0; i < 1000; i++) error = new Error('x'.repeat(1e4), { cause: error });
for (;;) console.error(error);
