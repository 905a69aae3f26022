// Long expressions are compiled, each different from the ones before.
// ends: time limit
for (let i = 0; ; i++) new RegExp('(?:a|b+?|[^c-e]{2,3})'.repeat(500) + i);
