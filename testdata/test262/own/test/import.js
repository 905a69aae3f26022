/*---
flags: [async]
---*/
import('./value_FIXTURE.js').then(function (namespace) { assert.sameValue(namespace.value, 5); }).then($DONE, $DONE);
