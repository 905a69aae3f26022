// A byte that is not there is looked for in forty million of them.
// ends: time limit
const bytes = new Uint8Array(4e7);
for (;;) bytes.indexOf(1) + bytes.lastIndexOf(1) + bytes.includes(1);
