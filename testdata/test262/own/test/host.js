/*---
description: what the host gives to tests
---*/
$262.evalScript('let scripted = 1; var evaluated = 2;');
assert.sameValue(scripted, 1);
assert.sameValue(evaluated, 2);
assert.sameValue($262.global, globalThis);
$262.gc();
assert.sameValue(Object.getOwnPropertyDescriptor(globalThis, 'print').enumerable, false);
