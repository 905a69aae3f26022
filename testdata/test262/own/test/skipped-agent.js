/*---
flags: [CanBlockIsFalse]
---*/
