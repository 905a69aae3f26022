/*---
negative:
  phase: parse
  type: SyntaxError
---*/
$DONOTEVALUATE();
