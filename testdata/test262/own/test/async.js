/*---
flags: [async]
---*/
(async function () {
  for (var i = 0; i < 10; i++) await null;
})().then($DONE, $DONE);
