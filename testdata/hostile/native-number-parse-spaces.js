// A number stands behind millions of spaces.
// ends: time limit
const text = ' '.repeat(2e7) + '1';
for (;;) Number(text) + parseInt(text);
