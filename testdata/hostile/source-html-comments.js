// Sloppy code is full of what only old browsers take for comments.
// ends: time limit
const text = '<!-- x\n--> y\n'.repeat(1e5);
for (;;) (0, eval)(text);
