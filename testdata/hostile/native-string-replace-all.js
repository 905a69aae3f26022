// The method replaceAll puts a longer text in the place of each character.
// ends: time limit or memory limit
const text = 'a'.repeat(2e5);
for (;;) text.replaceAll('a', 'bcdefghij');
