/*---
description: nothing but the flag says that it is a module
flags: [module]
negative:
  phase: parse
  type: SyntaxError
---*/
$DONOTEVALUATE();
with ({}) {}
