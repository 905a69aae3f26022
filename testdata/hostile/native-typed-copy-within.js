// One call moves forty million bytes by one place.
// ends: time limit
const bytes = new Uint8Array(4e7);
for (;;) bytes.copyWithin(0, 1);
