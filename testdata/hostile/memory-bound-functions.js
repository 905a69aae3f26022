// Functions are bound with long lists of arguments.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const bound = [];
for (;;) bound.push(bound.push.bind(null, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
