// Millions of spaces are cut off.
// ends: time limit
const text = ' \u2003'.repeat(5e6) + 'x';
for (;;) text.trim().length + text.trimStart().length;
