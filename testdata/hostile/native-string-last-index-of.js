// A text is looked for from the end that almost matches at each place.
// ends: time limit
const text = 'é'.repeat(2e6);
const wanted = 'é'.repeat(1e6 - 1) + 'x';
for (;;) text.lastIndexOf(wanted);
