/*---
flags: [module]
negative:
  phase: resolution
  type: SyntaxError
---*/
$DONOTEVALUATE();
import { missing } from './value_FIXTURE.js';
