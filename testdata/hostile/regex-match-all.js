// The method matchAll finds an empty match at each place of a long text, and again.
// ends: time limit
const text = 'é'.repeat(1e6);
let found = 0;
for (;;) for (const match of text.matchAll(/(?:)/gu)) found += match.index;
