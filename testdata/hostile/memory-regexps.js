// Regular expressions are compiled and kept.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const expressions = [];
for (let i = 0; ; i++) expressions.push(new RegExp(`(a|b)[c-${String.fromCharCode(200 + (i % 50000))}]+${i}`));
