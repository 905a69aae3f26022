// Slices of a long text are kept, which must not cost host memory for each.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const text = 'x'.repeat(1e6);
const pieces = [];
for (let i = 0; ; i++) pieces.push(text.slice(i % 1000));
