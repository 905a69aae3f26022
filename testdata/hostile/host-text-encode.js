// Ten million characters are encoded as UTF-8.
// ends: time limit
const text = 'x'.repeat(1e7);
for (;;) new TextEncoder().encode(text);
