/*---
includes:
  - helper.js
---*/
assert.sameValue(helped, 'function');
