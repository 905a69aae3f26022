/*---
includes: [no-such-file.js]
---*/
