// Characters that become three in upper case make a text longer than it was.
// ends: time limit or memory limit
const text = '\u0390'.repeat(2e5);
for (;;) text.toUpperCase().toLowerCase();
