/*---
includes: [throws.js]
negative:
  phase: runtime
  type: TypeError
---*/
throw new TypeError();
