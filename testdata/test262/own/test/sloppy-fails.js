/*---
description: it passes in strict mode only
---*/
assert.throws(ReferenceError, function () { notDeclared = 1; });
