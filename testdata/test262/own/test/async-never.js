/*---
flags: [async]
---*/
new Promise(function () {}).then($DONE, $DONE);
