// Long numbers are kept.
// ends: memory limit
const numbers = [];
for (let n = 2n ** 50000n; ; n++) numbers.push(n);
