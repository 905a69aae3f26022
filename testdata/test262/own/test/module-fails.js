/*---
flags: [module]
---*/
import { value } from './value_FIXTURE.js';
assert.sameValue(value, 6);
