/*---
flags: [async]
---*/
Promise.reject(new Test262Error('rejected')).then($DONE, $DONE);
