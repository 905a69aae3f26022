// Long texts that differ at their end are compared in the order of a language.
// ends: time limit
const a = 'é'.repeat(2e5) + 'a';
const b = 'e\u0301'.repeat(2e5) + 'b';
for (;;) a.localeCompare(b);
