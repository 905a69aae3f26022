// Long texts that are almost a date are parsed.
// ends: time limit
const text = '(' .repeat(1e6) + ')'.repeat(1e6) + ' Jan 1 2000';
for (;;) Date.parse(text);
