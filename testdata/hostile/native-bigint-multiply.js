// Numbers of half a million bits are multiplied.
// ends: time limit
const x = 2n ** 500000n + 1n;
for (;;) x * x;
