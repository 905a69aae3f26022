// Thousands of accessors are described and defined anew in each turn.
// ends: time limit or memory limit
const descriptors = {};
for (let i = 0; i < 2e4; i++) descriptors['p' + i] = { get: () => i, configurable: true };
for (;;) Object.defineProperties({}, descriptors);
