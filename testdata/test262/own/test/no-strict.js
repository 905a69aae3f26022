/*---
flags: [noStrict]
---*/
assert.sameValue((function () { return this; })(), globalThis);
