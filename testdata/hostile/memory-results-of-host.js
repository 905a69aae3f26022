// Results of a Go function are kept.
// ends: memory limit
const kept = [];
for (;;) kept.push(big(8e6));
