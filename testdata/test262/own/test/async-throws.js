/*---
flags: [async]
---*/
$DONE();
throw new Test262Error('thrown after the end');
