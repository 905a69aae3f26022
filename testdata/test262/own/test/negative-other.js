/*---
negative:
  phase: runtime
  type: TypeError
---*/
throw new RangeError();
