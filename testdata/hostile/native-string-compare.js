// Two long texts are equal up to their end, and are compared in each turn.
// ends: time limit
const a = 'x'.repeat(1e7) + 'a';
const b = 'x'.repeat(1e7) + 'b';
for (;;) a < b;
