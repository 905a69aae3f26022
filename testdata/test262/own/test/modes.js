/*---
description: a test without flags is run in both modes, as a script
---*/
var declared = 1;
assert.sameValue(globalThis.declared, 1);
assert.sameValue(Object.getOwnPropertyDescriptor(globalThis, 'declared').configurable, false, 'declared by eval');
assert.sameValue(this, globalThis);
