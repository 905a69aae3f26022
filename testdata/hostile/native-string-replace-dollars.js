// A replacement consists of references to the whole text before the match, which is put in a hundred times.
// ends: time limit or memory limit
const text = 'a'.repeat(1e5) + 'b';
for (;;) text.replace('b', '$`'.repeat(100));
