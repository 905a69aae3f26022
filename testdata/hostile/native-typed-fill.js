// One call fills forty million bytes.
// ends: time limit
const bytes = new Uint8Array(4e7);
for (;;) bytes.fill(7);
