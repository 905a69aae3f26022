// Lazy quantifiers take the long way from the other side.
// ends: time limit
for (;;) 'a'.repeat(1e5).replace(/a*?b/g, '');
