/*---
flags: [non-deterministic]
---*/
assert.sameValue(Math.min(), -Infinity);
