// The method replaceAll calls the script for each place between two characters.
// ends: time limit
const text = 'a'.repeat(3e5);
for (;;) text.replaceAll('', (match, at) => at);
