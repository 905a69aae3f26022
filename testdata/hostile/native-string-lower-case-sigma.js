// A sigma becomes another character at the end of a word, so that the way to the end of the word is looked at for each.
// ends: time limit
const text = '\u03a3'.repeat(5e4) + '\u00ad'.repeat(5e5);
for (;;) text.toLowerCase();
