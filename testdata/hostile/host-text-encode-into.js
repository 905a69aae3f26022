// A long text is encoded into a buffer that has room for one byte of it.
// ends: time limit
const text = '€'.repeat(3e6);
const bytes = new Uint8Array(1);
for (;;) new TextEncoder().encodeInto(text, bytes);
