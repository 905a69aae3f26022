/*---
flags: [CanBlockIsTrue]
---*/
