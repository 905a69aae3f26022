/*---
negative:
  phase: runtime
  type: TypeError
---*/
