/*---
flags: [module, generated]
includes: [helper.js]
---*/
import { value } from './value_FIXTURE.js';
import { same } from './self_FIXTURE.js';
import * as self from './module.js';
assert.sameValue(this, undefined);
assert.sameValue(lexical, 'of a script');
assert.sameValue(value, await Promise.resolve(5));
assert(self === same);
export { value };
